//! The checks as tests.

use super::check::{Verdict, check};
use super::subject::Subject;

/// Runs one check as the body of the test with this path. Used by the macros.
///
/// # Panics
/// When the provider breaks the contract.
#[expect(clippy::panic, clippy::print_stderr, reason = "a test fails by panicking, and says what it did not do")]
pub fn run(subject: &Subject, name: &str, test: &str) {
    match check(subject, name) {
        Verdict::Kept => {}
        Verdict::NotRun(reason) => {
            let test = test.split_once("::").map_or(test, |(_, path)| path);
            eprintln!("EXECRES-SKIP: {test}: {reason}");
        }
        Verdict::Broken(fault) => panic!("the provider {} breaks the contract: {fault}", subject.id),
    }
}

/// Mounts the contract of every provider: one `#[test]` for each check. The argument is a [`Subject`](crate::contract::Subject).
#[macro_export]
macro_rules! provider_contract {
    ($subject:expr) => {
        $crate::__contract_tests! { checks, $subject;
            id_and_kinds_are_stable
            probe_starts_nothing_that_stays
            probe_answers_within_its_deadline
            what_it_cannot_do_is_refused
            an_unknown_config_key_is_refused_by_name
            secrets_in_the_configuration_stay_inside
            ensure_makes_a_usable_resource
            two_ensures_are_independent
            concurrent_ensures_all_work
            health_check_says_healthy
            health_check_notices_a_broken_resource
            release_leaves_nothing
            release_is_idempotent
            a_dropped_ensure_leaves_nothing
            a_resource_outlives_the_runtime_that_made_it
            axes_are_those_that_the_resource_carries_and_have_evidence
            isolation_that_is_not_proven_is_refused
        }
    };
}

/// Mounts what a provider of the kind `code_execution` has to do besides: one `#[test]` for each check. Its resource is a
/// `SharedRunner` that runs Python.
#[macro_export]
macro_rules! code_execution_contract {
    ($subject:expr) => {
        $crate::__contract_tests! { code_checks, $subject;
            a_program_s_output_is_in_the_result
            an_exit_code_is_the_program_s
            outputs_are_collected_with_their_digests
            a_missing_output_fails_and_keeps_the_exit_code
            a_deadline_ends_every_process
            cancelling_ends_every_process
            dropping_a_run_ends_every_process
            standard_input_arrives
            variables_arrive
            the_host_s_environment_stays_outside
            output_is_streamed
            kept_output_is_bounded
            too_much_output_ends_the_run
            the_limits_of_a_policy_hold
            the_timeout_of_a_policy_holds
            the_output_cap_of_a_policy_holds
            memory_is_limited_where_that_is_reported
            jobs_at_once_do_not_mix
            a_result_says_who_ran_it_and_how
            a_result_is_json_without_secrets
            what_an_axis_forbids_is_refused
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __contract_tests {
    ($table:ident, $subject:expr; $($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                $crate::contract::run(&$subject, stringify!($name), concat!(module_path!(), "::", stringify!($name)));
            }
        )+

        /// A check that has no test here would be a silent pass.
        #[test]
        fn $table() {
            let mounted = [$(stringify!($name)),+];
            assert!($crate::contract::$table().iter().map(|check| check.name()).eq(mounted));
        }
    };
}
