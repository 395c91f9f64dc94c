"""Train models, one with threads and one with processes of its own."""

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split

digits = load_digits()
learn, test, answers, expected = train_test_split(digits.data, digits.target, random_state=0)
forest = RandomForestClassifier(50, n_jobs=2, random_state=0).fit(learn, answers)
assert forest.score(test, expected) > 0.9
# Worker processes of joblib: semaphores, shared memory and a resource tracker.
scores = cross_val_score(LogisticRegression(max_iter=50, tol=0.1), learn[:300] / 16, answers[:300], cv=3, n_jobs=2)
assert scores.mean() > 0.8, scores
print("scikit-learn works")
