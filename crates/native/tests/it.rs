//! The native world keeps the promises of the waist.

use native::Local;

const POLICIES: &[&str] = &[
    "single",
    "single+every=8",
    "fixed:1",
    "fixed:1+interrupt",
    "fixed:2",
    "fixed:2+serial",
    "fixed:2+interrupt",
    "floating",
    "floating+keyed",
    "partitioned:2",
];

#[test]
fn every_promise_holds_under_every_policy() {
    conformance::run_all(&Local::new(), POLICIES, 2, 3);
}

#[test]
fn every_promise_holds_with_more_processors_than_any_host_has_cores() {
    conformance::run_all(&Local::new(), &["single", "fixed:1", "floating", "partitioned:2"], 3, 4);
}

#[test]
fn every_promise_holds_when_rings_are_full_all_the_time() {
    conformance::run_all(&Local::with_depths(2, 3), POLICIES, 3, 3);
}
