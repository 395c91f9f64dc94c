//! The launcher process: makes the outer namespaces once, then forks one init per request, until the host is gone.

use crate::init;
use crate::numbers::*;
use crate::protocol::*;
use crate::sacrifice;
use crate::sys::*;

/// Where something failed, and how.
pub struct Failure {
    pub stage: u32,
    pub error: Errno,
}

/// Adds the stage to an error.
pub fn at<T>(stage: u32, result: Result<T>) -> core::result::Result<T, Failure> {
    result.map_err(|error| Failure { stage, error })
}

/// What the launcher holds between requests.
struct State {
    /// The run in progress and what the last sacrifice left, by pidfd.
    children: [i32; 8],
    range: bool,
    /// Without namespaces.
    bare: bool,
}

pub fn run() -> ! {
    reset_signals();
    // Nothing can be done about a failure of these three, and none of them is a boundary.
    if block_signals().is_err() || call(SETSID, &[]).is_err() || call(UMASK, &[0o022]).is_err() {}
    // Whatever the host had open without close-on-exec ends here.
    if call(CLOSE_RANGE, &[5, u32::MAX as usize, 0]).is_err() {
        exit(1);
    }
    let mut state = State { children: [-1; 8], range: false, bare: false };
    loop {
        let mut fds = [PollFd { fd: -1, events: POLLIN, revents: 0 }; 10];
        fds[0].fd = FD_SOCKET;
        fds[1].fd = FD_HOST;
        for (slot, child) in fds[2..].iter_mut().zip(state.children) {
            slot.fd = child;
        }
        if poll(&mut fds, None).is_err() {
            exit(1);
        }
        for index in 0..state.children.len() {
            if fds[index + 2].revents != 0 {
                reap(&mut state.children[index]);
            }
        }
        if fds[1].revents != 0 {
            // The host process is gone.
            end(&state);
        }
        if fds[0].revents != 0 {
            let mut words = [0; MESSAGE_WORDS];
            let mut received = [-1; MAX_FDS];
            match receive(FD_SOCKET, &mut words, &mut received) {
                Ok(Some(count)) => request(&mut state, &words, &received[..count]),
                _ => end(&state),
            }
        }
    }
}

/// Kills every run. Each init is PID 1 of its namespace, so its whole tree goes with it.
fn end(state: &State) -> ! {
    for child in state.children {
        // An init without a PID namespace has to end its tree itself. It sees the end of the host on its own socket, and goes on alone.
        if child >= 0 && !state.bare && call(PIDFD_SEND_SIGNAL, &[child as usize, SIGKILL as usize, 0, 0]).is_err() {}
    }
    exit(0)
}

fn reap(child: &mut i32) {
    let mut info = [0i32; 32];
    if call(WAITID, &[P_PIDFD, *child as usize, info.as_mut_ptr() as usize, WEXITED | WALL, 0]).is_err() {}
    close(*child);
    *child = -1;
}

fn request(state: &mut State, words: &[u32; MESSAGE_WORDS], fds: &[i32]) {
    let mut answer = [0u32; MESSAGE_WORDS];
    let mut pidfd = -1;
    let result = match words[0] {
        SETUP => set_up(state, words).map(|()| answer[0] = READY),
        RUN | SACRIFICE => fork(state, words, fds).map(|(pid, fd)| {
            answer[0] = STARTED;
            answer[1] = pid as u32;
            pidfd = fd;
        }),
        _ => Err(Failure { stage: 0, error: Errno(EINVAL) }),
    };
    if let Err(failure) = result {
        answer[0] = FAILED;
        answer[1] = failure.stage;
        answer[2] = failure.error.0 as u32;
    }
    for fd in fds {
        close(*fd);
    }
    let hand_over = [pidfd];
    if send(FD_SOCKET, &answer, if pidfd >= 0 { &hand_over } else { &[] }).is_err() {
        end(state);
    }
}

/// Makes the outer namespaces.
fn set_up(state: &mut State, words: &[u32; MESSAGE_WORDS]) -> core::result::Result<(), Failure> {
    let (flags, uid, gid) = (words[1], words[2], words[3]);
    state.range = flags & SETUP_RANGE != 0;
    state.bare = flags & SETUP_BARE != 0;
    if state.bare {
        return Ok(());
    }

    // 1. A user namespace, so that everything below needs no privilege of the host and grants none of it.
    if state.range {
        // The map of more than one id has to be written by somebody with privilege in the parent namespace. This process
        // gives that up by entering the new one, so a child that stays behind writes it.
        map_from_a_child_that_stays_behind(uid, gid)?;
    } else {
        at(STAGE_USER_NAMESPACE, call(UNSHARE, &[CLONE_NEWUSER]))?;
        // Without privilege the kernel wants `setgroups` switched off before a group is mapped.
        at(STAGE_MAP, write_file(cstr!("/proc/self/setgroups"), b"deny"))?;
        at(
            STAGE_MAP,
            write_file(cstr!("/proc/self/uid_map"), Text::new().push("0 ").number(uid.into()).push(" 1").bytes()),
        )?;
        at(
            STAGE_MAP,
            write_file(cstr!("/proc/self/gid_map"), Text::new().push("0 ").number(gid.into()).push(" 1").bytes()),
        )?;
    }

    // 2. The namespaces that all runs of this launcher start from. A network namespace costs half a millisecond and more
    //    in the background, so runs without a network share this empty one, whose loopback is never brought up.
    let network = if flags & SETUP_INHERIT_NETWORK != 0 { 0 } else { CLONE_NEWNET };
    at(STAGE_NAMESPACES, call(UNSHARE, &[CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWCGROUP | network]))?;

    // 3. Mounts that we make stay here; mounts that the host makes later still arrive. This is also the first use of a
    //    capability in the new namespace: where an AppArmor policy allows `unshare` and takes the capabilities away, this
    //    call is the one that says so.
    at(STAGE_CAPABILITY, call(MOUNT, &[0, cstr!("/").address(), 0, MS_REC | MS_SLAVE, 0]))?;
    at(STAGE_CAPABILITY, call(SETHOSTNAME, &[c"execres".as_ptr() as usize, 7]))?;
    Ok(())
}

