//! The controls of the contract: a good provider passes every check, and each check is failed by a provider with just that defect.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod controls {
    pub(crate) mod files;
    pub(crate) mod python;
}

use execres_testkit::contract::{Check, Verdict, check, checks, code_checks};

use controls::files::{self, Defect};
use controls::python::{self, Flaw};

mod a_good_provider {
    execres_testkit::provider_contract!(crate::files::subject(None));

    mod of_code {
        execres_testkit::provider_contract!(crate::python::subject(None));
        execres_testkit::code_execution_contract!(crate::python::subject(None));
    }
}

/// The checks that a provider with this defect fails, in the order of the table.
fn failed(defect: Defect) -> Vec<&'static str> {
    let subject = files::subject(Some(defect));
    let is_broken = |check: &&Check| matches!(check_one(&subject, check), Verdict::Broken(_));
    checks().iter().filter(is_broken).map(Check::name).collect()
}

fn check_one(subject: &execres_testkit::contract::Subject, one: &Check) -> Verdict {
    check(subject, one.name())
}

macro_rules! defects {
    ($(#[test] fn $test:ident: $defect:ident fails $($check:ident)+;)+) => {
        $(
            #[test]
            fn $test() {
                assert_eq!(failed(Defect::$defect), [$(stringify!($check)),+]);
            }
        )+

        /// A check that nothing fails proves nothing.
        #[test]
        fn every_check_is_failed_by_some_defect() {
            let failed = [$($(stringify!($check)),+),+];
            for check in checks() {
                assert!(failed.contains(&check.name()), "{} has no control", check.name());
            }
        }
    };
}

defects! {
    #[test] fn an_id_that_changes: ChangesItsId fails id_and_kinds_are_stable;
    #[test] fn a_probe_that_leaves_a_file: ProbeLeavesAFile fails probe_starts_nothing_that_stays;
    #[test] fn a_first_probe_that_is_slow: FirstProbeIsSlow fails
        probe_answers_within_its_deadline a_resource_outlives_the_runtime_that_made_it;
    #[test] fn a_provider_that_says_yes_to_everything: OffersWhatIsAsked fails what_it_cannot_do_is_refused;
    #[test] fn a_config_that_takes_any_key: TakesAnyKey fails an_unknown_config_key_is_refused_by_name;
    #[test] fn a_refusal_that_names_nothing: RefusesWithoutNaming fails an_unknown_config_key_is_refused_by_name;
    #[test] fn a_secret_in_the_metadata: TellsItsSecret fails secrets_in_the_configuration_stay_inside;
    #[test] fn resources_of_another_type: MakesAnotherType fails
        ensure_makes_a_usable_resource two_ensures_are_independent concurrent_ensures_all_work health_check_says_healthy
        health_check_notices_a_broken_resource release_is_idempotent a_resource_outlives_the_runtime_that_made_it;
    #[test] fn one_file_for_all: SharesOneFile fails two_ensures_are_independent release_is_idempotent;
    #[test] fn one_ensure_at_a_time: OneAtATime fails concurrent_ensures_all_work;
    #[test] fn a_fresh_resource_that_is_called_unhealthy: SaysUnhealthy fails health_check_says_healthy;
    #[test] fn a_broken_resource_that_is_called_healthy: SaysHealthy fails health_check_notices_a_broken_resource;
    #[test] fn a_release_that_leaves_the_file: ReleaseLeavesTheFile fails release_leaves_nothing a_dropped_ensure_leaves_nothing;
    #[test] fn a_release_that_leaves_a_descriptor: ReleaseLeavesADescriptor fails release_leaves_nothing a_dropped_ensure_leaves_nothing;
    #[test] fn a_second_release_that_fails: SecondReleaseFails fails health_check_notices_a_broken_resource release_is_idempotent;
    #[test] fn a_dropped_ensure_that_leaves_its_file: DroppedEnsureLeaves fails a_dropped_ensure_leaves_nothing;
    #[test] fn a_resource_of_one_thread: BoundToItsThread fails a_resource_outlives_the_runtime_that_made_it;
    #[test] fn an_axis_that_the_resource_does_not_carry: ClaimsWhatItDoesNotCarry fails
        axes_are_those_that_the_resource_carries_and_have_evidence isolation_that_is_not_proven_is_refused;
    #[test] fn an_axis_that_is_forged: ForgesAnAxis fails
        axes_are_those_that_the_resource_carries_and_have_evidence isolation_that_is_not_proven_is_refused;
    #[test] fn evidence_that_tells_nothing: TellsNoEvidence fails axes_are_those_that_the_resource_carries_and_have_evidence;
}

macro_rules! flaws {
    ($(#[test] fn $test:ident: $flaw:ident fails $check:ident;)+) => {
        $(
            #[test]
            fn $test() {
                let name = stringify!($check);
                let good = check(&python::subject(None), name);
                assert!(!matches!(good, Verdict::Broken(_)), "the same without the flaw: {good:?}");
                let verdict = check(&python::subject(Some(Flaw::$flaw)), name);
                assert!(matches!(verdict, Verdict::Broken(_)), "{verdict:?}");
            }
        )+

        #[test]
        fn every_check_of_code_is_failed_by_some_flaw() {
            let failed = [$(stringify!($check)),+];
            for check in code_checks() {
                assert!(failed.contains(&check.name()), "{} has no control", check.name());
            }
        }
    };
}

flaws! {
    #[test] fn output_that_is_lost: LosesOutput fails a_program_s_output_is_in_the_result;
    #[test] fn an_exit_code_that_is_changed: ChangesTheExitCode fails an_exit_code_is_the_program_s;
    #[test] fn an_output_that_is_changed: ChangesAnOutput fails outputs_are_collected_with_their_digests;
    #[test] fn an_output_that_nobody_misses: MissesNoOutput fails a_missing_output_fails_and_keeps_the_exit_code;
    #[test] fn a_deadline_that_spares_children: SparesChildren fails a_deadline_ends_every_process;
    #[test] fn a_cancel_that_spares_children: SparesChildren fails cancelling_ends_every_process;
    #[test] fn a_drop_that_spares_children: SparesChildren fails dropping_a_run_ends_every_process;
    #[test] fn standard_input_that_is_not_given: GivesNoInput fails standard_input_arrives;
    #[test] fn variables_that_are_not_given: GivesNoVariables fails variables_arrive;
    #[test] fn the_environment_that_is_inherited: InheritsTheEnvironment fails the_host_s_environment_stays_outside;
    #[test] fn output_that_is_not_streamed: StreamsNothing fails output_is_streamed;
    #[test] fn output_that_is_kept_whole: KeepsEverything fails kept_output_is_bounded;
    #[test] fn output_without_end: EndsNoOutput fails too_much_output_ends_the_run;
    #[test] fn a_policy_that_nobody_reads: ReadsNoPolicy fails the_limits_of_a_policy_hold;
    #[test] fn a_timeout_that_nobody_reads: ReadsNoPolicy fails the_timeout_of_a_policy_holds;
    #[test] fn an_output_cap_that_nobody_reads: ReadsNoPolicy fails the_output_cap_of_a_policy_holds;
    #[test] fn memory_that_is_said_to_be_limited: SaysMemoryIsLimited fails memory_is_limited_where_that_is_reported;
    #[test] fn jobs_that_are_mixed_up: MixesUpJobs fails jobs_at_once_do_not_mix;
    #[test] fn a_result_of_somebody_else: IsSomebodyElse fails a_result_says_who_ran_it_and_how;
    #[test] fn a_variable_in_the_result: TellsVariables fails a_result_is_json_without_secrets;
    #[test] fn an_axis_that_does_not_hold: ForgesAxes fails what_an_axis_forbids_is_refused;
}
