//! Asking Debian's package tools for a kernel, without root and without a change to this machine's own sources.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::Task;

/// The keys of Debian's archive, which signs the backports as well. Where they are elsewhere, the package tools know them.
const KEY: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// How long the mirror may take for one request.
const PATIENCE: Duration = Duration::from_secs(300);

/// Package lists and settings of our own, in a directory.
#[derive(Debug)]
pub(super) struct Apt {
    dir: PathBuf,
}

impl Apt {
    /// Takes this machine's own mirror, with the backports of the same release beside it.
    pub(super) fn new(dir: &Path) -> Result<Self, Box<dyn Error>> {
        let codename = debian_codename(&fs::read_to_string("/etc/os-release")?)
            .ok_or("this is not Debian, and its kernels are not Debian's")?;
        let format = "$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)";
        let targets = output(&Task::new("apt-get").args(["indextargets", "--format", format, "Created-By: Packages"]))?;
        let key = Path::new(KEY).exists().then_some(KEY);
        let sources = sources(&targets, &codename, key).ok_or("the package tools know no mirror of this release")?;
        for place in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(dir.join(place))?;
        }
        fs::write(dir.join("sources.list"), sources)?;
        let apt = Apt { dir: dir.to_owned() };
        output(&apt.task("apt-get").arg("update"))?;
        Ok(apt)
    }

    /// Downloads the kernel that the package of this name leads to, from the release or from its backports.
    pub(super) fn download(&self, package: &str, from: &Path, backports: bool) -> Result<PathBuf, Box<dyn Error>> {
        let codename = debian_codename(&fs::read_to_string("/etc/os-release")?).unwrap_or_default();
        let release = if backports { format!("{codename}-backports") } else { codename };
        let preferred = format!("APT::Default-Release={release}");
        let depends = output(&self.task("apt-cache").args(["-o", &preferred, "depends", package]))?;
        let image = dependency(&depends).ok_or_else(|| format!("{package} of {release} leads to no kernel"))?;
        output(&self.task("apt-get").args(["-o", &preferred, "download", image]).dir(from))?;
        let found = fs::read_dir(from)?.flatten().map(|entry| entry.path());
        let found = found.filter(|path| path.extension().is_some_and(|extension| extension == "deb")).last();
        Ok(found.ok_or_else(|| format!("{image} was not downloaded"))?)
    }

    fn task(&self, program: &str) -> Task {
        let option = |name: &str, value: &Path| format!("{name}={}", value.display());
        let options = [
            option("Dir::Etc::sourcelist", &self.dir.join("sources.list")),
            option("Dir::Etc::sourceparts", Path::new("/dev/null")),
            option("Dir::State::lists", &self.dir.join("lists")),
            option("Dir::Cache", &self.dir.join("cache")),
            // The directory is below a target directory, which the tools' own user need not be able to enter.
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Retries=1".to_owned(),
            "Acquire::http::Timeout=20".to_owned(),
        ];
        Task::new(program).args(options.iter().flat_map(|option| ["-o", option]))
    }
}

fn output(task: &Task) -> Result<String, Box<dyn Error>> {
    let finished = task.capture_within(PATIENCE)?;
    if !finished.succeeded() {
        let last = finished.stderr.lines().last().unwrap_or("no message");
        return Err(format!("{}: {last}", task.shown().split(' ').next().unwrap_or_default()).into());
    }
    Ok(finished.stdout)
}

fn debian_codename(release: &str) -> Option<String> {
    let value =
        |name: &str| release.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim_matches('"'));
    (value("ID=") == Some("debian")).then(|| value("VERSION_CODENAME=").map(ToOwned::to_owned)).flatten()
}

/// Lines of a `sources.list` for the release and its backports, from what the package tools say of their own sources.
fn sources(targets: &str, codename: &str, key: Option<&str>) -> Option<String> {
    let uri = targets.lines().find_map(|line| {
        let mut fields = line.split('\t');
        let (uri, release, component) = (fields.next()?, fields.next()?, fields.next()?);
        (release == codename && component == "main").then_some(uri)
    })?;
    let options = key.map(|key| format!("[signed-by={key}] ")).unwrap_or_default();
    Some(format!("deb {options}{uri} {codename} main\ndeb {options}{uri} {codename}-backports main\n"))
}

fn dependency(depends: &str) -> Option<&str> {
    depends
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: "))
        .filter(|name| name.starts_with("linux-image-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_the_one_of_this_release_with_its_key() {
        let targets = "http://m/security/\tbookworm-security\tmain\nhttp://m/debian/\tbookworm\tmain\n";
        let sources = sources(targets, "bookworm", Some("/k")).unwrap();
        assert!(sources.starts_with("deb [signed-by=/k] http://m/debian/ bookworm main\n"), "{sources}");
        assert!(sources.contains(" bookworm-backports main"), "{sources}");
        assert_eq!(super::sources(targets, "trixie", None), None);
    }

    #[test]
    fn only_debian_has_debian_s_kernels() {
        assert_eq!(debian_codename("ID=debian\nVERSION_CODENAME=bookworm\n").as_deref(), Some("bookworm"));
        assert_eq!(debian_codename("ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n"), None);
    }

    #[test]
    fn the_package_of_a_kernel_is_what_the_general_one_depends_on() {
        let text = "linux-image-amd64\n  Depends: linux-image-6.1.0-57-amd64\n";
        assert_eq!(dependency(text), Some("linux-image-6.1.0-57-amd64"));
        assert_eq!(dependency("linux-image-amd64\n"), None);
    }
}
