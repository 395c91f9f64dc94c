//! From what the host saw, and what the attack said, to a verdict.

use std::fmt;

use execres_core::{Clock, Enforcement, IsolationReport, Outcome};

use crate::attack::{Attack, Control, Expected, Target};
use crate::protocol::Answer;

/// Something that the host saw and that must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// A file outside what is granted changed.
    FileChanged(String),
    /// A secret was in the output.
    SecretRead,
    /// The victim was reached.
    VictimReached(String),
    /// Processes were left after the run.
    ProcessesLeft(usize),
    /// A careful reader of outputs got a secret.
    OutputLed,
    /// A run was given a file that was not granted.
    GrantLed,
    /// A file of root's, with the set-uid bit, where the guest writes.
    SetUidOfRoot,
    /// More memory than the limit.
    MemoryBeyondLimit(u64),
    /// The run did not end in time.
    Late,
    /// The host itself was held up.
    HostHeldUp,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::FileChanged(name) => write!(f, "`{name}` changed"),
            Effect::SecretRead => f.write_str("a secret was read"),
            Effect::VictimReached(how) => write!(f, "the victim was reached: {how}"),
            Effect::ProcessesLeft(count) => write!(f, "{count} processes were left"),
            Effect::OutputLed => f.write_str("an output led to a secret"),
            Effect::GrantLed => f.write_str("a grant led to a secret"),
            Effect::SetUidOfRoot => f.write_str("a set-uid file of root's was made"),
            Effect::MemoryBeyondLimit(bytes) => write!(f, "{bytes} bytes of memory were used"),
            Effect::Late => f.write_str("the run did not end in time"),
            Effect::HostHeldUp => f.write_str("the host was held up"),
        }
    }
}

/// One try of an attack.
#[derive(Debug, Clone)]
pub(crate) struct Tried {
    pub(crate) answer: Answer,
    pub(crate) outcome: Outcome,
    pub(crate) effects: Vec<Effect>,
}

/// What became of an attack under one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was tried and had no effect.
    Contained,
    /// It had an effect, on an axis that the evidence does not prove here.
    NotClaimed(String),
    /// It had an effect.
    Escaped(String),
    /// It failed in a way that shows that it tried something else than it says.
    Unexpected(String),
    /// It could not be tried on this machine.
    NotRun(String),
    /// It has no meaning under this configuration.
    NotApplicable,
}

impl Verdict {
    /// Whether this verdict makes a run of the corpus fail.
    pub const fn is_failure(&self) -> bool {
        matches!(self, Verdict::Escaped(_) | Verdict::Unexpected(_))
    }

    /// As in tables.
    pub const fn word(&self) -> &'static str {
        match self {
            Verdict::Contained => "contained",
            Verdict::NotClaimed(_) => "not claimed",
            Verdict::Escaped(_) => "ESCAPED",
            Verdict::Unexpected(_) => "UNEXPECTED",
            Verdict::NotRun(_) => "not run",
            Verdict::NotApplicable => "-",
        }
    }
}

/// The verdict on one try, where this is the evidence.
pub(crate) fn judge(attack: &Attack, evidence: &IsolationReport, tried: &Tried) -> Verdict {
    let escaped = |what: String| match attack.target {
        Target::Axis(axis) if !evidence.axes().contains(axis) => Verdict::NotClaimed(what),
        _ if is_disclaimed(attack, evidence) => Verdict::NotClaimed(what),
        _ => Verdict::Escaped(what),
    };
    if let Some(effect) = tried.effects.first() {
        return escaped(effect.to_string());
    }
    let expects = |wanted: &Expected| attack.expected.contains(wanted);
    let outcomes: Vec<&str> = attack
        .expected
        .iter()
        .filter_map(|expected| if let Expected::Outcome(name) = expected { Some(name.as_str()) } else { None })
        .collect();
    let outcome = named(&tried.outcome);
    match &tried.answer {
        Answer::Worked(what) => escaped(format!("it says that it worked: {what}")),
        Answer::Cannot(why) => Verdict::NotRun(why.clone()),
        Answer::Nothing => Verdict::Unexpected(format!("it never got to the attempt: {}", tried.outcome)),
        // What ends the attack itself has to be an end that is right, or the run's outcome is a lie or an accident.
        Answer::Interrupted if outcomes.contains(&outcome) => Verdict::Contained,
        Answer::Interrupted => escaped_outcome(attack, &tried.outcome),
        Answer::Refused(errno) if expects(&Expected::Refused(errno.clone())) => Verdict::Contained,
        Answer::Refused(errno) => match attack.control {
            Control::Differential(_) => escaped(format!("it reached the kernel, which answered {errno}")),
            _ => Verdict::Unexpected(format!("it was refused with {errno}")),
        },
        Answer::Attempted if !expects(&Expected::NoEffect) => {
            Verdict::Unexpected("it was tried without an error".into())
        }
        Answer::Attempted if !outcomes.is_empty() && !outcomes.contains(&outcome) => {
            escaped_outcome(attack, &tried.outcome)
        }
        Answer::Attempted => Verdict::Contained,
    }
}

