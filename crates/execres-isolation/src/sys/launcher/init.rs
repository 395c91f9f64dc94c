//! Init: PID 1 of a run. It builds the root, runs the steps one after the other, and reports what really happened.
//!
//! It stays outside the guest's Landlock domain and filter, is not dumpable, and never execs anything. Its report on the
//! control socket is the truth about the run; when it dies without one, the host knows that it does not know.

use crate::blob::Blob;
use crate::landlock;
use crate::look::Peaks;
use crate::numbers::*;
use crate::place::open_without_links;
use crate::protocol::*;
use crate::root;
use crate::sys::*;
use crate::target::{self, Step};

/// What could not be set up.
pub struct Trouble {
    pub stage: u32,
    pub index: u32,
    pub error: Errno,
}

impl From<Errno> for Trouble {
    /// Reading the blob is the only thing that fails without a place of its own.
    fn from(error: Errno) -> Self {
        Trouble { stage: STAGE_BLOB, index: 0, error }
    }
}

/// Everything that the steps share.
pub struct Run {
    pub layers: u32,
    pub ruleset: i32,
    pub filter: &'static [u8],
    pub fds: [i32; MAX_FDS],
    control: i32,
    children: i32,
    deadline: u64,
    pub memory_limit: u64,
    interval: u64,
    pub proc: i32,
    pub scratch: Blob,
    pub first: bool,
    score: Score,
}

pub fn run(fds: &[i32], ready: i32, bare: bool) -> ! {
    // The launcher has one thread, so this fires exactly when the launcher ends. It is only a backup: the launcher kills
    // its runs before it goes. A run without a PID namespace has nothing that would die with this process, so it must not
    // be killed before it has ended its tree.
    if !bare && prctl(PR_SET_PDEATHSIG, SIGKILL as usize, 0).is_err() {
        exit(1);
    }
    // The launcher writes the byte when this process has its ids; at the end of the pipe there is no launcher.
    let mut byte = [0u8; 1];
    if read(ready, &mut byte) != Ok(1) {
        exit(1);
    }
    close(ready);
    let [blob, control, ..] = *fds else { exit(1) };
    let mut kept = [-1; MAX_FDS];
    kept[..fds.len()].copy_from_slice(fds);
    match prepare(blob, control, kept) {
        Ok((run, steps)) => run_steps(run, steps),
        Err(trouble) => {
            report(control, &[SETUP_FAILED, trouble.stage, trouble.index, trouble.error.0 as u32]);
            exit(0)
        }
    }
}

fn report(control: i32, words: &[u32]) {
    let mut message = [0; MESSAGE_WORDS];
    message[..words.len()].copy_from_slice(words);
    // A host that no longer listens has let go of the run, which the end of the socket says as well.
    if send(control, &message, &[]).is_err() {}
}

