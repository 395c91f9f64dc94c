# Run by an interpreter that honours PYTHONPATH, before the program: what it does is done as whoever the interpreter runs as.
import os

try:
    open(os.environ["ATTACK_OUTSIDE"] + "/planted", "w").close()
except OSError:
    print("REFUSED exit", flush=True)
