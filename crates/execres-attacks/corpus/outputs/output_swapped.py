# id: output_swapped
# class: outputs
# rows: 32
# axis: host_filesystem_restricted
# attempt: swaps its output for a link to a file of the host's while the host reads it
# expected: no effect, ENOENT
# witness: collector
# where: granted
# repeat: race
# control: outside

import time

from attack import *

target, place = given("OUTSIDE") + "/secret", given("WRITE")
result, spare = place + "/result", place + "/spare"
attempt()
end = time.monotonic() + 0.15
while time.monotonic() < end:
    for _ in range(100):
        open(spare, "w").close()
        os.rename(spare, result)
        os.symlink(target, spare)
        os.rename(spare, result)
attempted()
