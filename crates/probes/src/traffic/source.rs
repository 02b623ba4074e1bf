//! A thread as a source: waits for the time of each message, and sends it. This module must never know the measured
//! quantity.

use std::ops::Range;

use rand::SeedableRng;
use rand_pcg::Pcg64;
use tempest::entry::stream_seed;
use tempest::{Event, Operations, Thread};

use super::study::Study;
use crate::kit::arrivals::Times;

/// Operations by which a thread measures how long one takes.
const SAMPLE: u32 = 1 << 16;

/// The fewest operations between two polls of a thread that waits: a look at the clock, a comparison, a branch.
const LOOK: u32 = 4;

/// The part of the latency of a lone message that a thread computes between two polls, at most.
const PART: f64 = 32.0;

/// The bits of a stamp that are no time: the thread, and whether it asks for an answer.
const LOW: u64 = 0xff;

/// Time at which a message was made, to 256 femtoseconds, and the thread that waits for an answer, if one does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    /// The stamp of a message made at that femtosecond.
    pub(super) fn new(made: u64) -> Self {
        Self(made & !LOW)
    }

    /// The stamp of a message that this thread waits to be answered.
    pub(super) fn asking(made: u64, thread: u32) -> Self {
        Self(made & !LOW | u64::from(thread) << 1 | 1)
    }

    /// The time at which the message was made.
    pub(super) fn made(self) -> u64 {
        self.0 & !LOW
    }

    /// The thread that waits for an answer.
    pub(super) fn asks(self) -> Option<u32> {
        (self.0 & 1 == 1).then_some((self.0 & LOW) as u32 >> 1)
    }
}

/// The parts of a node that its threads need as sources.
#[derive(Clone, Copy)]
pub(super) struct Node<'s> {
    pub(super) study: &'s Study,
    /// The number of answers that the thread has had.
    pub(super) answered: &'s Event,
    /// An event that threads of the node share.
    pub(super) shared: &'s Event,
    /// Sends a message to a node.
    pub(super) send: &'s dyn Fn(u32, Stamp),
}

/// A thread as a source.
pub(super) struct Source<'s> {
    node: Node<'s>,
    thread: &'s Thread<'s>,
    random: Pcg64,
    sends: bool,
    receives: bool,
    /// The time of an integer operation in femtoseconds; 0 where operations take no time.
    operation: f64,
    /// The most operations between two polls.
    turn: u32,
}

impl<'s> Source<'s> {
    pub(super) fn new(node: Node<'s>, thread: &'s Thread<'s>) -> Self {
        let (study, number) = (node.study, thread.node().0);
        let stream = u64::from(number) * u64::from(study.threads) + u64::from(thread.index());
        let start = thread.now();
        thread.charge(Operations::NONE.integers(SAMPLE));
        Self {
            node,
            thread,
            random: Pcg64::seed_from_u64(stream_seed(study.seed, stream)),
            sends: study.asked.pattern.sends(number, &study.space),
            receives: study.asked.pattern.receives(number, &study.space),
            operation: (thread.now() - start).as_femtoseconds() as f64 / f64::from(SAMPLE),
            turn: LOOK,
        }
    }

    /// Learns the latency of a lone message, in femtoseconds.
    pub(super) fn know(&mut self, lone: f64) {
        let turn = lone / PART / self.operation.max(1.0);
        self.turn = turn.clamp(f64::from(LOOK), f64::from(u32::MAX)) as u32;
    }

    /// The femtosecond that it is.
    fn now(&self) -> f64 {
        self.thread.now().as_femtoseconds() as f64
    }

    /// Computes and polls until a femtosecond.
    pub(super) fn stay(&self, until: f64) {
        let most = f64::from(if self.receives { self.turn } else { u32::MAX });
        loop {
            if self.receives {
                self.thread.poll();
            }
            let left = until - self.now();
            if left <= 0.0 {
                return;
            }
            // Natively a charge takes no time, and the loop looks at the clock.
            let operations = (left / self.operation.max(1.0)).ceil().min(most);
            self.thread.charge(Operations::NONE.integers(operations as u32));
            if self.node.study.threads > 1 {
                // The turn to look may come from another thread of the node: this thread goes on after the actions of
                // that one.
                self.thread.signal(self.node.shared, 0);
            }
        }
    }

    /// Sends one message to where the pattern says.
    fn send(&mut self, stamp: Stamp) {
        let study = self.node.study;
        let to = study.asked.pattern.destination(self.thread.node().0, &study.space, &mut self.random);
        if let Some(to) = to {
            (self.node.send)(to, stamp);
            self.thread.charge(Operations::NONE.integers(LOOK));
        }
    }

    /// Sends `messages` messages, each when the one before has been answered.
    pub(super) fn lone(&mut self, messages: u32) {
        let before = self.node.answered.count(self.thread);
        for answers in 1..=u64::from(messages) {
            self.send(Stamp::asking(self.thread.now().as_femtoseconds(), self.thread.index()));
            self.thread.wait(self.node.answered, before + answers);
        }
    }

    /// Sends `messages` messages as fast as it goes.
    pub(super) fn flood(&mut self, messages: usize) {
        for _ in 0..messages {
            self.send(Stamp::new(self.thread.now().as_femtoseconds()));
            self.thread.poll();
        }
    }

    /// Sends messages that the node makes `apart` femtoseconds from each other on average, within a time.
    pub(super) fn open(&mut self, apart: f64, within: Range<f64>) {
        if !self.sends {
            return;
        }
        let study = self.node.study;
        let mut times = Times::new(study.asked.arrivals, apart * f64::from(study.threads), &mut self.random);
        loop {
            let due = within.start + times.next(&mut self.random);
            if due >= within.end {
                return;
            }
            self.stay(due);
            self.send(Stamp::new(due as u64));
        }
    }

    /// Sends messages within a time, with at most `window` of them under way.
    pub(super) fn closed(&mut self, window: u32, within: Range<f64>) {
        if !self.sends {
            return;
        }
        self.stay(within.start);
        let (answered, thread) = (self.node.answered, self.thread);
        let before = answered.count(thread);
        let mut sent = 0;
        while self.now() < within.end {
            thread.wait(answered, (before + sent + 1).saturating_sub(window.into()));
            self.send(Stamp::asking(thread.now().as_femtoseconds(), thread.index()));
            thread.poll();
            sent += 1;
        }
        thread.wait(answered, before + sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_says_when_and_who_asks() {
        let stamp = Stamp::new(123_456_789);
        assert_eq!((stamp.made() >> 8, stamp.asks()), (123_456_789 >> 8, None));
        for thread in [0, 5, 127] {
            let stamp = Stamp::asking(123_456_789, thread);
            assert_eq!((stamp.made() >> 8, stamp.asks()), (123_456_789 >> 8, Some(thread)));
        }
    }
}
