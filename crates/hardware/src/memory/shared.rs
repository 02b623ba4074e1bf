//! Shared memory in blocks, as a node's memory system sees it: accesses of processors that wait until they are done, blocks
//! that a device reads, writes and takes out of the caches, the registers of that device, and polls.
//!
//! # In which order the bus is granted
//!
//! A call has the bus, and the bank that it needs, reserved when it asks: all phases of its transaction at once, or of
//! its transactions one after the other. So the caller learns at once when it is done, and no later call changes that.
//! The bus is granted in the order of calls. A call does not fill the bus: between an address and its data, and while
//! the bus is arbitrated anew, later calls find gaps. So a later call may pass while an earlier one waits for its data,
//! but takes no time from it. A phase takes the first gap into which it fits whole. Where addresses and data share the
//! wires of a bus that splits transactions, a phase takes any time that is free, and pauses for earlier reservations:
//! the bus is never free while a phase waits for it.
//!
//! This module must never know tags, protocols or programs.

use std::ops::Range;

use machine::Transactions;
use units::Time;

use super::groups::Spot;
use super::moesi::{self, Request, State};
use super::node::{DeviceGroup, NodeMemory};
use super::poller::Poller;
use super::tags::Victim;

/// The best state in which a processor may keep a line that it fetches. The device that checks the node's rights sees to
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// The processor does not keep the line, because the node has lost the right meanwhile.
    Nothing,
    /// The line is shared. The node may only load, and the device says on the bus that other nodes have the line.
    Shared,
    /// The line comes in as the caches of the node agree.
    Any,
}

impl NodeMemory {
    /// Whether a processor's access to a line needs no bus. If so, the access is done: a load at any time, a store at `at`,
    /// and the line does not leave the cache before a store.
    #[inline]
    pub fn hits(&mut self, who: usize, line: u64, store: bool, at: Time) -> bool {
        let spot = self.sets.spot(line);
        if store { self.caches.store(who, spot, at) } else { self.caches.uses(who, spot) }
    }

    /// Stores to a line at `at`, if it [is private](Self::is_private). Returns whether it is.
    #[inline]
    pub fn stores_private(&mut self, who: usize, line: u64, at: Time) -> bool {
        self.caches.store_private(who, self.sets.spot(line), at)
    }

    /// Whether only this processor has a line, and no other client has wanted it. A store to such a line may be done before
    /// its time. The first client that does want the line waits for the store.
    #[inline]
    pub fn is_private(&self, who: usize, line: u64) -> bool {
        self.caches.is_private(who, self.sets.spot(line))
    }

    /// Makes an access that begins at `now`. Returns the time at which the access is done: at once if it [hits](Self::hits). Otherwise
    /// the processor waits for the whole line, or for the right to it, and the line does not leave it before.
    pub fn access(&mut self, who: usize, line: u64, store: bool, keep: Keep, now: Time) -> Time {
        let at = self.sets.spot(line);
        let Some(place) = self.caches.find(who, at) else {
            return self.bring(who, at, store, keep, now);
        };
        if store && !self.caches.is_alone(place) {
            self.bus.forget(now);
            return self.raise(who, at, now);
        }
        self.caches.use_now(place);
        if store {
            self.caches.store_at(place, now);
        }
        now
    }

    /// Brings a line to a processor, which asks for it at `now`. Returns the time at which the processor can go on.
    #[inline(always)]
    fn bring(&mut self, who: usize, at: Spot, store: bool, keep: Keep, now: Time) -> Time {
        self.bus.forget(now);
        self.counts.misses += 1;
        let request = if store { Request::ReadOwned } else { Request::Read };
        if self.group.is_some()
            && let Some(done) = self.pass_inside(who, at, request, now)
        {
            return done;
        }
        let fetched = self.fetch_here(Some(who), at, now, request);
        let done = fetched.first + self.costs.cache.refill;
        let state = match keep {
            Keep::Nothing => None,
            // A cache that does not snoop stores without asking other caches.
            Keep::Shared if self.costs.cache.coherent => Some(State::Shared),
            Keep::Shared | Keep::Any => Some(fetched.state),
        };
        if let Some(state) = state {
            self.fill(who, at, (state, fetched.met), (now, done.max(fetched.end)));
            if !store {
                self.first_level(who, at.line);
            }
        }
        done
    }

