//! The breakdown of a processor's time, and its counters.
//!
//! Idle time is booked under the reason of the wait. It is memory while a thread that may run here waits for a block of
//! shared memory. It is synchronization while such threads wait for other things. It is idle time proper while no
//! thread here could wait.
//!
//! This module must never know why a processor does something.

use tempest::outcome::{Breakdown, Counters};
use units::Time;

/// The part of the breakdown that time is booked under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bucket {
    Compute,
    Memory,
    Overhead,
}

/// The parts of a breakdown that a modelled processor has: no operating system takes any of its time.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    compute: Time,
    memory: Time,
    overhead: Time,
    synchronization: Time,
    idle: Time,
}

/// The breakdown and the counters of one processor.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Ledger {
    spent: Spent,
    /// The beginning of the idle time that has not been booked; [`WORKS`] while the processor works.
    idle_from: Time,
    /// All idle time that has been booked.
    idle: Time,
    /// The number of threads that may run here and have not returned.
    threads_left: u32,
    /// The number of threads that may run here and wait for a block of shared memory.
    blocks_awaited: u32,
    counters: Counters,
}

/// Stands for the beginning of an idle time while the processor works.
const WORKS: Time = Time::MAX;

impl Ledger {
    /// The ledger of a processor that is idle from time zero on.
    pub(crate) fn new() -> Self {
        Self {
            counters: Counters { empty_polls: Some(0), ..Counters::default() },
            spent: Spent::default(),
            idle_from: Time::ZERO,
            idle: Time::ZERO,
            threads_left: 0,
            blocks_awaited: 0,
        }
    }

    /// Books time under a part of the breakdown.
    pub(crate) fn book(&mut self, bucket: Bucket, time: Time) {
        match bucket {
            Bucket::Compute => self.spent.compute += time,
            Bucket::Memory => self.spent.memory += time,
            Bucket::Overhead => self.spent.overhead += time,
        }
    }

    /// The time booked as computing.
    pub(crate) fn worked(&self) -> Time {
        self.spent.compute
    }

    /// All booked time that is not idle.
    pub(crate) fn spent(&self) -> Time {
        self.spent.compute + self.spent.memory + self.spent.overhead
    }

    /// The counters.
    pub(crate) fn counters(&self) -> Counters {
        self.counters
    }

    /// The counters, to be increased.
    pub(crate) fn count(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// Counts a thread's poll, and whether it found something.
    pub(crate) fn count_poll(&mut self, found: bool) {
        if let (false, Some(empty)) = (found, &mut self.counters.empty_polls) {
            *empty += 1;
        }
    }

    /// The time booked as waits for memory while the processor was not idle.
    pub(crate) fn waited_for_memory(&self) -> Time {
        self.spent.memory
    }

    /// The time booked as the program's own work.
    pub(crate) fn computed(&self) -> Time {
        self.spent.compute
    }

    /// Begins an idle time.
    pub(crate) fn begin_idling(&mut self, now: Time) {
        self.idle_from = now;
    }

    /// Ends the idle time, and books it up to now.
    pub(crate) fn end_idling(&mut self, now: Time) {
        self.book_idling(now);
        self.idle_from = WORKS;
    }

    /// Books the idle time up to now. The processor remains idle.
    pub(crate) fn book_idling(&mut self, now: Time) {
        if self.idle_from == WORKS {
            return;
        }
        let idle = now - self.idle_from;
        *idle_part(&mut self.spent, self.threads_left, self.blocks_awaited) += idle;
        self.idle += idle;
        self.idle_from = now;
    }

    /// Counts one more thread that may run here and waits for a block, or one fewer. Earlier idle time is booked by the old
    /// number.
    pub(crate) fn await_block(&mut self, now: Time, begins: bool) {
        self.book_idling(now);
        self.blocks_awaited = if begins { self.blocks_awaited + 1 } else { self.blocks_awaited - 1 };
    }

    /// Counts one more thread that may run here, or one fewer after its return. Earlier idle time is booked by the old number.
    pub(crate) fn count_thread(&mut self, now: Time, comes: bool) {
        self.book_idling(now);
        self.threads_left = if comes { self.threads_left + 1 } else { self.threads_left - 1 };
    }

    /// Resets the numbers of threads that may run here and that wait for a block.
    pub(crate) fn forget_threads(&mut self, now: Time) {
        self.book_idling(now);
        (self.threads_left, self.blocks_awaited) = (0, 0);
    }

    /// All idle time up to now, in all parts under which it is booked.
    pub(crate) fn idle_at(&self, now: Time) -> Time {
        self.idle + self.unbooked_at(now)
    }

    /// The breakdown up to now, including the idle time that has not been booked.
    pub(crate) fn breakdown_at(&self, now: Time) -> Breakdown {
        let mut spent = self.spent;
        *idle_part(&mut spent, self.threads_left, self.blocks_awaited) += self.unbooked_at(now);
        let Spent { compute, memory, overhead, synchronization, idle } = spent;
        Breakdown {
            compute: compute.into(),
            memory: memory.into(),
            overhead: overhead.into(),
            synchronization: synchronization.into(),
            idle: idle.into(),
            taken: None,
        }
    }

    fn unbooked_at(&self, now: Time) -> Time {
        if self.idle_from == WORKS { Time::ZERO } else { now - self.idle_from }
    }
}

/// The part under which idle time is booked, by the numbers of threads that may run on the processor and that
/// wait for a block.
fn idle_part(spent: &mut Spent, threads_left: u32, blocks_awaited: u32) -> &mut Time {
    match (threads_left, blocks_awaited) {
        (0, _) => &mut spent.idle,
        (_, 0) => &mut spent.synchronization,
        _ => &mut spent.memory,
    }
}

#[cfg(test)]
mod tests {
    use units::TotalTime;

