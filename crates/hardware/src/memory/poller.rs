//! A client of the bus that polls: it makes the same transactions again and again, as long as nothing else occupies it.
//!
//! A poll has a part for each of its transactions: the transaction, and an equal share of the poller's own time. The transaction begins at
//! a random instant of that time, because instructions of a loop do not fall into step with another client's misses. Where the bus is busy
//! the poller waits, as every client does, and all that it does later is later by its wait.
//!
//! A transaction of a poll is no event: it is made when another client asks for the bus at the time of the transaction or later. Polls that
//! no other client could see are only counted. After the last poll a transaction that has begun still holds the bus to its end.
//!
//! This module must never know the bus, nor the aim of the polls.

use std::sync::Arc;

use des::Choice;
use machine::Transactions;
use units::Time;

/// A client of the bus that polls.
#[derive(Clone, Debug)]
pub(crate) struct Poller {
    /// The numbers of the kinds of a poll's transactions, in their order.
    kinds: Arc<[usize]>,
    /// The poller's own time in a part of a poll.
    own: Time,
    /// The time of a poll on an idle bus.
    poll: Time,
    /// The present part; `None` while the poller does not poll.
    part: Option<Part>,
    /// The number of parts before the present one. A number is never used twice.
    parts: u64,
    /// The number of transactions made, by their places in a poll.
    made: Vec<u64>,
    choice: Choice,
}

/// A part of a poll with a transaction to come.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: Time,
    /// The time at which the transaction is asked for.
    asked: Time,
}

impl Poller {
    /// A poller that does not poll yet. A poll takes `poll`, of which its transactions take `alone` on an idle bus. There is at
    /// least one transaction, and each takes time.
    pub(crate) fn new(transactions: Transactions, poll: Time, alone: Time) -> Self {
        let kinds = transactions.by_number();
        let kinds: Arc<[usize]> =
            kinds.flat_map(|(kind, count)| std::iter::repeat_n(kind, count as usize)).collect();
        let (left, count) = (poll.saturating_sub(alone).as_femtoseconds(), kinds.len().max(1) as u64);
        let own = Time::from_femtoseconds(left / count);
        Self {
            made: vec![0; kinds.len()],
            own,
            poll: alone + own * count,
            part: None,
            parts: 0,
            choice: Choice::new(0),
            kinds,
        }
    }

    /// Begins to poll at `now`, unless it polls.
    pub(crate) fn begin(&mut self, now: Time) {
        if self.part.is_none() {
            self.parts = self.parts.next_multiple_of(self.kinds.len() as u64);
            self.part = Some(self.part_at(now));
        }
    }

    /// Ends the polls. The transactions before the present time have been made.
    pub(crate) fn stop(&mut self) {
        self.part = None;
    }

    /// Whether it polls.
    #[inline]
    pub(crate) fn polls(&self) -> bool {
        self.part.is_some()
    }

    /// The time at which the next transaction is asked for, if that is not after `until`, and the number of its kind. At
    /// [`Time::MAX`] no transaction is asked for.
    #[inline]
    pub(crate) fn next_until(&self, until: Time) -> Option<(Time, usize)> {
        let Part { asked, .. } = self.part.filter(|part| part.asked <= until && part.asked < Time::MAX)?;
        Some((asked, self.kinds[self.place()]))
    }

    /// Makes all whole polls from the present part to `until` at the latest, on a bus that no other client uses meanwhile.
    pub(crate) fn skip_until(&mut self, until: Time) {
        let Some(Part { start, .. }) = self.part else { return };
        let whole = until.saturating_sub(start).as_femtoseconds() / self.poll.as_femtoseconds().max(1);
        if whole > 0 {
            self.parts += whole * self.kinds.len() as u64;
            self.made.iter_mut().for_each(|made| *made += whole);
            self.part = Some(self.part_at(start + self.poll * whole));
        }
    }

    /// Counts the next transaction as made, which ends at `end`.
    pub(crate) fn made_until(&mut self, end: Time) {
        let Some(Part { start, asked }) = self.part else { return };
        let place = self.place();
        self.made[place] += 1;
        self.parts += 1;
        self.part = Some(self.part_at(end + self.own.before(asked - start)));
    }

    /// The kinds of a poll's transactions, by number, with the number of transactions made of each.
    pub(crate) fn made(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.kinds.iter().copied().zip(self.made.iter().copied())
    }

    /// The place of the next transaction in its poll.
    #[inline]
    fn place(&self) -> usize {
        // Most polls have one or two transactions.
        (self.parts % self.kinds.len() as u64) as usize
    }

    /// The next part, which starts at `start`.
    fn part_at(&self, start: Time) -> Part {
        let drawn = u128::from(self.choice.tie(self.parts as u32)) * u128::from(self.own.as_femtoseconds());
        Part { start, asked: start + Time::from_femtoseconds((drawn >> u32::BITS) as u64) }
    }
}
