//! Booting a guest and waiting for its end.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::kernel::Kernel;
use super::machine::Machine;
use crate::process::{Finished, Task};

/// The emulator.
pub(super) const PROGRAM: &str = "qemu-system-x86_64";

/// How long a guest may take to boot and to switch itself off. It takes five seconds on a machine that has time.
pub(super) const BOOT: Duration = Duration::from_secs(120);

/// Boots the kernel and returns what came over the second serial line, and the kernel's own messages.
///
/// The guest has no network device and can write to no directory of the host's. It is killed when its time is over.
pub(super) fn run(
    kernel: &Kernel,
    machine: &Machine,
    initramfs: &Path,
    tests: &Path,
    dir: &Path,
    patience: Duration,
) -> Result<(Finished, String), Box<dyn Error>> {
    let console = dir.join("console");
    // `panic=-1` with `-no-reboot` makes a panic the end of the guest.
    let command_line = format!("console=ttyS0 quiet panic=-1 mitigations=off {}", machine.parameters);
    let share = |id: &str, path: &Path| {
        // A comma is how the emulator's options are kept apart, and it is doubled within one.
        let path = path.display().to_string().replace(',', ",,");
        [
            "-fsdev".to_owned(),
            format!("local,id={id},path={path},security_model=none,readonly=on,multidevs=remap"),
            "-device".to_owned(),
            format!("virtio-9p-pci,fsdev={id},mount_tag={id}"),
        ]
    };
    // The kernel ends the emulator when xtask is killed before it could.
    let task = Task::new("setpriv")
        .args(["--pdeathsig", "KILL", "--", PROGRAM])
        .args(["-nodefaults", "-no-reboot", "-display", "none", "-nic", "none"])
        .args(["-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "2048"])
        .arg("-kernel")
        .arg(&kernel.image)
        .arg("-initrd")
        .arg(initramfs)
        .args(["-append", &command_line])
        .args(share("root", Path::new("/")))
        .args(share("tests", tests))
        .args(["-serial", &format!("file:{}", console.display()), "-serial", "stdio"]);
    let finished = task.capture_within(patience)?;
    Ok((finished, fs::read_to_string(&console).unwrap_or_default()))
}
