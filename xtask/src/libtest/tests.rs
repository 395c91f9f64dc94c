use super::*;

const TWO_BINARIES: &str = "
running 4 tests
test a::works ... ok
test a::breaks ... FAILED
test a::slow ... ignored, takes an hour
test a::needs ... ok

successes:

---- a::needs stdout ----
EXECRES-SKIP: a::needs: no user namespaces on this host

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

running 1 test
test b ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

#[test]
fn counts_over_several_binaries() {
    let tally = parse(TWO_BINARIES, "");
    assert_eq!((tally.passed, tally.failed, tally.total()), (2, 1, 5));
    assert_eq!(tally.failures, ["a::breaks"]);
}

#[test]
fn a_skip_is_not_a_pass() {
    let output = "running 1 test\ntest t ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured;\n";
    assert_eq!(parse(output, "").passed, 1);
    let tally = parse(output, "EXECRES-SKIP: m::t: optional: no cgroup v2\n");
    assert_eq!((tally.passed, tally.total()), (0, 1));
    assert_eq!(tally.skips[0].test, "m::t");
    assert!(tally.skips[0].is_excused());
}

#[test]
fn an_unmet_need_is_excused_only_when_it_is_optional() {
    let skips = parse(TWO_BINARIES, "").skips;
    assert_eq!(skips.iter().map(Skip::is_excused).collect::<Vec<_>>(), [true, false]);
    assert_eq!(skips[0].reason, "takes an hour");
    assert_eq!(skips[1].reason, "no user namespaces on this host");
}

#[test]
fn a_skip_announced_twice_counts_once() {
    assert_eq!(parse("", "EXECRES-SKIP: t: why\nEXECRES-SKIP: t: why\n").skips.len(), 1);
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(parse("", ""), Tally::default());
}
