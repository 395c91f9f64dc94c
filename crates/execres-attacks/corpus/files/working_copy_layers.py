# id: working_copy_layers
# class: files
# rows: 31
# axis: host_filesystem_restricted
# attempt: looks for the layers of its working copy where the mounts say that they are
# expected: ENOENT, EACCES, EPERM
# witness: word
# where: working-copy
# control: reasoned: there are no layers outside of a run

import re

from attack import *

attempt()
text = open("/proc/self/mountinfo").read()
found = re.findall(r"(?:upperdir|workdir|lowerdir)=([^, ]+)", text)
last = 2
for place in found + ["/.execres", "/layers", "/.old", "/oldroot"]:
    try:
        os.listdir(place)
        if place != given("COPY"):
            worked(place)
    except OSError as error:
        last = error.errno
refused(last)
