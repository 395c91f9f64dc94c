# id: working_copy
# class: files
# rows: 34, 35
# axis: host_filesystem_restricted
# attempt: changes a working copy and its hooks, which the directory underneath must not notice
# expected: no effect
# witness: files
# where: working-copy
# control: outside

from attack import *

attempt()
copy = given("COPY")
try:
    open(copy + "/target", "w").write("changed")
    os.mkdir(copy + "/new")
    os.chmod(copy + "/target", 0o600)
    open(copy + "/.git/hooks/post-checkout", "w").write("#!/bin/sh")
    os.rename(copy + "/target", copy + "/renamed")
except OSError as error:
    refused(error)
attempted()
