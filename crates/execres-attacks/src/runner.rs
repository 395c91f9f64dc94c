//! Running attacks: control, canaries, the confined run, and what the host saw of it.

use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use execres_core::{AxisSet, Enforcement, IsolationReport, Limits, NetworkMode};
use execres_isolation::{LaunchError, Profile, RunReport, Rung, Sandbox, Step};
use execres_owner::OwnerRegistry;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::attack::{Attack, Expected, Ground, Place, Repeat, Target, Witness};
use crate::collector;
use crate::configuration::{Company, Configuration, Grants};
use crate::control::ControlResult;
use crate::corpus::Corpus;
use crate::judge::{Effect, Tried, Verdict, judge};
use crate::matrix::{Cell, Matrix, Row};
use crate::outside::{self, Guest, Told, processes_told};
use crate::programs::Programs;
use crate::protocol::Answer;
use crate::scene::Scene;
use crate::victim::Victim;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// What a change waits for.
    Smoke,
    /// Races often enough to be lost.
    Full,
}

impl Size {
    /// What `EXECRES_TEST_SIZE` says.
    pub fn from_environment() -> Self {
        match std::env::var("EXECRES_TEST_SIZE").as_deref() {
            Ok("full") => Size::Full,
            _ => Size::Smoke,
        }
    }

    const fn races(self) -> usize {
        match self {
            Size::Smoke => 3,
            Size::Full => 60,
        }
    }
}

