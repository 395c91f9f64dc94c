# id: grant_swapped
# class: outputs
# rows: 32, 51
# axis: host_filesystem_restricted
# attempt: swaps a directory that the host is about to grant to another run for a link to the host's files
# expected: no effect, ENOENT
# witness: grant
# where: granted
# repeat: race
# control: outside

import time

from attack import *

source, spare = given("WRITE") + "/source", given("WRITE") + "/spare"
attempt()
end = time.monotonic() + 0.15
while time.monotonic() < end:
    for _ in range(20):
        os.rename(source, spare)
        os.symlink(given("OUTSIDE"), source)
        os.unlink(source)
        os.rename(spare, source)
attempted()
