//! Uses the sandbox itself, without manager and providers: asks this host for its best rung, looks at what is proven there before
//! anything runs, and gives one program a directory to write, a part of it only to read, and a place whose content it takes
//! afterwards.
//!
//! Run it with `cargo run -p own-sandbox`. It ends with an error where the file system axis is not proven.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::fs::File;
use std::future::pending;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use execres::core::Axis;
use execres::isolation::{HandUp, Profile, Rung, Sandbox, Step};
use rustix::fs::{Mode, OFlags};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without a register: this program is short, and its runs end with it. A service opens one, so that what a killed service
    // leaves is found (`execres::owner::OwnerRegistry`).
    let sandbox = Sandbox::new(None);

    // 1. What does this host allow, and what is proven there? Nothing of a guest's has run by then.
    let standing = sandbox.best_rung(&Profile::deny_all()).await?;
    println!("rung {}: {}", standing.rung, standing.report.axes());
    if let Some(cause) = &standing.why_not_better {
        println!("not better, because {cause}");
    }
    if !standing.report.axes().contains(Axis::HostFilesystemRestricted) {
        return Err("the guest could reach files that it was not granted".into());
    }
    if standing.rung == Rung::NoNamespaces {
        println!("grants of different places need mounts, which this host does not allow");
        return Ok(());
    }

    // 2. A profile, built from nothing. The inner grant holds, whatever the outer one allows.
    let project = project()?;
    let profile = Profile::deny_all()
        .on_rung(standing.rung)
        .write(project.path(), Path::new("/project"))?
        .read(&project.path().join("settings"), Path::new("/project/settings"))?
        .scratch(Path::new("/result"), HandUp::Yes)?;

    // 3. A run. It is ended whole when its first process ends, when `pending` becomes something that is ready, or when it is
    //    dropped.
    let script = "echo changed > settings/file || echo the settings are read-only\n\
                  echo written > notes\n\
                  cat settings/file notes > /result/all";
    let step = Step::new("/bin/sh", ["-c", script]).in_directory("/project");
    let report = sandbox.launch(&profile, vec![step]).await?.finish(None, pending()).await;
    for step in &report.steps {
        print!("{}", step.stdout.text());
    }
    println!("{}, with nothing left: {}", report.outcome, report.nothing_left);

    // 4. What it left. The directory's content is the guest's, so names in it are opened without following links.
    let result = report.handed_up.first().ok_or("nothing was handed up")?;
    let mut all = String::new();
    File::from(rustix::fs::openat(result, "all", OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())?)
        .read_to_string(&mut all)?;
    print!("{all}");
    Ok(())
}

/// A directory that a guest of any identity may change.
fn project() -> Result<tempfile::TempDir, Box<dyn Error>> {
    let project = tempfile::tempdir()?;
    let settings = project.path().join("settings");
    std::fs::create_dir(&settings)?;
    std::fs::write(settings.join("file"), "as it was\n")?;
    for (path, mode) in [(project.path(), 0o777), (&settings, 0o777), (&settings.join("file"), 0o666)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    }
    Ok(project)
}
