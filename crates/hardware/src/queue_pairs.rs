//! The queue pairs of a node: the queues through which processors post messages to the network interface.
//!
//! A node has a stated number of pairs, apart from the number of its processors. The messages of one pair leave it in the order of
//! posting, one after another, at the rate of a pair. Several pairs work side by side, up to the rate of the interface. A message
//! that leaves its pair goes to the port out.
//!
//! Some messages have to stay in order, also in different pairs: a message leaves its pair no earlier than an older message in
//! another pair with which it keeps order.
//!
//! This module must never know the purpose of a message, nor the reason why a processor chooses a pair.

use std::collections::VecDeque;

use des::Server;
use units::Time;

use crate::Lock;

/// The queue pairs of one node. `S` tells which messages keep order.
#[derive(Clone, Debug)]
pub struct QueuePairs<S> {
    pairs: Box<[Pair]>,
    /// The time for which a message occupies its pair.
    gap: Time,
    /// The messages that have not left their pairs, in the order in which they leave.
    waiting: VecDeque<Posted<S>>,
}

/// A queue pair.
#[derive(Clone, Debug)]
struct Pair {
    lock: Option<Lock>,
    server: Server,
}

/// A message that has not left its pair.
#[derive(Clone, Copy, Debug)]
struct Posted<S> {
    leaves: Time,
    pair: usize,
    stream: S,
}

impl<S: Copy> QueuePairs<S> {
    /// `count` empty pairs, in each of which messages leave `gap` apart. `migration` is the time in which the line of a pair's lock
    /// moves to a processor that takes the lock after another; `None` for pairs without locks.
    pub fn new(count: usize, gap: Time, migration: Option<Time>) -> Self {
        let pair = || Pair { lock: migration.map(Lock::new), server: Server::default() };
        Self { pairs: std::iter::repeat_with(pair).take(count).collect(), gap, waiting: VecDeque::new() }
    }

    /// The number of pairs.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Whether a processor that posts to a pair holds the pair's lock meanwhile.
    pub fn has_locks(&self) -> bool {
        self.pairs.iter().any(|pair| pair.lock.is_some())
    }

    /// Gives processor `who` the lock of a pair for `hold`. Calls come in the order of time. Returns the time from which the processor
    /// has the lock: `now` if the pair has none.
    pub fn acquire(&mut self, pair: usize, now: Time, who: usize, hold: Time) -> Time {
        self.pairs[pair].lock.as_mut().map_or(now, |lock| lock.acquire(now, who, hold))
    }

    /// Posts a message of a stream to a pair. `keeps_order` says of two streams whether their messages keep order. Returns the time at
    /// which the message leaves the pair; `None` if it leaves at once.
    pub fn post(
        &mut self,
        pair: usize,
        now: Time,
        stream: S,
        keeps_order: impl Fn(S, S) -> bool,
    ) -> Option<Time> {
        self.drain(now);
        let precedes = |older: &&Posted<S>| older.pair == pair || keeps_order(older.stream, stream);
        let older = self.waiting.iter().filter(precedes).map(|older| older.leaves).max();
        let leaves = self.pairs[pair].server.acquire(older.unwrap_or(now).max(now), self.gap);
        if older.is_none() && leaves == now {
            return None;
        }
        let place = self.waiting.partition_point(|other| other.leaves <= leaves);
        self.waiting.insert(place, Posted { leaves, pair, stream });
        Some(leaves)
    }

    /// The time at which fewer than `room` messages wait in the pairs, if none is posted before: `now` if that is so already.
    pub fn room_at(&self, now: Time, room: usize) -> Time {
        match (self.waiting.len() + 1).saturating_sub(room) {
            0 => now,
            excess => self.waiting[excess - 1].leaves.max(now),
        }
    }

    /// Forgets the messages that left before `now`. A message that leaves at `now` may still be about to.
    fn drain(&mut self, now: Time) {
        while self.waiting.front().is_some_and(|posted| posted.leaves < now) {
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    /// Pairs whose messages leave 10 ns apart.
    fn pairs(count: usize) -> QueuePairs<char> {
        QueuePairs::new(count, ns(10), None)
    }

    /// Posts a message of a stream, which keeps order with its like. Returns the nanoseconds at which it leaves, if it waits.
    fn post(pairs: &mut QueuePairs<char>, pair: usize, at: u64, stream: char) -> Option<Time> {
        pairs.post(pair, ns(at), stream, |older, newer| older == newer)
    }

    #[test]
    fn the_messages_of_a_pair_leave_in_order_at_the_rate_of_the_pair() {
        let mut pairs = pairs(2);
        let left =
            [(0, 'a'), (0, 'b'), (0, 'c'), (5, 'd')].map(|(at, stream)| post(&mut pairs, 0, at, stream));
        assert_eq!(left, [None, Some(ns(10)), Some(ns(20)), Some(ns(30))]);
        assert_eq!(post(&mut pairs, 1, 5, 'e'), None, "another pair does not wait");
        assert_eq!(post(&mut pairs, 0, 100, 'f'), None, "an idle pair delays nothing");
    }

    #[test]
    fn a_message_leaves_no_earlier_than_an_older_one_in_another_pair_with_which_it_keeps_order() {
        let mut pairs = pairs(2);
        assert_eq!([0, 0].map(|at| post(&mut pairs, 0, at, 'a')), [None, Some(ns(10))]);
        assert_eq!(post(&mut pairs, 1, 1, 'b'), None);
        assert_eq!(post(&mut pairs, 1, 2, 'a'), Some(ns(11)), "its pair is occupied until then");
        assert_eq!(post(&mut pairs, 0, 3, 'a'), Some(ns(20)));
        assert_eq!(post(&mut pairs, 1, 11, 'a'), Some(ns(21)));
        // A message that leaves at this instant has not left before it.
        let mut pairs = QueuePairs::new(2, ns(0), None);
        pairs.pairs[0].server.acquire(ns(0), ns(7));
        assert_eq!(post(&mut pairs, 0, 0, 'a'), Some(ns(7)));
        assert_eq!(post(&mut pairs, 1, 7, 'a'), Some(ns(7)));
    }

    #[test]
    fn there_is_room_when_the_next_message_has_left() {
        let mut pairs = pairs(2);
        for (pair, stream) in [(0, 'a'), (0, 'b'), (0, 'c'), (1, 'd'), (1, 'e')] {
            post(&mut pairs, pair, 0, stream);
        }
        // Messages leave at 10, 10 and 20.
        assert_eq!([4, 3, 2, 1].map(|room| pairs.room_at(ns(5), room)), [5, 10, 10, 20].map(ns));
    }

    #[test]
    fn each_pair_has_a_lock_of_its_own() {
        let mut pairs: QueuePairs<char> = QueuePairs::new(2, ns(0), Some(ns(5)));
        assert!(pairs.has_locks());
        assert_eq!(
            [(0, 0), (1, 1)].map(|(pair, who)| pairs.acquire(pair, ns(0), who, ns(20))),
            [ns(0), ns(0)]
        );
        assert_eq!(pairs.acquire(0, ns(1), 1, ns(20)), ns(25), "the line of the lock moves");
        assert_eq!(QueuePairs::<char>::new(1, ns(0), None).acquire(0, ns(3), 1, ns(20)), ns(3));
    }
}