/// The corpus cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The canaries cannot be set out.
    #[error("the canaries cannot be set out: {0}")]
    Files(#[from] io::Error),
    /// There is no sandbox.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A profile cannot be made.
    #[error(transparent)]
    Profile(#[from] execres_isolation::ProfileError),
}

/// Runs attacks on one machine, as the user that this process is.
#[derive(Debug)]
pub struct Runner {
    base: tempfile::TempDir,
    pub(crate) programs: Programs,
    /// Runs what is outside: compilers, controls, and victims of the host's.
    pub(crate) host: Arc<Sandbox>,
    /// Another owner's.
    other: Arc<Sandbox>,
    /// Who the controls run as.
    pub(crate) guest: Guest,
    size: Size,
}

/// How many configurations, or controls, are tried at once.
const AT_ONCE: usize = 3;
/// Where canaries and programs are: a place that every identity can enter, and that is no link in a guest.
const PLACE: &str = "/tmp";
/// A run that takes this much longer than its limits say is hung.
const PATIENCE: Duration = Duration::from_secs(10);
/// The host ticks this often; longer pauses than [`PATIENCE`] mean that it was held up.
const TICK: Duration = Duration::from_millis(10);
const MIB: u64 = 1 << 20;

/// An attack that is right to run into its time has little of it.
fn wall_time(attack: &Attack, otherwise: u64) -> Duration {
    let is_timeout = |expected: &Expected| matches!(expected, Expected::Outcome(name) if name == "timed_out");
    Duration::from_millis(if attack.expected.iter().any(is_timeout) { 700 } else { otherwise })
}

fn limits(attack: &Attack) -> Limits {
    match attack.target {
        Target::Limits => Limits {
            memory: 64 * MIB,
            processes: 48,
            cpu_time: Duration::from_secs(1),
            wall_time: wall_time(attack, 8_000),
            file_size: 8 * MIB,
            open_files: 64,
            scratch: 16 * MIB,
            scratch_inodes: 1000,
            output_retained: 16 << 10,
            output_hard: MIB,
        },
        _ => Limits { wall_time: wall_time(attack, 15_000), processes: 64, memory: 256 * MIB, ..Limits::STANDARD },
    }
}

impl Runner {
    /// Writes out and compiles the programs of these attacks.
    ///
    /// # Errors
    /// When there is no place for them, or no sandbox.
    pub async fn new(corpus: &Corpus, owners: &Arc<OwnerRegistry>, size: Size) -> Result<Self, RunnerError> {
        Self::at(Path::new(PLACE), corpus, owners, size).await
    }

    /// The same with the canaries at another place. A place that is a link in the guest, such as `/var/tmp`, is of use only
    /// where there is no mount namespace.
    ///
    /// # Errors
    /// As for [`Runner::new`].
    pub async fn at(
        place: &Path,
        corpus: &Corpus,
        owners: &Arc<OwnerRegistry>,
        size: Size,
    ) -> Result<Self, RunnerError> {
        let base = tempfile::Builder::new().prefix("execres-attacks-").tempdir_in(place)?;
        std::fs::set_permissions(base.path(), std::fs::Permissions::from_mode(0o755))?;
        let host = Sandbox::new(Some(Arc::clone(owners)));
        let programs = Programs::make(&base.path().join("programs"), corpus.attacks(), &host).await?;
        let other = Sandbox::new(Some(Arc::clone(owners)));
        let mut runner = Runner { base, programs, host, other, guest: Guest::Own, size };
        let lone = Configuration::new("", "", Sandbox::new(Some(Arc::clone(owners))));
        runner.guest = runner.learn_guest(&lone).await?;
        Ok(runner)
    }

    /// Runs every attack under every configuration, and the control of each once.
    ///
    /// # Errors
    /// When a configuration has no sandbox.
    pub async fn run(&self, corpus: &Corpus, configurations: &[Configuration]) -> Result<Matrix, RunnerError> {
        let columns = stream::iter(configurations).map(|one| self.column(corpus, one)).buffered(AT_ONCE);
        let columns: Vec<(AxisSet, Vec<Cell>)> = columns.try_collect().await?;
        let controls: Vec<ControlResult> =
            stream::iter(corpus.attacks()).map(|attack| self.control(attack)).buffered(AT_ONCE).collect().await;
        let mut matrix = Matrix::new(configurations);
        let rows = corpus.attacks().iter().zip(controls);
        matrix.rows =
            rows.map(|(attack, control)| Row { attack: attack.clone(), control, cells: Vec::new() }).collect();
        for (proven, cells) in columns {
            matrix.proven.push(proven);
            for (row, cell) in matrix.rows.iter_mut().zip(cells) {
                row.cells.push(cell);
            }
        }
        Ok(matrix)
    }

    /// Every attack under one configuration, one after the other.
    async fn column(
        &self,
        corpus: &Corpus,
        configuration: &Configuration,
    ) -> Result<(AxisSet, Vec<Cell>), RunnerError> {
        let evidence = configuration.sandbox.evidence(&configuration.shape()).await?;
        let mut guest = self.learn_guest(configuration).await?;
        let mut cells = Vec::new();
        for attack in corpus.attacks() {
            let started = Instant::now();
            let (verdict, runs) = self.confined(attack, configuration, &evidence, &mut guest).await;
            cells.push(Cell { verdict, runs, elapsed: started.elapsed() });
        }
        Ok((evidence.axes(), cells))
    }

    /// Every try of one attack under one configuration. The first that is not contained decides.
    async fn confined(
        &self,
        attack: &Attack,
        configuration: &Configuration,
        evidence: &IsolationReport,
        guest: &mut Guest,
    ) -> (Verdict, usize) {
        if !applies(attack.place, configuration, evidence) {
            return (Verdict::NotApplicable, 0);
        }
        let tries = match attack.repeat {
            Repeat::Once => 1,
            Repeat::Twice => 2,
            Repeat::Race => self.size.races(),
        };
        let mut runs = 0;
        for round in 1..=tries {
            // A launcher that was replaced has another identity, and then the canaries are set out again.
            let mut tried = Err("the guest's identity changes from run to run".to_owned());
            for _ in 0..4 {
                let before = *guest;
                tried = self.once(attack, configuration, evidence, round, guest).await;
                runs += 1;
                if before == *guest {
                    break;
                }
            }
            let verdict = match tried {
                Ok(tried) => judge(attack, evidence, &tried),
                Err(why) => Verdict::NotRun(why),
            };
            if verdict != Verdict::Contained {
                return (verdict, runs);
            }
        }
        (Verdict::Contained, runs)
    }

    async fn once(
        &self,
        attack: &Attack,
        configuration: &Configuration,
        evidence: &IsolationReport,
        round: usize,
        guest: &mut Guest,
    ) -> Result<Tried, String> {
        let set_out_for = *guest;
        let scene = self.scene(attack, set_out_for).map_err(|error| error.to_string())?;
        let victim = self.victim(attack, configuration, set_out_for, &scene).await?;
        let told = victim.as_ref().map(|victim| victim.told.clone()).unwrap_or_default();
        let before = scene.snapshot();
        let told = self.told(attack, &scene, told, round);
        // Whatever comes of it, the victim is ended and what it made is removed.
        let attacked = self.attacked(attack, configuration, &scene, told, guest).await;
        let mut effects = Vec::new();
        if let Some(victim) = victim {
            effects.extend(victim.touched().await.map(Effect::VictimReached));
            victim.end().await;
            if configuration.company == Company::Alone {
                self.remove_ipc(&scene, set_out_for).await;
            }
        }
        let (report, seen) = attacked?;
        effects.extend(seen);
        effects.extend(host_saw(attack, &scene, &before, &report, evidence));
        if let Some(error) = &report.failure {
            return Err(error.to_string());
        }
        Ok(Tried { answer: Answer::read(&output(&report)), outcome: report.outcome, effects })
    }

    /// The confined run itself, and what the host saw of it while it went on and right after it.
    async fn attacked(
        &self,
        attack: &Attack,
        configuration: &Configuration,
        scene: &Scene,
        told: Told,
        guest: &mut Guest,
    ) -> Result<(RunReport, Vec<Effect>), String> {
        let limits = limits(attack);
        let profile = configuration
            .profile(scene, &self.programs.directory, limits.clone())
            .map_err(|error| error.to_string())?;
        let step = self.step(attack, told)?;
        // Open and inheritable while the run is launched; nothing of the host's reads it.
        let descriptor = std::fs::File::open(scene.outside().join("secret")).map_err(|error| error.to_string())?;
        rustix::io::fcntl_setfd(&descriptor, rustix::io::FdFlags::empty()).map_err(|error| error.to_string())?;
        let heart = Heart::beating();
        let started = Instant::now();
        let run = configuration.sandbox.launch(&profile, vec![step]).await.map_err(|error| error.to_string())?;
        drop(descriptor);
        if let Some(id) = mapped_id(run.init_pid()).filter(|id| Guest::Id(*id) != *guest && *guest != Guest::Own) {
            *guest = Guest::Id(id);
        }
        let over = AtomicBool::new(false);
        let running = async {
            let report = run.finish(None, std::future::pending()).await;
            over.store(true, Ordering::Relaxed);
            report
        };
        let (report, led) = tokio::join!(running, self.read_along(attack, configuration, scene, &over));
        let mut effects: Vec<Effect> = led.into_iter().collect();
        if started.elapsed() > limits.wall_time + PATIENCE {
            effects.push(Effect::Late);
        }
        let left = processes_told(&scene.marker);
        outside::end(&left);
        if !left.is_empty() {
            effects.push(Effect::ProcessesLeft(left.len()));
        }
        if heart.longest_pause() > PATIENCE {
            effects.push(Effect::HostHeldUp);
        }
        Ok((report, effects))
    }

    /// What the host does while the attack runs: reads outputs and grants what the attack may swap.
    async fn read_along(
        &self,
        attack: &Attack,
        configuration: &Configuration,
        scene: &Scene,
        over: &AtomicBool,
    ) -> Option<Effect> {
        if attack.witnesses.contains(&Witness::Collector) {
            while !over.load(Ordering::Relaxed) {
                for _ in 0..50 {
                    let directory = std::fs::File::open(scene.write()).ok()?;
                    if collector::careful(&directory).is_some_and(|bytes| collector::holds(&bytes, &scene.token)) {
                        return Some(Effect::OutputLed);
                    }
                }
                tokio::time::sleep(Duration::from_micros(100)).await;
            }
        }
        if attack.witnesses.contains(&Witness::Grant) {
            while !over.load(Ordering::Relaxed) {
                let source = scene.write().join("source");
                // Now and then there is nothing of that name.
                if let Ok(profile) = configuration.shape().read(&source, &source) {
                    let step = Step::new("/bin/cat", [source.join("secret")]);
                    if let Ok(run) = self.other.launch(&profile, vec![step]).await {
                        let report = run.finish(None, std::future::pending()).await;
                        // A link that is followed when it is granted is a wish of the host's; what the guest may not do is
                        // to have a grant lead elsewhere than where it led when it was looked at.
                        if output(&report).contains(&scene.token) && !profile_leads_outside(&profile, scene) {
                            return Some(Effect::GrantLed);
                        }
                    }
                }
                tokio::task::yield_now().await;
            }
        }
        None
    }

    async fn victim(
        &self,
        attack: &Attack,
        configuration: &Configuration,
        guest: Guest,
        scene: &Scene,
    ) -> Result<Option<Victim>, String> {
        match configuration.company {
            Company::AnotherOwner => {
                let program = self.programs.compiled("victim")?;
                let profile = Profile::deny_all()
                    .with_network(configuration.network)
                    .read(&self.programs.directory, &self.programs.directory)
                    .map_err(|error| error.to_string())?;
                Victim::of_another_owner(&self.other, program, &profile, scene).await.map(Some)
            }
            Company::Alone if attack.needs_victim() => {
                Victim::of_the_host(&self.host, self.programs.compiled("victim")?, guest, scene).await.map(Some)
            }
            Company::Alone => Ok(None),
        }
    }

    pub(crate) fn scene(&self, attack: &Attack, guest: Guest) -> io::Result<Scene> {
        Scene::set(self.base.path(), guest, attack, &self.programs)
    }

    /// Everything that an attack is told, inside and outside alike.
    pub(crate) fn told(&self, attack: &Attack, scene: &Scene, victim: Told, round: usize) -> Told {
        let mut told = scene.attack(&self.programs.directory);
        told.extend(victim);
        told.insert("ATTACK_ROUND".into(), round.to_string());
        let programs = self.programs.directory.display().to_string();
        for (name, value) in &attack.environment {
            told.insert(name.clone(), value.replace("$PROGRAMS", &programs));
        }
        told
    }

    fn step(&self, attack: &Attack, told: Told) -> Result<Step, String> {
        let mut command = self.programs.command(attack)?.into_iter();
        let program = command.next().ok_or("an empty command")?;
        let mut step = Step::new(program, command);
        for (name, value) in told {
            step = step.with_variable(name, value);
        }
        Ok(step)
    }

    /// Removes what a victim of the host's leaves when it is killed.
    pub(crate) async fn remove_ipc(&self, scene: &Scene, guest: Guest) {
        let Ok(program) = self.programs.compiled("victim") else { return };
        let command = [program, "--remove".into()];
        let launched =
            outside::launch(&self.host, &Limits::STANDARD, guest, Ground::Host, &command, &scene.victim()).await;
        if let Ok(run) = launched {
            run.finish(None, std::future::pending()).await;
        }
    }

    /// Who the guest is for the host's kernel, as the owner of a file that it makes.
    async fn learn_guest(&self, configuration: &Configuration) -> Result<Guest, RunnerError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Guest::Own);
        }
        let place = tempfile::Builder::new().prefix("execres-attacks-who-").tempdir_in(PLACE)?;
        std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o777))?;
        let profile = configuration.shape().write(place.path(), place.path())?;
        let file = place.path().join("me");
        let step = Step::new("/bin/sh", ["-c", "echo >\"$0\"", &file.display().to_string()]);
        configuration.sandbox.launch(&profile, vec![step]).await?.finish(None, std::future::pending()).await;
        Ok(Guest::Id(file.symlink_metadata()?.uid()))
    }
}

