//! The target: the last steps between init and the program, in the process that becomes the program.
//!
//! Everything that restricts the guest happens here and in this order, because each step would forbid the ones before it.

use crate::blob::Blob;
use crate::init::Run;
use crate::numbers::*;
use crate::protocol::*;
use crate::sys::*;

/// One step of a run, as the blob has it.
pub struct Step {
    program: u32,
    program_fd: u32,
    path: CStr,
    /// Indices of the descriptors that become 0, 1, 2 and 3; the last may be absent.
    pub streams: [u32; 4],
    cwd: CStr,
    limits: Blob,
    arguments: Blob,
    environment: Blob,
}

impl Step {
    pub fn read(blob: &mut Blob) -> Result<Step> {
        let program = blob.word()?;
        let program_fd = blob.word()?;
        let path = blob.text()?;
        let streams = [blob.word()?, blob.word()?, blob.word()?, blob.word()?];
        let cwd = blob.text()?;
        let limits = *blob;
        for _ in 0..blob.word()? {
            blob.word()?;
            blob.long()?;
            blob.long()?;
        }
        let arguments = *blob;
        skip_texts(blob)?;
        let environment = *blob;
        skip_texts(blob)?;
        Ok(Step { program, program_fd, path, streams, cwd, limits, arguments, environment })
    }
}

fn skip_texts(blob: &mut Blob) -> Result<()> {
    for _ in 0..blob.word()? {
        blob.text()?;
    }
    Ok(())
}

/// Never returns: either the program runs, or the pipe says which step failed.
pub fn become_program(run: &Run, step: &Step, error_pipe: i32) -> ! {
    let (stage, error) = match restrict_and_exec(run, step) {
        Ok(never) => match never {},
        Err(failed) => failed,
    };
    let mut words = [0u8; 8];
    words[..4].copy_from_slice(&stage.to_le_bytes());
    words[4..].copy_from_slice(&error.0.to_le_bytes());
    if write_all(error_pipe, &words).is_err() {}
    exit(127)
}

enum Never {}

fn restrict_and_exec(run: &Run, step: &Step) -> core::result::Result<Never, (u32, Errno)> {
    let off = |layer: u32| run.layers & layer != 0;

    // 1. A session of its own: no controlling terminal, and signals to its group reach nobody else.
    call(SETSID, &[]).map_err(|error| (TARGET_STDIO, error))?;

    // 2. Descriptors 0 to 2 (and 3 where the step has one). Everything else closes at exec.
    let descriptor = |index: u32| run.fds.get(index as usize).copied().filter(|fd| *fd >= 0).ok_or(Errno(EINVAL));
    let mut first_free = 3;
    for (position, index) in step.streams.iter().enumerate() {
        if position == 3 && *index == u32::MAX {
            break;
        }
        descriptor(*index).and_then(|fd| dup2(fd, position as i32)).map_err(|error| (TARGET_STDIO, error))?;
        first_free = position + 1;
    }
    const CLOSE_RANGE_CLOEXEC: usize = 4;
    call(CLOSE_RANGE, &[first_free, u32::MAX as usize, CLOSE_RANGE_CLOEXEC]).map_err(|error| (TARGET_STDIO, error))?;

    // 3. The working directory, in the new root.
    call(CHDIR, &[step.cwd.address()]).map_err(|error| (TARGET_CWD, error))?;

    // 4. Resource limits. They come before capabilities go, and a limit above the host's own hard limit was never asked for.
    let mut limits = step.limits;
    let count = limits.word().unwrap_or(0);
    for _ in 0..count {
        let limit = (|| Ok((limits.word()?, [limits.long()?, limits.long()?])))();
        let (resource, values) = limit.map_err(|error| (TARGET_RLIMIT, error))?;
        call(PRLIMIT64, &[0, resource as usize, values.as_ptr() as usize, 0])
            .map_err(|error| (TARGET_RLIMIT, error))?;
    }

    // What the host's thread may have beyond the ordinary, its guest does not get. Init keeps it.
    reset_priorities().map_err(|error| (TARGET_PRIORITY, error))?;

    // 5. From here on exec never gains privilege: set-uid bits and file capabilities mean nothing.
    if !off(OFF_NO_NEW_PRIVS) {
        call(PRCTL, &[PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0]).map_err(|error| (TARGET_NO_NEW_PRIVS, error))?;
    }

    // 6. No capability is left in any set, not even in this run's own user namespace.
    //    (Without step 5 the two steps below need a capability, so a probe of that weakness drops them after those.)
    let drop_late = off(OFF_NO_NEW_PRIVS);
    if !off(OFF_CAPABILITIES) && !drop_late {
        drop_capabilities(run).map_err(|error| (TARGET_CAPABILITIES, error))?;
    }

    // 7. Landlock, in addition to the root: it also scopes abstract sockets and signals.
    if run.ruleset >= 0 && !off(OFF_LANDLOCK) {
        call(LANDLOCK_RESTRICT_SELF, &[run.ruleset as usize, 0]).map_err(|error| (TARGET_LANDLOCK, error))?;
    }

    let arguments = pointers(step.arguments).map_err(|error| (TARGET_EXEC, error))?;
    let environment = pointers(step.environment).map_err(|error| (TARGET_EXEC, error))?;
    reset_signals();
    set_signal_mask(0).map_err(|error| (TARGET_EXEC, error))?;

    // 8. The filter, last of all, so that it need not allow what came before.
    if !off(OFF_SECCOMP) && !run.filter.is_empty() {
        const SECCOMP_SET_MODE_FILTER: usize = 1;
        let program = [run.filter.len() / 8, run.filter.as_ptr() as usize];
        call(SECCOMP, &[SECCOMP_SET_MODE_FILTER, 0, program.as_ptr() as usize])
            .map_err(|error| (TARGET_SECCOMP, error))?;
    }

    if !off(OFF_CAPABILITIES) && drop_late {
        drop_capabilities(run).map_err(|error| (TARGET_CAPABILITIES, error))?;
    }

    // 9. The program.
    let result = if step.program == PROGRAM_FD {
        let fd = descriptor(step.program_fd).map_err(|error| (TARGET_EXEC, error))?;
        call(EXECVEAT, &[fd as usize, cstr!("").address(), arguments, environment, AT_EMPTY_PATH])
    } else {
        call(EXECVE, &[step.path.address(), arguments, environment])
    };
    match result {
        Err(error) => Err((TARGET_EXEC, error)),
        Ok(_) => Err((TARGET_EXEC, Errno(EINVAL))),
    }
}

