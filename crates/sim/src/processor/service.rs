//! A processor's time for handlers: the time inside them, the time of looking for events, and the time for which it was
//! dedicated.
//!
//! This module must never know which handler runs, nor why a processor is dedicated.

use units::Time;

/// The cost of receiving an event, up to the beginning of its handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Receipt {
    /// The time of receiving and dispatching the event.
    pub(crate) took: Time,
    /// The processor's total time of waiting for memory, at the end of dispatching.
    pub(crate) waited: Time,
}

/// The earlier roles of a processor whose role has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Roles {
    /// The time at which the present role began, and the total idle time by then.
    since: (Time, Time),
    /// The time for which the processor was dedicated in earlier roles, and the idle part of that time.
    before: (Time, Time),
}

/// A processor's time for handlers.
#[derive(Debug, Default)]
pub(crate) struct Service {
    /// `None` until the role changes, which it hardly ever does.
    roles: Option<Box<Roles>>,
    dedicated: bool,
    /// The other node whose message was received last, and the time of that receipt; [`NEVER`] if there was none.
    source: u32,
    taken: Time,
    /// The time at which the present handler began, and the total time of looking for events by then.
    began: (Time, Time),
    receipt: Receipt,
    handling: Time,
    handled: Time,
    looking: Time,
}

/// Stands for the time of a receipt where there was none.
const NEVER: Time = Time::MAX;

impl Service {
    /// A processor that begins in this role.
    pub(crate) fn new(dedicated: bool) -> Self {
        Self { dedicated, taken: NEVER, ..Self::default() }
    }

    /// The time inside handlers. It excludes receiving and dispatching, and waits for memory.
    pub(crate) fn handled(&self) -> Time {
        self.handled
    }

    /// The time for handlers, from the moment that each event was found.
    pub(crate) fn handling(&self) -> Time {
        self.handling
    }

    /// The time of looking for events, and of changing between events and threads.
    pub(crate) fn looking(&self) -> Time {
        self.looking
    }

    /// Adds time of looking for events.
    pub(crate) fn look(&mut self, time: Time) {
        self.looking += time;
    }

    /// Begins a handler at `at`, after the processor has looked for `delay`. The receipt of the handler's event comes first.
    pub(crate) fn begin_handler(&mut self, at: Time, delay: Time, receipt: Receipt) {
        self.looking += delay;
        self.began = (at, self.looking);
        self.receipt = receipt;
    }

    /// Ends the handler, including the way back to the processor's earlier work. `waited` is the total time of waiting for
    /// memory by now.
    pub(crate) fn end_handler(&mut self, now: Time, waited: Time) {
        let (began, looked) = self.began;
        let took = now.saturating_sub(began + (self.looking - looked));
        self.handling += took;
        self.handled += took.saturating_sub(self.receipt.took + waited.saturating_sub(self.receipt.waited));
    }

    /// Records that a message from node `from` is received now. Returns the source and the time of the receipt before.
    pub(crate) fn take_up(&mut self, from: usize, now: Time) -> Option<(usize, Time)> {
        let before = (self.source as usize, self.taken);
        (self.source, self.taken) = (from as u32, now);
        (before.1 != NEVER).then_some(before)
    }

    /// Whether the processor runs handlers and nothing else.
    pub(crate) fn is_dedicated(&self) -> bool {
        self.dedicated
    }

    /// Makes the processor dedicated, or a computing one. `idle` is its total idle time by now.
    pub(crate) fn take_role(&mut self, dedicated: bool, now: Time, idle: Time) {
        let before = self.dedicated_at(now, idle);
        self.roles = Some(Box::new(Roles { since: (now, idle), before }));
        self.dedicated = dedicated;
    }

    /// The time for which the processor has been dedicated up to now, and the idle part of it. `idle` is its total idle time.
    pub(crate) fn dedicated_at(&self, now: Time, idle: Time) -> (Time, Time) {
        let Roles { since, before } = self.roles.as_deref().copied().unwrap_or_default();
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
        let mut service = Service::new(false);
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
        let mut service = Service::new(false);
        assert_eq!(service.take_up(3, ns(5)), None);
        assert_eq!(service.take_up(4, ns(8)), Some((3, ns(5))));
    }
}
