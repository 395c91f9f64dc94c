//! Programs of every language, of one file and of several, and the ordinary things that they do.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use execres::CodeCall;
use execres::code::{CodeExecution, CodeRequest, StepRole};
use execres::core::{AxisSet, Outcome};
use host::{Host, assert_prints, call, codes, contains, path, program, request, scratch, shown};

async fn run(request: CodeRequest) -> CodeExecution {
    Host::new().run(CodeCall::new(request)).await
}

#[tokio::test]
async fn every_language_runs_isolated() {
    let host = Host::new();
    for (language, source) in [
        ("python", "print(6 * 7)"),
        ("nodejs", "console.log(6 * 7)"),
        ("bash", "echo $((6 * 7))"),
        ("c", "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 6 * 7); }"),
        ("cpp", "#include <iostream>\nint main() { std::cout << 6 * 7 << '\\n'; }"),
    ] {
        let result = host.run(call(language, source)).await;
        assert_prints(&result, "42\n");
        assert_eq!(result.isolation.axes(), AxisSet::ALL, "{language}");
        assert_eq!(result.provider, "sandbox");
    }
}

#[tokio::test]
async fn a_python_program_imports_its_packages() {
    let files = [
        ("main.py", "from pkg.deep import answer\nimport beside\nprint(answer() + beside.MORE)"),
        ("pkg/__init__.py", ""),
        ("pkg/deep/__init__.py", "from .inner import answer"),
        ("pkg/deep/inner.py", "def answer(): return 40"),
        ("beside.py", "MORE = 2"),
    ];
    assert_prints(&run(program("python", &files)).await, "42\n");
}

#[tokio::test]
async fn a_node_program_requires_and_imports_its_files() {
    let files = [("main.js", "console.log(require('./lib/a').a + 2)"), ("lib/a.js", "exports.a = 40")];
    assert_prints(&run(program("nodejs", &files)).await, "42\n");
    let files = [("main.mjs", "import { a } from './a.mjs'; console.log(a)"), ("a.mjs", "export const a = 42")];
    assert_prints(&run(program("nodejs", &files)).await, "42\n");
}

#[tokio::test]
async fn all_sources_of_a_c_program_are_built() {
    let files = [
        ("main.c", "#include <stdio.h>\n#include \"lib/sum.h\"\nint main(void) { printf(\"%d\\n\", sum(40, 2)); }"),
        ("lib/sum.h", "int sum(int, int);"),
        ("lib/sum.c", "#include \"sum.h\"\nint sum(int a, int b) { return a + b; }"),
    ];
    assert_prints(&run(program("c", &files)).await, "42\n");
}

#[tokio::test]
async fn a_cpp_program_has_c_files_beside_its_own() {
    let files = [
        (
            "main.cpp",
            "#include <iostream>\nextern \"C\" int sum(int, int);\nint twice(int);\n\
             int main() { std::cout << twice(sum(20, 1)) << '\\n'; }",
        ),
        ("sum.c", "int sum(int class, int new) { return class + new; }"),
        ("more/twice.cc", "int twice(int n) { return 2 * n; }"),
    ];
    assert_prints(&run(program("cpp", &files)).await, "42\n");
}

#[tokio::test]
async fn a_bash_program_sources_and_starts_its_files() {
    let files = [("main.sh", ". ./lib.sh\nbash other.sh; echo $A"), ("lib.sh", "A=42"), ("other.sh", "echo other")];
    assert_prints(&run(program("bash", &files)).await, "other\n42\n");
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let args = ["", "two words", "ünï 日本", "-x", "--", "$HOME `id` *", "a\nb", "\"'\\"];
    let host = Host::new();
    let wanted = serde_json::to_string(&args).unwrap() + "\n";
    for (language, source) in [
        ("python", "import sys, json; print(json.dumps(sys.argv[1:], ensure_ascii=False, separators=(',', ':')))"),
        ("nodejs", "console.log(JSON.stringify(process.argv.slice(2)))"),
    ] {
        assert_prints(&host.run(CodeCall::new(request(language, source).args(args))).await, &wanted);
    }
    let source =
        "#include <stdio.h>\nint main(int n, char **a) { for (int i = 1; i < n; i++) printf(\"[%s]\\n\", a[i]); }";
    let wanted: String = args.iter().map(|arg| format!("[{arg}]\n")).collect();
    assert_prints(&host.run(CodeCall::new(request("c", source).args(args))).await, &wanted);
    let source = "for a in \"$@\"; do printf '[%s]\\n' \"$a\"; done";
    assert_prints(&host.run(CodeCall::new(request("bash", source).args(args))).await, &wanted);
}

