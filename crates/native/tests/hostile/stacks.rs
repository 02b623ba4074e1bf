//! Tests of programs that need more stack than there is, or all of the promised stack.
//!
//! `conformance` tests the promised stack of a handler in every world (`handlers_have_their_stack`).

use std::hint::black_box;

use tempest::NodeId;

use crate::POLICIES;
use crate::kit::alone::{Death, alone};
use crate::kit::{Play, Stage};

/// Uses up the stack a little at a time.
fn dig(depth: u64) -> u64 {
    let frame = [depth; 16];
    if depth == u64::MAX { 0 } else { dig(depth + 1) + black_box(&frame)[5] }
}

fn assert_told(death: &Death, words: &str) {
    let Death { status, said } = death;
    assert!(
        matches!(death.signal(), Some(7 | 11)),
        "expected a death by the fault itself, not {status}: {said}"
    );
    let told = format!("\n{words} has overflowed its stack of 256 KiB: expected ");
    assert!(said.contains(&told), "expected `{words}`, got: {said}");
}

#[test]
fn the_overflow_of_a_thread_names_it() {
    let death = alone("stacks::the_overflow_of_a_thread_names_it", || {
        let play = Play::new("single", 2, 1, 3).main(|_, thread| {
            if thread.node() == NodeId(1) && thread.index() == 2 {
                black_box(dig(0));
            }
        });
        play.run().well();
    });
    assert_told(&death, "node 1 thread 2");
}

/// Lets a handler of node 1 overflow under `policy`, while the threads there poll or wait for it.
fn overflow_in_a_handler(test: &str, policy: &str, polls: bool) {
    let policy = policy.to_owned();
    let death = alone(test, || {
        let play = Play::new(&policy, 2, 2, 1).main(move |stage, thread| {
            if thread.node() == NodeId(0) {
                thread.send(NodeId(1), Stage::note(1, 0, 0, 0));
            } else if polls {
                while stage.event.count(thread) == 0 {
                    thread.poll();
                }
            } else {
                thread.wait(&stage.event, 1);
            }
        });
        let play = play.handle(|stage, _, _, cx| cx.signal(&stage.event, dig(0)));
        play.run().well();
    });
    assert_told(&death, "the handler of hostile::kit::stage::Note on node 1");
}

#[test]
fn the_overflow_of_a_handler_on_an_idle_processor_names_its_message() {
    let test = "stacks::the_overflow_of_a_handler_on_an_idle_processor_names_its_message";
    overflow_in_a_handler(test, "single", false);
}

#[test]
fn the_overflow_of_a_handler_in_a_poll_names_its_message() {
    overflow_in_a_handler("stacks::the_overflow_of_a_handler_in_a_poll_names_its_message", "single", true);
}

#[test]
fn the_overflow_of_a_handler_by_key_names_its_message() {
    overflow_in_a_handler(
        "stacks::the_overflow_of_a_handler_by_key_names_its_message",
        "floating+keyed",
        true,
    );
}

#[test]
fn the_overflow_of_a_handler_on_a_dedicated_processor_names_its_message() {
    let test = "stacks::the_overflow_of_a_handler_on_a_dedicated_processor_names_its_message";
    overflow_in_a_handler(test, "fixed:1", false);
}

#[test]
fn the_overflow_of_a_handler_on_a_helper_names_its_message() {
    let test = "stacks::the_overflow_of_a_handler_on_a_helper_names_its_message";
    let death = alone(test, || {
        let play = Play::new("single+helper=20us", 2, 1, 1).main(|stage, thread| {
            if thread.node() == NodeId(0) {
                thread.send(NodeId(1), Stage::note(1, 0, 0, 0));
            } else {
                // The thread never polls, so the helper serves.
                while stage.event.count(thread) == 0 {
                    std::hint::spin_loop();
                }
            }
        });
        play.handle(|stage, _, _, cx| cx.signal(&stage.event, dig(0))).run().well();
    });
    assert_told(&death, "the handler of hostile::kit::stage::Note on node 1");
}

/// A handler's frame of 400 KB is too large for every stack that a handler may run on, so the place where it runs makes no difference.
fn leap_in_a_handler(test: &str, polls: bool) {
    let death = alone(test, || {
        let play = Play::new("single", 2, 1, 1).main(move |stage, thread| {
            if thread.node() == NodeId(0) {
                thread.send(NodeId(1), Stage::note(1, 0, 0, 0));
            } else {
                while polls && stage.event.count(thread) == 0 {
                    thread.poll();
                }
                thread.wait(&stage.event, 1);
            }
        });
        let play = play.handle(|stage, note, _, cx| {
            let large = [note.key; 50_000];
            cx.signal(&stage.event, black_box(&large)[77]);
        });
        play.run().well();
    });
    assert_told(&death, "the handler of hostile::kit::stage::Note on node 1");
}

#[test]
fn a_frame_beyond_every_stack_is_told_on_an_idle_processor() {
    leap_in_a_handler("stacks::a_frame_beyond_every_stack_is_told_on_an_idle_processor", false);
}

#[test]
fn a_frame_beyond_every_stack_is_told_in_a_poll() {
    leap_in_a_handler("stacks::a_frame_beyond_every_stack_is_told_in_a_poll", true);
}

#[test]
fn a_frame_of_a_hundred_kilobytes_is_fine_in_every_handler() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 2).main(|stage, thread| {
            (0..50).for_each(|key| thread.send(thread.next_node(), Stage::note(key, 0, 0, 0)));
            (0..50).for_each(|_| thread.poll());
            thread.wait(&stage.event, 50);
        });
        let play = play.handle(|stage, note, _, cx| {
            let large = [note.key as u8; 100_000];
            cx.signal(&stage.event, u64::from(black_box(&large)[99] == note.key as u8));
        });
        play.run().well();
    }
}
