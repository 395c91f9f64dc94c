# id: output_directory
# class: outputs
# rows: 33
# axis: host_filesystem_restricted
# attempt: leaves a directory with a loop of links as its output
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: reasoned: a directory cannot be read as a file, so there is nothing that a careless reader would get

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        os.mkdir(result)
        os.symlink(".", result + "/loop")
        os.symlink(result, result + "/again")
    except OSError as error:
        refused(error)
attempted()