fn map_from_a_child_that_stays_behind(uid: u32, gid: u32) -> core::result::Result<(), Failure> {
    let parent = getpid();
    let (go_read, go_write) = at(STAGE_MAP, pipe())?;
    let (done_read, done_write) = at(STAGE_MAP, pipe())?;
    let (child, _) = at(STAGE_FORK, clone(0))?;
    if child == 0 {
        close(go_write);
        let mut byte = [0u8; 1];
        let errno = match read(go_read, &mut byte) {
            Ok(1) => {
                let map = |file: &str, id: u32| {
                    let path = Text::new().push("/proc/").number(parent as u64).push(file);
                    // The launcher itself stays the host's user, which the guest's namespace does not map.
                    let ids =
                        Text::new().push("0 0 1\n").number(GUEST_ID.into()).push(" ").number(id.into()).push(" 1\n");
                    write_file(path.cstr(), ids.bytes())
                };
                match map("/uid_map", uid).and_then(|()| map("/gid_map", gid)) {
                    Ok(()) => 0,
                    Err(error) => error.0,
                }
            }
            _ => EPIPE,
        };
        if write_all(done_write, &errno.to_le_bytes()).is_err() {}
        exit(0);
    }
    close(go_read);
    close(done_write);
    let unshared = at(STAGE_USER_NAMESPACE, call(UNSHARE, &[CLONE_NEWUSER]));
    let mut errno = [0u8; 4];
    let mapped = match &unshared {
        Ok(_) => write_all(go_write, b"g").and_then(|()| match read(done_read, &mut errno)? {
            4 if errno == [0; 4] => Ok(()),
            4 => Err(Errno(i32::from_le_bytes(errno))),
            _ => Err(Errno(EPIPE)),
        }),
        Err(_) => Ok(()),
    };
    close(go_write);
    close(done_read);
    if wait_any(0).is_err() {}
    unshared?;
    at(STAGE_MAP, mapped)
}

fn fork(state: &mut State, words: &[u32; MESSAGE_WORDS], fds: &[i32]) -> core::result::Result<(i32, i32), Failure> {
    let Some(free) = state.children.iter().position(|child| *child < 0) else {
        return Err(Failure { stage: STAGE_CLONE, error: Errno(11) });
    };
    let layers = words[1];
    let (ready_read, ready_write) = at(STAGE_CLONE, pipe())?;
    let plain = words[0] == SACRIFICE || state.bare;
    let flags = if plain {
        CLONE_PIDFD
    } else {
        let unless = |off: u32, flag: usize| if layers & off == 0 { flag } else { 0 };
        let network = if layers & (RUN_LOOPBACK | RUN_OWN_NETWORK) != 0 { CLONE_NEWNET } else { 0 };
        // The nested user namespace gives each run process accounting of its own, so RLIMIT_NPROC counts per run, and
        // keeps the run's privileges below those of the launcher.
        CLONE_PIDFD
            | CLONE_NEWUSER
            | network
            | unless(OFF_PID, CLONE_NEWPID)
            | unless(OFF_MOUNT, CLONE_NEWNS)
            | unless(OFF_IPC, CLONE_NEWIPC)
    };
    let cloned = at(STAGE_CLONE, clone(flags));
    if cloned.is_err() {
        // A host that is out of processes tries again, and must not run out of descriptors over it.
        close(ready_read);
        close(ready_write);
    }
    let (pid, pidfd) = cloned?;
    if pid == 0 {
        // Replaced and not closed, so that no descriptor that is opened later has a number that a target gives away.
        if dup2(0, FD_SOCKET).is_err() || dup2(0, FD_HOST).is_err() {
            exit(1);
        }
        close(ready_write);
        if words[0] == SACRIFICE {
            sacrifice::run(words, fds, ready_read);
        }
        init::run(fds, ready_read, state.bare);
    }
    close(ready_read);
    let mapped = if plain { Ok(()) } else { map_run(pid, state.range && layers & OFF_IDENTITY == 0) };
    // The child goes on when it reads the byte, and gives up at the end of the pipe.
    let released = mapped.and_then(|()| write_all(ready_write, b"g"));
    close(ready_write);
    state.children[free] = pidfd;
    if let Err(error) = released {
        if call(PIDFD_SEND_SIGNAL, &[pidfd as usize, SIGKILL as usize, 0, 0]).is_err() {}
        return Err(Failure { stage: STAGE_MAP, error });
    }
    Ok((pid, pidfd))
}

/// The guest's one id: the launcher's own range where there is one, else the host's user.
fn map_run(pid: i32, range: bool) -> Result<()> {
    let inner = if range { GUEST_ID } else { 0 };
    for file in ["/uid_map", "/gid_map"] {
        let path = Text::new().push("/proc/").number(pid as u64).push(file);
        let map = Text::new().number(GUEST_ID.into()).push(" ").number(inner.into()).push(" 1\n");
        write_file(path.cstr(), map.bytes())?;
    }
    Ok(())
}
