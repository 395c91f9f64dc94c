//! A look at what the processes of a run hold, where nothing else counts it.

use crate::init::Run;
use crate::numbers::*;
use crate::root;
use crate::sys::*;

/// What one look at the run's processes found.
#[derive(Clone, Copy, Default)]
pub struct Peaks {
    pub processes: u64,
    pub bytes: u64,
}

impl Run {
    /// Processes of the run, and the memory that they and the scratch spaces hold.
    ///
    /// Resident sizes come first, because they are cheap: they count what processes share for each of them, so their sum is
    /// never too small. Only when it is over the limit are the proportional sizes read, for which the kernel walks page tables.
    /// What no process has mapped (the content of a memfd) is why this is reported as polled and never as enforced.
    pub fn look(&self) -> Peaks {
        let scratch = self.scratch_in_use();
        let resident = self.sum(|run, pid| {
            let mut text = [0u8; 128];
            let fields = run.read_of(pid, "/statm", &mut text);
            // The second field, in pages.
            let pages = fields.split(|byte| *byte == b' ').nth(1).map_or(0, digits);
            (pages * 4096, 0)
        });
        let mut seen = Peaks { processes: resident.processes, bytes: resident.private + scratch };
        if self.memory_limit > 0 && seen.bytes > self.memory_limit {
            let exact = self.sum(|run, pid| {
                let mut text = [0u8; 2048];
                let fields = run.read_of(pid, "/smaps_rollup", &mut text);
                let field = |name: &[u8]| {
                    let line = fields.split(|byte| *byte == b'\n').find(|line| line.starts_with(name));
                    line.map_or(0, digits) * 1024
                };
                (field(b"Pss_Anon:"), field(b"Pss_Shmem:"))
            });
            // A mapped file of a scratch space is in both of the last two.
            seen.bytes = exact.private + exact.shared.max(scratch);
        }
        seen
    }

    /// Adds up what `size` says of each process but this one: private and shared bytes.
    fn sum(&self, size: impl Fn(&Run, &[u8]) -> (u64, u64)) -> Sum {
        const SEEK_SET: usize = 0;
        #[cfg(target_arch = "x86_64")]
        const LSEEK: usize = 8;
        #[cfg(target_arch = "aarch64")]
        const LSEEK: usize = 62;
        let mut sum = Sum::default();
        if !self.first || self.proc < 0 || call(LSEEK, &[self.proc as usize, 0, SEEK_SET]).is_err() {
            return sum;
        }
        let mut entries = [0u8; 8192];
        loop {
            let length = match call(GETDENTS64, &[self.proc as usize, entries.as_mut_ptr() as usize, entries.len()]) {
                Ok(0) | Err(_) => break,
                Ok(length) => length,
            };
            let mut at = 0;
            while at + 19 < length {
                // struct linux_dirent64: inode, offset, record length, kind, name.
                let record = usize::from(u16::from_ne_bytes([entries[at + 16], entries[at + 17]]));
                let name = &entries[at + 19..(at + record).min(length)];
                let count = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if count > 0 && name.get(count) == Some(&0) && &name[..count] != b"1" {
                    let (private, shared) = size(self, &name[..count]);
                    sum.processes += 1;
                    sum.private += private;
                    sum.shared += shared;
                }
                at += record.max(1);
            }
        }
        sum
    }

    /// A file of a process, as far as it fits. Empty when the process is gone.
    fn read_of<'a>(&self, pid: &[u8], file: &str, text: &'a mut [u8]) -> &'a [u8] {
        let pid = core::str::from_utf8(pid).unwrap_or("0");
        let path = Text::new().push(pid).push(file);
        let Ok(fd) = openat(self.proc, path.cstr(), 0, 0) else { return &[] };
        let length = read(fd, text).unwrap_or(0);
        close(fd);
        &text[..length]
    }

    fn scratch_in_use(&self) -> u64 {
        #[cfg(target_arch = "x86_64")]
        const STATFS: usize = 137;
        #[cfg(target_arch = "aarch64")]
        const STATFS: usize = 43;
        let mut list = self.scratch;
        let mut sum = 0;
        let count = list.word().unwrap_or(0);
        for _ in 0..count {
            let Ok(op) = root::Op::read(&mut list) else { break };
            if let root::Op::Tmpfs { path, .. } = op {
                // type, block size, blocks, free blocks. Paths are relative, and init's directory is the new root.
                let mut fs = [0u64; 16];
                if call(STATFS, &[path.address(), fs.as_mut_ptr() as usize]).is_ok() {
                    sum += fs[2].saturating_sub(fs[3]) * fs[1];
                }
            }
        }
        sum
    }
}

/// What all processes of a run have together.
#[derive(Default)]
struct Sum {
    processes: u64,
    private: u64,
    shared: u64,
}

/// The number in a text; whatever is no digit is passed over.
fn digits(text: &[u8]) -> u64 {
    text.iter().filter(|byte| byte.is_ascii_digit()).fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'))
}
