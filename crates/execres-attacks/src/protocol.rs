//! What an attack says of itself.

/// The last word of an attack. It can accuse; what acquits is what the host saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It worked.
    Worked(String),
    /// It was refused, with this error.
    Refused(String),
    /// It was tried, and only the host can tell.
    Attempted,
    /// Something that it needs is not there.
    Cannot(String),
    /// It got to the attempt and did not live to tell.
    Interrupted,
    /// It never got to the attempt.
    Nothing,
}

impl Answer {
    /// The last answer in an output. One success is enough, wherever it stands.
    pub(crate) fn read(output: &str) -> Self {
        let mut last = Answer::Nothing;
        for line in output.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = rest.trim();
            match word {
                "WORKED" => return Answer::Worked(rest.to_owned()),
                "REFUSED" => last = Answer::Refused(rest.to_owned()),
                "ATTEMPTED" => last = Answer::Attempted,
                "CANNOT" => last = Answer::Cannot(rest.to_owned()),
                "ATTEMPT" if last == Answer::Nothing => last = Answer::Interrupted,
                _ => {}
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_that_dies_is_told_from_one_that_never_tried() {
        assert_eq!(Answer::read("ATTEMPT\n"), Answer::Interrupted);
        assert_eq!(Answer::read("Segmentation fault\n"), Answer::Nothing);
    }

    #[test]
    fn one_success_is_enough() {
        assert_eq!(Answer::read("ATTEMPT\nWORKED as root\nREFUSED EPERM\n"), Answer::Worked("as root".into()));
        assert_eq!(Answer::read("ATTEMPT \nREFUSED EPERM\n"), Answer::Refused("EPERM".into()));
    }
}
