# id: output_modes
# class: outputs
# rows: 37
# axis: host_filesystem_restricted
# attempt: leaves directories that nobody may enter and files of another age
# expected: no effect, ENOENT, EPERM, EXDEV, EACCES
# witness: collector
# where: granted
# control: reasoned: what is tried is whether the host can clean up, and it cleans up after the run

import socket
import stat

from attack import *

target = given("OUTSIDE") + "/secret"
places = [given("WRITE")] + (["/handed-up"] if os.path.isdir("/handed-up") else [])
attempt()
for place in places:
    result = place + "/result"
    try:
        os.makedirs(place + "/closed/inner")
        open(place + "/closed/inner/file", "w").close()
        os.utime(place + "/closed/inner/file", (2**33, 2**33))
        os.chmod(place + "/closed/inner", 0)
        os.chmod(place + "/closed", 0)
        os.open(place + "/deleted", os.O_CREAT | os.O_RDWR)
        os.unlink(place + "/deleted")
    except OSError as error:
        refused(error)
attempted()
