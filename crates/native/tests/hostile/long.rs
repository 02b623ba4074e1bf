//! Tests of handlers and holds that go on until a message of another key has been handled, on nodes with an idle server: the run ends,
//! whichever handler comes first, and whatever was brief before.
//!
//! A handler that waits like that relies on the other server, which no program may. It shows that a long handler delays only its own key.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tempest::{Handler, Key, NodeId, Thread};

use crate::kit::{Note, Play, Stage};

/// Policies under which two servers or more take the messages of a node by key.
const KEYED: &[&str] = &[
    "fixed:2",
    "fixed:2+interrupt",
    "hurricane-1:2",
    "floating+keyed",
    "floating+keyed+helper=5us",
    "adaptive",
    "adaptive+helper",
];

/// Time after which a handler counts as not helped.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longer than a brief handler, and shorter than a handler that another server waits for.
const SOME: Duration = Duration::from_nanos(700);

/// Kinds of messages.
const BRIEF: u64 = 0;
const SLOW: u64 = 1;
/// Kind of a message whose handler goes on until as many [`RELEASE`] messages as its `a` says have been handled.
const HELD: u64 = 2;
const RELEASE: u64 = 3;
/// Kind of a message that tells node 0 of the end of a handler of the two.
const ANSWER: u64 = 4;

const HELD_KEY: u64 = 1;

/// Keys of [`RELEASE`] messages, in turn, and the first key of others.
const RELEASE_KEYS: std::ops::Range<u64> = 2..20;
const OTHERS: u64 = 20;

/// Waits until `until` [`RELEASE`] messages have been handled (`Tally::handled`). A wait in vain counts in `Tally::wrong`.
fn wait_for_release(stage: &Stage, until: u64) {
    let start = Instant::now();
    while stage.tally.handled.load(Ordering::Acquire) < until {
        if start.elapsed() > PATIENCE {
            stage.tally.wrong.fetch_add(1, Ordering::Relaxed);
            return;
        }
        std::hint::spin_loop();
    }
}

fn handle(stage: &Stage, note: Note, _: &[u64], cx: &mut Handler<'_>) {
    match note.kind {
        BRIEF => return,
        SLOW => return spin(SOME),
        ANSWER => return cx.signal(&stage.event, 1),
        HELD => wait_for_release(stage, note.a),
        _ => _ = stage.tally.handled.fetch_add(1, Ordering::Release),
    }
    let back = cx.source();
    cx.send(back, Stage::note(OTHERS, ANSWER, 0, 0));
}

fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// The arrival of the messages of a round.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Kind and number of the messages before the two, each of a key of its own.
    before: (u64, u64),
    /// Time between the two.
    pause: Duration,
    /// Time before the round: long enough for idle processors to fall asleep, or none.
    silence: Duration,
}

const NONE: Duration = Duration::ZERO;
const SHORT: Duration = Duration::from_micros(100);
const LONG: Duration = Duration::from_millis(2);

/// All arrivals, the first with no message before it.
fn rounds() -> Vec<Round> {
    let pauses = [(NONE, LONG), (SHORT, LONG), (LONG, LONG), (NONE, NONE), (SHORT, NONE)];
    let before = [(BRIEF, 0), (BRIEF, 1), (BRIEF, 7), (BRIEF, 40), (SLOW, 1), (SLOW, 20)];
    let of = |before| pauses.map(|(pause, silence)| Round { before, pause, silence });
    before.into_iter().flat_map(of).collect()
}

/// The first thread of node 0 sends `rounds` to the last node, one after the other.
fn ask(stage: &Stage, thread: &Thread<'_>, rounds: &[Round]) {
    if thread.node() != NodeId(0) || thread.index() != 0 {
        return;
    }
    let to = NodeId(thread.nodes() - 1);
    for (round, number) in rounds.iter().zip(1..) {
        std::thread::sleep(round.silence);
        let (kind, count) = round.before;
        (0..count).for_each(|at| thread.send(to, Stage::note(OTHERS + 1 + at, kind, 0, 0)));
        stage.tally.sent.fetch_add(1, Ordering::Relaxed);
        thread.send(to, Stage::note(HELD_KEY, HELD, number, 0));
        std::thread::sleep(round.pause);
        let key = RELEASE_KEYS.start + number % (RELEASE_KEYS.end - RELEASE_KEYS.start);
        thread.send(to, Stage::note(key, RELEASE, 0, 0));
        thread.wait(&stage.event, 2 * number);
    }
}

