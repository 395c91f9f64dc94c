//! Container engines: which sockets there are, and whether the engine behind one answers this user.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::install::Packages;
use super::program::Programs;
use super::report::{Check, Group, Remedy, Status};

/// How long an engine may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(1);

/// Bytes of an answer that are read.
const MOST: usize = 4096;

const WHY: &str = "containers as resources need an engine that this user can reach";

/// One engine.
#[derive(Debug, Clone, Copy)]
struct Engine {
    id: &'static str,
    name: &'static str,
    /// The variable that names its address.
    variable: &'static str,
    /// The system's socket.
    system: &'static str,
    /// The socket of this user's own engine, below the runtime directory.
    own: &'static str,
    packages: Packages,
    start: &'static str,
    start_own: &'static str,
}

const ENGINES: [Engine; 2] = [
    Engine {
        id: "engine.docker",
        name: "docker",
        variable: "DOCKER_HOST",
        system: "/var/run/docker.sock",
        own: "docker.sock",
        packages: Packages { apt: "docker.io", dnf: "moby-engine", pacman: "docker", apk: "docker" },
        start: "sudo systemctl start docker",
        start_own: "systemctl --user start docker",
    },
    Engine {
        id: "engine.podman",
        name: "podman",
        variable: "CONTAINER_HOST",
        system: "/run/podman/podman.sock",
        own: "podman/podman.sock",
        packages: Packages::named("podman"),
        start: "sudo systemctl start podman.socket",
        start_own: "systemctl --user start podman.socket",
    },
];

/// What a socket answered.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// An engine, with the version of its interface where it says so.
    Engine(Option<String>),
    /// There is no socket.
    Absent,
    /// This user may not use it.
    Denied,
    /// Nobody listens, or what listens is no engine.
    Dead(String),
}

pub(super) async fn checks(programs: &Programs) -> Vec<Check> {
    let mut checks = Vec::new();
    for engine in &ENGINES {
        let address = std::env::var(engine.variable).ok().filter(|address| !address.is_empty());
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let binary = programs.find(&[engine.name]).map(|program| program.path);
        checks.push(check(engine, address.as_deref(), runtime.as_deref(), binary.as_deref()).await);
    }
    checks
}

async fn check(engine: &Engine, address: Option<&str>, runtime: Option<&Path>, binary: Option<&Path>) -> Check {
    let check = |found: String| Check::ok(engine.id, Group::Engines, WHY, found);
    let sockets = match address.map(|address| (address, address.strip_prefix("unix://"))) {
        Some((_, Some(socket))) => vec![PathBuf::from(socket)],
        Some((address, None)) => {
            let what = without_secrets(address);
            return check(format!(
                "{} names {what}, which is not asked: it is not a socket of this machine",
                engine.variable
            ))
            .with_status(Status::Unknown);
        }
        None => {
            let own = runtime.map(|runtime| runtime.join(engine.own));
            own.into_iter().chain([PathBuf::from(engine.system)]).collect()
        }
    };
    let client = binary.map_or_else(|| "no client".to_owned(), |binary| format!("client {}", binary.display()));
    let mut refused = None;
    for socket in &sockets {
        let shown = socket.display();
        match ping(socket).await {
            Answer::Engine(version) => {
                let version = version.map_or_else(String::new, |version| format!(" with API {version}"));
                return check(format!("{shown} answers{version}; {client}"));
            }
            Answer::Absent => {}
            Answer::Denied => {
                refused = Some(
                    check(format!("{shown} is there, and this user may not use it; {client}"))
                        .with_status(Status::Degraded)
                        .with_remedy(Remedy::commands(
                            "Use an engine of your own, without root; or join the group of the socket, which is as good as root:",
                            [
                                engine.start_own.to_owned(),
                                format!("sudo usermod -aG \"$(stat -c %G {shown})\" \"$USER\"   # then log in again"),
                            ],
                        )),
                );
            }
            Answer::Dead(why) => {
                let start = if *socket == Path::new(engine.system) { engine.start } else { engine.start_own };
                refused = Some(
                    check(format!("{shown} is there, and no engine answers: {why}; {client}"))
                        .with_status(Status::Degraded)
                        .with_remedy(Remedy::commands("Start it:", [start])),
                );
            }
        }
    }
    refused.unwrap_or_else(|| {
        let remedy = match binary {
            Some(_) => Remedy::commands("Start the engine:", [engine.start]),
            None => engine.packages.remedy("Install it."),
        };
        check(format!("no socket; {client}")).with_status(Status::Missing).with_remedy(remedy)
    })
}

