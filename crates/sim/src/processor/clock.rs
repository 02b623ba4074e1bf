//! The clock of a processor: how far it has run ahead of the present time, and the costs that it has yet to spend.
//!
//! A fiber's charges add up on this clock until the fiber's next effect. Before the effect the clock is settled. A handler or
//! send may leave occupancy, which the processor spends after the effect, and bus transactions, which it makes before the next
//! effect.
//!
//! This module must never know the purpose of a charge.

use machine::{Cost, Transactions};
use units::Time;

use crate::measure::anatomy::Taken;

/// Bus transactions that a processor makes before its next effect, each at its own instant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) made: Transactions,
    /// The time that the transactions take on an idle bus.
    pub(crate) alone: Time,
    /// The kind of event and the step that the transactions belong to. If there are several, it is the last.
    pub(crate) step: Option<(u16, Taken)>,
}

/// The clock of one processor.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// The work that has been done since the present time. The next effect comes this much later.
    ahead: Time,
    /// The time at which the suspended fiber goes on, while it is suspended in the middle of its work.
    until: Time,
    /// The bus transactions to make once the present time has reached this clock, and their time on an idle bus. A pair of its own
    /// would take more room than its parts do here.
    made: Transactions,
    alone: Time,
    /// The occupancy that follows the present handler or send.
    tail: Time,
    /// The bus transactions of that occupancy.
    after: Transactions,
    /// The time after the present handler in which no other handler starts, though the processor is free.
    wait: Time,
    /// The number of the present continuation. Continuations of lower numbers were put off by an interrupt.
    epoch: u32,
    /// The kind of event and the step that the pending transactions belong to.
    step: Option<(u16, Taken)>,
}

impl Clock {
    /// Time by which the clock is ahead of the present time.
    pub(crate) fn ahead(&self) -> Time {
        self.ahead
    }

    /// The instant on this clock when the present time is `now`.
    pub(crate) fn at(&self, now: Time) -> Time {
        now + self.ahead
    }

    /// Advances the clock by `time`.
    #[inline]
    pub(crate) fn advance(&mut self, time: Time) {
        self.ahead += time;
    }

    /// Resets the clock to the present time. Returns its lead, for which the caller waits.
    #[inline]
    pub(crate) fn take_ahead(&mut self) -> Time {
        std::mem::take(&mut self.ahead)
    }

    /// Sets the time at which the fiber at work goes on. Returns the number of that continuation.
    pub(crate) fn go_on_at(&mut self, at: Time) -> u32 {
        self.until = at;
        self.epoch
    }

    /// The number of the present continuation.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The remaining time until the suspended fiber goes on.
    pub(crate) fn left(&self, now: Time) -> Time {
        self.until - now
    }

    /// Whether the continuation of this number is the present one, and was not put off.
    pub(crate) fn counts(&self, epoch: u32) -> bool {
        self.epoch == epoch
    }

