//! Tests of memory bounds: handlers with a large or endless fan-out, and threads that send beside them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tempest::{Handler, NodeId, Thread};
use tradewind_native::Local;
use units::Bytes;

use crate::POLICIES;
use crate::kit::{KEYS, NOSYNC, Note, Play, Stage};

/// Kind of a note: a request, whose `a` is the number of replies that it starts.
const REQUEST: u64 = 1;
const REPLY: u64 = 2;

/// Time limit that is longer than any of these runs takes on a busy host.
const PROMPTLY: Duration = Duration::from_secs(20);

/// Sends `requests` requests to each node, each of which starts `fan_out` messages.
fn request(stage: &Stage, thread: &Thread<'_>, requests: u64, fan_out: u64) {
    for number in 0..requests {
        for to in (0..thread.nodes()).map(NodeId) {
            stage.tally.sent.fetch_add(1 + fan_out, Ordering::Relaxed);
            thread.send(to, Stage::note(number % KEYS, REQUEST, fan_out, 0));
        }
    }
}

/// Answers a request to all nodes in turn.
fn reply(stage: &Stage, note: Note, cx: &mut Handler<'_>) {
    stage.tally.handled.fetch_add(1, Ordering::Relaxed);
    if note.kind == REQUEST {
        for number in 0..note.a {
            let to = NodeId(number as u32 % cx.nodes());
            cx.send(to, Stage::note(NOSYNC, REPLY, 0, 0));
        }
    }
}

/// All messages that the requests start would take more than three times the available memory.
#[test]
fn a_fan_out_larger_than_rings_needs_little_memory() {
    for policy in POLICIES {
        let world = Local::with_depths(64, 4096).with_outboxes(Bytes::new(8 << 20));
        let play =
            Play::new(policy, 4, 3, 1).world(world).handle(|stage, note, _, cx| reply(stage, note, cx));
        play.main(|stage, thread| {
            if thread.index() == 0 {
                request(stage, thread, 120, 400);
            }
        })
        .run()
        .within(PROMPTLY)
        .well();
    }
}

/// A single handler of each node fills more than the reserve of its node.
#[test]
fn a_fan_out_larger_than_the_reserve_runs() {
    for policy in ["single", "fixed:1", "fixed:2", "floating", "floating+keyed"] {
        let world = Local::new();
        let play =
            Play::new(policy, 2, 3, 1).world(world).handle(|stage, note, _, cx| reply(stage, note, cx));
        play.main(|stage, thread| {
            if thread.index() == 0 {
                request(stage, thread, 16, 100_000);
            }
        })
        .run()
        .within(PROMPTLY)
        .well();
    }
}

/// Handlers begin to send many messages after a long time without any.
#[test]
fn a_fan_out_that_comes_late_runs() {
    for policy in ["single", "fixed:1", "fixed:2", "floating", "floating+keyed"] {
        let play = Play::new(policy, 2, 3, 1).handle(|stage, note, _, cx| reply(stage, note, cx));
        play.main(|stage, thread| {
            if thread.index() == 0 {
                request(stage, thread, 10_000, 0);
                request(stage, thread, 1_000, 300);
            }
        })
        .run()
        .within(PROMPTLY)
        .well();
    }
}

/// Sets its flag when it is dropped.
struct Unwound(Arc<AtomicBool>);

impl Drop for Unwound {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn little() -> Local {
    Local::new().with_outboxes(Bytes::new(1 << 20))
}

/// The handler runs out of memory and is unwound; after the run it takes no more either.
#[test]
fn a_handler_that_sends_for_ever_is_stopped() {
    for policy in POLICIES {
        for to in 0..2 {
            let is_unwound = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&is_unwound);
            let play = Play::new(policy, 2, 3, 1).world(little()).main(|_, thread| {
                if (thread.node().0, thread.index()) == (0, 0) {
                    thread.send(NodeId(0), Stage::note(1, REQUEST, 0, 0));
                }
            });
            let play = play.handle(move |_, note, _, cx| {
                if note.kind == REQUEST {
                    let _guard = Unwound(Arc::clone(&is_unwound));
                    loop {
                        cx.send(NodeId(to), Stage::note(1, REPLY, 0, 0));
                    }
                }
            });
            let ended = play.run().within(PROMPTLY);
            ended.fails_with("outboxes are full (1 MiB; node 0 holds ");
            ended.fails_with(
                "KiB of it from the handler of hostile::kit::stage::Note on node 0): handlers send",
            );
            assert!(seen.load(Ordering::Relaxed), "{policy}: the handler goes on");
        }
    }
}

