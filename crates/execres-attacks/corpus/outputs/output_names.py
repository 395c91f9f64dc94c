# id: output_names
# class: outputs
# rows: 37, 36, 7
# axis: host_filesystem_restricted
# attempt: leaves names with newlines, escapes, broken text and the greatest length
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: reasoned: names are only dangerous to whoever trusts them, and the reader looks for one name

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        raw = os.fsencode(place)
        for name in (b"a\nb", b"\x1b[2J", b"\xff\xfe", b"x" * 255, b"..\\..\\etc", "\u202etxt.exe".encode(), b" ", b"-rf", b"$(id)"):
            open(raw + b"/" + name, "w").close()
    except OSError as error:
        refused(error)
attempted()