fn applies(place: Place, configuration: &Configuration, evidence: &IsolationReport) -> bool {
    match place {
        Place::Everywhere => true,
        Place::OwnRoot | Place::OwnInit => configuration.rung != Rung::NoNamespaces,
        Place::NoNetwork => configuration.network == NetworkMode::None,
        Place::Granted => configuration.grants != Grants::Nothing,
        Place::WorkingCopy => configuration.grants == Grants::Everything,
        Place::Controller => memory_is_enforced(evidence),
    }
}

fn memory_is_enforced(evidence: &IsolationReport) -> bool {
    evidence.limits.iter().any(|limit| limit.limit == "memory" && limit.enforcement == Enforcement::Enforced)
}

/// The id outside of the only user in an init's namespace. `None` when init is gone or has no such namespace.
fn mapped_id(init: i32) -> Option<u32> {
    let map = std::fs::read_to_string(format!("/proc/{init}/uid_map")).ok()?;
    let mut numbers = map.split_ascii_whitespace().map_while(|number| number.parse::<u32>().ok());
    let (_, outside, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
    (count == 1).then_some(outside)
}

/// Whether a grant, when it was looked at, was a link of the attack's that led outside.
fn profile_leads_outside(profile: &Profile, scene: &Scene) -> bool {
    format!("{profile:?}").contains(&scene.outside().display().to_string())
}

fn output(report: &RunReport) -> String {
    report.steps.iter().map(|step| step.stdout.text() + "\n" + &step.stderr.text()).collect()
}

/// What the host finds after a run.
fn host_saw(
    attack: &Attack,
    scene: &Scene,
    before: &[crate::snapshot::Snapshot; 4],
    report: &RunReport,
    evidence: &IsolationReport,
) -> Vec<Effect> {
    let limits = limits(attack);
    let mut effects = Vec::new();
    let now = scene.snapshot();
    effects.extend(before.iter().zip(&now).find_map(|(before, now)| before.difference(now)).map(Effect::FileChanged));
    if output(report).contains(&scene.token) {
        effects.push(Effect::SecretRead);
    }
    if attack.witnesses.contains(&Witness::Collector) {
        let written = std::fs::File::open(scene.write()).ok().and_then(collector::careful);
        let handed = report.handed_up.iter().filter_map(collector::careful);
        if handed.chain(written).any(|bytes| collector::holds(&bytes, &scene.token)) {
            effects.push(Effect::OutputLed);
        }
    }
    if has_set_uid_of_root(&scene.write()) {
        effects.push(Effect::SetUidOfRoot);
    }
    // Polled memory can overshoot between two looks; an enforced limit cannot.
    let most = if memory_is_enforced(evidence) { limits.memory + MIB } else { limits.memory * 4 };
    if let Some(peak) = report.usage.peak_memory.as_ref().filter(|peak| peak.value > most) {
        effects.push(Effect::MemoryBeyondLimit(peak.value));
    }
    effects
}

fn has_set_uid_of_root(directory: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    // An ordinary host is never root, so there the bit would only ever give its own user away.
    own == 0
        && entries
            .filter_map(|entry| entry.path().symlink_metadata().ok())
            .any(|meta| meta.is_file() && meta.uid() == 0 && meta.mode() & 0o4000 != 0)
}

/// A thread that ticks, so that a host that is held up is seen.
struct Heart {
    stop: Arc<AtomicBool>,
    longest: Arc<AtomicU64>,
}

impl Heart {
    fn beating() -> Self {
        let heart = Heart { stop: Arc::default(), longest: Arc::default() };
        let (stop, longest) = (Arc::clone(&heart.stop), Arc::clone(&heart.longest));
        std::thread::spawn(move || {
            let mut last = Instant::now();
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
                let pause = u64::try_from(last.elapsed().as_millis()).unwrap_or(u64::MAX);
                longest.fetch_max(pause, Ordering::Relaxed);
                last = Instant::now();
            }
        });
        heart
    }

    fn longest_pause(&self) -> Duration {
        Duration::from_millis(self.longest.load(Ordering::Relaxed))
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
