//! Reading what a guest said over its serial line.

use crate::libtest::{self, Tally};

use super::machine::Job;

/// What a line of the guest's own starts with; the others are those of test binaries.
const MARK: &str = "EXECRES-GUEST: ";

/// What a guest said.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) tally: Tally,
    /// What the guest said of its kernel.
    pub(super) about: Vec<String>,
    /// Each job with its counts.
    jobs: Vec<String>,
}

impl Transcript {
    pub(super) fn summary(&self) -> String {
        self.jobs.join(", ")
    }
}

/// Counts the tests of all jobs. A job that did not end, or ended badly without a failed test, is a failure of its own.
pub(super) fn read(text: &str, jobs: &[Job]) -> Transcript {
    let mut transcript = Transcript::default();
    let mut open: Option<(&str, String)> = None;
    let mut ended = Vec::new();
    for line in text.lines() {
        let Some(said) = line.strip_prefix(MARK) else {
            if let Some((_, lines)) = &mut open {
                lines.push_str(line);
                lines.push('\n');
            }
            continue;
        };
        match said.split_once(' ').unwrap_or((said, "")) {
            ("begin", label) => open = Some((label, String::new())),
            ("end", rest) => {
                let (label, code) = rest.split_once(' ').unwrap_or((rest, "without a code"));
                let lines = open.take().filter(|(begun, _)| *begun == label).map(|(_, lines)| lines);
                transcript.take(label, code, &lines.unwrap_or_default());
                ended.push(label);
            }
            ("kernel" | "lsm" | "landlock", _) => transcript.about.push(said.to_owned()),
            ("broken", why) => transcript.complain(format!("the guest: {why}")),
            _ => {}
        }
    }
    for job in jobs.iter().filter(|job| !ended.contains(&job.label.as_str())) {
        transcript.complain(format!("{} did not come to its end", job.label));
    }
    transcript
}

impl Transcript {
    fn take(&mut self, label: &str, code: &str, lines: &str) {
        // Both streams of a test binary come over one line.
        let mut tally = libtest::parse(lines, "");
        for failure in &mut tally.failures {
            *failure = format!("{label} {failure}");
        }
        let count = format!("{label} {}/{}", tally.passed, tally.total());
        let (total, failed) = (tally.total(), tally.failed);
        self.tally.add(tally);
        self.jobs.push(count);
        if total == 0 {
            self.complain(format!("{label} ran no test and ended with {code}"));
        } else if code != "0" && failed == 0 {
            self.complain(format!("{label} ended with {code}"));
        }
    }

    fn complain(&mut self, what: String) {
        self.tally.failed += 1;
        self.tally.failures.push(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Size;
    use crate::suite::kernels::machine;

    #[test]
    fn jobs_are_counted_and_missing_ones_are_failures() {
        let jobs = machine::ALL[2].jobs(Size::Smoke);
        let (one, two) = (&jobs[0].label, &jobs[1].label);
        let text = format!(
            "EXECRES-GUEST: kernel 6.1\nEXECRES-GUEST: begin {one}\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\
             test result: FAILED. 1 passed; 1 failed; 0 ignored;\nEXECRES-GUEST: end {one} 101\n\
             EXECRES-GUEST: begin {two}\nrunning 1 test\n"
        );
        let read = read(&text, &jobs);
        assert_eq!((read.tally.passed, read.tally.failed), (1, 2));
        assert_eq!(read.tally.failures, [format!("{one} b"), format!("{two} did not come to its end")]);
        assert_eq!(read.about, ["kernel 6.1"]);
    }

    #[test]
    fn an_end_that_no_test_explains_is_a_failure() {
        let jobs = machine::ALL[2].jobs(Size::Smoke);
        let text: String = jobs
            .iter()
            .map(|job| format!("EXECRES-GUEST: begin {0}\nEXECRES-GUEST: end {0} 137\n", job.label))
            .collect();
        assert_eq!(read(&text, &jobs).tally.failed, jobs.len());
    }
}
