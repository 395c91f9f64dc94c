"""A database in a file, with its write-ahead log, two connections, a lock and a full-text index."""

import sqlite3

path = "output/stock.db"
one = sqlite3.connect(path)
assert one.execute("pragma journal_mode = wal").fetchone()[0] == "wal"
one.execute("create table stock (name text primary key, count integer)")
with one:
    one.executemany("insert into stock values (?, ?)", ((f"part {n}", n) for n in range(5000)))
two = sqlite3.connect(path, timeout=0)
assert two.execute("select sum(count) from stock").fetchone()[0] == sum(range(5000))
one.execute("begin immediate")
try:
    two.execute("begin immediate")
    raise SystemExit("two writers at once")
except sqlite3.OperationalError as error:
    assert "locked" in str(error)
one.rollback()
two.execute("create virtual table words using fts5(word)")
two.execute("insert into words values ('sandbox'), ('castle')")
assert two.execute("select word from words where words match 'sand*'").fetchall() == [("sandbox",)]
backup = sqlite3.connect(":memory:")
two.commit()
two.backup(backup)
assert backup.execute("pragma integrity_check").fetchone()[0] == "ok"
print("sqlite3 works")
