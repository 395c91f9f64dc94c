//! The one place that knows the machine: entry point, system calls and the memory routines that the compiler asks for.

use core::arch::{asm, global_asm};

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {main}",
    "ud2",
    main = sym crate::entry,
);

#[cfg(target_arch = "aarch64")]
global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, xzr",
    "mov x0, sp",
    "bl {main}",
    "brk #1",
    main = sym crate::entry,
);

/// One system call with up to six arguments. The kernel's answer, negative errno included.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn syscall6(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    let answer: isize;
    // SAFETY: the register use is the kernel's documented calling convention; callers pass pointers that are valid for
    // what the call does with them.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => answer,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// One system call with up to six arguments. The kernel's answer, negative errno included.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn syscall6(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    let answer: isize;
    // SAFETY: the register use is the kernel's documented calling convention; callers pass pointers that are valid for
    // what the call does with them.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a as isize => answer,
            in("x1") b,
            in("x2") c,
            in("x3") d,
            in("x4") e,
            in("x5") f,
            options(nostack),
        );
    }
    answer
}

// The compiler turns copies and comparisons into calls of these. Volatile accesses keep it from turning the loops
// themselves into such calls.

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for i in 0..count {
        // SAFETY: the caller of memcpy promises `count` readable and writable bytes.
        unsafe { to.add(i).write_volatile(from.add(i).read_volatile()) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if (to as usize) <= from as usize {
        // SAFETY: a forward copy is right when the target starts before the source.
        return unsafe { memcpy(to, from, count) };
    }
    for i in (0..count).rev() {
        // SAFETY: the caller of memmove promises `count` readable and writable bytes.
        unsafe { to.add(i).write_volatile(from.add(i).read_volatile()) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    for i in 0..count {
        // SAFETY: the caller of memset promises `count` writable bytes.
        unsafe { to.add(i).write_volatile(value as u8) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    for i in 0..count {
        // SAFETY: the caller of memcmp promises `count` readable bytes in both.
        let (x, y) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    // SAFETY: the same promise as for memcmp.
    unsafe { memcmp(a, b, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: the caller of strlen promises a NUL byte.
    while unsafe { text.add(length).read_volatile() } != 0 {
        length += 1;
    }
    length
}

/// The distributed `core` names this symbol; nothing here unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Likewise.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    crate::sys::exit(134)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    crate::sys::exit(134)
}
