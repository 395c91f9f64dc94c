//! Builds the launcher: a freestanding static program, with the compiler that builds the library.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script may start the compiler, and has nobody to hand an error to"
)]

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=src/sys/launcher");
    println!("cargo::rerun-if-changed=src/sys/protocol.rs");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(launcher)");
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let supported = target.contains("linux") && (target.starts_with("x86_64") || target.starts_with("aarch64"));
    if !supported {
        // The library still compiles and says that there is no sandbox here.
        return;
    }
    println!("cargo::rustc-cfg=launcher");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("launcher");
    let mut rustc = Command::new(env::var_os("RUSTC").expect("cargo sets RUSTC"));
    rustc.args(["--edition=2024", "--crate-name=launcher", "--crate-type=bin", "--target", &target]);
    rustc.args(["-Copt-level=s", "-Cpanic=abort", "-Cdebuginfo=0", "-Cstrip=symbols", "-Coverflow-checks=off"]);
    // A static position-dependent image: the kernel maps it and jumps to it, nobody relocates it.
    rustc.args(["-Crelocation-model=static", "-Ctarget-feature=+crt-static", "-Cforce-unwind-tables=no"]);
    for argument in [
        "-nostartfiles",
        "-nostdlib",
        "-static",
        "-no-pie",
        "-Wl,--gc-sections",
        "-Wl,--build-id=none",
        "-Wl,-z,noexecstack",
    ] {
        rustc.arg(format!("-Clink-arg={argument}"));
    }
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut argument = std::ffi::OsString::from("-Clinker=");
        argument.push(linker);
        rustc.arg(argument);
    }
    rustc.arg("-o").arg(&out).arg("src/sys/launcher/main.rs");
    let status = rustc.status().expect("the compiler that cargo named can be started");
    assert!(status.success(), "the launcher did not compile");
}
