//! What a provider of `code_execution` has to do besides.

mod bench;
mod bounds;
mod ends;
mod programs;
mod results;
mod streams;

pub(super) use bench::Bench;
pub(super) use bounds::{
    kept_output_is_bounded, memory_is_limited_where_that_is_reported, the_limits_of_a_policy_hold,
    the_output_cap_of_a_policy_holds, the_timeout_of_a_policy_holds, too_much_output_ends_the_run,
};
pub(super) use ends::{
    a_deadline_ends_every_process, cancelling_ends_every_process, dropping_a_run_ends_every_process,
};
pub(super) use results::{
    a_missing_output_fails_and_keeps_the_exit_code, a_program_s_output_is_in_the_result,
    a_result_is_json_without_secrets, a_result_says_who_ran_it_and_how, an_exit_code_is_the_program_s,
    jobs_at_once_do_not_mix, outputs_are_collected_with_their_digests,
};
pub(super) use streams::{
    output_is_streamed, standard_input_arrives, the_host_s_environment_stays_outside, variables_arrive,
};
