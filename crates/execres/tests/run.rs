//! The main job through the facade.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use execres::code::{CodeExecution, CodeRequest, Language};
use execres::core::{AxisSet, Outcome};
use execres::{CodeCall, Execres};

async fn run(language: &str, source: &str) -> CodeExecution {
    let state = tempfile::tempdir().unwrap();
    let execres = Execres::builder().state_dir(state.path().join("state")).build().unwrap();
    let request = CodeRequest::new(Language::parse(language).unwrap()).source(source);
    execres.run(CodeCall::new(request)).await.unwrap()
}

#[tokio::test]
async fn every_language_runs_isolated() {
    for (language, source) in [
        ("python", "print(6 * 7)"),
        ("nodejs", "console.log(6 * 7)"),
        ("bash", "echo $((6 * 7))"),
        ("c", "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 6 * 7); }"),
        ("cpp", "#include <iostream>\nint main() { std::cout << 6 * 7 << '\\n'; }"),
    ] {
        let result = run(language, source).await;
        assert_eq!(
            result.outcome,
            Outcome::Exited { code: 0 },
            "{language}: {}",
            serde_json::to_string_pretty(&result).unwrap()
        );
        assert_eq!(result.stdout.text(), "42\n", "{language}");
        assert_eq!(result.isolation.axes(), AxisSet::ALL, "{language}");
        assert_eq!(result.provider, "sandbox");
    }
}
