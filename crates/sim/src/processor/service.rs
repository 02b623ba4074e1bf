//! What a processor does for handlers: the time in them, the time in looking for events, the time in which it is dedicated.
//!
//! Must never know which handler runs, nor who decides that a processor is dedicated.

use units::Time;

/// The steps from an event's arrival at a processor to its handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Receipt {
    /// The time that receiving and dispatching take.
    pub(crate) took: Time,
    /// The time for which the processor had waited for memory by the end of them.
    pub(crate) waited: Time,
}

/// The service of one processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Service {
    /// When its handler began, and how long it had looked by then.
    began: (Time, Time),
    /// The other node that its last handler's message came from, and when that message was taken up.
    taken: Option<(usize, Time)>,
    receipt: Receipt,
    handling: Time,
    handled: Time,
    looking: Time,
    dedicated: bool,
    /// When the present role began, and the processor's idle time by then.
    since: (Time, Time),
    /// How long it was dedicated before, and how much of that it idled.
    before: (Time, Time),
}

impl Service {
    /// The service of a processor that begins in this role.
    pub(crate) fn new(dedicated: bool) -> Self {
        Self { dedicated, ..Self::default() }
    }

    /// Time spent in handlers themselves, without receiving and dispatching events and without waits for memory.
    pub(crate) fn handled(&self) -> Time {
        self.handled
    }

    /// Time spent in handlers, from an event's being found on.
    pub(crate) fn handling(&self) -> Time {
        self.handling
    }

    /// Time spent in looking for events, and in changing between events and threads.
    pub(crate) fn looking(&self) -> Time {
        self.looking
    }

    /// Has looked for events so long.
    pub(crate) fn look(&mut self, time: Time) {
        self.looking += time;
    }

    /// A handler begins at `at`, after the processor has looked for `delay`; receiving its event comes first.
    pub(crate) fn begin_handler(&mut self, at: Time, delay: Time, receipt: Receipt) {
        self.looking += delay;
        self.began = (at, self.looking);
        self.receipt = receipt;
    }

    /// The handler ends, with the way back to where the processor came from; the processor has waited for memory for so long
    /// by now.
    pub(crate) fn end_handler(&mut self, now: Time, waited: Time) {
        let (began, looked) = self.began;
        let took = now.saturating_sub(began + (self.looking - looked));
        self.handling += took;
        self.handled += took.saturating_sub(self.receipt.took + waited.saturating_sub(self.receipt.waited));
    }

    /// Takes up a message of node `from` now. Answers the source of the message before it, and when that was taken up.
    pub(crate) fn take_up(&mut self, from: usize, now: Time) -> Option<(usize, Time)> {
        self.taken.replace((from, now))
    }

    /// Whether the processor runs handlers and nothing else.
    pub(crate) fn is_dedicated(&self) -> bool {
        self.dedicated
    }

    /// Is dedicated to handlers from now on, or computes; it has idled so long by now.
    pub(crate) fn take_role(&mut self, dedicated: bool, now: Time, idle: Time) {
        self.before = self.dedicated_at(now, idle);
        self.since = (now, idle);
        self.dedicated = dedicated;
    }

    /// How long it has been dedicated up to now, and how much of that it idled; `idle` is all its idle time.
    pub(crate) fn dedicated_at(&self, now: Time, idle: Time) -> (Time, Time) {
        let Self { since, before, .. } = *self;
        match self.dedicated {
            true => (before.0 + (now - since.0), before.1 + (idle - since.1)),
            false => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    #[test]
    fn the_time_of_a_handler_is_what_was_not_spent_in_looking() {
        let mut service = Service::default();
        service.begin_handler(ns(12), ns(2), Receipt { took: ns(4), waited: ns(7) });
        service.look(ns(3));
        service.end_handler(ns(25), ns(8));
        assert_eq!((service.handling(), service.looking(), service.handled()), (ns(10), ns(5), ns(5)));
    }

    #[test]
    fn time_in_a_role_counts_from_its_beginning() {
        let mut service = Service::new(false);
        assert_eq!(service.dedicated_at(ns(9), ns(9)), (ns(0), ns(0)));
        service.take_role(true, ns(10), ns(4));
        assert!(service.is_dedicated());
        assert_eq!(service.dedicated_at(ns(16), ns(7)), (ns(6), ns(3)));
        service.take_role(false, ns(20), ns(9));
        assert_eq!(service.dedicated_at(ns(50), ns(30)), (ns(10), ns(5)));
    }

    #[test]
    fn the_message_before_is_known_once() {
        let mut service = Service::default();
        assert_eq!(service.take_up(3, ns(5)), None);
        assert_eq!(service.take_up(4, ns(8)), Some((3, ns(5))));
    }
}