#[tokio::test]
async fn standard_input_is_what_is_given_and_empty_otherwise() {
    let host = Host::new();
    let source = "import sys; d = sys.stdin.buffer.read(); print(len(d), d[:3])";
    assert_prints(&host.run(call("python", source)).await, "0 b''\n");
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|n| (n % 256) as u8).collect();
    let result = host.run(CodeCall::new(request("python", source).stdin(bytes))).await;
    assert_prints(&result, "1000000 b'\\x00\\x01\\x02'\n");
    // A build step reads nothing, and leaves all of it to the program.
    let source = "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); }";
    assert_prints(&host.run(CodeCall::new(request("c", source).stdin("all of it"))).await, "all of it");
}

#[tokio::test]
async fn variables_of_request_and_call_reach_the_program() {
    let source = "import os; print(os.environ['A'], os.environ['B'], os.environ['C'] == '/work/output/x')";
    let mut call = CodeCall::new(
        request("python", source).env("A", "from the request").env("B", "b").env("C", "workspace://output/x"),
    );
    call.env = vec![("B".into(), "from the call".into())];
    assert_prints(&Host::new().run(call).await, "from the request from the call True\n");
}

#[tokio::test]
async fn nothing_of_the_hosts_environment_reaches_the_program() {
    let result = run(request("bash", "env | cut -d= -f1 | sort | tr '\\n' ' '")).await;
    let names = result.stdout.text();
    assert!(std::env::var_os("PATH").is_some(), "the control: this process has an environment");
    for name in names.split_whitespace() {
        let known = [
            "PATH",
            "HOME",
            "TMPDIR",
            "LANG",
            "USER",
            "LOGNAME",
            "PWD",
            "SHLVL",
            "_",
            "OPENBLAS_NUM_THREADS",
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMEXPR_NUM_THREADS",
            "MPLCONFIGDIR",
            "XDG_CACHE_HOME",
        ];
        assert!(known.contains(&name), "{name}: {names}");
    }
}

#[tokio::test]
async fn exit_codes_and_signals_are_told() {
    let host = Host::new();
    for code in [1, 3, 127, 255] {
        let result = host.run(call("bash", &format!("echo out; echo err >&2; exit {code}"))).await;
        assert_eq!(result.outcome, Outcome::Exited { code });
        assert_eq!((result.stdout.text().as_str(), result.stderr.text().as_str()), ("out\n", "err\n"));
        assert!(!result.is_success());
    }
    let result = host.run(call("c", "#include <stdlib.h>\nint main(void) { abort(); }")).await;
    assert_eq!(result.outcome, Outcome::Signaled { signal: 6 }, "{}", shown(&result));
    let result = host.run(call("bash", "kill -KILL $$")).await;
    assert_eq!(result.outcome, Outcome::Signaled { signal: 9 }, "{}", shown(&result));
}

#[tokio::test]
async fn an_uncaught_exception_keeps_what_was_printed() {
    let host = Host::new();
    for (language, source, error) in [
        ("python", "print('before'); raise ValueError('what went wrong')", "ValueError: what went wrong"),
        ("nodejs", "console.log('before'); throw new Error('what went wrong')", "Error: what went wrong"),
        (
            "cpp",
            "#include <iostream>\n#include <stdexcept>\n\
             int main() { std::cout << \"before\" << std::endl; throw std::runtime_error(\"what went wrong\"); }",
            "what went wrong",
        ),
    ] {
        let result = host.run(call(language, source)).await;
        assert!(!result.outcome.is_success(), "{}", shown(&result));
        assert_eq!(result.stdout.text(), "before\n");
        contains(&result.stderr.text(), error, &result.outcome);
    }
}

