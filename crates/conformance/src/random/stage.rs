//! A world's run of a random program: its messages, its threads, and their assertions while they run.
//!
//! Every event counts itself in and out, so that a key that is not exclusive is noticed; every message is numbered by
//! thread, destination and key, so that a message out of order is noticed; every payload and every transferred word is
//! compared. The counts of each node are compared with the oracle's at the end. This module must never know how a
//! program is drawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};
use tempest::data::Clocked;
use tempest::message::Space;
use tempest::{
    Block, Cells, Event, FinalState, Handler, Key, Keyed, MAX_WORDS, NodeId, Operations, Protocol, Report,
    Segment, Setup, Shape, Thread, Waiter, handlers,
};

use super::oracle::Counts;
use super::script::{
    Act, DEPOSITED, DEPOSITS, EVENTS, KEYS, Kind, MAX_TRANSFER, NO_SYNC, Rule, SEQUENTIAL, SLOTS, Script,
    Sending, panic_words,
};

/// The `sender` of messages of handlers, which are not numbered.
const NOBODY: u32 = u32::MAX;

/// The slot of a message that a guard sends while its thread unwinds: it does nothing where it arrives.
pub(super) const STRAY: u32 = u32::MAX;

/// A program with its required result, if it ends well.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) script: Script,
    pub(super) expected: Option<Vec<Counts>>,
    /// The body of every thread.
    pub(super) body: fn(&Stage, &Thread<'_>),
}

/// A play, as a configuration: equal if it is the same one.
#[derive(Clone, Debug)]
pub(super) struct Shared(pub(super) Arc<Play>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The protocol that the program installs. It has all of the node's state but the program's own table.
pub(super) struct Other {
    pub(super) play: Arc<Play>,
    shape: Shape,
    node: NodeId,
    pub(super) space: Space,
    events: Vec<Event>,
    pub(super) deposits: Segment<u64>,
    /// By thread of the world: room for a transfer.
    pub(super) places: Segment<u64>,
    /// Events of the protocol's keys.
    table: Keyed<u64>,
    /// By slot: events that are under way.
    inside: Box<[AtomicU64]>,
    /// By slot, except slots with an entry in a table: the number of events.
    visits: Cells<u64>,
    /// By thread of the world and slot: the number of the last message that came.
    last: Cells<u64>,
}

/// The program.
pub(super) struct Stage {
    pub(super) other: Arc<Other>,
    /// The space of the program's keys.
    space: Space,
    /// Events of the program's keys.
    table: Keyed<u64>,
}

/// An event that is under way.
struct Inside<'a> {
    count: &'a AtomicU64,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Relaxed);
    }
}

/// Label that every message of a program carries.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Label {
    pub(super) kind: u16,
    /// Words that its thread has transferred just before.
    pub(super) words: u16,
    pub(super) slot: u32,
    /// The thread of the world, or `NOBODY`.
    pub(super) sender: u32,
    /// The number of the message within its thread, destination and key, from 1.
    pub(super) number: u32,
}

