//! The programs that the checks run.

/// Prints its arguments' sum, so that the output depends on the call.
pub(super) const ADD: &str = "import sys\nprint('sum', sum(int(a) for a in sys.argv[1:]))";

/// Exits with its argument, and says why on standard error.
pub(super) const EXIT: &str = "import sys\nsys.stderr.write('as told\\n')\nsys.exit(int(sys.argv[1]))";

/// Writes two outputs.
pub(super) const OUTPUTS: &str = "
import os
os.makedirs('output/more', exist_ok=True)
open('output/a.txt', 'w').write('alpha')
open('output/more/b.bin', 'wb').write(bytes(range(256)))
";

/// Starts processes that leave their session and ignore being asked to end, says that it has begun, and waits with them.
/// All of them have the argument as one of theirs.
pub(super) const HIDE: &str = r"
import os, signal, sys, time
word = sys.argv[1]
if len(sys.argv) == 2:
    here = [sys.executable, sys.argv[0], word]
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, here + ['hidden'])
        os._exit(0)
    os.wait()
    # One write: print makes two of it, and a run that is ended between them is no fault.
    os.write(1, b'begun\n')
else:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
time.sleep(3600)
";

/// Sleeps for longer than any check.
pub(super) const SLEEP: &str = "import time\nprint('begun', flush=True)\ntime.sleep(3600)";

/// Shows what it reads.
pub(super) const READ: &str = "import sys\ntext = sys.stdin.read()\nprint(len(text), text)";

/// Prints its environment as JSON.
pub(super) const ENVIRONMENT: &str = "import json, os\nprint(json.dumps(dict(os.environ)))";

/// Writes a file where a variable says.
pub(super) const WRITE_TO: &str = "
import os
open(os.path.join(os.environ['PLACE'], 'placed.txt'), 'w').write(os.environ['WORD'] + os.environ['OVER'])
";

/// Prints lines on both streams.
pub(super) const LINES: &str = "
import sys
for n in range(5):
    print('out', n, flush=True)
    print('err', n, file=sys.stderr, flush=True)
";

/// Prints a lot, with a head and a tail that can be told.
pub(super) const LONG: &str = "
import sys
sys.stdout.write('HEAD' + 'x' * 200000 + 'TAIL')
";

/// Prints without end.
pub(super) const ENDLESS: &str = "
import sys
while True:
    sys.stdout.write('y' * 65536)
";

/// Takes and touches half a gibibyte.
pub(super) const MEMORY: &str = "x = bytearray(512 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('had it')";