#[test]
fn a_hold_that_sends_for_ever_is_stopped() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 1).world(little()).main(|_, thread| {
            if (thread.node().0, thread.index()) == (0, 0) {
                thread.hold(tempest::Key::User(1), |cx| {
                    loop {
                        cx.send(NodeId(0), Stage::note(1, REPLY, 0, 0));
                    }
                });
            }
        });
        play.run().within(PROMPTLY).fails_with("of it from node 0 thread 0): handlers send faster");
    }
}

/// A handler that catches every panic cannot be unwound. But its sends take no memory.
#[test]
fn a_handler_that_catches_its_own_end_takes_no_memory() {
    let caught = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&caught);
    let play = Play::new("single", 2, 1, 1).world(little()).main(|_, thread| {
        if thread.node() == NodeId(0) {
            thread.send(NodeId(0), Stage::note(1, REQUEST, 0, 0));
        }
    });
    let play = play.handle(move |_, note, _, cx| {
        while note.kind == REQUEST && caught.load(Ordering::Relaxed) < 1_000_000 {
            let send = || cx.send(NodeId(0), Stage::note(1, REPLY, 0, 0));
            caught.fetch_add(catch_unwind(AssertUnwindSafe(send)).is_err().into(), Ordering::Relaxed);
        }
    });
    play.run().within(PROMPTLY).fails_with("outboxes are full (1 MiB; node 0");
    assert!(counted.load(Ordering::Relaxed) > 0, "it was told");
}

/// Two thousand messages bounce between handlers each way, more than rings hold, until every thread has finished its sends.
#[test]
fn threads_send_beside_handlers_that_never_cease() {
    for policy in POLICIES {
        for (slots, window) in [(2, 3), (16, 16), (256, 4096)] {
            let left = Arc::new(AtomicU64::new(2));
            let threads_left = Arc::clone(&left);
            let play = Play::new(policy, 2, 3, 1).world(Local::with_depths(slots, window));
            let play = play.handle(move |_, note, _, cx| {
                if note.kind == REPLY && left.load(Ordering::Relaxed) > 0 {
                    let back = cx.source();
                    cx.send(back, note);
                }
            });
            let play = play.main(move |_, thread| {
                if thread.index() > 0 {
                    return;
                }
                let other = NodeId(1 - thread.node().0);
                thread.hold(tempest::Key::NoSync, |cx| {
                    (0..2_000).for_each(|_| cx.send(other, Stage::note(NOSYNC, REPLY, 0, 0)));
                });
                (0..200).for_each(|_| thread.send(other, Stage::note(NOSYNC, REQUEST, 0, 0)));
                threads_left.fetch_sub(1, Ordering::Relaxed);
            });
            play.run().within(PROMPTLY).well();
        }
    }
}

/// Five nodes send one message more than its servers handle: its dispatch queue takes in no more than it has room for, and all arrive.
#[test]
fn a_node_receives_no_more_than_its_queue_holds() {
    for policy in ["fixed:2", "fixed:2+interrupt", "floating+keyed", "hurricane-1:2", "partitioned:2"] {
        let play = Play::new(policy, 6, 3, 1).main(|stage, thread| {
            if thread.node().0 > 0 && thread.index() == 0 {
                thread.hold(tempest::Key::NoSync, |cx| {
                    for number in 0..30_000 {
                        stage.tally.sent.fetch_add(1, Ordering::Relaxed);
                        cx.send(NodeId(0), Stage::note(number % KEYS, REPLY, 0, 0));
                    }
                });
            }
        });
        let play = play.handle(|stage, _, _, _| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(2) {}
            stage.tally.handled.fetch_add(1, Ordering::Relaxed);
        });
        play.run().within(PROMPTLY).well();
    }
}