    use super::*;

    fn sum(ns: u64) -> TotalTime {
        TotalTime::from_nanoseconds(ns)
    }

    #[test]
    fn idle_time_is_split_where_a_wait_for_a_block_begins_and_ends() {
        let ns = Time::from_nanoseconds;
        let mut ledger = Ledger::new();
        ledger.count_thread(Time::ZERO, true);
        ledger.await_block(ns(10), true);
        ledger.await_block(ns(15), true);
        ledger.await_block(ns(20), false);
        assert_eq!(ledger.breakdown_at(ns(25)).memory, ns(15));
        ledger.await_block(ns(30), false);
        ledger.end_idling(ns(37));
        ledger.await_block(ns(40), true);
        let spent = ledger.breakdown_at(ns(50));
        assert_eq!((spent.memory, spent.synchronization), (sum(20), sum(17)));
        ledger.begin_idling(ns(60));
        let spent = ledger.breakdown_at(ns(63));
        assert_eq!((spent.memory, spent.synchronization, ledger.idle_at(ns(63))), (sum(23), sum(17), ns(40)));
    }

    #[test]
    fn what_is_booked_is_no_idle_time() {
        let ns = Time::from_nanoseconds;
        let mut ledger = Ledger::new();
        ledger.count_thread(Time::ZERO, true);
        ledger.end_idling(ns(4));
        ledger.book(Bucket::Compute, ns(6));
        ledger.book(Bucket::Overhead, ns(2));
        ledger.book(Bucket::Memory, ns(1));
        ledger.count().handlers += 1;
        let spent = ledger.breakdown_at(ns(13));
        assert_eq!((spent.compute, spent.overhead, spent.memory), (sum(6), sum(2), sum(1)));
        assert_eq!(
            (spent.synchronization, ledger.idle_at(ns(13)), ledger.computed()),
            (sum(4), ns(4), ns(6))
        );
        assert_eq!(ledger.counters().handlers, 1);
    }

    #[test]
    fn a_processor_whose_threads_have_returned_waits_for_nothing() {
        let ns = Time::from_nanoseconds;
        let mut ledger = Ledger::new();
        [true, true].into_iter().for_each(|comes| ledger.count_thread(Time::ZERO, comes));
        ledger.count_thread(ns(10), false);
        ledger.count_thread(ns(16), false);
        let spent = ledger.breakdown_at(ns(20));
        assert_eq!((spent.synchronization, spent.idle, spent.total()), (sum(16), sum(4), sum(20)));
        ledger.count_thread(ns(25), true);
        ledger.forget_threads(ns(26));
        let spent = ledger.breakdown_at(ns(30));
        assert_eq!((spent.synchronization, spent.idle, ledger.idle_at(ns(30))), (sum(17), sum(13), ns(30)));
    }

    #[test]
    fn only_polls_that_find_nothing_are_counted() {
        let mut ledger = Ledger::new();
        [false, true, false].into_iter().for_each(|found| ledger.count_poll(found));
        assert_eq!(ledger.counters().empty_polls, Some(2));
    }
}
