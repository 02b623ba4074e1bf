//! Faults that `loom` must notice, and the scenario that does.

use crate::faults::assert_noticed;

/// The next holder of the latch does not see the writes of the one before.
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

/// A server that takes items behind a claim does not know its keys.
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

/// The keys of a claim are free before the items that its handlers have enqueued have their places.
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

/// The last server to stop searching does not see an item that a completion has made ready.
#[test]
fn looks_past_the_latch() {
    assert_noticed("looks-past-the-latch", "parts::components::completion_and_last_finder");
}

/// A worker takes a lane for empty that it has not looked into.
#[test]
fn missed_lane_is_empty() {
    assert_noticed("missed-lane-is-empty", "whole::search_and_completion");
}

/// The thread that opens the gate does not see an item that has just come, and a server that looks for it does not
/// see the gate open.
#[test]
fn opened_unseen() {
    assert_noticed("opened-unseen", "whole::search_and_completion");
}

/// A server that breaks into a seizure does not see the key of the running item.
#[test]
fn item_unseen() {
    assert_noticed("item-unseen", "whole::seizure_and_breaker");
}

/// A seizure that has been broken into goes on as if it had all keys.
#[test]
fn breaking_in_unseen() {
    assert_noticed("breaking-in-unseen", "whole::seizure_and_breaker");
}

/// A holder that ends an item does not see a server that would break in, which does not see that the item has ended.
#[test]
fn light_left_out() {
    assert_noticed("light-left-out", "parts::taking::one_of_two_has_the_rest");
}

/// A server that breaks in does not see that the item has ended, and its holder does not see the server.
#[test]
fn heavy_left_out() {
    assert_noticed("heavy-left-out", "parts::taking::one_of_two_has_the_rest");
}

/// A server that breaks in does not look whether the item has ended before its holder could be asked.
#[test]
fn end_unseen() {
    assert_noticed("end-unseen", "parts::taking::one_of_two_has_the_rest");
}

/// A holder that is asked takes that for refused, without telling the server that asks.
#[test]
fn asked_is_refused() {
    assert_noticed("asked-is-refused", "parts::taking::one_of_two_has_the_rest");
}

/// The key of the running item is no longer held after another server has broken in.
#[test]
fn key_not_kept() {
    assert_noticed("key-not-kept", "whole::seizure_and_breaker");
}

/// Items of a shared claim that have not begun are taken back, and run by its worker all the same.
#[test]
fn unbegun_taken_twice() {
    assert_noticed("unbegun-taken-twice", "whole::claim_and_splitter");
}

/// The server that frees the key of a finished item does not see that item's writes.
#[test]
fn done_unseen() {
    assert_noticed("done-unseen", "whole::claim_and_splitter");
}

/// Items behind a barrier do not see the writes of the sequential handler.
#[test]
fn fence_relaxed() {
    assert_noticed("fence-relaxed", "parts::barrier::one_barrier_behind_another");
}

#[test]
fn fence_not_acquired() {
    assert_noticed("fence-not-acquired", "parts::barrier::one_barrier_behind_another");
}

/// An item that a server moves out of the inbox is not seen as ready.
#[test]
fn taken_relaxed() {
    assert_noticed("taken-relaxed", "parts::barrier::what_is_known_is_seen");
}

#[test]
fn taken_not_acquired() {
    assert_noticed("taken-not-acquired", "parts::barrier::what_is_known_is_seen");
}

/// An item of a shared claim is not seen while another server takes it back.
#[test]
fn split_unseen() {
    assert_noticed("split-unseen", "parts::barrier::what_is_taken_back_is_seen");
}

#[test]
fn put_back_unseen() {
    assert_noticed("put-back-unseen", "parts::barrier::what_is_taken_back_is_seen");
}

#[test]
fn unbegun_relaxed() {
    assert_noticed("unbegun-relaxed", "parts::barrier::what_is_taken_back_is_seen");
}

#[test]
fn unbegun_not_acquired() {
    assert_noticed("unbegun-not-acquired", "parts::barrier::what_is_taken_back_is_seen");
}

/// The sequential handler does not see the writes of the last item of another lane.
#[test]
fn drained_relaxed() {
    assert_noticed("drained-relaxed", "parts::barrier::two_lanes_drain");
}

/// The closing thread does not see a server without lanes fall asleep.
#[test]
fn close_past_the_gate() {
    assert_noticed("close-past-the-gate", "whole::close_and_server_without_lanes");
}