fn prepare(blob: i32, control: i32, fds: [i32; MAX_FDS]) -> core::result::Result<(Run, Blob), Trouble> {
    let mut reader = Blob::map(blob)?;
    if reader.word()? != BLOB_MAGIC {
        return Err(Errno(EINVAL).into());
    }
    let layers = reader.word()?;
    let unconfined = layers & RUN_UNCONFINED != 0;
    let bare = layers & (RUN_UNCONFINED | RUN_IN_PLACE) != 0;
    let id = reader.word()?;
    let wall = reader.long()?;
    let memory_limit = reader.long()?;
    let interval = reader.long()?;

    // Opened while the host's `/proc` is there. See `Score`.
    let score = if unconfined { Score::none() } else { Score::open() };

    if layers & RUN_LOOPBACK != 0 {
        bring_loopback_up().map_err(|error| Trouble { stage: STAGE_LOOPBACK, index: 0, error })?;
    }

    // 1. Sources are opened as the host's user.
    let operations = reader;
    skip_operations(&mut reader)?;
    let with_root = layers & OFF_MOUNT == 0;
    let sources = if with_root { Some(root::open_sources(operations)?) } else { None };

    // 2. Then this process becomes the guest's user. It keeps its capabilities in its own namespace: the kernel drops them
    //    only when the id that maps to 0 is left, and 0 is not mapped there.
    let identity = |result: Result<usize>| result.map_err(|error| Trouble { stage: STAGE_IDENTITY, index: 0, error });
    if bare {
        // What the program leaves behind comes to this process instead of the machine's init.
        identity(prctl(PR_SET_CHILD_SUBREAPER, 1, 0))?;
    }
    // An ordinary user's namespace may not change groups; the host reports the groups that stay.
    if layers & RUN_DROP_GROUPS != 0 {
        identity(call(SETGROUPS, &[0, 0]))?;
    }
    if id != KEEP_IDENTITY {
        if bare {
            // Only who has privilege can take another identity here, and after that it is too late for this.
            identity(target::drop_bounding_set().map(|()| 0))?;
        }
        let id = id as usize;
        identity(call(SETRESGID, &[id, id, id]))?;
        identity(call(SETRESUID, &[id, id, id]))?;
    }

    if !bare {
        limit_what_the_machine_has_once();
    }

    // 3. The root.
    if let Some(sources) = &sources {
        root::build(operations, sources, layers)?;
    }
    // After this nobody in the run can look into this process.
    identity(prctl(PR_SET_DUMPABLE, 0, 0))?;
    if !bare {
        // Changing ids cleared the parent-death signal.
        identity(prctl(PR_SET_PDEATHSIG, SIGKILL as usize, 0))?;
    }

    // 4. Directories for the host: outputs are taken through these when the run is over.
    let mut hand_up = [-1; 8];
    let count = reader.word()? as usize;
    for index in 0..count {
        let path = reader.text()?;
        let trouble = |error| Trouble { stage: STAGE_HAND_UP, index: index as u32, error };
        let slot = hand_up.get_mut(index).ok_or(trouble(Errno(EINVAL)))?;
        *slot = open_without_links(path, O_DIRECTORY).map_err(trouble)?;
    }

    // 5. The ruleset and the filter that each target applies to itself.
    let ruleset = landlock::ruleset(&mut reader)?;
    let filter = reader.bytes()?;
    let steps = reader;

    let proc = openat(AT_FDCWD, cstr!("/proc"), O_DIRECTORY, 0).unwrap_or(-1);
    let mask: u64 = 1 << (SIGCHLD - 1);
    const SFD_CLOEXEC: usize = 0o2000000;
    let children = call(SIGNALFD4, &[-1isize as usize, &raw const mask as usize, 8, SFD_CLOEXEC])? as i32;

    let mut message = [0; MESSAGE_WORDS];
    message[0] = PREPARED;
    let count = count.min(hand_up.len());
    send(control, &message, &hand_up[..count])?;
    for fd in &hand_up[..count] {
        close(*fd);
    }
    let run = Run {
        layers,
        ruleset,
        filter,
        fds,
        control,
        children,
        deadline: monotonic().saturating_add(wall),
        memory_limit,
        interval,
        proc,
        scratch: operations,
        first: getpid() == 1,
        score,
    };
    Ok((run, steps))
}

/// How likely the kernel takes a process when memory runs out. It should be the guest and never this process, which ends the
/// guest's tree and reports. A child has its parent's score, and raising one's own needs no privilege, nor does taking that
/// back: so the score is raised for the moment in which the guest is forked.
pub struct Score {
    file: i32,
    own: [u8; 8],
}

impl Score {
    fn none() -> Score {
        Score { file: -1, own: [0; 8] }
    }