/// Runs under every policy, in worlds with a core for each processor on a host of four or two, and in a world without.
fn all_policies(all: &[Round]) {
    for policy in KEYED {
        let processors = if policy.contains(":2") { 3 } else { 2 };
        for (nodes, processors) in [(1, processors), (2, 2), (2, 3)] {
            if processors > 2 || !policy.contains(":2") {
                let all = all.to_vec();
                let play = Play::new(policy, nodes, processors, 1);
                play.main(move |stage, thread| ask(stage, thread, &all)).handle(handle).run().well();
            }
        }
    }
}

#[test]
fn a_long_handler_keeps_no_message_of_another_key_waiting() {
    all_policies(&rounds());
}

#[test]
fn nor_does_it_when_it_comes_first() {
    rounds().chunks(5).for_each(|some| all_policies(&some[..1]));
}

/// Handlers whose messages are received together with the long handler's, before and after it, at every place in a batch.
#[test]
fn a_long_handler_may_be_the_last_of_a_batch() {
    /// Maximum time of a handler that counts as brief among brief ones: enough for a sender to send all the others.
    const GATHER: Duration = Duration::from_micros(3);
    const AFTER: u64 = 200;
    for policy in ["floating+keyed", "adaptive"] {
        let play = Play::new(policy, 2, 2, 1).main(|stage, thread| {
            if thread.node() != NodeId(0) || thread.index() != 0 {
                return;
            }
            for number in 1..=400 {
                let brief = |from, count| {
                    (0..count).for_each(|at| {
                        thread.send(NodeId(1), Stage::note(OTHERS + 2 + from + at, BRIEF, 0, 0))
                    });
                };
                thread.send(NodeId(1), Stage::note(OTHERS + 1, SLOW, 0, 0));
                brief(0, 8 + number % 64);
                stage.tally.sent.fetch_add(1, Ordering::Relaxed);
                thread.send(NodeId(1), Stage::note(HELD_KEY, HELD, number, 0));
                thread.send(NodeId(1), Stage::note(RELEASE_KEYS.start, RELEASE, 0, 0));
                brief(100, AFTER);
                thread.wait(&stage.event, 2 * number);
            }
        });
        let slow = |stage: &Stage, note: Note, words: &[u64], cx: &mut Handler<'_>| match note.kind {
            SLOW => spin(GATHER),
            _ => handle(stage, note, words, cx),
        };
        play.handle(slow).run().well();
    }
}

/// The first thread of the last node holds a key until a message of another key has been handled there.
#[test]
fn a_long_hold_keeps_no_message_waiting() {
    const HOLDS: u64 = 20;
    for policy in ["floating+keyed", "adaptive", "floating+keyed+helper=5us"] {
        let held = std::sync::Arc::new(AtomicU64::new(0));
        let play = Play::new(policy, 2, 2, 1).main(move |stage, thread| {
            let last = thread.node().0 + 1 == thread.nodes();
            for number in 1..=HOLDS {
                if last && thread.index() == 0 {
                    stage.tally.sent.fetch_add(1, Ordering::Relaxed);
                    thread.hold(Key::User(HELD_KEY), |_| {
                        held.fetch_max(number, Ordering::Relaxed);
                        wait_for_release(stage, number);
                    });
                } else if thread.node() == NodeId(0) && thread.index() == 0 {
                    while held.load(Ordering::Relaxed) < number {
                        std::thread::yield_now();
                    }
                    thread.send(NodeId(thread.nodes() - 1), Stage::note(RELEASE_KEYS.start, RELEASE, 0, 0));
                }
            }
        });
        let play = play.handle(|stage, note, _, _| {
            stage.tally.handled.fetch_add(u64::from(note.kind == RELEASE), Ordering::Release);
        });
        play.run().well();
    }
}

/// Each handler but the last goes on until the next one has run, so all servers run handlers at once.
#[test]
fn every_server_of_a_node_is_at_a_handler_of_its_own() {
    const SERVERS: u64 = 3;
    for policy in ["fixed:3", "hurricane-1:3", "floating+keyed", "adaptive"] {
        for pause in [NONE, SHORT, LONG] {
            let play = Play::new(policy, 2, 4, 1).main(move |stage, thread| {
                if thread.node() != NodeId(0) || thread.index() != 0 {
                    return;
                }
                stage.tally.sent.fetch_add(SERVERS, Ordering::Relaxed);
                for key in 1..=SERVERS {
                    // The last handler waits for no other, the one before for the last, and so on.
                    thread.send(NodeId(1), Stage::note(key, HELD, SERVERS - key, 0));
                    std::thread::sleep(pause);
                }
            });
            let play = play.handle(|stage, note, _, _| {
                wait_for_release(stage, note.a);
                stage.tally.handled.fetch_add(1, Ordering::Release);
            });
            play.run().well();
        }
    }
}
