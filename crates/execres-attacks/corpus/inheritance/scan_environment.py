# id: scan_environment
# class: inheritance
# rows: 40, 17
# axis: host_filesystem_restricted
# attempt: looks for variables that nobody gave it
# expected: no effect
# witness: word
# control: reasoned: the outside has an environment of its own, which says nothing of the sandbox

from attack import *

attempt()
known = {"PATH", "HOME", "TMPDIR", "LANG", "USER", "LOGNAME", "LC_CTYPE"}
strange = [name for name in os.environ if name not in known and not name.startswith("ATTACK_")]
if strange:
    worked(" ".join(strange))
attempted()
