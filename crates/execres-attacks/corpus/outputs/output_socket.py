# id: output_socket
# class: outputs
# rows: 33
# axis: host_filesystem_restricted
# attempt: leaves a socket as its output
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: reasoned: a socket cannot be opened, so there is nothing that a careless reader would get

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        socket.socket(socket.AF_UNIX).bind(result)
    except OSError as error:
        refused(error)
attempted()
