"""Run by an interpreter that lies outside the system's directories: it, its library and its packages are there, and nothing else of that home."""

import json
import os
import subprocess
import sys

expected = sys.argv[1]
assert sys.prefix == expected, (sys.prefix, expected)
assert json.loads("[1]") == [1]
assert subprocess.check_output([sys.executable, "-c", "import sys; print(sys.prefix)"], text=True).strip() == expected
if sys.argv[2:]:
    import greeting

    assert greeting.TEXT == "hello"
home = expected.split("/.", 1)[0]
assert not os.path.exists(home + "/letter.txt"), "the home is there"
try:
    open(os.path.join(sys.prefix, "new"), "w")
    raise SystemExit("the installation can be written")
except OSError:
    pass
print("an interpreter under a home works")