/// Asks the engine behind a socket whether it is there, as its own client would.
async fn ping(socket: &Path) -> Answer {
    let asked = async {
        let mut stream = UnixStream::connect(socket).await?;
        stream.write_all(b"GET /_ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
        let mut answer = Vec::new();
        // The head is enough, and it is short: whatever talks on and on is no engine.
        while answer.len() < MOST && !answer.windows(4).any(|end| end == b"\r\n\r\n") {
            if stream.read_buf(&mut answer).await? == 0 {
                break;
            }
        }
        Ok::<_, io::Error>(answer)
    };
    match timeout(ANSWER, asked).await {
        Ok(Ok(answer)) => head(&String::from_utf8_lossy(&answer)),
        Ok(Err(error)) => match error.kind() {
            io::ErrorKind::NotFound => Answer::Absent,
            io::ErrorKind::PermissionDenied => Answer::Denied,
            _ => Answer::Dead(error.to_string()),
        },
        Err(_) => Answer::Dead("nothing came within a second".to_owned()),
    }
}

/// What the head of an answer says.
fn head(answer: &str) -> Answer {
    let mut lines = answer.lines();
    let status = lines.next().unwrap_or_default();
    if !(status.starts_with("HTTP/1.") && status.contains(" 200")) {
        return Answer::Dead("what listens there does not answer as an engine does".to_owned());
    }
    let version = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let plain = value.trim();
        let is_version =
            !plain.is_empty() && plain.len() < 16 && plain.bytes().all(|byte| b"0123456789.".contains(&byte));
        (name.eq_ignore_ascii_case("api-version") && is_version).then(|| plain.to_owned())
    });
    Answer::Engine(version)
}

/// An address may hold a user and a password.
fn without_secrets(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    /// Listens once and answers this.
    fn engine_at(socket: &Path, answer: &'static [u8]) {
        let listener = UnixListener::bind(socket).unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = [0; 64];
            let count = stream.read(&mut asked).await.unwrap();
            assert!(asked[..count].starts_with(b"GET /_ping HTTP/1.1\r\n"));
            stream.write_all(answer).await.unwrap();
        });
    }

    #[tokio::test]
    async fn an_engine_answers_and_what_is_none_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        engine_at(&at("engine"), b"HTTP/1.1 200 OK\r\nApi-Version: 1.47\r\n\r\nOK");
        assert_eq!(ping(&at("engine")).await, Answer::Engine(Some("1.47".into())));
        engine_at(&at("other"), b"220 mail ready\r\n");
        assert!(matches!(ping(&at("other")).await, Answer::Dead(_)));
        engine_at(&at("broken"), b"HTTP/1.1 500 Internal Server Error\r\nApi-Version: 1.47\r\n\r\n");
        assert!(matches!(ping(&at("broken")).await, Answer::Dead(_)));
        let silent = UnixListener::bind(at("silent")).unwrap();
        assert_eq!(ping(&at("silent")).await, Answer::Dead("nothing came within a second".into()));
        drop(silent);
        assert!(matches!(ping(&at("silent")).await, Answer::Dead(_)), "a socket that nobody listens on");
        assert_eq!(ping(&at("absent")).await, Answer::Absent);
    }

    #[tokio::test]
    async fn each_state_of_an_engine_has_its_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let docker = &ENGINES[0];
        let address = |name: &str| format!("unix://{}", dir.path().join(name).display());
        engine_at(&dir.path().join("engine"), b"HTTP/1.1 200 OK\r\nApi-Version: 1.47\r\n\r\nOK");
        let well = check(docker, Some(&address("engine")), None, None).await;
        assert_eq!((well.status, well.remedies.len()), (Status::Ok, 0), "{}", well.found);
        assert!(well.found.contains("API 1.47"), "{}", well.found);
        drop(UnixListener::bind(dir.path().join("dead")).unwrap());
        let dead = check(docker, Some(&address("dead")), None, None).await;
        assert_eq!(dead.status, Status::Degraded);
        let absent = check(docker, Some(&address("absent")), None, Some(Path::new("/usr/bin/docker"))).await;
        assert_eq!(absent.status, Status::Missing);
        assert_eq!(absent.remedies[0].commands, ["sudo systemctl start docker"]);
        let far = check(docker, Some("ssh://me:secret@far"), None, None).await;
        assert_eq!(far.status, Status::Unknown);
        assert!(far.found.contains("ssh://far") && !far.found.contains("secret"), "{}", far.found);
    }
}