    /// Passes a line that only another processor of the same device has to `who`, which asks for it at `now`. Returns
    /// the time at which the line is there; `None` where the line has to come over the bus.
    #[inline(never)]
    pub(super) fn pass_inside(&mut self, who: usize, at: Spot, request: Request, now: Time) -> Option<Time> {
        let DeviceGroup { members, supply } =
            self.group.as_ref().filter(|group| group.members.contains(&who))?;
        let has_alone = |&other: &usize| self.caches.look_up(other, at).state.is_alone();
        let from = members.clone().find(has_alone)?;
        let found = self.caches.look_up(from, at);
        let there = now.max(found.there) + *supply;
        let answer = moesi::snoop(found.state, request);
        if answer.keeps {
            self.caches.change(from, at, answer.next);
        } else {
            self.take_out(from, at.line);
        }
        self.counts.cache_supplies += 1;
        self.wanted.insert(at.line);
        let state = moesi::filled(request, answer.keeps, false);
        self.fill(who, at, (state, true), (now, there));
        Some(there)
    }

    /// Puts lines into the cache of a processor, which has written them before the first instant. The lines that they replace are
    /// in memory.
    pub fn write_before(&mut self, who: usize, lines: Range<u64>) {
        // Earlier lines would be replaced by these.
        let cached = self.costs.cache.size.get() / self.line.get();
        for line in lines.end.saturating_sub(cached).max(lines.start)..lines.end {
            let at = self.sets.spot_with_row(line);
            let victim = self.caches.insert((who, at), State::Modified, false, Time::ZERO);
            victim.into_iter().for_each(|victim| self.note_left(who, Spot { line: victim.line, ..at }));
            self.holders.add(self.holders.class_of(at), who);
        }
    }

    /// Brings a line of a block from caches or memory to a device, which asks for it at `now`. Returns the time at which all of it
    /// has come. Caches keep the line, and share it from then on. Where they do not snoop, software flushes the line first.
    pub fn fetch_line(&mut self, line: u64, now: Time) -> Time {
        self.bus.forget(now);
        self.wanted.insert(line);
        for (who, victim) in self.take_out_unsnooped(line) {
            self.dispose(who, victim, now);
        }
        let at = self.sets.spot(line);
        self.fetch(None, at, now, Request::Read).end
    }

    /// The least time in which a device can [fetch](Self::fetch_line) a line, or [purge](Self::purge_line) it, from any
    /// holder.
    pub fn least_time_of_line(&self, fetches: bool) -> Time {
        let costs = &self.costs;
        let snoop = costs.bus.snoop.filter(|_| costs.cache.coherent || !fetches).unwrap_or_default();
        let asked = costs.bus.arbitration + costs.bus.address + snoop;
        if !fetches {
            return asked;
        }
        let from_cache = costs.cache.supply.filter(|_| costs.cache.coherent);
        asked
            + from_cache.map_or(costs.banks.latency, |supply| supply.min(costs.banks.latency))
            + self.bus.passage(self.line)
    }

    /// Takes the lines of a block, which a device has, out of all caches. The device still has to
    /// [write](Self::write_line) them.
    pub fn place_block(&mut self, lines: Range<u64>) {
        lines.for_each(|line| {
            self.wanted.insert(line);
            self.snoop(None, self.sets.spot(line), Request::Overwrite);
            self.take_out_unsnooped(line);
        });
    }

    /// Takes a line out of non-snooping caches, as software does that flushes or purges it. Returns the removed copies.
    #[inline]
    fn take_out_unsnooped(&mut self, line: u64) -> Vec<(usize, Victim)> {
        if self.costs.cache.coherent { Vec::new() } else { self.take_out_of_all(line) }
    }

    #[inline(never)]
    fn take_out_of_all(&mut self, line: u64) -> Vec<(usize, Victim)> {
        (0..self.processors.len()).filter_map(|who| Some((who, self.take_out(who, line)?))).collect()
    }

