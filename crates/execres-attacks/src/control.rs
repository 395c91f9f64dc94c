//! Controls: what shows that an attack which failed could have worked.

use std::fmt;
use std::time::Duration;

use execres_core::Limits;

use crate::attack::{Attack, Control, Expected, Ground, Repeat, Witness};
use crate::collector;
use crate::outside::{self, processes_told};
use crate::protocol::Answer;
use crate::runner::Runner;
use crate::scene::Scene;
use crate::victim::Victim;

/// What a control came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlResult {
    /// What it proves.
    pub proof: Proof,
}

/// What a control proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The attack worked outside, and the host saw it.
    Outside,
    /// The kernel answers something else outside.
    Differential(String),
    /// It is not made to work, for the reason in the header.
    Reasoned,
    /// This machine refuses the same outside too.
    HostDenies(String),
    /// It could not be tried on this machine.
    NotRun(String),
    /// It did not do what it should, so the attack proves nothing.
    Failed(String),
}

impl Proof {
    /// As in tables.
    pub const fn word(&self) -> &'static str {
        match self {
            Proof::Outside => "outside",
            Proof::Differential(_) => "differential",
            Proof::Reasoned => "reasoned",
            Proof::HostDenies(_) => "host denies",
            Proof::NotRun(_) => "not run",
            Proof::Failed(_) => "FAILED",
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What bounds a control.
fn limits() -> Limits {
    Limits { wall_time: Duration::from_secs(10), ..Limits::STANDARD }
}

impl Runner {
    /// Runs the control of an attack.
    pub(crate) async fn control(&self, attack: &Attack) -> ControlResult {
        let proof = match attack.control {
            Control::Reasoned(_) => Proof::Reasoned,
            Control::Outside(ground) => self.outside(attack, ground).await.unwrap_or_else(Proof::NotRun),
            Control::Differential(ground) => self.differential(attack, ground).await.unwrap_or_else(Proof::NotRun),
        };
        ControlResult { proof }
    }

    async fn outside(&self, attack: &Attack, ground: Ground) -> Result<Proof, String> {
        // A race may be lost outside as well.
        let tries = if attack.repeat == Repeat::Race { 10 } else { 1 };
        let mut last = Proof::Failed("it was not tried".into());
        for _ in 0..tries {
            last = self.outside_once(attack, ground).await?;
            if last == Proof::Outside {
                break;
            }
        }
        Ok(last)
    }

    async fn outside_once(&self, attack: &Attack, ground: Ground) -> Result<Proof, String> {
        let scene = self.scene(attack, self.guest).map_err(|error| error.to_string())?;
        let before = scene.snapshot();
        let victim = if attack.needs_victim() {
            let program = self.programs.compiled("victim")?;
            Some(Victim::of_the_host(&self.host, program, self.guest, &scene).await?)
        } else {
            None
        };
        let told = victim.as_ref().map(|victim| victim.told.clone()).unwrap_or_default();
        let told = self.told(attack, &scene, told, 1);
        let command = self.programs.command(attack)?;
        let run = outside::launch(&self.host, &limits(), self.guest, ground, &command, &told).await?;
        let running = run.finish(None, std::future::pending());
        let reader = self.naive_reader(attack, &scene);
        let (report, led) = tokio::join!(running, reader);
        let output = report.steps.last().map(|step| step.stdout.text() + &step.stderr.text()).unwrap_or_default();
        let touched = match victim {
            Some(victim) => {
                let touched = victim.touched().await;
                victim.end().await;
                self.remove_ipc(&scene, self.guest).await;
                touched
            }
            None => None,
        };
        let changed = before.iter().zip(scene.snapshot()).find_map(|(before, now)| before.difference(&now));
        outside::end(&processes_told(&scene.marker));
        let answer = Answer::read(&output);
        let effect = attack.witnesses.iter().find(|witness| match witness {
            Witness::Files => changed.is_some(),
            Witness::Secret => output.contains(&scene.token),
            Witness::Victim => touched.is_some(),
            Witness::Collector | Witness::Grant => led,
            Witness::Word => matches!(answer, Answer::Worked(_)),
            Witness::Processes | Witness::Outcome | Witness::Errno => false,
        });
        Ok(match (effect, answer) {
            (Some(_), _) => Proof::Outside,
            (None, Answer::Cannot(why)) => Proof::NotRun(why),
            (None, Answer::Refused(errno)) => Proof::HostDenies(errno),
            (None, answer) => Proof::Failed(format!("outside it had no effect: {answer:?}, {}", report.outcome)),
        })
    }

    async fn naive_reader(&self, attack: &Attack, scene: &Scene) -> bool {
        let wanted = [Witness::Collector, Witness::Grant].iter().any(|witness| attack.witnesses.contains(witness));
        if !wanted {
            return false;
        }
        // It has to meet the attack in the act, so it looks until it has, or until the attack is over.
        for _ in 0..2000 {
            let output = collector::naive(&scene.write());
            let source = std::fs::read(scene.write().join("source/secret")).ok();
            if [output, source].iter().flatten().any(|bytes| collector::holds(bytes, &scene.token)) {
                return true;
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        false
    }

    async fn differential(&self, attack: &Attack, ground: Ground) -> Result<Proof, String> {
        let scene = self.scene(attack, self.guest).map_err(|error| error.to_string())?;
        let told = self.told(attack, &scene, outside::Told::new(), 1);
        let command = self.programs.command(attack)?;
        let run = outside::launch(&self.host, &limits(), self.guest, ground, &command, &told).await?;
        let report = run.finish(None, std::future::pending()).await;
        let output = report.steps.last().map(|step| step.stdout.text() + &step.stderr.text()).unwrap_or_default();
        Ok(match Answer::read(&output) {
            Answer::Refused(errno) if attack.expected.contains(&Expected::Refused(errno.clone())) => {
                Proof::HostDenies(errno)
            }
            Answer::Refused(errno) => Proof::Differential(errno),
            Answer::Worked(_) => Proof::Differential("success".into()),
            Answer::Cannot(why) => Proof::NotRun(why),
            answer => Proof::Failed(format!("outside it answered {answer:?}, {}", report.outcome)),
        })
    }
}