/// The class and priority of an ordinary program, on processors and disks, and an ordinary execution domain. Each only where it is
/// not so already, since a container may forbid even this.
fn reset_priorities() -> Result<()> {
    const SCHED_OTHER: usize = 0;
    const SCHED_IDLE: usize = 5;
    const PRIO_PROCESS: usize = 0;
    const IOPRIO_WHO_PROCESS: usize = 1;
    const IOPRIO_CLASS_RT: usize = 1;
    const ASK: usize = 0xffff_ffff;
    let scheduler = call(SCHED_GETSCHEDULER, &[0])?;
    if scheduler != SCHED_OTHER {
        let parameter = [0u32; 1];
        let set = call(SCHED_SETSCHEDULER, &[0, SCHED_OTHER, parameter.as_ptr() as usize]);
        // Less than ordinary stays where leaving it takes a privilege.
        set.or_else(|error| if scheduler == SCHED_IDLE { Ok(0) } else { Err(error) })?;
    }
    // The kernel answers with 20 less the value, so that no answer is an error.
    if call(GETPRIORITY, &[PRIO_PROCESS, 0])? > 20 {
        call(SETPRIORITY, &[PRIO_PROCESS, 0, 0])?;
    }
    if call(IOPRIO_GET, &[IOPRIO_WHO_PROCESS, 0]).is_ok_and(|priority| priority >> 13 == IOPRIO_CLASS_RT) {
        call(IOPRIO_SET, &[IOPRIO_WHO_PROCESS, 0, 0])?;
    }
    if call(PERSONALITY, &[ASK])? != 0 {
        call(PERSONALITY, &[0])?;
    }
    prctl(PR_SET_TIMERSLACK, 0, 0)?;
    Ok(())
}

fn drop_capabilities(run: &Run) -> Result<()> {
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0)?;
    // Both need a capability, which a process in a namespace of its own has. Without one, an ordinary user keeps a bounding
    // set that `no_new_privs` makes unreachable, and a privileged host's init has dropped it before.
    if run.layers & RUN_IN_PLACE == 0 {
        prctl(PR_SET_SECUREBITS, SECUREBITS, 0)?;
        drop_bounding_set()?;
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = [VERSION_3, 0];
    let none = [0u32; 6];
    call(CAPSET, &[header.as_ptr() as usize, none.as_ptr() as usize])?;
    Ok(())
}

pub fn drop_bounding_set() -> Result<()> {
    for capability in 0..64 {
        match prctl(PR_CAPBSET_DROP, capability, 0) {
            Ok(_) => {}
            // The kernel knows no capability of this number, nor any above it.
            Err(Errno(EINVAL)) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The addresses of a list of texts, with the null that ends them, in memory of their own.
fn pointers(mut list: Blob) -> Result<usize> {
    const PROT_READ_WRITE: usize = 3;
    const MAP_PRIVATE_ANONYMOUS: usize = 0x22;
    let count = list.word()? as usize;
    let size = (count + 1) * size_of::<usize>();
    let memory = call(MMAP, &[0, size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, usize::MAX, 0])?;
    for index in 0..count {
        let text = list.text()?;
        // SAFETY: the mapping holds `count + 1` addresses and was zeroed by the kernel.
        unsafe { (memory as *mut usize).add(index).write(text.address()) };
    }
    Ok(memory)
}