    /// Writes a line that a device has and asks to write at `at`. No later call begins before `now`, which is not after `at`. Returns
    /// the time at which the device asks to write the next one, so that the address of that one goes beside the end of these data.
    /// The write keeps no bank busy: the controller has room for lines that it has not written yet.
    pub fn write_line(&mut self, at: Time, now: Time) -> Time {
        self.bus.forget(now);
        self.banks.writes += 1;
        self.bus.write(at, Time::ZERO, self.line).end.before(self.costs.bus.address)
    }

    /// Takes a line of a block out of all caches, for a device, which has fetched any data newer than memory before.
    /// Returns the time at which the line is gone.
    pub fn purge_line(&mut self, line: u64, now: Time) -> Time {
        self.bus.forget(now);
        self.wanted.insert(line);
        self.take_out_unsnooped(line);
        self.invalidate(None, self.sets.spot(line), Request::Overwrite, now)
    }

    /// The time that transactions which move no block take together on an idle bus.
    #[inline]
    pub fn uncontended(&self, transactions: Transactions) -> Time {
        self.costs.uncontended_all(transactions, self.line)
    }

    /// This memory system with a client of the bus that [polls](Self::begin_polls) now and then. A poll takes `poll`, which is
    /// above zero, and has transactions in it, each at a random time in its part of the poll.
    #[must_use]
    pub fn with_poller(mut self, transactions: Transactions, poll: Time) -> Self {
        let alone = self.costs.uncontended_all(transactions, self.line);
        self.bus.set_poller(Poller::new(transactions, poll, alone));
        self
    }

    /// Whether a client of the bus may poll.
    #[inline]
    pub fn has_poller(&self) -> bool {
        self.bus.has_poller()
    }

    /// Lets the client that polls do so from `now` on.
    pub fn begin_polls(&mut self, now: Time) {
        self.bus.begin_polls(now);
    }

    /// Ends the polls at `now`. A transaction that goes on then still holds the bus to its end.
    pub fn stop_polls(&mut self, now: Time) {
        self.bus.stop_polls(now);
    }

    /// Whether transactions that are made one after the other from `now` on need not wait for a phase that was granted before.
    #[inline]
    pub fn is_bus_free(&self, now: Time) -> bool {
        self.bus.is_free(now)
    }

    /// Makes undisturbed transactions one after the other: the bus [is free](Self::is_bus_free) at their beginning, no
    /// other client asks for the bus before their end, and the next call comes at their end or later. They take their
    /// [time on an idle bus](Self::uncontended).
    pub fn make_alone(&mut self, transactions: Transactions) {
        self.bus.make_alone(transactions);
    }

    /// Makes transactions that move no block, one after the other from `at` on. No later call begins before `now`, which is not
    /// after `at`. Returns the end of the last.
    #[inline(always)]
    pub fn make(&mut self, transactions: Transactions, at: Time, now: Time) -> Time {
        self.bus.forget(now);
        self.bus.make(transactions, at)
    }
}

#[cfg(test)]
mod tests {
    use machine::Transaction;
    use proptest::prelude::*;
    use units::Bytes;

    use super::*;
    use crate::memory::tests::{cycles, simple};

    impl NodeMemory {
        /// Makes one transaction. Returns its end.
        fn transact(&mut self, transaction: Transaction, now: Time) -> Time {
            self.make(Transactions::one(transaction), now, now)
        }
    }

    /// Two processors; a line takes arbitration 2, address 1, snoop 3, memory 21, four data cycles and 4 to refill, of which
    /// the processor waits for one data cycle.
    fn node() -> NodeMemory {
        NodeMemory::new(&simple(), Bytes::new(32), 2)
    }

