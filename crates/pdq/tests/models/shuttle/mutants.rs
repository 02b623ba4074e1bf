//! Faults that `shuttle` must notice, and the script that does. Faults that take luck are left to `loom`.

use crate::faults::assert_noticed;

#[test]
fn fence_ignored() {
    assert_noticed("fence-ignored", "load::mixed");
}

#[test]
fn gate_does_not_wait() {
    assert_noticed("gate-does-not-wait", "load::mixed");
}

#[test]
fn claim_not_entered() {
    assert_noticed("claim-not-entered", "load::mixed");
}

#[test]
fn claimed_block_spared() {
    assert_noticed("claimed-block-spared", "load::mixed");
}

#[test]
fn no_second_look() {
    assert_noticed("no-second-look", "load::mixed");
}

#[test]
fn kept_key_runs_on() {
    assert_noticed("kept-key-runs-on", "load::mixed");
}

#[test]
fn continuation_last() {
    assert_noticed("continuation-last", "load::mixed");
}

/// Two items have been made ready while one worker was still looking: the other must wake.
#[test]
fn last_finder_wakes_nobody() {
    assert_noticed("last-finder-wakes-nobody", "load::both_must_wake");
}
