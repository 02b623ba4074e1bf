//! Tests of impossible requests of a program, or of its launcher: every refusal names the request and the possible values.

use std::time::Duration;

use tempest::outcome::Failure;
use tempest::{MAX_WORDS, NodeId, Thread};

use crate::kit::{Play, Stage};

#[test]
fn a_world_of_no_size_is_refused() {
    for (nodes, processors, threads) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
        Play::new("single", nodes, processors, threads).run().refused_with("expected at least 1");
    }
}

#[test]
fn a_world_larger_than_any_host_is_refused() {
    let too_many = [(10_000, 1, 1), (u32::MAX, u32::MAX, u32::MAX), (1, 10_000, 1), (1, 1, 2_000_000)];
    for (nodes, processors, threads) in too_many {
        Play::new("floating", nodes, processors, threads).run().refused_with("more than ");
    }
}

#[test]
fn sends_of_what_cannot_be_sent_fail_with_words() {
    type Send = fn(&Stage, &Thread<'_>);
    let sends: [(Send, &str); 3] = [
        (|_, thread| thread.send_with(NodeId(0), Stage::note(0, 0, 0, 0), &[0; MAX_WORDS]), "at most 14"),
        (|_, thread| thread.send(NodeId(7), Stage::empty()), "there are 2 nodes"),
        (
            |stage, thread| thread.deposit(NodeId(1), stage.segment.place(u32::MAX), &[0; 10]),
            "10 words from node",
        ),
    ];
    for (send, says) in sends {
        Play::new("single", 2, 1, 1).main(send).run().fails_with(says);
    }
}

/// A thread that computes for ever without calling the world is left behind when the limit is reached.
#[test]
fn a_thread_that_never_comes_back_is_left_to_itself() {
    let play = Play::new("single", 2, 1, 1).stall_limit(Duration::from_millis(200));
    let ended = play
        .main(|_, _| {
            loop {
                std::thread::sleep(Duration::from_millis(1))
            }
        })
        .run();
    assert!(matches!(ended.result, Err(Failure::Stalled { .. })), "{}: {:?}", ended.what, ended.result);
}
