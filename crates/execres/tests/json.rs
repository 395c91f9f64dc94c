//! The result as JSON: what the command line prints.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::fs;

use execres::CodeCall;
use execres::workspace::Sha256;
use host::{Host, call, contains, output, request};
use serde_json::Value;

/// A call with secrets in every place that takes some.
fn telling() -> CodeCall {
    let source = "import sys, os; sys.stdin.read(); open('output/a.csv', 'w').write('1,2\\n'); print('said'); print('warned', file=sys.stderr)";
    let request = request("python", source)
        .stdin("SECRET-of-stdin")
        .env("A", "SECRET-of-the-request")
        .provenance("origin", "test")
        .output(output("output/a.csv"));
    let mut call = CodeCall::new(request);
    call.env = vec![("B".into(), "SECRET-of-the-call".into())];
    call
}

#[tokio::test]
async fn everything_that_is_promised_is_there() {
    let target = tempfile::tempdir().unwrap();
    let mut call = telling();
    call.deliver_to = Some(target.path().to_owned());
    let json = serde_json::to_value(Host::new().run(call).await).unwrap();
    for (path, wanted) in [
        ("/status", "success".into()),
        ("/outcome", "exited".into()),
        ("/code", 0.into()),
        ("/unsafe", false.into()),
        ("/provider", "sandbox".into()),
        ("/language", "python".into()),
        ("/stdout/text", "said\n".into()),
        ("/stdout/total_bytes", 5.into()),
        ("/stdout/dropped_bytes", 0.into()),
        ("/stdout/complete", true.into()),
        ("/stderr/text", "warned\n".into()),
        ("/outputs/0/path", "output/a.csv".into()),
        ("/outputs/0/bytes", 4.into()),
        ("/outputs/0/media_type", "text/csv".into()),
        ("/missing_outputs", Value::Array(Vec::new())),
        ("/refused_outputs", Value::Array(Vec::new())),
        ("/not_kept", Value::Array(Vec::new())),
        ("/diagnostics", Value::Array(Vec::new())),
        ("/steps/0/role", "run".into()),
        ("/steps/0/outcome", "exited".into()),
        ("/isolation/network", "none".into()),
        ("/fallback", Value::Null),
    ] {
        assert_eq!(json.pointer(path), Some(&wanted), "{path}");
    }
    let digest = Sha256::of(&fs::read(target.path().join("a.csv")).unwrap());
    assert_eq!(json.pointer("/outputs/0/sha256"), Some(&serde_json::to_value(digest).unwrap()));
    let axes = json.pointer("/isolation/axes").unwrap().as_array().unwrap();
    for axis in
        ["process_contained", "host_filesystem_restricted", "privilege_escalation_blocked", "syscalls_restricted"]
    {
        assert!(axes.contains(&axis.into()), "{axis}: {axes:?}");
    }
    assert_eq!(json.pointer("/isolation/evidence").unwrap().as_array().unwrap().len(), 4);
    let attempt = json.pointer("/isolation/evidence/0/attempts/0").unwrap();
    for field in ["name", "verdict", "observed"] {
        assert!(attempt.get(field).is_some_and(Value::is_string), "{attempt}");
    }
    for path in ["/usage/wall", "/usage/cpu_user", "/usage/cpu_system", "/usage/peak_memory/value"] {
        assert!(json.pointer(path).and_then(Value::as_f64).is_some_and(|value| value >= 0.0), "{path}");
    }
    for path in ["/bundle_id", "/bundle_digest", "/grant_id", "/call_id", "/workspace_id", "/isolation/evidence_id"] {
        assert!(json.pointer(path).and_then(Value::as_str).is_some_and(|text| !text.is_empty()), "{path}");
    }
    for limit in json.pointer("/isolation/limits").unwrap().as_array().unwrap() {
        assert!(limit["enforcement"].is_string() && limit["mechanism"].is_string(), "{limit}");
    }
}

#[tokio::test]
async fn no_secret_is_in_it_also_when_the_run_fails() {
    let host = Host::new();
    let mut failing = telling();
    failing.request = failing.request.output(output("output/missing"));
    let mut refused = telling();
    refused.env.push(("BAD=NAME".into(), "SECRET-of-a-bad-name".into()));
    let never_started = telling();
    never_started.cancel.cancel();
    for call in [telling(), failing, refused, never_started] {
        let shown = format!("{call:?}");
        assert!(!shown.contains("SECRET"), "{shown}");
        let result = host.run(call).await;
        let json = serde_json::to_string(&result).unwrap();
        assert!(!json.contains("SECRET"), "{json}");
        assert!(!format!("{:?} {result:?}", result.diagnostics).contains("SECRET"));
    }
    // The control: what a program prints is its own affair.
    let mut printing = call("bash", "echo $B");
    printing.env = vec![("B".into(), "SECRET-that-is-printed".into())];
    contains(&serde_json::to_string(&host.run(printing).await).unwrap(), "SECRET-that-is-printed", "");
}

#[tokio::test]
async fn equal_requests_have_equal_digests_and_others_have_not() {
    let host = Host::new();
    let (one, two) = (host.run(telling()).await, Host::new().run(telling()).await);
    assert_eq!((one.bundle_digest, &one.bundle_id), (two.bundle_digest, &two.bundle_id));
    assert_ne!(one.call_id, two.call_id);
    assert_ne!(one.grant_id, two.grant_id);
    let mut other = telling();
    other.request = other.request.arg("");
    assert_ne!(host.run(other).await.bundle_digest, one.bundle_digest);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_told_and_counted() {
    let result = Host::new().run(call("python", "import sys; sys.stdout.buffer.write(b'a\\xff\\x00b')")).await;
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["stdout"]["text"], "a\u{fffd}\0b");
    assert_eq!(json["stdout"]["total_bytes"], 4);
    assert_eq!(json["stdout"]["lossy_utf8"], true);
    assert_eq!(result.stdout.head(), b"a\xff\0b", "the library has them as they are");
}