#[tokio::test]
async fn after_a_compile_error_nothing_runs_and_the_result_says_so() {
    let host = Host::new();
    for (language, source) in [("c", "int main(void) { return nothing; }"), ("cpp", "int main() { return nothing; }")] {
        let result = host.run(CodeCall::new(request(language, source).output(host::output("output/x")))).await;
        assert_eq!(result.outcome, Outcome::Exited { code: 1 }, "{}", shown(&result));
        assert_eq!(result.steps.len(), 1);
        assert_eq!(result.steps[0].role, StepRole::Build);
        contains(&result.stderr.text(), "nothing", "the compiler's words are the result's");
        assert_eq!(codes(&result), ["code_execution.build_failed"], "{}", shown(&result));
    }
    let result = host.run(call("c", "#warning look here\nint main(void) { return 0; }")).await;
    assert_prints(&result, "");
    let build = result.steps[0].stderr.as_ref().expect("a build step keeps its streams");
    contains(&build.text(), "look here", "a warning of a build that succeeded is kept too");
}

#[tokio::test]
async fn a_syntax_error_is_an_error_of_the_program() {
    let result = run(request("python", "print('a'\n")).await;
    assert_eq!(result.outcome, Outcome::Exited { code: 1 });
    contains(&result.stderr.text(), "SyntaxError", "");
}

#[tokio::test]
async fn ordinary_bash_works() {
    let source = "\
set -eu
ls /nowhere 2>/dev/null || echo refused
cat <<< here | tr a-z A-Z
cat <<END
document
END
x=$(mktemp); echo temp > $x; cat $x
diff <(echo a) <(echo a) && echo same
echo to > /dev/stderr; echo out > /dev/stdout; cat /dev/stdin
seq 3 | while read n; do echo -n $n; done; echo
sleep 0.01 & wait $!
trap 'echo trapped' EXIT
cd /tmp && mkdir d && cd d && pwd
";
    let result = run(request("bash", source)).await;
    assert_prints(&result, "refused\nHERE\ndocument\ntemp\nsame\nout\n123\n/tmp/d\ntrapped\n");
    assert_eq!(result.stderr.text(), "to\n");
}

