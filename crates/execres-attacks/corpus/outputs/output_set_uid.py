# id: output_set_uid
# class: outputs
# rows: 33, 21
# axis: host_filesystem_restricted
# attempt: leaves a program with the set-uid and set-gid bits, owned by as many as it can
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: reasoned: a set-uid program of root's can be made by root only, which no control is

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        open(result, "w").write("#!/bin/sh\nid\n")
        for owner in (0, 1000, 65534):
            try:
                os.chown(result, owner, owner)
            except OSError:
                pass
        os.chmod(result, 0o6755)
    except OSError as error:
        refused(error)
attempted()
