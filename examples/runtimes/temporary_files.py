"""Temporary files and directories of every kind, a program that is started from one, and the shared memory directory."""

import os
import stat
import subprocess
import tempfile

assert tempfile.gettempdir() == "/tmp"
with tempfile.TemporaryFile() as file:
    file.write(b"x" * 10_000_000)
    assert file.tell() == 10_000_000
with tempfile.SpooledTemporaryFile(max_size=10) as file:
    file.write(b"longer than ten bytes")
    file.seek(0)
    assert file.read() == b"longer than ten bytes"
with tempfile.TemporaryDirectory() as place:
    script = os.path.join(place, "script")
    with open(script, "w") as file:
        file.write("#!/bin/sh\necho started from $0\n")
    os.chmod(script, stat.S_IRWXU)
    assert subprocess.check_output([script], text=True) == f"started from {script}\n"
    os.makedirs(os.path.join(place, "a/b/c"))
    os.rename(script, os.path.join(place, "a/b/c/moved"))
    os.link(os.path.join(place, "a/b/c/moved"), os.path.join(place, "linked"))
assert not os.path.exists(place)
with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
    assert os.stat(file.name).st_mode & 0o777 == 0o600
print("tempfile works")
