# id: residue
# class: inheritance
# rows: 41, 35, 40
# axis: process_contained
# attempt: leaves files, sockets, objects and a daemon in the first of two runs, and looks for them in the second
# expected: no effect, ENOENT
# witness: word, processes
# where: own-root
# repeat: twice
# control: reasoned: outside nothing keeps two runs apart, and what the first leaves would stay

import ctypes
import socket

from attack import *

attempt()
libc = ctypes.CDLL(None, use_errno=True)
places = ["/tmp", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"]]
name = "execres-residue"
listener = socket.socket(socket.AF_UNIX)
if given("ROUND") == "1":
    for place in places:
        for file in (name, ".bashrc", ".profile", "sitecustomize.py", ".pythonrc"):
            try:
                open(f"{place}/{file}", "w").write("left")
            except OSError:
                pass
    libc.shmget(0x45580BAD, 4096, 0o1666)
    listener.bind("\0" + name)
    listener.listen()
    if os.fork() == 0:
        os.setsid()
        import time
        time.sleep(60)
    attempted()
for place in places:
    for file in (name, ".bashrc", ".profile", "sitecustomize.py", ".pythonrc"):
        if os.path.exists(f"{place}/{file}"):
            worked(f"{place}/{file}")
if libc.shmget(0x45580BAD, 0, 0) >= 0:
    worked("a segment")
try:
    listener.connect("\0" + name)
except OSError:
    pass
else:
    worked("a socket")
attempted()
