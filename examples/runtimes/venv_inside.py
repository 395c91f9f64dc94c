"""Make a virtual environment, put a package and a command into it, and use both."""

import pathlib
import subprocess
import sys
import venv

place = pathlib.Path("/tmp/environment")
venv.EnvBuilder(with_pip=False, symlinks=True).create(place)
python = place / "bin/python"
ask = "import sys, sysconfig; print(sys.prefix); print(sysconfig.get_path('purelib'))"
prefix, packages = subprocess.check_output([python, "-c", ask], text=True).split()
assert prefix == str(place) != sys.prefix
package = pathlib.Path(packages) / "greeting"
package.mkdir()
(package / "__init__.py").write_text("def hello():\n    return 'hello from a package'\n")
command = place / "bin/greet"
command.write_text(f"#!{python}\nimport greeting\nprint(greeting.hello())\n")
command.chmod(0o755)
assert subprocess.check_output([command], text=True) == "hello from a package\n"
print("a virtual environment of the program's own works")
