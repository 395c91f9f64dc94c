# id: output_device
# class: outputs
# rows: 33, 20
# axis: host_filesystem_restricted
# attempt: leaves a device as its output
# expected: EPERM, EACCES
# witness: collector
# where: granted
# control: reasoned: an ordinary identity makes no devices outside either, and root must not be let

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        os.mknod(result, 0o666 | stat.S_IFCHR, os.makedev(1, 1))
        worked("a device was made")
    except OSError as error:
        refused(error)
attempted()
