//! Tests of floods: every kind of message through rings of every depth, messages without end, a handler that sends a million.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tempest::thread::Busy;
use tempest::{Handler, Key, NodeId, Thread};
use tradewind_native::Local;
use units::Bytes;

use crate::POLICIES;
use crate::kit::{KEYS, NOSYNC, Note, Play, SEQUENTIAL, Stage};

/// Maximum length of a chain of messages.
const GENERATIONS: u64 = 3;

/// Messages of each thread that crosses, and answers to each.
const CROSSING: u64 = 300;
const ANSWERS: u64 = 10;

const MILLION: u64 = 1_000_000;

/// Payload of some messages.
const LUGGAGE: [u64; 3] = [1, 2, 3];

/// Depths of rings and windows; only the last hold the messages of a flood.
const DEPTHS: &[(usize, u64)] = &[(1, 1), (2, 3), (8, 64), (2048, 4096)];

/// A step of a xorshift generator.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn any_key(random: u64) -> u64 {
    match random % 20 {
        0 => NOSYNC,
        1 if random & 0xf000 == 0 => SEQUENTIAL,
        other => other % KEYS,
    }
}

/// Sends `each` messages of all kinds to all nodes, holds now and then, polls now and then.
pub(crate) fn flood(stage: &Stage, thread: &Thread<'_>, each: u64) {
    let mut state =
        0x9E37_79B9_7F4A_7C15 ^ (u64::from(thread.node().0) << 32 | u64::from(thread.index() + 1));
    for number in 0..each {
        let random = next(&mut state);
        let (to, key) = (NodeId((random >> 40) as u32 % thread.nodes()), any_key(random >> 3));
        let note = Stage::note(key, 0, random, GENERATIONS);
        stage.tally.sent.fetch_add(1, Ordering::Relaxed);
        match random % 7 {
            0 => thread.send(to, Stage::empty()),
            1 => thread.send(to, Stage::long(key, std::array::from_fn(|at| random.wrapping_add(at as u64)))),
            2 => {
                if let Err(Busy(back)) = thread.try_send_with(to, note, &LUGGAGE) {
                    thread.send_with(to, back, &LUGGAGE);
                }
            }
            _ => thread.send(to, note),
        }
        if number % 64 == 0 {
            hold(stage, thread, random % KEYS);
        }
        if number % 200 == 0 {
            thread.poll();
        }
    }
}

fn hold(stage: &Stage, thread: &Thread<'_>, key: u64) {
    thread.hold(Key::User(key), |cx| {
        stage.enter(key);
        cx.with(&stage.table, |entry, _| *entry += 1);
        stage.leave(key);
    });
}

/// Handles a message of [`flood`], and starts up to two more.
pub(crate) fn handle(stage: &Stage, note: Note, payload: &[u64], cx: &mut Handler<'_>) {
    stage.enter(note.key);
    if !payload.is_empty() && payload != LUGGAGE {
        stage.tally.wrong.fetch_add(1, Ordering::Relaxed);
    }
    if note.key < KEYS {
        cx.with(&stage.table, |entry, _| *entry += 1);
    }
    if note.b > 0 {
        let mut state = note.a | 1;
        for _ in 0..next(&mut state) % 3 {
            let random = next(&mut state);
            let to = NodeId((random >> 40) as u32 % cx.nodes());
            stage.tally.sent.fetch_add(1, Ordering::Relaxed);
            cx.send(to, Stage::note(any_key(random >> 3), 0, random, note.b - 1));
        }
    }
    stage.leave(note.key);
    stage.tally.handled.fetch_add(1, Ordering::Relaxed);
}

fn floods_under_every_policy(each: u64) {
    for policy in POLICIES {
        for nodes in 1..=3 {
            for &(slots, window) in DEPTHS {
                let play = Play::new(policy, nodes, 3, 2).world(Local::with_depths(slots, window));
                play.main(move |stage, thread| flood(stage, thread, each)).handle(handle).run().well();
            }
        }
    }
}

#[test]
fn everything_at_once_arrives_through_rings_of_every_depth() {
    floods_under_every_policy(60);
}

/// `cargo test --release -p tradewind-native --test hostile -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn everything_at_once_arrives_full_dose() {
    floods_under_every_policy(10_000);
}

/// Every message sends two more, without end.
#[test]
fn messages_that_double_without_end_are_stopped() {
    for policy in POLICIES {
        let start = |_: &Stage, thread: &Thread<'_>| {
            if thread.index() == 0 {
                thread.send(thread.node(), Stage::note(1, 0, 0, 0));
            }
        };
        let world = Local::new().with_outboxes(Bytes::new(1 << 20));
        let play = Play::new(policy, 1, 3, 1).world(world).main(start).handle(|_, note, _, cx| {
            let here = cx.node();
            (0..2).for_each(|_| cx.send(here, note));
        });
        play.run().within(Duration::from_secs(20)).fails_with("outboxes are full (1 MiB; node ");
    }
}

/// Two nodes flood each other through rings of one slot and a window of one message; each message is answered tenfold.
#[test]
fn nodes_that_flood_each_other_through_one_slot_get_through() {
    for policy in POLICIES {
        let play = Play::new(policy, 2, 3, 2).world(Local::with_depths(1, 1)).main(|stage, thread| {
            for number in 0..CROSSING {
                stage.tally.sent.fetch_add(1 + ANSWERS, Ordering::Relaxed);
                thread.send(NodeId(1 - thread.node().0), Stage::note(number % KEYS, 1, 0, 0));
            }
        });
        let play = play.handle(|stage, note, _, cx| {
            stage.tally.handled.fetch_add(1, Ordering::Relaxed);
            if note.kind == 1 {
                let to = cx.source();
                (0..ANSWERS).for_each(|number| cx.send(to, Stage::note(number % KEYS, 2, 0, 0)));
            }
        });
        play.run().well();
    }
}

/// A handler that ends reaches no limit, however many messages it sends.
#[test]
fn a_handler_sends_its_own_node_a_million_messages() {
    for policy in ["single", "fixed:1", "floating", "floating+keyed", "floating+keyed+helper"] {
        let play = Play::new(policy, 1, 2, 1).main(|stage, thread| {
            if thread.index() == 0 {
                stage.tally.sent.fetch_add(MILLION + 1, Ordering::Relaxed);
                thread.send(thread.node(), Stage::note(1, 1, 0, 0));
            }
        });
        let play = play.handle(|stage, note, _, cx| {
            stage.tally.handled.fetch_add(1, Ordering::Relaxed);
            if note.kind == 1 {
                let here = cx.node();
                (0..MILLION).for_each(|number| cx.send(here, Stage::note(number % KEYS, 2, 0, 0)));
            }
        });
        play.run().well();
    }
}

/// Threads that wait in vain are reported exactly, in every run, beside a flood.
#[test]
fn a_deadlock_behind_a_flood_is_exact() {
    for policy in POLICIES {
        for run in 0..10 {
            let world = if run % 2 == 0 { Local::new() } else { Local::with_depths(2, 2) };
            let play = Play::new(policy, 2, 3, 2).world(world).handle(handle).main(|stage, thread| {
                flood(stage, thread, 5);
                if thread.index() == 0 {
                    thread.wait(&stage.event, 1);
                }
            });
            let blocked = play.run().deadlocked();
            let nodes: Vec<_> = blocked.iter().map(|one| (one.thread.node.0, one.thread.index)).collect();
            assert_eq!(nodes, [(0, 0), (1, 0)], "{policy}");
        }
    }
}
