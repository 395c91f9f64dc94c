//! A process that an attack is aimed at, and what it says of being reached.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use execres_core::{Limits, Stream};
use execres_isolation::{OutputSink, Profile, Run, RunReport, Sandbox, Step};
use tokio::sync::{Notify, oneshot};

use crate::attack::Ground;
use crate::outside::{self, Guest, Told};
use crate::scene::Scene;

/// How long a victim may take to say something. One that is stopped or dead never does.
const PATIENCE: Duration = Duration::from_secs(5);

/// A victim that is running.
#[derive(Debug)]
pub(crate) struct Victim {
    /// What it says of itself, such as its ports, as the attack is told it.
    pub(crate) told: Told,
    heard: Arc<Heard>,
    end: Option<oneshot::Sender<()>>,
    run: tokio::task::JoinHandle<RunReport>,
}

/// Everything that the victim said.
#[derive(Debug, Default)]
struct Heard {
    said: Mutex<Said>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Said {
    ready: Option<String>,
    checks: u64,
    touched: Option<String>,
    rest: String,
}

impl OutputSink for Heard {
    fn write(&self, _step: usize, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stdout {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            said.rest.push_str(&String::from_utf8_lossy(bytes));
            while let Some(end) = said.rest.find('\n') {
                let line: String = said.rest.drain(..=end).collect();
                said.take(line.trim_end());
            }
        }
        self.news.notify_waiters();
    }
}

impl Said {
    fn take(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("READY", facts)) => self.ready = Some(facts.to_owned()),
            Some(("CHECKED", _)) => self.checks += 1,
            Some(("TOUCHED", how)) => {
                self.touched.get_or_insert_with(|| how.to_owned());
            }
            _ => {}
        }
    }
}

impl Victim {
    /// A process of the host with the guest's identity.
    pub(crate) async fn of_the_host(
        sandbox: &Arc<Sandbox>,
        program: PathBuf,
        guest: Guest,
        scene: &Scene,
    ) -> Result<Self, String> {
        let command = [program, scene.token.clone().into()];
        let told = scene.victim();
        let run = outside::launch(sandbox, &Limits::STANDARD, guest, Ground::Host, &command, &told).await?;
        Self::watch(run, None).await
    }

    /// The same program as the run of another owner.
    pub(crate) async fn of_another_owner(
        sandbox: &Arc<Sandbox>,
        program: PathBuf,
        profile: &Profile,
        scene: &Scene,
    ) -> Result<Self, String> {
        let mut step = Step::new(program, [&scene.token]);
        for (name, value) in scene.victim() {
            step = step.with_variable(name, value);
        }
        let run = sandbox.launch(profile, vec![step]).await.map_err(|error| error.to_string())?;
        let init = run.init_pid();
        Self::watch(run, Some(init)).await
    }

    async fn watch(run: Run, init: Option<i32>) -> Result<Self, String> {
        let heard = Arc::new(Heard::default());
        let (end, ended) = oneshot::channel::<()>();
        let sink = Arc::clone(&heard);
        let run = tokio::spawn(async move {
            // The end of the sender is the wish as well.
            run.finish(Some(&*sink), async { ended.await.unwrap_or_default() }).await
        });
        let mut victim = Victim { told: Told::new(), heard, end: Some(end), run };
        if !victim.wait(|said| said.ready.is_some() && said.checks > 0).await {
            let report = victim.end().await;
            return Err(format!("the victim did not get ready: {report}"));
        }
        let facts = victim.said(|said| said.ready.clone()).unwrap_or_default();
        for (name, value) in facts.split(' ').filter_map(|fact| fact.split_once('=')) {
            // A family that the victim may not listen in has no port; any number is as good.
            let value = if value == "0" { "1" } else { value };
            victim.told.insert(format!("ATTACK_{name}"), value.to_owned());
        }
        if let Some(init) = init {
            // What it says of itself is its number in its own namespace.
            let pid = child_of(init).ok_or("the victim's process cannot be found")?;
            victim.told.insert("ATTACK_PID".into(), pid.to_string());
        }
        Ok(victim)
    }

    fn said<T>(&self, look: impl Fn(&Said) -> T) -> T {
        look(&self.heard.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn wait(&self, done: impl Fn(&Said) -> bool) -> bool {
        let wait = async {
            loop {
                let news = self.heard.news.notified();
                if self.said(&done) {
                    return;
                }
                // A victim that ended says nothing more.
                if tokio::time::timeout(Duration::from_millis(100), news).await.is_err() && self.run.is_finished() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::time::timeout(if self.run.is_finished() { Duration::ZERO } else { PATIENCE }, wait).await.is_ok()
    }

    /// How the victim was reached, when it was. Waits until it has looked again.
    pub(crate) async fn touched(&self) -> Option<String> {
        let before = self.said(|said| said.checks);
        let answers = self.wait(|said| said.touched.is_some() || said.checks >= before + 2).await;
        self.said(|said| said.touched.clone()).or_else(|| (!answers).then(|| "it no longer answers".into()))
    }

    /// Ends it, and says how it ended.
    pub(crate) async fn end(mut self) -> String {
        if let Some(end) = self.end.take() {
            // It may be over already.
            end.send(()).ok();
        }
        match self.run.await {
            Ok(report) => {
                let said = report.steps.last().map(|step| step.stderr.text()).unwrap_or_default();
                format!("{} {}", report.outcome, said.trim())
            }
            Err(error) => error.to_string(),
        }
    }
}

fn child_of(parent: i32) -> Option<i32> {
    let is_child = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, after) = stat.rsplit_once(')')?;
        (after.split_ascii_whitespace().nth(1) == Some(parent.to_string().as_str())).then_some(pid)
    };
    let pids = std::fs::read_dir("/proc").ok()?.flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find_map(is_child)
}
