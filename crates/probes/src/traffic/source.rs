//! One thread as a source: waits for the time of each message, and sends it. Must never know what is measured.

use rand::SeedableRng;
use rand_pcg::Pcg64;
use tempest::entry::stream_seed;
use tempest::{Operations, Thread};

use super::arrivals::Times;
use super::program::Traffic;

/// Operations by which a thread measures how long one takes.
const SAMPLE: u32 = 1 << 16;

/// The fewest operations between two polls of a thread that waits: a look at the clock, a comparison, a branch.
const LOOK: u32 = 4;

/// The part of the latency of a lone message that a thread computes between two polls, at most.
const PART: f64 = 32.0;

/// The bits of a stamp that are no time: the thread, and whether it asks for an answer.
const LOW: u64 = 0xff;

/// When a message was made, to 256 femtoseconds, and the thread that waits for an answer, if one does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    /// Of a message made at that femtosecond.
    pub(super) fn new(made: u64) -> Self {
        Self(made & !LOW)
    }

    /// Of a message whose handler answers a thread.
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

/// The pace of one thread: its random numbers, and how long it may compute without a poll.
pub(super) struct Pace {
    random: Pcg64,
    /// The time of an integer operation in femtoseconds; 0 where operations take no time.
    operation: f64,
    /// The latency of a lone message in femtoseconds.
    lone: f64,
    /// The most operations between two polls.
    turn: u32,
    block: Vec<u64>,
}

impl Pace {
    pub(super) fn new(traffic: &Traffic, thread: &Thread<'_>) -> Self {
        let study = &traffic.study;
        let number = u64::from(traffic.node.0) * u64::from(study.threads) + u64::from(thread.index());
        let start = thread.now();
        thread.charge(Operations::NONE.integers(SAMPLE));
        let operation = (thread.now() - start).as_femtoseconds() as f64 / f64::from(SAMPLE);
        Self {
            random: Pcg64::seed_from_u64(stream_seed(study.seed, number)),
            operation,
            lone: 0.0,
            turn: LOOK,
            block: traffic.a_block(),
        }
    }

    /// Learns the latency of a lone message, in femtoseconds.
    pub(super) fn know(&mut self, lone: f64) {
        self.lone = lone;
        self.turn =
            (lone / PART / self.operation.max(1.0)).clamp(f64::from(LOOK), f64::from(u32::MAX)) as u32;
    }

    pub(super) fn lone(&self) -> f64 {
        self.lone.max(1e6)
    }

    pub(super) fn destination(&mut self, traffic: &Traffic) -> Option<u32> {
        let study = &traffic.study;
        study.asked.pattern.destination(traffic.node.0, study.nodes, &mut self.random)
    }

    /// Computes and polls until a femtosecond.
    pub(super) fn stay(&self, traffic: &Traffic, thread: &Thread<'_>, until: f64) {
        let study = &traffic.study;
        let receives = study.asked.pattern.receives(traffic.node.0, study.nodes);
        let most = f64::from(if receives { self.turn } else { u32::MAX });
        loop {
            if receives {
                thread.poll();
            }
            let left = until - thread.now().as_femtoseconds() as f64;
            if left <= 0.0 {
                return;
            }
            // Natively a charge takes no time, and the loop looks at the clock.
            let operations = (left / self.operation.max(1.0)).ceil().min(most);
            thread.charge(Operations::NONE.integers(operations as u32));
            if study.threads > 1 {
                // The turn to look may come from another thread of the node: this one goes on after what that one has done.
                thread.signal(&traffic.turn, 0);
            }
        }
    }

    /// Sends one message to where the pattern says.
    fn send(&mut self, traffic: &Traffic, thread: &Thread<'_>, stamp: Stamp) {
        if let Some(to) = self.destination(traffic) {
            traffic.send(thread, to, stamp, &self.block);
            thread.charge(Operations::NONE.integers(LOOK));
        }
    }

    fn sends(traffic: &Traffic) -> bool {
        traffic.study.asked.pattern.sends(traffic.node.0, traffic.study.nodes)
    }

    /// Sends so many messages as fast as it goes.
    pub(super) fn flood(&mut self, traffic: &Traffic, thread: &Thread<'_>, messages: u64) {
        for _ in 0..messages {
            self.send(traffic, thread, Stamp::new(thread.now().as_femtoseconds()));
            thread.poll();
        }
    }

    /// Sends messages that the node makes `apart` femtoseconds from each other on average, from `start` to `end`.
    pub(super) fn open(&mut self, traffic: &Traffic, thread: &Thread<'_>, start: f64, apart: f64, end: f64) {
        if !Self::sends(traffic) {
            return;
        }
        let study = &traffic.study;
        let mut times = Times::new(study.asked.arrivals, apart * f64::from(study.threads), &mut self.random);
        loop {
            let due = start + times.next(&mut self.random);
            if due >= end {
                return;
            }
            self.stay(traffic, thread, due);
            self.send(traffic, thread, Stamp::new(due as u64));
        }
    }

    /// Sends messages until `end`, with at most `window` of them under way.
    pub(super) fn closed(&mut self, traffic: &Traffic, thread: &Thread<'_>, window: u32, end: f64) {
        if !Self::sends(traffic) {
            return;
        }
        let answered = &traffic.answered[thread.index() as usize];
        let before = answered.count();
        let mut sent = 0;
        while (thread.now().as_femtoseconds() as f64) < end {
            thread.wait(answered, (before + sent + 1).saturating_sub(window.into()));
            let stamp = Stamp::asking(thread.now().as_femtoseconds(), thread.index());
            self.send(traffic, thread, stamp);
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