    fn open() -> Score {
        let mut own = [0u8; 8];
        let known = openat(AT_FDCWD, cstr!("/proc/self/oom_score_adj"), 0, 0).and_then(|fd| {
            let length = read(fd, &mut own[..7]);
            close(fd);
            length
        });
        match known.and_then(|_| openat(AT_FDCWD, cstr!("/proc/self/oom_score_adj"), O_WRONLY, 0)) {
            Ok(file) => Score { file, own },
            // Without it the kernel chooses by size alone.
            Err(_) => Score::none(),
        }
    }

    fn with_the_guests<T>(&self, fork: impl FnOnce() -> T) -> T {
        let write = |text: &[u8]| {
            if self.file >= 0 && call(WRITE, &[self.file as usize, text.as_ptr() as usize, text.len()]).is_err() {}
        };
        write(b"500");
        let forked = fork();
        let length = self.own.iter().take_while(|byte| **byte != 0).count();
        write(&self.own[..length]);
        forked
    }
}

fn skip_operations(reader: &mut Blob) -> Result<()> {
    for _ in 0..reader.word()? {
        root::Op::read(reader)?;
    }
    Ok(())
}

/// Things of which a user has so many on the whole machine, the runs of that user included: what a run takes is counted against
/// it in every namespace around. The namespace of this run gets a part of them, and of further namespaces none.
///
/// Where `/proc/sys` cannot be written, as in a container, they stay what they are.
fn limit_what_the_machine_has_once() {
    let limit = |file: CStr, value: &[u8]| if write_file(file, value).is_err() {};
    limit(cstr!("/proc/sys/user/max_inotify_instances"), b"32");
    limit(cstr!("/proc/sys/user/max_inotify_watches"), b"8192");
    limit(cstr!("/proc/sys/user/max_fanotify_groups"), b"0");
    limit(cstr!("/proc/sys/user/max_user_namespaces"), b"0");
    limit(cstr!("/proc/sys/user/max_net_namespaces"), b"0");
}

/// `ifconfig lo up` in this run's own network namespace.
fn bring_loopback_up() -> Result<()> {
    const SOCK_DGRAM: usize = 2;
    const SIOCSIFFLAGS: usize = 0x8914;
    const IFF_UP: u16 = 1;
    let socket = call(SOCKET, &[AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0])?;
    let mut request = [0u8; 40];
    request[..2].copy_from_slice(b"lo");
    request[16..18].copy_from_slice(&IFF_UP.to_ne_bytes());
    let result = call(IOCTL, &[socket, SIOCSIFFLAGS, request.as_ptr() as usize]);
    close(socket as i32);
    result.map(|_| ())
}

fn run_steps(run: Run, mut steps: Blob) -> ! {
    let count = steps.word().unwrap_or(0);
    for index in 0..count {
        let Ok(step) = Step::read(&mut steps) else {
            report(run.control, &[EXEC_FAILED, index, 0, EINVAL as u32]);
            break;
        };
        if !run.step(index, step) {
            break;
        }
    }
    exit(0)
}

impl Run {
    /// Runs one step to its end, the end of its whole tree included. Whether the next one may start.
    fn step(&self, index: u32, step: Step) -> bool {
        let started = monotonic();
        let Ok((error_read, error_write)) = pipe() else {
            self.nothing_started(index, Errno(EPIPE));
            return false;
        };
        let leader = match self.score.with_the_guests(|| clone(0)) {
            Ok((0, _)) => target::become_program(self, &step, error_write),
            Ok((pid, _)) => pid,
            Err(error) => {
                self.nothing_started(index, error);
                return false;
            }
        };
        close(error_write);
        for stream in step.streams {
            // The guest is now the only one that holds these ends.
            if let Some(fd) = self.fds.get(stream as usize) {
                close(*fd);
            }
        }
        let mut peaks = Peaks::default();
        let end = self.watch(index, leader, error_read, &mut peaks);
        close(error_read);
        let (max_rss, swept_clean) = self.sweep(leader, &end);
        let wall = monotonic() - started;
        let (user, system) = children_time();
        let (low, high) = (|long: u64| long as u32, |long: u64| (long >> 32) as u32);
        report(
            self.control,
            &[
                SWEPT,
                index,
                end.cause,
                low(wall),
                high(wall),
                low(user),
                high(user),
                low(system),
                high(system),
                max_rss.min(u32::MAX as u64) as u32,
                peaks.processes as u32,
                low(peaks.bytes),
                high(peaks.bytes),
                u32::from(swept_clean),
            ],
        );
        end.success
    }

