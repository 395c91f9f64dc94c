# id: output_pipe
# class: outputs
# rows: 33
# axis: host_filesystem_restricted
# attempt: leaves a named pipe as its output, so that whoever opens it waits
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: reasoned: the careless reader of the control would wait for ever

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        os.mkfifo(result)
    except OSError as error:
        refused(error)
attempted()
