"""Subprocesses with their streams on the null device, in a shell's words and in Python's."""

import os
import subprocess

quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
assert subprocess.run(["ls", "/nowhere"], **quiet).returncode != 0
assert subprocess.run(["cat"], stdin=subprocess.DEVNULL, capture_output=True).stdout == b""
assert subprocess.call("ls /nowhere >/dev/null 2>&1 </dev/null", shell=True) != 0
with open(os.devnull, "r+b", buffering=0) as null:
    assert null.write(b"gone") == 4 and null.read() == b""
many = [subprocess.Popen(["true"], **quiet, start_new_session=True) for _ in range(40)]
assert all(process.wait(timeout=30) == 0 for process in many)
print("DEVNULL works")