/// Each is a program that an ordinary person would write; it prints `42` when it works.
const PYTHON: &[(&str, &str)] = &[
    (
        "tempfile",
        "import tempfile\nwith tempfile.NamedTemporaryFile('w+') as f:\n  f.write('42'); f.seek(0); print(f.read())",
    ),
    (
        "tempdir",
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n  open(d + '/x', 'w').write('42'); print(open(d + '/x').read())",
    ),
    (
        "devnull",
        "import subprocess\nsubprocess.run(['ls', '/nowhere'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(42)",
    ),
    (
        "subprocess",
        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(42)'], capture_output=True, text=True).stdout.strip())",
    ),
    (
        "shell",
        "import subprocess\nprint(subprocess.run('echo $((6*7))', shell=True, capture_output=True, text=True).stdout.strip())",
    ),
    (
        "threading",
        "import threading\nr = []\nt = [threading.Thread(target=r.append, args=(i,)) for i in range(20)]\n[x.start() for x in t]; [x.join() for x in t]; print(42 if len(r) == 20 else r)",
    ),
    (
        "thread pool",
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as e: print(sum(e.map(int, ['40', '2'])))",
    ),
    (
        "process pool",
        "from concurrent.futures import ProcessPoolExecutor\nif __name__ == '__main__':\n  with ProcessPoolExecutor(2) as e: print(sum(e.map(int, ['40', '2'])))",
    ),
    (
        "fork",
        "import multiprocessing as m\ndef f(q): q.put(42)\nif __name__ == '__main__':\n  c = m.get_context('fork'); q = c.Queue(); p = c.Process(target=f, args=(q,)); p.start(); print(q.get()); p.join()",
    ),
    (
        "spawn",
        "import multiprocessing as m\ndef f(q): q.put(42)\nif __name__ == '__main__':\n  c = m.get_context('spawn'); q = c.Queue(); p = c.Process(target=f, args=(q,)); p.start(); print(q.get()); p.join()",
    ),
    (
        "forkserver",
        "import multiprocessing as m\ndef f(q): q.put(42)\nif __name__ == '__main__':\n  c = m.get_context('forkserver'); q = c.Queue(); p = c.Process(target=f, args=(q,)); p.start(); print(q.get()); p.join()",
    ),
    (
        "manager",
        "import multiprocessing as m\nif __name__ == '__main__':\n  with m.Manager() as x: d = x.dict(); d['a'] = 42; print(d['a'])",
    ),
    (
        "pool",
        "import multiprocessing as m\ndef f(x): return x * 2\nif __name__ == '__main__':\n  with m.Pool(2) as p: print(p.map(f, [21])[0])",
    ),
    (
        "shared memory",
        "from multiprocessing import shared_memory as s\na = s.SharedMemory(create=True, size=10); a.buf[0] = 42; print(a.buf[0]); a.close(); a.unlink()",
    ),
    ("sqlite memory", "import sqlite3\nc = sqlite3.connect(':memory:'); print(c.execute('select 6*7').fetchone()[0])"),
    (
        "sqlite file",
        "import sqlite3\nc = sqlite3.connect('output/x.db'); c.execute('pragma journal_mode=wal'); c.execute('create table t(a)'); c.execute('insert into t values (42)'); c.commit(); print(c.execute('select a from t').fetchone()[0])",
    ),
    ("asyncio", "import asyncio\nasync def f():\n  await asyncio.sleep(0.01); return 42\nprint(asyncio.run(f()))"),
    (
        "asyncio subprocess",
        "import asyncio\nasync def f():\n  p = await asyncio.create_subprocess_exec('echo', '42', stdout=asyncio.subprocess.PIPE)\n  print((await p.communicate())[0].decode().strip())\nasyncio.run(f())",
    ),
    (
        "asyncio shell",
        "import asyncio\nasync def f():\n  p = await asyncio.create_subprocess_shell('echo 42; exit 1', stdout=asyncio.subprocess.PIPE)\n  print((await p.communicate())[0].decode().strip())\nasyncio.run(f())",
    ),
    ("socketpair", "import socket\na, b = socket.socketpair(); a.send(b'42'); print(b.recv(9).decode())"),
    (
        "signal",
        "import signal, os\nsignal.signal(signal.SIGUSR1, lambda *a: print(42)); os.kill(os.getpid(), signal.SIGUSR1)",
    ),
    (
        "alarm",
        "import signal\nsignal.signal(signal.SIGALRM, lambda *a: print(42)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()",
    ),
    ("pty", "import pty, os\na, b = pty.openpty(); os.write(b, b'42'); print(os.read(a, 9).decode())"),
    ("mmap", "import mmap\nm = mmap.mmap(-1, 10); m[:2] = b'42'; print(m[:2].decode())"),
    ("ctypes", "import ctypes\nprint(ctypes.CDLL(None).abs(-42))"),
    ("ctypes callback", "import ctypes\nF = ctypes.CFUNCTYPE(ctypes.c_int); print(F(lambda: 42)())"),
    (
        "zoneinfo",
        "import zoneinfo, datetime\nprint(42 if datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).utcoffset().seconds == 7200 else 0)",
    ),
    ("random", "import secrets, uuid, random\nsecrets.token_hex(); uuid.uuid4(); random.random(); print(42)"),
    ("hashes", "import hashlib, ssl\nhashlib.sha256(b'').hexdigest(); ssl.create_default_context(); print(42)"),
    (
        "user",
        "import getpass, pwd, os\ngetpass.getuser(); pwd.getpwuid(os.getuid()); os.path.expanduser('~/x'); print(42)",
    ),
    ("home", "import pathlib\np = pathlib.Path.home() / 'x'; p.write_text('42'); print(p.read_text())"),
    (
        "gzip zip",
        "import gzip, zipfile, io\nb = io.BytesIO()\nwith zipfile.ZipFile(b, 'w') as z: z.writestr('a', '42')\nprint(zipfile.ZipFile(b).read('a').decode())",
    ),
    ("hostname", "import socket, platform\nsocket.gethostname(); platform.platform(); print(42)"),
    ("cores", "import os\nassert os.cpu_count() >= 1 and len(os.sched_getaffinity(0)) >= 1; print(42)"),
    (
        "fcntl lock",
        "import fcntl\nf = open('/tmp/l', 'w'); fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX); print(42)",
    ),
    ("os.devnull", "import os\nopen(os.devnull, 'w').write('x'); assert open(os.devnull).read() == ''; print(42)"),
    (
        "proc",
        "print(42 if open('/proc/self/status').read().startswith('Name') and open('/proc/cpuinfo').read() and open('/proc/meminfo').read() else 0)",
    ),
    ("utf-8", "print('4\u{32}'); open('/tmp/ü', 'w').write('日本'); assert open('/tmp/ü').read() == '日本'"),
    (
        "recursion",
        "import sys\nsys.setrecursionlimit(20000)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)\nf(9000); print(42)",
    ),
    (
        "rename and links",
        "import os\nos.chdir('/tmp'); open('a', 'w').write('42'); os.rename('a', 'b'); os.symlink('b', 'c'); os.link('b', 'd'); print(open('c').read())",
    ),
    (
        "chmod and times",
        "import os\nopen('/tmp/a', 'w').close(); os.chmod('/tmp/a', 0o755); os.utime('/tmp/a', (1, 1)); print(42)",
    ),
    (
        "executable in tmp",
        "import os, subprocess\nopen('/tmp/a', 'w').write('#!/bin/sh\\necho 42\\n'); os.chmod('/tmp/a', 0o755); print(subprocess.run(['/tmp/a'], capture_output=True, text=True).stdout.strip())",
    ),
    ("nice", "import os\nos.nice(1); print(42)"),
    (
        "resource",
        "import resource\nresource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); print(42)",
    ),
    (
        "shutil",
        "import shutil\nshutil.copytree('.', '/tmp/copy'); shutil.which('ls'); shutil.disk_usage('/tmp'); print(42)",
    ),
    ("locale", "import locale\nlocale.setlocale(locale.LC_ALL, ''); print(42)"),
    ("logging", "import logging.handlers\nlogging.basicConfig(filename='/tmp/x.log'); logging.error('x'); print(42)"),
    (
        "pickle dbm shelve",
        "import shelve\nwith shelve.open('/tmp/s') as s: s['a'] = 42\nwith shelve.open('/tmp/s') as s: print(s['a'])",
    ),
    ("curses-free readline", "import readline, code; print(42)"),
];

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_python_works() {
    let host = Host::new();
    let mut failed = Vec::new();
    for (name, source) in PYTHON {
        let result = host.run(call("python", source)).await;
        if !result.is_success() || result.stdout.text() != "42\n" {
            failed.push(format!("{name}: {} {:?} {}", result.outcome, result.stdout.text(), result.stderr.text()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

const NODE: &[(&str, &str)] = &[
    (
        "worker threads",
        "const { Worker, isMainThread, parentPort } = require('worker_threads');\n\
         if (isMainThread) new Worker(__filename).on('message', m => console.log(m)); else parentPort.postMessage(42);",
    ),
    ("child process", "console.log(require('child_process').execSync('echo 42').toString().trim())"),
    (
        "fork",
        "if (process.argv[2]) process.send(42); else require('child_process').fork(__filename, ['x']).on('message', m => console.log(m))",
    ),
    (
        "files",
        "const fs = require('fs'); const d = fs.mkdtempSync('/tmp/x'); fs.writeFileSync(d + '/a', '42'); console.log(fs.readFileSync(d + '/a', 'utf8'))",
    ),
    ("promises", "(async () => { await new Promise(r => setTimeout(r, 5)); console.log(42) })()"),
    (
        "crypto",
        "require('crypto').createHash('sha256').update('x').digest(); require('crypto').randomBytes(9); console.log(42)",
    ),
    ("os", "const os = require('os'); os.cpus(); os.userInfo(); os.hostname(); console.log(42)"),
    ("streams", "const z = require('zlib'); console.log(z.gunzipSync(z.gzipSync('42')).toString())"),
    (
        "wasm",
        "const m = new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0])); new WebAssembly.Instance(m); console.log(42)",
    ),
    ("intl", "new Intl.DateTimeFormat('de-DE', { timeZone: 'Europe/Berlin' }).format(new Date()); console.log(42)"),
    (
        "watch",
        "const fs = require('fs'); fs.watch('/tmp', (e, f) => { console.log(42); process.exit() }); setImmediate(() => fs.writeFileSync('/tmp/w', ''))",
    ),
    (
        "unix socket",
        "const n = require('net'); const s = n.createServer(c => c.end('42')).listen('/tmp/s', () => n.connect('/tmp/s').on('data', d => { console.log(d.toString()); s.close() }))",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_node_works() {
    let host = Host::new();
    let mut failed = Vec::new();
    for (name, source) in NODE {
        let result = host.run(call("nodejs", source)).await;
        if !result.is_success() || result.stdout.text() != "42\n" {
            failed.push(format!("{name}: {} {:?} {}", result.outcome, result.stdout.text(), result.stderr.text()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test]
async fn ordinary_cpp_works() {
    let source = r#"
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>
#include <vector>
namespace fs = std::filesystem;
int main() {
    std::atomic<int> sum = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back([&] { sum += 5; });
    for (auto &thread : threads) thread.join();
    sum += std::async(std::launch::async, [] { return 2; }).get();
    fs::create_directories("/tmp/a/b");
    std::ofstream("/tmp/a/b/c") << sum;
    fs::copy("/tmp/a", "/tmp/d", fs::copy_options::recursive);
    fs::rename("/tmp/d/b/c", "output/c");
    fs::remove_all("/tmp/a");
    std::random_device device;
    device();
    int read = 0;
    std::ifstream("../output/c") >> read;
    std::cout << read << " " << fs::exists("main.cpp") << "\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
"#;
    let result = run(request("cpp", source)).await;
    // A rename between two file systems is refused by every kernel, so the program sees what it sees between /tmp and /home.
    assert_ne!(result.outcome, Outcome::Exited { code: 0 }, "{}", shown(&result));
    contains(&result.stderr.text(), "Invalid cross-device link", "");
    let source = source.replace("fs::rename(", "fs::copy(");
    assert_prints(&run(request("cpp", &source)).await, "42 1\n");
}

#[tokio::test]
async fn a_program_can_compile_and_start_a_program() {
    let source = "\
echo 'int main(void) { return 42; }' > /tmp/x.c
cc -o /tmp/x /tmp/x.c
/tmp/x || echo $?";
    assert_prints(&run(request("bash", source)).await, "42\n");
}

#[tokio::test]
async fn an_entry_point_can_be_named() {
    let request = program("python", &[("a.py", "print('a')"), ("tools/b.py", "import sys; print('b', sys.argv[0])")]);
    assert_prints(&run(request.entry_point(path("tools/b.py"))).await, "b tools/b.py\n");
    assert_prints(&run(program("python", &[("-x.py", "print('dash')")])).await, "dash\n");
}

#[tokio::test]
async fn data_files_lie_beside_the_program() {
    let request = request("python", "print(open('data/x.bin', 'rb').read())").file(path("data/x.bin"), vec![0, 255]);
    assert_prints(&run(request).await, "b'\\x00\\xff'\n");
}

#[tokio::test]
async fn everything_ordinary_works_in_a_scratch_working_directory_too() {
    let host = Host::new();
    let source = "open('x.txt', 'w').write('42'); import os; os.mkdir('d'); open('d/y', 'w').close(); \
                  os.rename('x.txt', 'd/z'); print(open('d/z').read())";
    let result = host.run(scratch(request("python", source))).await;
    assert_prints(&result, "42\n");
    for (language, source) in [
        (
            "c",
            "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"a\", \"w\"); fputs(\"x\", f); fclose(f); puts(\"42\"); }",
        ),
        ("bash", "touch a && rm main.sh && mv a b && echo 42"),
    ] {
        assert_prints(&host.run(scratch(request(language, source))).await, "42\n");
    }
}