/// Word number `at` of the payload of a message.
pub(super) fn payload_word(kind: u16, slot: u32, at: usize) -> u64 {
    (u64::from(kind) << 32 | u64::from(slot)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(at as u32)
}

/// The word that a thread of the world transfers, again and again.
pub(super) fn transfer_word(sender: u32) -> u64 {
    !u64::from(sender)
}

impl Protocol for Other {
    type Config = Shared;

    fn install(Shared(play): &Shared, setup: &mut Setup<'_>) -> Self {
        let (shape, slots) = (setup.shape(), SLOTS);
        let threads = (shape.nodes * shape.threads) as usize;
        Self {
            play: Arc::clone(play),
            shape,
            node: setup.node(),
            space: setup.space(),
            events: EVENTS.iter().map(|name| Event::new(*name)).collect(),
            deposits: setup.segment(DEPOSITS, threads + MAX_WORDS, 0),
            places: setup.segment("random.places", threads * MAX_TRANSFER as usize, 0),
            table: setup.keyed(KEYS, |_| 0),
            inside: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            visits: Cells::new(slots, 0),
            last: Cells::new(threads * slots, 0),
        }
    }
}

impl Protocol for Stage {
    type Config = Shared;

    fn install(shared: &Shared, setup: &mut Setup<'_>) -> Self {
        let (space, table) = (setup.space(), setup.keyed(KEYS, |_| 0));
        Self { other: setup.install::<Other>(shared), space, table }
    }
}

impl Other {
    /// An event under `key`: counts it, and carries out `acts`.
    pub(super) fn visit(
        &self,
        slot: usize,
        key: Key,
        work: u32,
        cx: &mut Handler<'_>,
        mut body: impl FnMut(&mut Handler<'_>),
    ) {
        assert_eq!(cx.key(), key, "an event holds another key than it stated");
        let (others, _inside) = self.enter(slot);
        assert!(slot == NO_SYNC || others == 0, "{others} others under {key} were met");
        self.expect_company(slot);
        pause(work, |operations| cx.charge(operations));
        body(cx);
        self.expect_company(slot);
    }

    /// Counts an event in, and out when the returned guard is dropped, also by a panic. Returns the number of events
    /// inside before, too.
    fn enter(&self, slot: usize) -> (u64, Inside<'_>) {
        let count = &self.inside[slot];
        (count.fetch_add(1, Relaxed), Inside { count })
    }

    /// Asserts that no event is inside that this event excludes.
    fn expect_company(&self, slot: usize) {
        let met: u64 = match slot {
            SEQUENTIAL => self.inside.iter().map(|count| count.load(Relaxed)).sum::<u64>() - 1,
            _ => self.inside[SEQUENTIAL].load(Relaxed),
        };
        assert_eq!(met, 0, "events that a sequential one met, or that met one");
    }

    /// Counts an event that has no entry in a table. Only events without a key may overlap.
    fn count_visit(&self, slot: usize, on: &impl Clocked) {
        if slot == NO_SYNC {
            self.visits.add(on, slot, 1);
        } else {
            self.visits.set(on, slot, self.visits.get(on, slot) + 1);
        }
    }

    /// The event with that number.
    pub(super) fn event(&self, number: usize) -> &Event {
        if number == DEPOSITED { self.deposits.deposited() } else { &self.events[number] }
    }

    fn kind(&self, number: u16) -> &Kind {
        &self.play.script.kinds[usize::from(number)]
    }

    /// Asserts that a message brings the sent words, and in order.
    fn inspect(&self, label: Label, payload: &[u64], cx: &Handler<'_>) {
        let Label { kind, words, slot, sender, number } = label;
        let length = if words == 0 { self.kind(kind).payload } else { 0 };
        let right = payload.iter().enumerate().all(|(at, word)| *word == payload_word(kind, slot, at));
        assert!(right && payload.len() == length, "the payload of a message of kind {kind}: {payload:x?}");
        if sender == NOBODY {
            return;
        }
        let place = (sender * MAX_TRANSFER) as usize;
        let in_place = (place..place + usize::from(words))
            .all(|at| self.places.cells().get(cx, at) == transfer_word(sender));
        assert!(in_place, "a message of thread {sender} came before the {words} words that precede it");
        if slot as usize != NO_SYNC {
            let at = sender as usize * SLOTS + slot as usize;
            let before = self.last.get(cx, at);
            assert_eq!(before + 1, number.into(), "the number of a message of thread {sender}, slot {slot}");
            self.last.set(cx, at, number.into());
        }
    }

    pub(super) fn act(&self, acts: &[Act], cx: &mut Handler<'_>) {
        for act in acts {
            match act {
                Act::Send(sending) => {
                    let (here, source) = (cx.node(), cx.source());
                    self.each(here, source, sending, |to, label, payload| match rule_of(label.slot) {
                        Rule::Other => cx.send_with(to, Self::foreign(label), payload),
                        _ => cx.send_with(to, Stage::note(label), payload),
                    });
                }
                Act::Signal { event, amount } => cx.signal(&self.events[*event], *amount),
                Act::Panic(number) => panic!("{}", panic_words(*number)),
            }
        }
    }

    /// Calls `send` for each message of `sending`; the labels name no sender.
    pub(super) fn each(
        &self,
        here: NodeId,
        source: NodeId,
        sending: &Sending,
        mut send: impl FnMut(NodeId, Label, &[u64]),
    ) {
        let &Sending { kind, to, times } = sending;
        let (kind, description) = (kind as u16, &self.play.script.kinds[kind]);
        for key in (0..description.keys).cycle().take(times as usize) {
            let slot = description.rule.slot(key) as u32;
            let payload: Vec<_> = (0..description.payload).map(|at| payload_word(kind, slot, at)).collect();
            for to in to.nodes(here, source, self.shape.nodes) {
                send(to, Label { kind, words: 0, slot, sender: NOBODY, number: 0 }, &payload);
            }
        }
    }

    /// Differences from the expected counts on this node in the end. `own` and `other` are the entries of the two
    /// tables.
    fn differences(
        &self,
        end: &FinalState<'_>,
        expected: &Counts,
        own: &[u64],
        other: &[u64],
    ) -> Vec<String> {
        let counted = (0..SLOTS).map(|slot| match Rule::of_slot(slot) {
            (Rule::Own, key) => own[key as usize],
            (Rule::Other, key) => other[key as usize],
            _ => self.visits.get(end, slot),
        });
        let visits =
            (0..SLOTS).zip(counted).zip(&expected.visits).filter(|((_, counted), due)| counted != *due);
        let visits = visits.map(|((slot, counted), due)| {
            let (rule, key) = Rule::of_slot(slot);
            format!("{}: {counted} events of {rule:?} {key}: expected {due}", self.node)
        });
        let events = self.events.iter().chain([self.deposits.deposited()]).zip(&expected.events);
        let events = events.filter(|(event, due)| event.count(end) != **due).map(|(event, due)| {
            format!("{}: event `{}` at {}: expected {due}", self.node, event.name(), event.count(end))
        });
        visits.chain(events).collect()
    }
}

pub(super) fn rule_of(slot: u32) -> Rule {
    Rule::of_slot(slot as usize).0
}

/// Takes some time, on a host and in a model.
pub(super) fn pause(work: u32, charge: impl FnOnce(Operations)) {
    if work > 0 {
        charge(Operations::NONE.integers(work));
        (0..work).for_each(|_| std::hint::spin_loop());
    }
}

impl Label {
    /// The key of the message, which is all its receiver may go by. Numbers belong to the message's protocol.
    fn key(self) -> Key {
        if self.slot == STRAY {
            return Key::NoSync;
        }
        let (rule, key) = Rule::of_slot(self.slot as usize);
        match rule {
            Rule::Own | Rule::Other => Key::User(key.into()),
            Rule::Block => Key::Block(Block(key)),
            Rule::NoSync => Key::NoSync,
            Rule::Sequential => Key::Sequential,
        }
    }
}

#[handlers]
impl Other {
    /// A message of the installed protocol's keys.
    #[message(key = label.key())]
    pub(super) fn foreign(&self, label: Label, payload: &[u64], cx: &mut Handler<'_>) {
        self.inspect(label, payload, cx);
        let (_, key) = Rule::of_slot(label.slot as usize);
        let Kind { work, acts, .. } = self.kind(label.kind);
        self.visit(label.slot as usize, self.space.key(key.into()), *work, cx, |cx| {
            self.count(cx);
            self.act(acts, cx);
        });
    }

    /// Has this node resume a thread of the node that asks.
    #[message]
    pub(super) fn ask(&self, waiter: Waiter, cx: &mut Handler<'_>) {
        let source = cx.source();
        cx.send(source, Self::answer(waiter));
    }

    #[message]
    fn answer(&self, waiter: Waiter, cx: &mut Handler<'_>) {
        assert!(cx.resume(waiter), "a thread that asked waits for its answer");
    }
}

#[handlers]
impl Stage {
    /// A message of the program.
    #[message(key = label.key())]
    pub(super) fn note(&self, label: Label, payload: &[u64], cx: &mut Handler<'_>) {
        if label.slot == STRAY {
            return;
        }
        self.other.inspect(label, payload, cx);
        let Kind { work, acts, .. } = self.other.kind(label.kind);
        self.visit(label.slot as usize, *work, acts, cx);
    }

    fn main(&self, thread: &Thread<'_>) {
        (self.other.play.body)(self, thread);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Some(expected) = &self.other.play.expected else {
            return Report::checked(false, || "a program that cannot end well ended well".to_owned());
        };
        let own: Vec<_> = end.entries(&self.table).map(|(_, count)| *count).collect();
        let other: Vec<_> = end.entries(&self.other.table).map(|(_, count)| *count).collect();
        let failures = self.other.differences(end, &expected[self.other.node.0 as usize], &own, &other);
        Report { checks: 1, failures, ..Report::default() }
    }
}

impl Other {
    /// Counts an event of the protocol's keys.
    fn count(&self, cx: &mut Handler<'_>) {
        cx.with(&self.table, |count, _| *count += 1);
    }
}

impl Stage {
    /// An event of the program, or a hold: counts itself, and carries out `acts`.
    pub(super) fn visit(&self, slot: usize, work: u32, acts: &[Act], cx: &mut Handler<'_>) {
        let (rule, key) = Rule::of_slot(slot);
        let stated = match rule {
            Rule::Own => self.space.key(key.into()),
            _ => rule.key(key, self.other.space),
        };
        self.other.visit(slot, stated, work, cx, |cx| {
            match rule {
                Rule::Own => cx.with(&self.table, |count, _| *count += 1),
                Rule::Other => self.other.count(cx),
                _ => self.other.count_visit(slot, cx),
            }
            self.other.act(acts, cx);
        });
    }
}
