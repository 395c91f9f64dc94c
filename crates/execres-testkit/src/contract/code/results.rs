//! What is in a result.

use execres_code::{CodeRequest, Status, Trust};
use execres_core::{AxisSet, Outcome};
use execres_workspace::{OutputPath, Role, Sha256};
use futures_util::future::join_all;

use super::super::case::Case;
use super::super::fault::{Fault, failed, holds};
use super::bench::{Bench, told};
use super::programs;
use crate::Canaries;

pub(in super::super) async fn a_program_s_output_is_in_the_result(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let result = bench.run(programs::ADD, &["40", "2"]).await?;
    holds(result.stdout.text() == "sum 42\n" && result.status == Status::Success, || told(&result))?;
    bench.tear_down().await
}

pub(in super::super) async fn an_exit_code_is_the_program_s(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    for code in [0, 3, 255] {
        let result = bench.run(programs::EXIT, &[&code.to_string()]).await?;
        let status = if code == 0 { Status::Success } else { Status::Error };
        holds(result.outcome == Outcome::Exited { code } && result.status == status, || {
            format!("a program that exits with {code}: {}", told(&result))
        })?;
        holds(result.stderr.text() == "as told\n", || told(&result))?;
    }
    bench.tear_down().await
}

pub(in super::super) async fn outputs_are_collected_with_their_digests(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (job, grant) = bench.job(programs::OUTPUTS, |request| declaring(request, &["output/a.txt", "output/more/"]))?;
    let result = bench.runner.run(job).await;
    holds(result.status == Status::Success, || told(&result))?;
    let bytes: Vec<u8> = (0..=255).collect();
    let wanted: [(&str, &[u8]); 2] = [("output/a.txt", b"alpha"), ("output/more/b.bin", &bytes)];
    holds(result.outputs.iter().map(|output| output.path.as_str()).eq(wanted.iter().map(|(path, _)| *path)), || {
        format!("the outputs are {:?}", result.outputs)
    })?;
    for (output, (path, content)) in result.outputs.iter().zip(wanted) {
        let kept = grant.dir(Role::Kept).read(path.trim_start_matches("output/")).map_err(failed("a kept output"))?;
        holds(kept == content, || format!("{path} is kept with another content"))?;
        holds(output.sha256 == Sha256::of(content) && output.bytes == content.len() as u64, || {
            format!("{path} is reported with another size or digest than it has")
        })?;
    }
    bench.tear_down().await
}

pub(in super::super) async fn a_missing_output_fails_and_keeps_the_exit_code(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (job, _grant) = bench.job(programs::ADD, |request| declaring(request.args(["1"]), &["output/none.txt"]))?;
    let result = bench.runner.run(job).await;
    holds(result.status == Status::Error, || format!("it is a success without its output: {}", told(&result)))?;
    holds(result.outcome == Outcome::Exited { code: 0 } && result.stdout.text() == "sum 1\n", || {
        format!("the program's own end and output are lost: {}", told(&result))
    })?;
    holds(result.missing_outputs.len() == 1, || format!("missing are {:?}", result.missing_outputs))?;
    bench.tear_down().await
}

pub(in super::super) async fn jobs_at_once_do_not_mix(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let numbers = [["1"], ["2"], ["3"], ["4"]];
    let results = join_all(numbers.iter().map(|number| bench.run(programs::ADD, number))).await;
    for ([number], result) in numbers.iter().zip(results) {
        let result = result?;
        holds(result.stdout.text() == format!("sum {number}\n"), || told(&result))?;
    }
    bench.tear_down().await
}

pub(in super::super) async fn a_result_says_who_ran_it_and_how(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let result = bench.run(programs::ADD, &["1"]).await?;
    let probed = bench.made().probed().map_or(AxisSet::EMPTY, execres_core::IsolationReport::axes);
    holds(result.provider == case.subject.id, || format!("it says that {} ran it", result.provider))?;
    holds(result.isolation.axes() == probed && bench.runner.isolation().axes() == probed, || {
        format!(
            "the probe proves [{probed}], the runner says [{}], the result [{}]",
            bench.runner.isolation().axes(),
            result.isolation.axes()
        )
    })?;
    let trust = if probed.is_empty() { Trust::Unsafe } else { Trust::Isolated };
    holds(result.trust == trust, || format!("with the axes [{probed}] it is marked {:?}", result.trust))?;
    holds(result.steps.len() == 1, || format!("there was one step, and {} are told", result.steps.len()))?;
    bench.tear_down().await
}

pub(in super::super) async fn a_result_is_json_without_secrets(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let mut canaries = Canaries::new();
    let (mut job, _grant) = bench.job(programs::ADD, |request| request.args(["1"]))?;
    job.env = vec![("TOKEN".to_owned(), canaries.plant("a variable"))];
    job.stdin = canaries.plant("the standard input").into_bytes();
    let result = bench.runner.run(job).await;
    let json = serde_json::to_value(&result).map_err(failed("the result as JSON"))?;
    for (field, wanted) in [("status", "success"), ("outcome", "exited"), ("provider", case.subject.id)] {
        holds(json[field] == wanted, || format!("in JSON `{field}` is {}", json[field]))?;
    }
    canaries.assert_absent_in("the result as JSON", &json.to_string())?;
    canaries.assert_absent_in_debug("the result", &result)?;
    bench.tear_down().await
}

fn declaring(request: CodeRequest, outputs: &[&str]) -> CodeRequest {
    outputs.iter().filter_map(|path| OutputPath::parse(path).ok()).fold(request, CodeRequest::output)
}
