//! The program on one node. This module must never know the use of its measurements.

use std::sync::Arc;

use rand::SeedableRng;
use rand_pcg::Pcg64;
use tempest::entry::stream_seed;
use tempest::{
    Cells, Event, FinalState, Handler, Key, Merge, NodeId, Operations, Protocol, Report, Setup, Thread,
    handlers,
};

use super::found::Found;
use super::item::{Item, Kind, Tag};
use super::memory::Memory;
use super::postponed::Postponed;
use super::record::Records;
use super::sender::{Messages, compute, operation, stay};
use super::study::{SERVER, Study, Synchronization};
use crate::kit::arrivals::{Arrivals, Times};

/// The state of the program on one node.
pub(super) struct Dispatch {
    study: Arc<Study>,
    node: NodeId,
    memory: Memory,
    records: Records,
    postponed: Postponed,
    /// The number of messages that have been handled.
    handled: Cells<u64>,
    /// Raised when all messages have been handled.
    done: Event,
    /// The number of answers that each thread has had.
    answered: Box<[Event]>,
    /// The time that each thread took to send its messages, in femtoseconds.
    sending: Cells<u64>,
}

impl Protocol for Dispatch {
    type Config = Arc<Study>;

    fn install(study: &Arc<Study>, setup: &mut Setup<'_>) -> Self {
        let node = setup.node();
        let here = |count| if node == SERVER { count } else { 0 };
        Self {
            study: Arc::clone(study),
            node,
            memory: Memory::new(setup, here(study.asked.keys)),
            records: Records::new(here(study.asked.messages)),
            postponed: Postponed::new(here(study.asked.keys), here(study.threads)),
            handled: Cells::new(1, 0),
            done: Event::new("dispatch.done"),
            answered: (0..study.threads).map(|_| Event::new("dispatch.answered")).collect(),
            sending: Cells::new(study.threads as usize, 0),
        }
    }
}

fn now(cx: &Handler<'_>) -> u64 {
    cx.now().as_femtoseconds()
}

#[handlers]
impl Dispatch {
    /// A message. The dispatch queue excludes by the message's key, and the handler excludes the rest.
    #[message(key = Tag(tag).key())]
    fn request(&self, tag: u64, made: u64, number: u32, length: u32, cx: &mut Handler<'_>) {
        let item = Item { tag: Tag(tag), made, number, length };
        let began = now(cx);
        self.records.begin(cx, &item, began);
        let by_itself = item.tag.is_by_itself();
        match self.study.asked.synchronization {
            Synchronization::Lock if by_itself => {
                self.memory.lock(item.tag, cx);
                self.work(&item, cx);
                self.memory.free_lock(item.tag, cx);
            }
            Synchronization::Thread if by_itself => {
                // The state beside the lock decides; the access to the lock is the cost of that.
                self.memory.set_lock(item.tag, cx);
                if !self.postponed.take(&item) {
                    self.memory.leave(&item, cx);
                    return self.records.postpone(cx, &item, now(cx));
                }
                self.work(&item, cx);
                if let Some(next) = self.give_lock_back(item.tag, cx) {
                    cx.signal(self.postponed.leave(next), 1);
                }
            }
            _ => self.work(&item, cx),
        }
        self.finish(&item, began, cx);
    }

    /// Answers a message of a thread.
    #[message]
    fn answer(&self, thread: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.answered[thread as usize], 1);
    }

    /// Does the work of a message: adds to its word.
    fn work(&self, item: &Item, cx: &mut Handler<'_>) {
        self.records.enter(cx, item, now(cx));
        let value = self.memory.load(item.tag, cx);
        compute(item.length);
        cx.charge(Operations::NONE.integers(item.length));
        if item.tag.kind() != Kind::NoSync {
            self.memory.store(item.tag, value + 1, cx);
        }
        self.records.end(cx, item, now(cx));
    }

    /// Gives the lock of a key back, or to the message that has waited longest for it, which it returns.
    fn give_lock_back(&self, tag: Tag, cx: &mut Handler<'_>) -> Option<Item> {
        self.memory.free_lock(tag, cx);
        self.postponed.give_back(tag)
    }

    /// Ends a message with which a processor was busy since `since`.
    fn finish(&self, item: &Item, since: u64, cx: &mut Handler<'_>) {
        self.records.leave(cx, item, since, now(cx));
        if self.study.asked.arrivals == Arrivals::Closed {
            let (node, thread) = self.study.source(item.number);
            cx.send(node, Self::answer(thread));
        }
        if self.handled.add(cx, 0, 1) + 1 == u64::from(self.study.asked.messages) {
            self.postponed.all_given().for_each(|given| cx.signal(given, 1));
            cx.signal(&self.done, 1);
        }
    }

    /// Does the work of messages that were left to this thread, each time up to the last message that waits for the
    /// lock.
    fn work_for_others(&self, thread: &Thread<'_>) {
        for count in 1.. {
            thread.wait(self.postponed.given(thread.index()), count);
            let Some(mut item) = self.postponed.next(thread.index()) else { return };
            while let Some(next) = thread.hold(Key::NoSync, |cx| self.take_over(&item, cx)) {
                item = next;
            }
            self.postponed.end(thread.index());
        }
    }

    /// Does the work of a message that was left to a thread. Returns the next message that has the lock.
    fn take_over(&self, item: &Item, cx: &mut Handler<'_>) -> Option<Item> {
        let since = now(cx);
        self.memory.fetch(item, cx);
        self.work(item, cx);
        let next = self.give_lock_back(item.tag, cx);
        self.finish(item, since, cx);
        next
    }

    /// Sends the messages of a thread.
    fn send(&self, thread: &Thread<'_>) {
        let (study, sender) = (&*self.study, self.study.sender(self.node, thread.index()));
        let mut random = Pcg64::seed_from_u64(stream_seed(study.seed, sender.into()));
        let mut messages = Messages::new(study, &mut random);
        let operation = operation(thread);
        thread.phase("serve");
        let start = thread.now().as_femtoseconds();
        let mut times = Times::new(study.asked.arrivals, study.apart(operation), messages.random());
        let (answered, window) = (&self.answered[thread.index() as usize], study.asked.window.into());
        for (sent, number) in (1_u64..).zip(study.numbers(sender)) {
            let made = if study.asked.arrivals == Arrivals::Closed {
                thread.wait(answered, sent.saturating_sub(window));
                thread.now().as_femtoseconds()
            } else {
                let due = start as f64 + times.next(messages.random());
                stay(thread, operation, due);
                due as u64
            };
            let Item { tag, made, number, length } = messages.make(number, made);
            thread.send(SERVER, Self::request(tag.0, made, number, length));
        }
        self.sending.set(thread, thread.index() as usize, thread.now().as_femtoseconds() - start);
    }

    fn main(&self, thread: &Thread<'_>) {
        if self.node != SERVER {
            self.send(thread);
        } else {
            thread.phase("serve");
            if self.study.asked.synchronization == Synchronization::Thread {
                self.work_for_others(thread);
            }
            thread.wait(&self.done, 1);
        }
        thread.phase("check");
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        if self.node != SERVER {
            let slowest =
                (0..self.sending.len()).map(|thread| self.sending.get(end, thread)).max().unwrap_or(0);
            return Report::default().measured("sending", slowest as f64 / 1e9, "us", Merge::Max);
        }
        let all = self.records.all(end);
        let found = Found::of(&all, self.memory.accesses(end));
        found.report(self.study.asked.synchronization, |key| self.memory.last(end, key as u32))
    }
}
