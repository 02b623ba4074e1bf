//! The queue pairs of a node: the pair that takes each message, by the order that the machine file asks for.
//!
//! This module must never know how a message gets from its pair to another node.

use hardware::QueuePairs;
use machine::{Machine, PairOrder};
use units::Time;

use super::cargo::Stream;

/// A processor that posts a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Poster {
    /// The processor's number in the machine.
    pub(crate) core: usize,
    /// The processor's number in its node.
    pub(crate) number: usize,
}

/// The queue pairs of one node.
#[derive(Debug)]
pub(crate) struct Pairs {
    pairs: QueuePairs<Stream>,
    order: PairOrder,
    /// The number of messages that may wait in the pairs.
    room: usize,
}

impl Pairs {
    /// The queue pairs of a node of a machine; `None` if it has none.
    pub(crate) fn of(machine: &Machine) -> Option<Box<Self>> {
        let machine::QueuePairs { count, order, gap, lock } = machine.queue_pairs.clone()?;
        let pairs = QueuePairs::new(count, gap, lock);
        Some(Box::new(Self { pairs, order, room: machine.interface.send_queue }))
    }

    /// Pairs without locks, in which messages leave as they come, for tests.
    #[cfg(test)]
    pub(super) fn without_locks(count: usize) -> Self {
        Self { pairs: QueuePairs::new(count, Time::ZERO, None), order: PairOrder::Pair, room: 1 }
    }

    /// Whether a processor holds a lock while it posts.
    pub(crate) fn are_locked(&self) -> bool {
        self.pairs.has_locks()
    }

    /// The pair for a message of a stream that the processor of a number posts. Messages of one key share a pair if the pair keeps them
    /// in order. Any other message goes through the pair of its processor.
    fn pair_for(&self, number: usize, stream: Stream) -> usize {
        let count = self.pairs.count();
        match self.order {
            PairOrder::Pair if stream.has_key() => {
                (stream.key.partition(count) + stream.to.0 as usize) % count
            }
            PairOrder::Pair | PairOrder::Wait => number % count,
        }
    }

    /// The time that a processor waits from now on for the lock of the pair of a message, before it holds the lock for `hold`.
    pub(crate) fn wait_for_lock(&mut self, now: Time, who: Poster, stream: Stream, hold: Time) -> Time {
        let pair = self.pair_for(who.number, stream);
        self.pairs.acquire(pair, now, who.core, hold) - now
    }

    /// Posts a message of a stream for the processor of a number. Returns the time at which the message leaves its pair; `None` if
    /// it leaves at once.
    pub(crate) fn post(&mut self, now: Time, number: usize, stream: Stream) -> Option<Time> {
        self.pairs.post(self.pair_for(number, stream), now, stream, Stream::keeps_order_with)
    }

    /// The time at which a further message may be posted, if no other is before: `now` if it may already.
    pub(crate) fn room_at(&self, now: Time) -> Time {
        self.pairs.room_at(now, self.room)
    }
}

#[cfg(test)]
mod tests {
    use tempest::NodeId;
    use tempest::world::{DispatchKey, Name};

    use super::*;
    use crate::testing::ns;

    fn pairs(order: PairOrder) -> Pairs {
        Pairs { pairs: QueuePairs::new(4, ns(10), Some(ns(5))), order, room: 2 }
    }

    /// The stream of messages to node 3 under key `number`.
    fn stream(number: u32) -> Stream {
        let key = DispatchKey::User(Name::of(tempest::Block(number)));
        Stream { to: NodeId(3), key, places: false }
    }

    #[test]
    fn a_stream_has_a_pair_or_a_processor_has_one() {
        let by_stream = pairs(PairOrder::Pair);
        let of = |number| by_stream.pair_for(number, stream(7));
        assert_eq!(of(0), of(1));
        let all: std::collections::BTreeSet<_> =
            (0..64).map(|key| by_stream.pair_for(0, stream(key))).collect();
        assert_eq!(all.len(), 4, "streams use all pairs");
        let by_processor = pairs(PairOrder::Wait);
        assert_eq!([0, 1, 5].map(|number| by_processor.pair_for(number, stream(7))), [0, 1, 1]);
    }

    #[test]
    fn a_message_waits_behind_its_stream_in_whichever_pair() {
        for order in [PairOrder::Pair, PairOrder::Wait] {
            let mut pairs = pairs(order);
            assert_eq!(pairs.post(ns(0), 0, stream(7)), None);
            assert_eq!(pairs.post(ns(0), 0, stream(7)), Some(ns(10)));
            let second = pairs.post(ns(1), 1, stream(7)).expect("an older message of the stream waits");
            assert!(second >= ns(10), "{order:?}: {second}");
            assert_eq!((pairs.room_at(ns(1)), pairs.room_at(ns(30))), (ns(10), ns(30)));
        }
    }

    #[test]
    fn processors_share_the_lock_of_the_pair_of_a_stream() {
        let posters = [0, 1].map(|number| Poster { core: 8 + number, number });
        let waits = |order| {
            let mut pairs = pairs(order);
            posters.map(|who| pairs.wait_for_lock(ns(0), who, stream(7), ns(20)))
        };
        assert_eq!(waits(PairOrder::Pair), [ns(0), ns(25)]);
        assert_eq!(waits(PairOrder::Wait), [ns(0), ns(0)]);
    }
}
