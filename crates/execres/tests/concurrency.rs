//! Many calls at once, of several threads and runtimes, and calls that are given up.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::sync::Arc;
use std::time::Duration;

use execres::core::Filter;
use host::{Host, assert_prints, call, eventually, request};
use tokio::runtime::{Builder, Runtime};

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_calls_at_once_each_get_their_own_answer() {
    let host = Arc::new(Host::new());
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..20 {
        let host = Arc::clone(&host);
        calls.spawn(async move {
            let source = format!(
                "import os\nassert os.listdir('output') == [] and os.listdir('/tmp') == []\n\
                 open('output/n', 'w').write('{number}'); open('/tmp/n', 'w').close(); print({number})"
            );
            let mut call = execres::CodeCall::new(request("python", &source).output(host::output("output/n")));
            let target = tempfile::tempdir().unwrap();
            call.deliver_to = Some(target.path().to_owned());
            let result = host.run(call).await;
            assert_prints(&result, &format!("{number}\n"));
            assert_eq!(std::fs::read_to_string(target.path().join("n")).unwrap(), number.to_string());
        });
    }
    while let Some(ended) = calls.join_next().await {
        ended.unwrap();
    }
    assert!(host.execres.manager().list(&Filter::all()).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_deliveries_to_one_place_leave_one_whole_file() {
    let host = Arc::new(Host::new());
    let target = tempfile::tempdir().unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for letter in ["a", "b", "c", "d", "e", "f"] {
        let (host, target) = (Arc::clone(&host), target.path().to_owned());
        calls.spawn(async move {
            let source = format!("head -c 3000000 /dev/zero | tr '\\0' {letter} > output/x");
            let mut call = execres::CodeCall::new(request("bash", &source).output(host::output("output/x")));
            call.deliver_to = Some(target);
            assert_prints(&host.run(call).await, "");
        });
    }
    while let Some(ended) = calls.join_next().await {
        ended.unwrap();
    }
    assert_eq!(host::entries(target.path()), ["x"]);
    let content = std::fs::read(target.path().join("x")).unwrap();
    assert_eq!(content.len(), 3_000_000);
    assert!(content.iter().all(|byte| *byte == content[0]));
}

#[test]
fn one_execres_serves_several_runtimes_also_after_one_is_gone() {
    let host = Arc::new(Host::new());
    // The first probe, the first tool and the first launcher belong to a runtime that goes away.
    let first = runtime();
    assert_prints(&first.block_on(host.run(call("python", "print(1)"))), "1\n");
    drop(first);
    let second = runtime();
    assert_prints(&second.block_on(host.run(call("python", "print(2)"))), "2\n");
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let host = Arc::clone(&host);
            std::thread::spawn(move || {
                let result = runtime().block_on(host.run(call("python", &format!("print({number})"))));
                assert_prints(&result, &format!("{number}\n"));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_prints(&second.block_on(host.run(call("c", "int main(void) { return 0; }"))), "");
    assert!(host.execres.manager().list(&Filter::all()).is_empty());
}

#[test]
fn a_runtime_that_is_shut_down_in_the_middle_hurts_nobody_else() {
    let host = Arc::new(Host::new());
    let marker = host::marker();
    let (first, theirs) = (runtime(), Arc::clone(&host));
    let source = format!("sleep {marker}");
    let run = async move { drop(theirs.execres.run(call("bash", &source)).await) };
    first.block_on(async {
        let run = tokio::spawn(run);
        while !host::running(&format!("sleep\0{marker}")) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(!run.is_finished());
    });
    first.shutdown_background();
    eventually("the program of a runtime that is gone ends", || !host::running(&format!("sleep\0{marker}")));
    assert_prints(&runtime().block_on(host.run(call("bash", "echo 42"))), "42\n");
    eventually("its handle is given back", || host.execres.manager().list(&Filter::all()).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_dropped_ends_and_the_next_one_works() {
    let host = Host::new();
    for language in ["bash", "python"] {
        let marker = host::marker();
        let source = match language {
            "bash" => format!("(setsid sleep {marker} &) ; sleep {marker}"),
            _ => format!("import subprocess; subprocess.run(['sleep', '{marker}'])"),
        };
        {
            let mut run = std::pin::pin!(host.execres.run(call(language, &source)));
            while !host::running(&format!("sleep\0{marker}")) {
                let ended = tokio::time::timeout(Duration::from_millis(5), &mut run).await;
                assert!(ended.is_err(), "it sleeps: {ended:?}");
            }
        }
        eventually("the program of a dropped run ends", || !host::running(&marker));
        assert_prints(&host.run(call(language, "")).await, "");
    }
    eventually("every handle is given back", || host.execres.manager().list(&Filter::all()).is_empty());
}

#[tokio::test]
async fn nothing_grows_with_the_number_of_calls() {
    let host = Host::new();
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let one = || async {
        let mut call = execres::CodeCall::new(request("bash", "printf x > output/x").output(host::output("output/x")));
        call.working_directory = execres::code::WorkingDirectory::Scratch;
        assert_prints(&host.run(call).await, "");
    };
    for _ in 0..5 {
        one().await;
    }
    let before = descriptors();
    for _ in 0..30 {
        one().await;
    }
    // Other tests of this process open and close descriptors too, so a few more or less say nothing.
    assert!(descriptors() < before + 25, "{before} {}", descriptors());
}

#[tokio::test]
async fn a_closed_manager_says_so() {
    let host = Host::new();
    assert_prints(&host.run(call("bash", "true")).await, "");
    let report = host.execres.manager().shutdown(Duration::from_secs(20)).await;
    assert!(report.is_clean());
    let error = host.refusal(call("bash", "true")).await;
    assert_eq!(error.code(), execres::core::ErrorCode::SHUTDOWN.to_string());
}