    /// Puts off the present continuation.
    pub(crate) fn put_off(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// Makes the continuation that was put off last the present one again.
    pub(crate) fn count_again(&mut self) {
        self.epoch = self.epoch.wrapping_sub(1);
    }

    /// Adds the occupancy and the later bus transactions of `cost`, to be spent after the effect.
    pub(crate) fn owe(&mut self, cost: &Cost) {
        self.tail += cost.occupancy;
        if !cost.after.is_empty() {
            self.after = self.after.and(cost.after);
        }
    }

    /// Adds `time` to the occupancy that is spent after the effect.
    pub(crate) fn owe_time(&mut self, time: Time) {
        self.tail += time;
    }

    /// Lets no other handler start within `wait` after the present one.
    pub(crate) fn keep_waiting(&mut self, wait: Time) {
        self.wait = self.wait.max(wait);
    }

    /// Whether occupancy, or bus transactions of it, are left to be spent.
    #[inline]
    pub(crate) fn owes(&self) -> bool {
        !self.tail.is_zero() || self.has_after()
    }

    /// Removes and returns the occupancy, which the caller spends.
    pub(crate) fn take_tail(&mut self) -> Time {
        std::mem::take(&mut self.tail)
    }

    /// Removes and returns the bus transactions of the occupancy, which the caller makes.
    pub(crate) fn take_after(&mut self) -> Transactions {
        std::mem::take(&mut self.after)
    }

    /// Whether bus transactions follow the present handler or send.
    pub(crate) fn has_after(&self) -> bool {
        !self.after.is_empty()
    }

    /// Removes and returns the time in which no other handler starts. The caller enforces it.
    pub(crate) fn take_wait(&mut self) -> Time {
        std::mem::take(&mut self.wait)
    }

    /// Sets the transactions to be made once the clock is settled.
    #[inline]
    pub(crate) fn pend(&mut self, pending: Pending) {
        (self.made, self.alone, self.step) = (pending.made, pending.alone, pending.step);
    }

    /// The transactions to be made once the clock is settled.
    #[inline]
    pub(crate) fn pending(&self) -> Pending {
        Pending { made: self.made, alone: self.alone, step: self.step }
    }

    /// Names the step that the pending transactions belong to.
    #[inline]
    pub(crate) fn name_pending(&mut self, step: (u16, Taken)) {
        self.step = Some(step);
    }

    /// Whether engine time has come to this clock, and no transactions are pending.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.ahead.is_zero() && !self.pends()
    }

    /// Whether transactions are pending.
    #[inline]
    pub(crate) fn pends(&self) -> bool {
        !self.made.is_empty()
    }

    /// Removes and returns the pending transactions, which the caller makes.
    #[inline]
    pub(crate) fn take_pending(&mut self) -> Pending {
        let pending = self.pending();
        self.pend(Pending::default());
        pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Transaction;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    #[test]
    fn charges_add_up_until_the_clock_is_settled() {
        let mut clock = Clock::default();
        clock.advance(ns(3));
        clock.advance(ns(4));
        assert_eq!((clock.ahead(), clock.at(ns(10)), clock.is_settled()), (ns(7), ns(17), false));
        assert_eq!((clock.take_ahead(), clock.at(ns(17)), clock.is_settled()), (ns(7), ns(17), true));
    }

    #[test]
    fn a_continuation_that_was_put_off_counts_no_more() {
        let mut clock = Clock::default();
        let first = clock.go_on_at(ns(20));
        clock.put_off();
        assert!(!clock.counts(first));
        assert_eq!(clock.left(ns(12)), ns(8));
        let second = clock.go_on_at(ns(30));
        assert!(clock.counts(second) && first != second);
        clock.count_again();
        assert!(clock.counts(first));
    }

    #[test]
    fn occupancy_adds_up_and_the_longest_wait_stays() {
        let mut clock = Clock::default();
        let cost = |occupancy, after| Cost { occupancy: ns(occupancy), after, ..Cost::default() };
        clock.owe(&cost(5, Transactions::NONE));
        assert!(!clock.has_after());
        clock.owe(&cost(2, Transactions::one(Transaction::Invalidate)));
        clock.owe_time(ns(1));
        clock.keep_waiting(ns(9));
        clock.keep_waiting(ns(4));
        assert!(clock.has_after());
        assert_eq!((clock.take_tail(), clock.take_wait()), (ns(8), ns(9)));
        assert_eq!(clock.take_after().iter().count(), 1);
        assert_eq!((clock.take_tail(), clock.take_wait(), clock.has_after()), (ns(0), ns(0), false));
    }

    #[test]
    fn transactions_pend_until_they_are_taken() {
        let mut clock = Clock::default();
        let made = Transactions::one(Transaction::Invalidate);
        clock.pend(Pending { made, alone: ns(4), step: Some((3, Taken::MISS)) });
        assert!(clock.pends() && !clock.is_settled() && clock.pending().made == made);
        clock.name_pending((5, Taken::MISS));
        let pending = clock.take_pending();
        assert_eq!((pending.alone, pending.step.map(|(kind, _)| kind)), (ns(4), Some(5)));
        assert!(!clock.pends());
    }
}
