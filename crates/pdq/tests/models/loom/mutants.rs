//! Faults that `loom` must notice, and the scenario that does.

use crate::faults::assert_noticed;

/// The next holder of the latch does not see what the one before wrote.
#[test]
fn latch_relaxed() {
    assert_noticed("latch-relaxed", "parts::components::latch");
}

/// Items behind the fence are handed out.
#[test]
fn fence_ignored() {
    assert_noticed("fence-ignored", "whole::younger_than_a_sequential");
}

/// The sequential item is ready as soon as it is the oldest of its kind.
#[test]
fn gate_does_not_wait() {
    assert_noticed("gate-does-not-wait", "whole::last_completions_and_drain");
}

/// Who takes items behind a claim does not know its keys.
#[test]
fn claim_not_entered() {
    assert_noticed("claim-not-entered", "whole::claim_and_thief");
}

#[test]
fn claimed_block_spared() {
    assert_noticed("claimed-block-spared", "whole::claim_and_blocks");
}

#[test]
fn no_second_look() {
    assert_noticed("no-second-look", "whole::lost_wake_up");
}

/// The keys of a claim are free before what its handlers have enqueued has its place.
#[test]
fn complete_before_send() {
    assert_noticed("complete-before-send", "whole::handler_enqueues_its_own_key");
}

#[test]
fn kept_key_runs_on() {
    assert_noticed("kept-key-runs-on", "whole::kept_key_and_thief");
}

#[test]
fn continuation_last() {
    assert_noticed("continuation-last", "whole::continuation_first");
}

/// What a completion has made ready is not seen by the last who stops to search.
#[test]
fn looks_past_the_latch() {
    assert_noticed("looks-past-the-latch", "parts::components::completion_and_last_finder");
}

/// A worker takes a lane for empty that it has not looked into.
#[test]
fn missed_lane_is_empty() {
    assert_noticed("missed-lane-is-empty", "whole::search_and_completion");
}

/// Who opens the gate does not see what has just come, and whoever looks for that does not see it open.
#[test]
fn opened_unseen() {
    assert_noticed("opened-unseen", "whole::search_and_completion");
}

/// Whoever breaks into a seizure does not see which key it runs.
#[test]
fn item_unseen() {
    assert_noticed("item-unseen", "whole::seizure_and_breaker");
}

/// A seizure that has been broken into goes on as if it had all keys.
#[test]
fn breaking_in_unseen() {
    assert_noticed("breaking-in-unseen", "whole::seizure_and_breaker");
}

/// Whoever ends an item does not see who would break in, who does not see that it has ended.
#[test]
fn light_left_out() {
    assert_noticed("light-left-out", "parts::taking::one_of_two_has_the_rest");
}

/// Whoever breaks in does not see that the item has ended, and its holder does not see who breaks in.
#[test]
fn heavy_left_out() {
    assert_noticed("heavy-left-out", "parts::taking::one_of_two_has_the_rest");
}

/// Whoever breaks in does not look whether the item has ended before its holder could be asked.
#[test]
fn end_unseen() {
    assert_noticed("end-unseen", "parts::taking::one_of_two_has_the_rest");
}

/// A holder that is asked takes that for refused, without a word to whoever asks.
#[test]
fn asked_is_refused() {
    assert_noticed("asked-is-refused", "parts::taking::one_of_two_has_the_rest");
}

/// The key of the item that runs is not held any more once somebody has broken in.
#[test]
fn key_not_kept() {
    assert_noticed("key-not-kept", "whole::seizure_and_breaker");
}

/// What a shared claim has not begun is taken back, and run by its worker all the same.
#[test]
fn unbegun_taken_twice() {
    assert_noticed("unbegun-taken-twice", "whole::claim_and_splitter");
}

/// Whoever frees the key of an item that is done does not see what that has written.
#[test]
fn done_unseen() {
    assert_noticed("done-unseen", "whole::claim_and_splitter");
}

/// What is behind a barrier does not see what the sequential handler wrote.
#[test]
fn fence_relaxed() {
    assert_noticed("fence-relaxed", "parts::barrier::one_barrier_behind_another");
}

#[test]
fn fence_not_acquired() {
    assert_noticed("fence-not-acquired", "parts::barrier::one_barrier_behind_another");
}

/// What a server moves out of the inbox is not seen as ready.
#[test]
fn taken_relaxed() {
    assert_noticed("taken-relaxed", "parts::barrier::what_is_known_is_seen");
}

#[test]
fn taken_not_acquired() {
    assert_noticed("taken-not-acquired", "parts::barrier::what_is_known_is_seen");
}

/// The sequential handler does not see what the last one of another lane wrote.
#[test]
fn drained_relaxed() {
    assert_noticed("drained-relaxed", "parts::barrier::two_lanes_drain");
}

/// Who closes the queue does not see a server without lanes fall asleep.
#[test]
fn close_past_the_gate() {
    assert_noticed("close-past-the-gate", "whole::close_and_server_without_lanes");
}
