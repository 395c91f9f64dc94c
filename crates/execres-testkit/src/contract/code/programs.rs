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

/// Starts a process that leaves its session and ignores being asked to end, says that it has begun, and waits with it. Both have
/// the argument as one of theirs. It begins when the hidden one is there: while a program is replaced by another, its arguments
/// cannot be read.
pub(super) const HIDE: &str = r"
import os, signal, sys, time
word = sys.argv[1]
if len(sys.argv) == 2:
    ready, tell = os.pipe()
    os.set_inheritable(tell, True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, sys.argv[0], word, str(tell)])
        os._exit(0)
    os.wait()
    os.read(ready, 1)
    # One write: print makes two of it, and a run that is ended between them is no fault.
    os.write(1, b'begun\n')
else:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.write(int(sys.argv[2]), b'x')
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
