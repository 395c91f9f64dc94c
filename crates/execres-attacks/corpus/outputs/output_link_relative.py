# id: output_link_relative
# class: outputs
# rows: 32, 36
# axis: host_filesystem_restricted
# attempt: leaves a relative link that climbs to a file of the host's as its output
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
        os.symlink(os.path.relpath(target, place), result)
    except OSError as error:
        refused(error)
attempted()
