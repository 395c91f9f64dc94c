//! Hosts on which there can be no sandbox say so, and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::path::Path;

use execres_isolation::{LaunchError, Profile, ProfileError, Sandbox, Step};
use support::*;

#[tokio::test]
async fn a_host_without_user_namespaces_says_so_and_names_the_remedy() {
    const NAME: &str = "a_host_without_user_namespaces_says_so_and_names_the_remedy";
    if role().is_some() {
        let error = Sandbox::new(None).launch(&Profile::deny_all(), vec![shell("exit 0")]).await.unwrap_err();
        assert!(matches!(error, LaunchError::UserNamespaces { .. }), "{error:?}");
        assert_eq!(error.code(), "isolation.user_namespaces_restricted");
        let text = error.to_string();
        assert!(text.contains("making a user namespace"), "{text}");
        assert!(text.contains("sudo sysctl -w user.max_user_namespaces=15000"), "{text}");
        // The probe gives the same answer, and not a report without axes.
        let probed = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap_err();
        assert_eq!(probed.code(), error.code(), "{probed}");
        return;
    }
    // A user namespace whose own limit is none: below it the kernel answers as where they are switched off.
    in_a_user_namespace(NAME, &[], "echo 0 > /proc/sys/user/max_user_namespaces || exit 77");
}

#[tokio::test]
async fn a_host_that_is_known_to_refuse_names_the_setting() {
    let Ok(named) = std::env::var("EXECRES_TEST_REFUSAL") else {
        eprintln!(
            "EXECRES-SKIP: a_host_that_is_known_to_refuse_names_the_setting: optional: the suite `kernels` makes hosts that \
             refuse"
        );
        return;
    };
    let sandbox = Sandbox::new(None);
    let error = sandbox.launch(&Profile::deny_all(), vec![shell("exit 0")]).await.unwrap_err();
    assert!(matches!(error, LaunchError::UserNamespaces { .. }), "{error:?}");
    assert!(error.to_string().contains(&named), "{error}");
    let probed = sandbox.evidence(&Profile::deny_all()).await.unwrap_err();
    assert_eq!(probed.code(), error.code(), "{probed}");
}

#[tokio::test]
async fn a_sandbox_works_inside_a_user_namespace_of_one_id() {
    const NAME: &str = "a_sandbox_works_inside_a_user_namespace_of_one_id";
    if role().is_some() {
        assert_eq!(output(&run(&Profile::deny_all(), vec![shell("id -u")]).await), "1000\n");
        return;
    }
    in_a_user_namespace(NAME, &[], ":");
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused_before_anything_runs() {
    let sandbox = Sandbox::new(None);
    let nul = Step::new("/bin/echo", ["a\0b"]);
    let equals = shell("true").with_variable("A=B", "c");
    let many = (0..40).map(|_| shell("true")).collect();
    for steps in [vec![nul], vec![equals], many] {
        let error = sandbox.launch(&Profile::deny_all(), steps).await.unwrap_err();
        assert_eq!(error.code(), "isolation.request_invalid", "{error}");
    }
    let error = Profile::deny_all().read(Path::new("/no/such/root"), Path::new("/data")).unwrap_err();
    assert!(matches!(error, ProfileError::Unreadable { .. }), "{error}");
    // The launcher that was ready for them serves the next one.
    assert_eq!(output(&run_in(&sandbox, &Profile::deny_all(), vec![shell("echo fine")]).await), "fine\n");
}