    #[test]
    fn software_flushes_a_block_that_is_fetched_and_purges_one_that_is_placed_where_caches_do_not_snoop() {
        let mut costs = simple();
        (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (false, None, None);
        let mut node = NodeMemory::new(&costs, Bytes::new(32), 1);
        node.access(0, 7, true, Keep::Any, cycles(100));
        assert!(node.hits(0, 7, true, cycles(200)), "no other cache is asked before a store");
        let fetched = node.fetch_line(7, cycles(300));
        assert!(fetched > cycles(300 + 2 + 1 + 21 + 4), "the flushed line goes to memory before it is read");
        assert_eq!((node.counts().write_backs, node.hits(0, 7, false, Time::ZERO)), (1, false));
        let purges: [fn(&mut NodeMemory); 2] = [
            |node| node.place_block(7..8),
            |node| {
                node.purge_line(7, cycles(600));
            },
        ];
        for purge in purges {
            node.access(0, 7, false, Keep::Shared, cycles(500));
            assert!(node.hits(0, 7, false, Time::ZERO) && node.hits(0, 7, true, cycles(550)));
            purge(&mut node);
            assert!(!node.hits(0, 7, false, Time::ZERO), "no old line is left");
        }
        assert_eq!((node.counts().write_backs, node.counts().stale_loads), (1, 0));
    }

    #[test]
    fn an_access_waits_for_its_line_and_the_next_one_hits() {
        let mut node = node();
        assert!(!node.hits(0, 7, false, Time::ZERO));
        assert_eq!(node.access(0, 7, false, Keep::Any, cycles(100)), cycles(100 + 2 + 1 + 3 + 21 + 1 + 4));
        assert!(
            node.hits(0, 7, false, Time::ZERO) && node.hits(0, 7, true, Time::ZERO),
            "alone, it stores without the bus"
        );
        assert!(!node.hits(1, 7, true, Time::ZERO));
        // Another cache has it, which takes 19 instead of 21, and loses it.
        assert_eq!(node.access(1, 7, true, Keep::Any, cycles(200)), cycles(200 + 2 + 1 + 3 + 19 + 1 + 4));
        assert!(!node.hits(0, 7, false, Time::ZERO) && node.hits(1, 7, true, Time::ZERO));
    }

    #[test]
    fn a_line_of_a_block_that_may_only_be_loaded_is_shared() {
        let mut node = node();
        node.access(0, 7, false, Keep::Shared, cycles(100));
        assert!(node.hits(0, 7, false, Time::ZERO) && !node.hits(0, 7, true, Time::ZERO));
        // With the right to store, an address is enough.
        assert_eq!(node.access(0, 7, true, Keep::Any, cycles(200)), cycles(200 + 2 + 1 + 3));
        assert!(node.hits(0, 7, true, Time::ZERO));
        node.access(1, 9, false, Keep::Nothing, cycles(300));
        assert!(!node.hits(1, 9, false, Time::ZERO));
    }

    #[test]
    fn a_block_is_read_line_by_line_from_whoever_has_it() {
        let mut node = node();
        // Memory: 2 + 1 + 3 + 21 + 4 = 31.
        assert_eq!(
            [(8, 100), (9, 200)].map(|(line, at)| node.fetch_line(line, cycles(at))),
            [131, 231].map(cycles)
        );
        node.access(0, 8, true, Keep::Any, cycles(300));
        assert_eq!(node.fetch_line(8, cycles(400)), cycles(400 + 29));
        assert!(
            node.hits(0, 8, false, Time::ZERO) && !node.hits(0, 8, true, Time::ZERO),
            "it is shared from then on"
        );
    }

    #[test]
    fn a_purged_block_is_in_no_cache() {
        let mut node = node();
        node.access(0, 8, false, Keep::Any, cycles(100));
        assert_eq!(node.purge_line(8, cycles(200)), cycles(200 + 6));
        assert!(!node.hits(0, 8, false, Time::ZERO));
    }

    #[test]
    fn others_wait_for_the_bus_that_a_block_is_written_over() {
        let mut node = node();
        node.access(0, 8, false, Keep::Any, cycles(0));
        node.place_block(8..10);
        assert!(!node.hits(0, 8, false, Time::ZERO));
        // Arbitration 2, address 1, 4 data cycles on the same wires; then an address.
        assert_eq!(node.write_line(cycles(100), cycles(100)), cycles(100 + 7 - 1));
        assert_eq!(node.transact(Transaction::Invalidate, cycles(101)), cycles(100 + 7 + 1 + 3));
        assert_eq!(node.counts().memory_writes, 1);
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

    proptest! {
        #[test]
        fn transactions_that_nobody_disturbs_are_the_same_one_by_one_and_all_at_once(
            (multiplexed, connected) in prop_oneof![Just((false, false)), Just((true, false)), Just((true, true))],
            before in proptest::collection::vec((0_usize..5, 0_u64..9), 0..6),
            made in proptest::collection::vec(0_usize..5, 1..12),
            after in proptest::collection::vec((0_usize..5, 0_u64..9), 0..6),
        ) {
            let mut costs = simple();
            (costs.bus.multiplexed, costs.bus.connected) = (multiplexed, connected);
            let mut one_by_one = NodeMemory::new(&costs, Bytes::new(32), 2);
            // Others have used the bus, and have left it.
            let mut now = cycles(100);
            for (kind, later) in before {
                now = now.max(one_by_one.transact(Transaction::ALL[kind], now + cycles(later)));
            }
            let mut at_once = one_by_one.clone();
            prop_assert!(at_once.is_bus_free(now));
            let one = |kind| Transactions::one(Transaction::ALL[kind]);
            let made = made.into_iter().map(one).fold(Transactions::NONE, Transactions::and);
            let end = now + at_once.uncontended(made);
            let mut at = now;
            for transaction in made.iter() {
                at = one_by_one.transact(transaction, at);
            }
            at_once.make_alone(made);
            prop_assert_eq!(at, end);
            // Every later transaction finds the same bus.
            for (kind, later) in after {
                at += cycles(later);
                let both = [&mut one_by_one, &mut at_once].map(|node| {
                    let end = node.transact(Transaction::ALL[kind], at);
                    (end, node.bus_busy_at(at), node.bus_busy(), node.counts())
                });
                prop_assert_eq!(both[0], both[1]);
            }
            prop_assert_eq!(one_by_one.counts(), at_once.counts());
            prop_assert_eq!(one_by_one.bus_busy_at(at), at_once.bus_busy_at(at));
        }
    }

    /// Four processors, of which the last two are inside a device.
    fn with_device() -> NodeMemory {
        NodeMemory::new(&simple(), Bytes::new(32), 4).with_device_group(2..4, cycles(10))
    }

    /// The time in which a processor has a line to store to, asked for at `at`.
    fn store(node: &mut NodeMemory, who: usize, line: u64, at: u64) -> Time {
        if node.hits(who, line, true, cycles(at)) {
            return Time::ZERO;
        }
        node.access(who, line, true, Keep::Any, cycles(at)) - cycles(at)
    }

    #[test]
    fn a_line_passes_inside_the_device_without_the_bus() {
        let mut node = with_device();
        let from_memory = store(&mut node, 2, 7, 100);
        let transactions = node.counts().transactions;
        assert_eq!(store(&mut node, 3, 7, 200), cycles(10));
        assert_eq!(node.counts().transactions, transactions);
        assert_eq!((node.counts().misses, node.counts().cache_supplies), (2, 1));
        assert!(!node.hits(2, 7, false, cycles(300)) && node.hits(3, 7, true, cycles(300)));
        // A processor outside gets it over the bus, and takes it away.
        assert!(store(&mut node, 0, 7, 400) > cycles(10));
        assert!(!node.hits(3, 7, false, cycles(500)));
        assert!(node.counts().transactions > transactions && from_memory > cycles(10));
    }

    #[test]
    fn a_line_that_is_loaded_is_shared_and_stored_to_over_the_bus_only() {
        let mut node = with_device();
        store(&mut node, 2, 7, 100);
        assert_eq!(node.access(3, 7, false, Keep::Any, cycles(200)), cycles(210));
        assert!(node.hits(2, 7, false, cycles(300)) && !node.hits(2, 7, true, cycles(300)));
        let transactions = node.counts().transactions;
        assert!(store(&mut node, 3, 7, 400) > Time::ZERO);
        assert_eq!(node.counts().transactions, transactions + 1, "others may share the line");
    }

    #[test]
    fn what_was_written_before_is_there_as_far_as_the_cache_has_room() {
        let mut node = with_device();
        let room = simple().cache.size.get() / 32;
        node.write_before(2, 0..room + 5);
        node.write_before(2, room + 8..room + 9);
        let here: Vec<u64> = (0..room + 10).filter(|&line| node.hits(2, line, true, cycles(0))).collect();
        let expected: Vec<u64> = (5..room + 5).filter(|line| *line != 8).chain([room + 8]).collect();
        assert_eq!(here, expected, "one way");
        assert_eq!(node.counts().write_backs, 0);
    }
}
