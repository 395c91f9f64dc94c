//! The checks, and how one is made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::case::Case;
use super::fault::Fault;
use super::subject::Subject;
use super::{axes, claims, code, config, lifecycle, probing};

/// How long a check may take. The bound only tells "slow" from "hung".
const HUNG: Duration = Duration::from_secs(180);

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The provider keeps this part of the contract.
    Kept,
    /// It does not.
    Broken(Fault),
    /// It was not checked, for this reason.
    NotRun(String),
}

/// How a check ends: passed, or not run for a reason.
pub(super) type Checked = Result<Option<String>, Fault>;

/// One part of the contract.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    name: &'static str,
    body: for<'a> fn(&'a Case<'a>) -> BoxFuture<'a, Checked>,
}

impl Check {
    /// The name of its test.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

macro_rules! table {
    ($($module:ident: $($name:ident)+;)+) => {
        &[$($(Check {
            name: stringify!($name),
            body: |case| Box::pin(async move { Into::<Passed>::into($module::$name(case).await?).into() }),
        },)+)+]
    };
}

/// A check's answer: most have nothing to say when they passed.
struct Passed(Option<String>);

impl From<()> for Passed {
    fn from((): ()) -> Self {
        Passed(None)
    }
}

impl From<Option<String>> for Passed {
    fn from(not_run: Option<String>) -> Self {
        Passed(not_run)
    }
}

impl From<Passed> for Checked {
    fn from(passed: Passed) -> Self {
        Ok(passed.0)
    }
}

/// The checks of every provider.
pub const fn checks() -> &'static [Check] {
    table! {
        probing: id_and_kinds_are_stable probe_starts_nothing_that_stays probe_answers_within_its_deadline
            what_it_cannot_do_is_refused;
        config: an_unknown_config_key_is_refused_by_name secrets_in_the_configuration_stay_inside;
        lifecycle: ensure_makes_a_usable_resource two_ensures_are_independent concurrent_ensures_all_work
            health_check_says_healthy health_check_notices_a_broken_resource release_leaves_nothing
            release_is_idempotent a_dropped_ensure_leaves_nothing a_resource_outlives_the_runtime_that_made_it;
        claims: axes_are_those_that_the_resource_carries_and_have_evidence isolation_that_is_not_proven_is_refused;
    }
}

/// The checks of every provider of `code_execution`.
pub const fn code_checks() -> &'static [Check] {
    table! {
        code: a_program_s_output_is_in_the_result an_exit_code_is_the_program_s outputs_are_collected_with_their_digests
            a_missing_output_fails_and_keeps_the_exit_code a_deadline_ends_every_process cancelling_ends_every_process
            dropping_a_run_ends_every_process standard_input_arrives variables_arrive
            the_host_s_environment_stays_outside output_is_streamed kept_output_is_bounded too_much_output_ends_the_run
            the_limits_of_a_policy_hold the_timeout_of_a_policy_holds the_output_cap_of_a_policy_holds memory_is_limited_where_that_is_reported
            jobs_at_once_do_not_mix a_result_says_who_ran_it_and_how a_result_is_json_without_secrets;
        axes: what_an_axis_forbids_is_refused;
    }
}

/// One check of one provider, by the name of its test.
///
/// # Panics
/// When there is no such check.
#[expect(clippy::panic, reason = "a test fails by panicking")]
pub fn check(subject: &Subject, name: &str) -> Verdict {
    let all = checks().iter().chain(code_checks());
    let Some(check) = all.into_iter().find(|check| check.name == name) else { panic!("there is no check {name}") };
    if let Some(reason) = (subject.skip)() {
        return Verdict::NotRun(reason);
    }
    // Children and descriptors are counted, and those are the whole process's.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match catch_unwind(AssertUnwindSafe(|| on_a_runtime(subject, check))) {
        Ok(Ok(None)) => Verdict::Kept,
        Ok(Ok(Some(reason))) => Verdict::NotRun(reason),
        Ok(Err(fault)) => Verdict::Broken(fault),
        Err(_panic) => Verdict::Broken(Fault::new("it panicked")),
    }
}

fn on_a_runtime(subject: &Subject, check: &Check) -> Checked {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("there is no runtime: {error}")))?;
    let checked = runtime.block_on(async {
        let case = Case::new(subject);
        let checked = tokio::time::timeout(HUNG, (check.body)(&case)).await;
        checked.unwrap_or_else(|_| Err(Fault::new("it hangs")))
    });
    // A provider that hangs may hold a thread, which must not hold up the other checks.
    runtime.shutdown_background();
    checked
}
