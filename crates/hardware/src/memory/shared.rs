//! What shared memory in blocks is to a node's memory system: accesses of processors that wait until they are done, blocks
//! that a device reads, writes and takes out of the caches, and the registers of that device.
//!
//! A call may say what begins later than now, as one part of something that takes long: what is reserved of the bus keeps the
//! gaps before it.

use std::ops::Range;

use machine::{Transaction, Transactions};
use units::{Bytes, Time};

use super::moesi::{Request, State};
use super::node::NodeMemory;

/// In what state a processor may keep a line that it fetches: the device that checks rights sees to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Not at all: the node has lost the right meanwhile.
    Nothing,
    /// Shared: the node may only load, and the device says on the bus that others have it.
    Shared,
    /// As the caches of the node agree.
    Any,
}

impl NodeMemory {
    /// Whether a processor's access to a line needs no bus; if so, it is done.
    #[inline]
    pub fn hits(&mut self, who: usize, line: u64, store: bool) -> bool {
        let cache = &mut self.processors[who].cache;
        match cache.access(line).0 {
            State::Invalid => false,
            State::Modified => true,
            State::Shared | State::Owned => !store,
            State::Exclusive => {
                if store {
                    cache.change(line, State::Modified);
                }
                true
            }
        }
    }

    /// An access that is no [hit](Self::hits) and begins at `now`: when it is done. The processor waits for the whole line.
    pub fn miss_of(&mut self, who: usize, line: u64, store: bool, keep: Keep, now: Time) -> Time {
        self.bus.forget(now);
        let cache = &mut self.processors[who].cache;
        if cache.state(line) != State::Invalid {
            cache.change(line, State::Modified);
            return self.invalidate(Some(who), line, Request::Upgrade, now);
        }
        self.counts.misses += 1;
        let request = if store { Request::ReadOwned } else { Request::Read };
        let fetched = self.fetch(Some(who), line, now, request);
        let state = match keep {
            Keep::Nothing => None,
            Keep::Shared => Some(State::Shared),
            Keep::Any => Some(fetched.state),
        };
        let victim = state.and_then(|state| self.processors[who].cache.insert(line, state));
        if let Some(victim) = victim {
            self.dispose(who, victim, now);
        }
        fetched.first + self.costs.cache.refill
    }

    /// A device reads the lines of a block from caches or memory, one after the other, each after so much time of its own:
    /// when it has the last. Caches keep them, and share them from then on.
    pub fn fetch_block(&mut self, lines: Range<u64>, each: Time, now: Time) -> Time {
        self.bus.forget(now);
        lines.fold(now, |at, line| self.fetch(None, line, at + each, Request::Read).end)
    }

    /// A device writes the lines of a block in one burst that nobody waits for. No bank is kept busy: the controller has room
    /// for what it has not written yet.
    pub fn place_block(&mut self, lines: Range<u64>, now: Time) {
        self.bus.forget(now);
        let count = lines.end - lines.start;
        lines.for_each(|line| {
            self.snoop(None, line, Request::Overwrite);
        });
        self.bus.write(now, Time::ZERO, Bytes::new(self.line.get() * count));
        self.banks.writes += count;
    }

    /// A device takes the lines of a block out of all caches, one after the other, each after so much time of its own: when
    /// the last is gone. What was newer than memory it has fetched before.
    pub fn purge_block(&mut self, lines: Range<u64>, each: Time, now: Time) -> Time {
        self.bus.forget(now);
        lines.fold(now, |at, line| self.invalidate(None, line, Request::Overwrite, at + each))
    }

    /// Transactions that move no block, one after the other from `at` on, which is not before `now`: how much longer they take
    /// than on an idle bus.
    pub fn delay_of(&mut self, transactions: Transactions, at: Time, now: Time) -> Time {
        self.bus.forget(now);
        let alone = self.costs.uncontended_all(transactions, self.line);
        let done = transactions.iter().fold(at, |at, transaction| self.transact(transaction, at));
        done - (at + alone)
    }

    fn transact(&mut self, transaction: Transaction, now: Time) -> Time {
        let word = self.costs.bus.width;
        let (device, supply) = (self.costs.bus.device, self.costs.cache.supply.unwrap_or_default());
        let snoop = self.costs.bus.snoop.unwrap_or_default();
        match transaction {
            Transaction::Invalidate => self.bus.request(now) + snoop,
            Transaction::Line => self.answer(now, device, self.line),
            Transaction::Read => self.answer(now, device, word),
            Transaction::Write => self.bus.write(now, Time::ZERO, word).end,
            Transaction::Transfer => self.answer(now, snoop + supply, self.line),
        }
    }