/// Whether the report says that nothing enforces the limit that an attack is about.
fn is_disclaimed(attack: &Attack, evidence: &IsolationReport) -> bool {
    let about = evidence.limits.iter().find(|limit| Some(&*limit.limit) == attack.limit.as_deref());
    about.is_some_and(|limit| limit.enforcement == Enforcement::None)
}

/// An outcome as headers name it: the two clocks apart.
fn named(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::TimedOut { clock: Clock::Cpu } => "cpu_time",
        other => other.name(),
    }
}

fn escaped_outcome(attack: &Attack, outcome: &Outcome) -> Verdict {
    let what = format!("the run ended with {outcome}");
    match attack.target {
        Target::Results => Verdict::Escaped(what),
        _ => Verdict::Unexpected(what),
    }
}

#[cfg(test)]
mod tests {
    use execres_core::{Attempt, Axis, AxisEvidence, LimitReport, NetworkMode};

    use super::*;
    use crate::header::parse;

    fn attack(expected: &str, control: &str) -> Attack {
        let text = format!(
            "# id: a\n# class: files\n# rows: 1\n# axis: host_filesystem_restricted\n# attempt: x\n\
             # expected: {expected}\n# witness: files\n# control: {control}\n"
        );
        parse("a.py", &text).unwrap()
    }

    fn report(axes: &[Axis]) -> IsolationReport {
        let proof = || Attempt::new("try", execres_core::Verdict::Verified, "nothing happened");
        let evidence = axes.iter().map(|axis| AxisEvidence { axis: *axis, attempts: vec![proof()] });
        IsolationReport::new("one", NetworkMode::None, evidence.collect())
    }

    fn tried(answer: Answer, effects: Vec<Effect>) -> Tried {
        Tried { answer, outcome: Outcome::Exited { code: 0 }, effects }
    }

    #[test]
    fn what_the_host_saw_beats_what_the_attack_says() {
        let refused = tried(Answer::Refused("ENOENT".into()), vec![Effect::SecretRead]);
        let attack = attack("ENOENT", "outside");
        assert!(matches!(judge(&attack, &report(&Axis::ALL), &refused), Verdict::Escaped(_)));
        // The same on an axis that nothing claims is told and is no failure.
        let others = report(&[Axis::ProcessContained]);
        assert!(matches!(judge(&attack, &others, &refused), Verdict::NotClaimed(_)));
    }

    #[test]
    fn a_limit_that_nothing_enforces_is_not_claimed() {
        let text = "# id: a\n# class: resources\n# rows: 1\n# axis: limits\n# limit: processes\n# attempt: x\n\
                    # expected: EAGAIN\n# witness: outcome\n# control: reasoned: it would take the machine with it\n";
        let attack = parse("a.py", text).unwrap();
        let worked = tried(Answer::Worked(String::new()), Vec::new());
        let enforced = |enforcement| {
            let mut report = report(&Axis::ALL);
            report.limits = vec![LimitReport { limit: "processes".into(), enforcement, mechanism: "x".into() }];
            report
        };
        assert!(matches!(judge(&attack, &enforced(Enforcement::None), &worked), Verdict::NotClaimed(_)));
        for claimed in [Enforcement::Enforced, Enforcement::Polled] {
            assert!(matches!(judge(&attack, &enforced(claimed), &worked), Verdict::Escaped(_)), "{claimed:?}");
        }
    }

    #[test]
    fn the_attack_can_accuse_and_not_acquit_by_silence() {
        let attack = attack("ENOENT", "outside");
        let verdict = |answer| judge(&attack, &report(&Axis::ALL), &tried(answer, Vec::new()));
        assert_eq!(verdict(Answer::Refused("ENOENT".into())), Verdict::Contained);
        assert!(matches!(verdict(Answer::Worked(String::new())), Verdict::Escaped(_)));
        assert!(verdict(Answer::Nothing).is_failure());
        assert!(verdict(Answer::Interrupted).is_failure());
        assert!(verdict(Answer::Attempted).is_failure());
        assert!(verdict(Answer::Refused("EINVAL".into())).is_failure());
        assert_eq!(verdict(Answer::Cannot("no tool".into())), Verdict::NotRun("no tool".into()));
    }

    #[test]
    fn another_error_than_the_filters_is_the_kernels() {
        let attack = attack("EPERM", "differential");
        let reached = judge(&attack, &report(&Axis::ALL), &tried(Answer::Refused("EOPNOTSUPP".into()), Vec::new()));
        assert!(matches!(reached, Verdict::Escaped(_)), "{reached:?}");
    }
}
