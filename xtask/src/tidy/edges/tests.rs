use super::*;
use crate::checkout::Checkout;

const NORMAL: DependencyKind = DependencyKind::Normal;
const TESTS: DependencyKind = DependencyKind::Development;

#[test]
fn an_arrow_that_points_up_is_found() {
    assert_eq!(breaches("execres-core", &[("execres-isolation", NORMAL)]).len(), 1);
    assert_eq!(breaches("execres-cli", &[("execres", NORMAL), ("execres-core", NORMAL)]).len(), 1);
    assert_eq!(breaches("execres-workspace", &[("execres-core", NORMAL)]), Vec::<String>::new());
}

#[test]
fn a_provider_never_uses_another() {
    assert_eq!(breaches("execres-provider-mcp", &[("execres-provider-local", NORMAL)]).len(), 1);
    assert!(breaches("execres-provider-mcp", &[("execres-isolation", NORMAL)]).is_empty());
    assert!(breaches("execres", &[("execres-provider-local", NORMAL)]).is_empty());
}

#[test]
fn the_test_kit_is_for_tests() {
    assert!(breaches("execres-provider-local", &[("execres-testkit", TESTS)]).is_empty());
    assert_eq!(breaches("execres-provider-local", &[("execres-testkit", NORMAL)]).len(), 1);
    assert_eq!(breaches("execres-core", &[("execres-isolation", TESTS)]).len(), 1);
}

#[test]
fn a_crate_without_a_row_is_found() {
    assert!(breaches("execres-surprise", &[])[0].contains("add one"));
}

#[test]
fn the_tree_of_a_crate_is_walked() {
    let metadata = Checkout::find().unwrap().metadata().unwrap();
    let xtask = metadata.workspace_packages().into_iter().find(|package| package.name.as_str() == "xtask").unwrap();
    let reached = reachable(&metadata, &xtask.id);
    // The control: something that is reached only through another package.
    assert!(reached.contains("clap_builder"), "{reached:?}");
}
