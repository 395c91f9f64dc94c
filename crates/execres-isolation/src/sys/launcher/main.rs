//! The launcher: a freestanding program that owns the outer namespaces of a host process and forks the init of each run.
//!
//! It is built by the build script with the same compiler as the library, needs no loader and no libc, and is started
//! from a sealed memfd. It reads nothing but what the host sends, so it parses only trusted input; everything that the
//! guest can touch is on the other side of `target.rs`.
//!
//! Reading order: `serve.rs` (the launcher process), `init.rs` (PID 1 of a run), `look.rs` (what a run holds), `root.rs` (what the guest finds),
//! `target.rs` (the last steps before the program). `guest.rs` and `sacrifice.rs` serve the probes.
#![no_std]
#![no_main]
#![deny(warnings)]

#[macro_use]
mod sys;

mod arch;
mod blob;
mod guest;
mod init;
mod landlock;
mod look;
mod numbers;
mod place;
#[path = "../protocol.rs"]
#[allow(dead_code)]
mod protocol;
mod root;
mod sacrifice;
mod serve;
mod target;

/// Where the kernel's initial stack leads: the number of arguments, then the arguments.
unsafe extern "C" fn entry(stack: *const usize) -> ! {
    // SAFETY: the kernel puts argc and then argc pointers at the initial stack pointer.
    let argc = unsafe { *stack };
    let argument = |index: usize| -> &'static [u8] {
        if index >= argc {
            return b"\0";
        }
        // SAFETY: `index` is below argc, and each argument ends with NUL and lives as long as the process.
        unsafe {
            let text = *stack.add(1 + index) as *const u8;
            let mut length = 0;
            while *text.add(length) != 0 {
                length += 1;
            }
            core::slice::from_raw_parts(text, length + 1)
        }
    };
    match argument(1) {
        b"setuid\0" => guest::run_set_uid_canary(),
        // Whoever starts the set-uid canary outside of a probe gets nothing else from it: as a launcher it would make
        // namespaces with root's privilege for its caller.
        _ if sys::has_other_identity() => sys::exit(1),
        b"probe\0" => guest::run(&argument),
        _ => serve::run(),
    }
}
