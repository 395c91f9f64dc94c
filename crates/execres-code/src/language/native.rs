//! What compiled languages share: every source of the program is built into `build/app`.

use execres_workspace::RelativePath;

use super::entry::{Plan, operand};
use crate::bundle::{BUILT_APP, Program, Step, StepRole};
use crate::request::RequestError;
use crate::toolchain::ToolId;

/// Most sources of one program: with flags around them they must fit the arguments of one step.
const MAX_SOURCES: usize = 200;

/// `-O1`: a program runs once, so what it gains must be worth the compile time; `-O0` leaves tight loops slow, and `-O2` is for
/// programs that are run again. Headers are found from the working directory, wherever the source that includes them lies.
pub(super) const CXX_FLAGS: &[&str] = &["-std=c++20", "-O1", "-pthread", "-I."];

/// The GNU dialect: programs use `usleep`, `strdup` and `popen` without asking for them first.
pub(super) const C_FLAGS: &[&str] = &["-std=gnu17", "-O1", "-pthread", "-I."];

/// Sources as operands of a compiler.
pub(super) fn operands(sources: Vec<&RelativePath>) -> Result<Vec<String>, RequestError> {
    check_count(sources.len())?;
    Ok(sources.into_iter().map(operand).collect())
}

pub(super) fn check_count(count: usize) -> Result<(), RequestError> {
    if count > MAX_SOURCES { Err(RequestError::TooManySources { count, most: MAX_SOURCES }) } else { Ok(()) }
}

/// The step that compiles and links everything into the program.
pub(super) fn link(tool: ToolId, flags: &[&str], sources: Vec<String>, libraries: &[&str]) -> Step {
    let mut args: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    args.extend(["-o".to_owned(), format!("../build/{BUILT_APP}")]);
    args.extend(sources);
    args.extend(libraries.iter().map(|library| (*library).to_owned()));
    Step::new(StepRole::Build, Program::Tool(tool), args, &[])
}

/// The step that compiles one C file of a program in another language, and the object that it makes.
pub(super) fn compile_c(number: usize, source: String) -> (Step, String) {
    let object = format!("../build/c-{number}.o");
    let mut args: Vec<String> = C_FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    args.extend(["-c".to_owned(), "-o".to_owned(), object.clone(), source]);
    (Step::new(StepRole::Build, Program::Tool(ToolId::CC), args, &[]), object)
}

/// The step that runs what was built.
pub(super) fn run(plan: &Plan<'_>) -> Step {
    Step::new(StepRole::Run, Program::Built(BUILT_APP), plan.args.to_vec(), &[])
}
