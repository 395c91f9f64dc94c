# id: output_magic_link
# class: outputs
# rows: 32
# axis: host_filesystem_restricted
# attempt: leaves a link through /proc as its output
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: outside

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        os.symlink("/proc/self/root" + target, result)
    except OSError as error:
        refused(error)
attempted()
