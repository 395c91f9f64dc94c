//! The matrix can go red: with a layer left away, attacks that it stops succeed, and with all layers they do not.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]

mod support;

use std::path::Path;

use execres_attacks::{Configuration, Corpus, Grants, Matrix, Runner, Size, Verdict};
use execres_isolation::{Layer, Layers, Sandbox};
use support::owners;

/// Runs attacks with these layers away. All of them are harmless when they succeed: what they reach is this test's own.
async fn without(away: &[Layer], attacks: &[&str]) -> Matrix {
    let (_state, owners) = owners();
    let corpus = Corpus::load().unwrap().only(|attack| attacks.contains(&attack.id.as_str()));
    assert_eq!(corpus.attacks().len(), attacks.len(), "an attack of {attacks:?} is not in the corpus");
    let runner = Runner::new(&corpus, &owners, Size::Smoke).await.unwrap();
    let with = |layers: Layers| Configuration {
        layers,
        grants: Grants::Writable,
        ..Configuration::new("layers", "for a test", Sandbox::new(None))
    };
    let layers = away.iter().fold(Layers::all(), |layers, layer| layers.without_dangerously(*layer));
    runner.run(&corpus, &[with(Layers::all()), with(layers)]).await.unwrap()
}

/// Each attack is contained with every layer, and has an effect without these. Evidence that is taken without a layer does not
/// prove its axis, so that the effect is one that nobody claimed to prevent.
async fn each_succeeds_without(away: &[Layer], attacks: &[&str]) {
    let matrix = without(away, attacks).await;
    eprintln!("{matrix}");
    for row in &matrix.rows {
        let [whole, without] = row.cells.as_slice() else { panic!("two configurations were run") };
        if let Verdict::NotRun(why) = &whole.verdict {
            eprintln!("EXECRES-SKIP: layers: {}: {why}", row.attack.id);
            continue;
        }
        assert_eq!(whole.verdict, Verdict::Contained, "{} with every layer", row.attack.id);
        let reached = matches!(without.verdict, Verdict::Escaped(_) | Verdict::NotClaimed(_));
        assert!(reached, "{} without {away:?}: {:?}", row.attack.id, without.verdict);
    }
}

#[tokio::test]
async fn without_the_process_namespace_others_are_seen_and_slowed() {
    each_succeeds_without(&[Layer::PidNamespace], &["see_session", "lower_priority", "read_cmdline", "daemon"]).await;
}

#[tokio::test]
async fn without_the_mount_namespace_files_of_the_host_change() {
    each_succeeds_without(&[Layer::MountNamespace], &["change_times", "change_mode", "look_at_metadata"]).await;
}

#[tokio::test]
async fn without_the_ipc_namespace_objects_of_the_host_are_reached() {
    each_succeeds_without(&[Layer::IpcNamespace], &["shared_memory", "semaphore", "message_queue"]).await;
    // A POSIX queue is a file for Landlock, which is a second lock on the same door.
    each_succeeds_without(&[Layer::IpcNamespace, Layer::Landlock], &["posix_queue"]).await;
}

#[tokio::test]
async fn without_the_network_namespace_sockets_of_the_host_are_seen() {
    each_succeeds_without(&[Layer::NetworkNamespace], &["list_sockets"]).await;
}

#[tokio::test]
async fn without_the_identity_programs_of_root_are_made() {
    if !rustix::process::geteuid().is_root() {
        eprintln!(
            "EXECRES-SKIP: without_the_identity_programs_of_root_are_made: optional: an ordinary user's guest has that \
             user's identity in any case"
        );
        return;
    }
    each_succeeds_without(&[Layer::Identity], &["output_set_uid"]).await;
}

#[tokio::test]
async fn without_no_new_privileges_programs_may_gain_them() {
    each_succeeds_without(&[Layer::NoNewPrivileges], &["new_privileges"]).await;
}

#[tokio::test]
async fn without_the_empty_sets_there_are_capabilities() {
    // The bounding set alone gives nothing back as long as no program may gain a privilege.
    each_succeeds_without(&[Layer::Capabilities, Layer::NoNewPrivileges], &["capability_sets"]).await;
}

#[tokio::test]
async fn landlock_alone_keeps_the_hosts_files_from_being_written() {
    // Without a mount namespace the rule for the guest's own `/tmp` is one for the host's, so the canaries are elsewhere.
    let place = Path::new("/var/tmp");
    let attacks = ["write_file", "create_file", "remove_file", "create_link"];
    let (_state, owners) = owners();
    let corpus = Corpus::load().unwrap().only(|attack| attacks.contains(&attack.id.as_str()));
    let runner = Runner::at(place, &corpus, &owners, Size::Smoke).await.unwrap();
    let without_mounts = Layers::all().without_dangerously(Layer::MountNamespace);
    let with =
        |layers: Layers| Configuration { layers, ..Configuration::new("layers", "for a test", Sandbox::new(None)) };
    let without_both = without_mounts.without_dangerously(Layer::Landlock);
    let matrix = runner.run(&corpus, &[with(without_mounts), with(without_both)]).await.unwrap();
    for row in &matrix.rows {
        assert_eq!(row.cells[0].verdict, Verdict::Contained, "{matrix}");
        assert!(matches!(row.cells[1].verdict, Verdict::NotClaimed(_)), "{matrix}");
    }
}

#[tokio::test]
async fn without_the_filter_calls_reach_the_kernel() {
    let attacks = [
        "keyring",
        "add_key",
        "ptrace",
        "mount",
        "chroot",
        "setns",
        "io_uring",
        "userfaultfd",
        "perf",
        "looser_filter",
        "memfd_program",
        "threads_and_children",
        "terminal_input",
    ];
    each_succeeds_without(&[Layer::Seccomp], &attacks).await;
}
