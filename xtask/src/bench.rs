//! Measuring.

use std::error::Error;
use std::process::ExitCode;

use crate::checkout::Checkout;
use crate::process::Task;

/// What can be measured: a name, and the package with the benchmark of that name.
const BENCHES: &[(&str, &str)] = &[("manager", "execres-core")];

/// A benchmark's name that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("there is no benchmark `{name}`; there is: {}", names())]
struct UnknownBench {
    name: String,
}

/// Runs one benchmark in the release profile and prints what it prints.
pub(crate) fn run(checkout: &Checkout, name: &str) -> Result<ExitCode, Box<dyn Error>> {
    let Some((name, package)) = BENCHES.iter().find(|(known, _)| *known == name) else {
        return Err(UnknownBench { name: name.to_owned() }.into());
    };
    let task = Task::cargo().args(["bench", "--quiet", "--package", package, "--bench", name]).dir(&checkout.root);
    let finished = task.capture()?;
    print!("{}", finished.stdout);
    if finished.succeeded() {
        return Ok(ExitCode::SUCCESS);
    }
    eprint!("{}", finished.stderr);
    Ok(ExitCode::FAILURE)
}

fn names() -> String {
    BENCHES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benchmark_that_does_not_exist_is_an_error_with_those_that_do() {
        let error = run(&Checkout::find().unwrap(), "nonsense").unwrap_err();
        assert!(error.to_string().ends_with("manager"), "{error}");
    }
}