    /// Reports a step that had no process, of which nothing can be left.
    fn nothing_started(&self, index: u32, error: Errno) {
        report(self.control, &[EXEC_FAILED, index, 0, error.0 as u32]);
        report(self.control, &[SWEPT, index, CAUSE_LEADER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    /// Waits for the leader's end, the deadline, the memory limit or the host's word, whichever comes first.
    fn watch(&self, index: u32, leader: i32, error_pipe: i32, peaks: &mut Peaks) -> End {
        let mut error_pipe = error_pipe;
        let mut max_rss_kib = 0;
        let mut next_look = 0u64;
        let end = |cause, success, max_rss_kib| End { cause, success, max_rss_kib, leader_reaped: false };
        loop {
            let mut fds = [
                PollFd { fd: self.control, events: POLLIN, revents: 0 },
                PollFd { fd: self.children, events: POLLIN, revents: 0 },
                PollFd { fd: error_pipe, events: POLLIN, revents: 0 },
            ];
            let now = monotonic();
            let left = self.deadline.saturating_sub(now);
            if left == 0 {
                return end(CAUSE_WALL, false, max_rss_kib);
            }
            let wait = if self.interval > 0 { left.min(next_look.saturating_sub(now)) } else { left };
            if poll(&mut fds, Some(wait)).is_err() {
                return end(CAUSE_KILL, false, max_rss_kib);
            }
            let start = monotonic();
            if self.interval > 0 && start >= next_look {
                let seen = self.look();
                // Looking takes at most a tenth of one processor, however many processes there are.
                next_look = start + self.interval.max(10 * (monotonic() - start));
                peaks.processes = peaks.processes.max(seen.processes);
                peaks.bytes = peaks.bytes.max(seen.bytes);
                if self.memory_limit > 0 && seen.bytes > self.memory_limit {
                    return end(CAUSE_MEMORY, false, max_rss_kib);
                }
            }
            if fds[2].revents != 0 {
                if let Some((place, error)) = exec_failure(error_pipe) {
                    report(self.control, &[EXEC_FAILED, index, place, error]);
                    return end(CAUSE_LEADER, false, max_rss_kib);
                }
                // The end of the pipe: exec succeeded.
                error_pipe = -1;
            }
            if fds[1].revents != 0 {
                let mut drop = [0u8; 128];
                if read(self.children, &mut drop).is_err() {}
                while let Ok(Some(exit)) = wait_any(WNOHANG) {
                    max_rss_kib = max_rss_kib.max(exit.max_rss_kib);
                    if exit.pid != leader {
                        continue;
                    }
                    const CLD_EXITED: i32 = 1;
                    // It may have ended before exec was seen to succeed: the pipe tells which of the two it was.
                    let success = if let Some((place, error)) = exec_failure(error_pipe) {
                        report(self.control, &[EXEC_FAILED, index, place, error]);
                        false
                    } else {
                        report(self.control, &[LEADER, index, exit.code as u32, exit.status as u32]);
                        exit.code == CLD_EXITED && exit.status == 0
                    };
                    return End { cause: CAUSE_LEADER, success, max_rss_kib, leader_reaped: true };
                }
            }
            if fds[0].revents != 0 {
                let mut words = [0; MESSAGE_WORDS];
                let mut none = [-1; MAX_FDS];
                match receive(self.control, &mut words, &mut none) {
                    Ok(Some(_)) if words[0] == SIGNAL => {
                        // A leader that is gone needs no signal.
                        if kill(leader, words[1] as i32).is_err() {}
                    }
                    // The host asked for the end, or is gone.
                    _ => return end(CAUSE_KILL, false, max_rss_kib),
                }
            }
        }
    }

    /// Ends everything that is left and reaps it. The largest resident size of all that was reaped, in KiB, and whether nothing
    /// is left.
    ///
    /// In a PID namespace nothing can withstand this. Without one a process can have another user by then (a set-uid program),
    /// and is neither killed nor waited for without end: when a round kills nobody and collects nobody for a while. Who was
    /// killed may take long to die, where the guest has seen to it that it gets the processor last.
    fn sweep(&self, leader: i32, end: &End) -> (u64, bool) {
        const ROUND: u64 = 5_000_000;
        const PATIENCE: u64 = 1_000_000_000;
        const IN_ALL: u64 = 60_000_000_000;
        let started = monotonic();
        let mut last_progress = started;
        let mut max_rss_kib = end.max_rss_kib;
        // Only once, and only while it cannot be anybody else: the list of children has it as well, where the kernel has one.
        if !self.first && !end.leader_reaped && kill(leader, SIGKILL).is_err() {}
        loop {
            // As PID 1, -1 means every process of this namespace and nothing else. Without a namespace of its own this
            // process must never say -1, which would then mean every process of the user.
            let killed = if self.first {
                if kill(-1, SIGKILL).is_err() {}
                true
            } else {
                self.kill_children()
            };
            // Everybody who is dead by then is collected before the signal goes round again, so that the end of a large tree
            // takes time in proportion to its size.
            let mut flags = if self.first { 0 } else { WNOHANG };
            let mut collected = false;
            loop {
                match wait_any(flags) {
                    Ok(Some(exit)) => {
                        collected = true;
                        max_rss_kib = max_rss_kib.max(exit.max_rss_kib);
                    }
                    Ok(None) => break,
                    Err(_) => return (max_rss_kib, true),
                }
                flags = WNOHANG;
            }
            if !self.first {
                let now = monotonic();
                if killed || collected {
                    last_progress = now;
                }
                if now - last_progress > PATIENCE || now - started > IN_ALL {
                    return (max_rss_kib, false);
                }
                if !collected && poll(&mut [], Some(ROUND)).is_err() {}
            }
        }
    }

    /// Kills the children of this process. Theirs come to it when they are dead, because it adopts them, and are found the next
    /// time; killing them by a number that their own parent may have given back would hit somebody else. Whether anybody could
    /// be killed.
    fn kill_children(&self) -> bool {
        let path = Text::new().push("self/task/").number(getpid() as u64).push("/children");
        let Ok(fd) = openat(self.proc, path.cstr(), 0, 0) else { return false };
        let mut text = [0u8; 4096];
        let length = read(fd, &mut text).unwrap_or(0);
        close(fd);
        // A number that was cut off at the end of the buffer names somebody else, so only whole ones count.
        let whole = text[..length].iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
        let mut killed = false;
        for number in text[..whole].split(|byte| *byte == b' ').filter(|number| !number.is_empty()) {
            let pid = number.iter().fold(0i32, |sum, byte| sum.wrapping_mul(10) + i32::from(byte.wrapping_sub(b'0')));
            killed |= pid > 1 && kill(pid, SIGKILL).is_ok();
        }
        killed
    }
}

/// What the pipe of a target says that could not start its program: where, and the error. Nothing, when it started.
fn exec_failure(pipe: i32) -> Option<(u32, u32)> {
    let mut words = [0u8; 8];
    if pipe < 0 || read(pipe, &mut words) != Ok(8) {
        return None;
    }
    let word = |at: usize| u32::from_le_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]);
    Some((word(0), word(4)))
}

/// Why a step is over.
struct End {
    cause: u32,
    success: bool,
    max_rss_kib: u64,
    /// The leader is collected, so its number may be somebody else's by now.
    leader_reaped: bool,
}