    /// A request at `now` whose answer of `size` is ready `delay` after its address.
    fn answer(&mut self, now: Time, delay: Time, size: Bytes) -> Time {
        let ready = self.bus.request(now) + delay;
        self.bus.reply(ready, size).end
    }

    /// An address alone: when all other caches have let the line go.
    fn invalidate(&mut self, who: Option<usize>, line: u64, request: Request, now: Time) -> Time {
        let asked = self.bus.request(now);
        self.snoop(who, line, request);
        asked + self.costs.bus.snoop.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{cycles, simple};

    /// Two processors; a line takes arbitration 2, address 1, snoop 3, memory 21, four data cycles and 4 to refill, of which
    /// the processor waits for one data cycle.
    fn node() -> NodeMemory {
        NodeMemory::new(&simple(), Bytes::new(32), 2)
    }

    #[test]
    fn an_access_waits_for_its_line_and_the_next_one_hits() {
        let mut node = node();
        assert!(!node.hits(0, 7, false));
        assert_eq!(node.miss_of(0, 7, false, Keep::Any, cycles(100)), cycles(100 + 2 + 1 + 3 + 21 + 1 + 4));
        assert!(node.hits(0, 7, false) && node.hits(0, 7, true), "alone, it stores without the bus");
        assert!(!node.hits(1, 7, true));
        // Another cache has it, which takes 19 instead of 21, and loses it.
        assert_eq!(node.miss_of(1, 7, true, Keep::Any, cycles(200)), cycles(200 + 2 + 1 + 3 + 19 + 1 + 4));
        assert!(!node.hits(0, 7, false) && node.hits(1, 7, true));
    }

    #[test]
    fn a_line_of_a_block_that_may_only_be_loaded_is_shared() {
        let mut node = node();
        node.miss_of(0, 7, false, Keep::Shared, cycles(100));
        assert!(node.hits(0, 7, false) && !node.hits(0, 7, true));
        // With the right to store, an address is enough.
        assert_eq!(node.miss_of(0, 7, true, Keep::Any, cycles(200)), cycles(200 + 2 + 1 + 3));
        assert!(node.hits(0, 7, true));
        node.miss_of(1, 9, false, Keep::Nothing, cycles(300));
        assert!(!node.hits(1, 9, false));
    }

    #[test]
    fn a_block_is_read_line_by_line_from_whoever_has_it() {
        let mut node = node();
        // Memory: 2 + 1 + 3 + 21 + 4 = 31, and 1 of the device's own.
        assert_eq!(node.fetch_block(8..10, cycles(1), cycles(100)), cycles(100 + 2 * 32));
        node.miss_of(0, 8, true, Keep::Any, cycles(300));
        assert_eq!(node.fetch_block(8..9, cycles(1), cycles(400)), cycles(400 + 30));
        assert!(node.hits(0, 8, false) && !node.hits(0, 8, true), "it is shared from then on");
    }

    #[test]
    fn a_purged_block_is_in_no_cache() {
        let mut node = node();
        node.miss_of(0, 8, false, Keep::Any, cycles(100));
        assert_eq!(node.purge_block(8..10, Time::ZERO, cycles(200)), cycles(200 + 2 * 6));
        assert!(!node.hits(0, 8, false));
    }

    #[test]
    fn others_wait_for_the_bus_that_a_block_is_written_over() {
        let mut node = node();
        node.place_block(8..12, cycles(100));
        // Arbitration 2, address 1, 16 data cycles on the same wires; then an address.
        assert_eq!(node.transact(Transaction::Invalidate, cycles(101)), cycles(100 + 19 + 1 + 3));
        assert_eq!(node.counts().memory_writes, 4);
    }

    #[test]
    fn what_is_read_of_a_device_takes_what_the_prices_count_with() {
        for transaction in Transaction::ALL {
            let took = node().transact(transaction, cycles(100)) - cycles(100);
            assert_eq!(took, simple().uncontended(transaction, Bytes::new(32)), "{transaction:?}");
        }
        assert_eq!(node().transact(Transaction::Read, cycles(0)), cycles(2 + 1 + 5 + 1));
        assert_eq!(simple().uncontended_fetch(Bytes::new(32)), cycles(31));
    }
}
