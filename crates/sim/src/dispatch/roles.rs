//! The roles of a node's processors under a policy that adapts. The node measures itself, dedicates processors to handlers, and
//! lets them compute again.
//!
//! No event wakes a node to measure. It measures when a handler ends and when a thread polls. An interval ends with the first
//! such instant after its length. A processor changes its role when it has no work to continue: it idles, its handler has
//! ended, or its thread waits or polls. The threads of a dedicated processor go on elsewhere. The last dedicated processor
//! computes again only when every message that was handed to it is in the interface.
//!
//! This module must never know when a change is wise: [`Controller`] decides that.

use machine::{ByClass, Class, Cost, Machine};
use tempest::outcome::Why;
use tempest::world::{Controller, Reading};
use units::{Time, TotalTime};

use crate::processor::core::Core;

/// The roles of a node's processors.
#[derive(Debug)]
pub(crate) struct Roles {
    controller: Controller,
    interval: Time,
    /// The time that one handler adds to the work done: the price of getting to the handler.
    handler: Time,
    /// The number of processors that are dedicated.
    dedicated: u32,
    /// The number of processors that should be dedicated.
    wanted: u32,
    /// The reason of the last decision.
    why: Option<Why>,
    /// The totals at the start of the interval.
    begin: Totals,
}

/// Total work of a node's processors up to an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    at: Time,
    /// The time in handlers: of computing processors, then of dedicated ones.
    handling: [TotalTime; 2],
    /// The idle time: of computing processors, then of dedicated ones.
    idle: [TotalTime; 2],
    looking: TotalTime,
    /// The time in the program's own work.
    own: TotalTime,
    /// The number of handlers.
    handlers: u64,
    /// The total wait of all events.
    waited: TotalTime,
}

/// The length of an interval, in messages. One message is the time that a processor takes, by the machine's prices, to send it,
/// to receive it, and to change to its handler and back. The number is large enough that no single message decides the
/// measurement, and small enough that wrong roles soon end.
const MESSAGES: u64 = 16;

/// The path time of a price.
fn path(price: &Option<ByClass<Cost>>) -> Time {
    price.as_ref().map_or(Time::ZERO, |price| price.of(Class::User).path)
}

impl Roles {
    /// The roles at the start: all processors compute.
    pub(crate) fn new(machine: &Machine) -> Self {
        let (primitives, processor) = (&machine.primitives, &machine.processor);
        let handler = path(&primitives.dispatch);
        let message = path(&primitives.send_header) + handler + processor.thread_switch + processor.poll;
        Self::every(message * MESSAGES, handler)
    }

    /// The roles at the start, with intervals of this length.
    fn every(interval: Time, handler: Time) -> Self {
        Self {
            controller: Controller::new(),
            interval,
            handler,
            dedicated: 0,
            wanted: 0,
            why: None,
            begin: Totals::default(),
        }
    }

    /// The number of processors that are dedicated.
    pub(crate) fn dedicated(&self) -> u32 {
        self.dedicated
    }

    /// Whether another processor should be dedicated.
    pub(crate) fn wants_more(&self) -> bool {
        self.dedicated < self.wanted
    }

    /// Whether a dedicated processor should compute again. `injected_all` says that no message is left that was handed over.
    pub(crate) fn wants_fewer(&self, injected_all: bool) -> bool {
        self.dedicated > self.wanted && (self.dedicated > 1 || injected_all)
    }

    /// Measures the node's processors at `now`. `waited` is the total wait of the node's events. Returns whether roles should
    /// change.
    pub(crate) fn measure(&mut self, now: Time, cores: &[Core], waited: TotalTime) -> bool {
        if now < self.begin.at + self.interval || self.dedicated != self.wanted {
            return false;
        }
        let totals = Totals::of(now, cores, waited);
        let reading = self.reading(&totals, cores.len() as u32);
        self.begin = totals;
        let Some((wanted, why)) = self.controller.observe(&reading) else { return false };
        self.wanted = wanted;
        self.why = Some(why);
        true
    }

    /// Records that a processor was dedicated or computes again, and begins a new interval. Returns the new number of dedicated
    /// processors and the reason.
    pub(crate) fn note_change(
        &mut self,
        now: Time,
        dedicated: bool,
        cores: &[Core],
        waited: TotalTime,
    ) -> (u32, Option<Why>) {
        self.dedicated = if dedicated { self.dedicated + 1 } else { self.dedicated - 1 };
        self.begin = Totals::of(now, cores, waited);
        (self.dedicated, self.why)
    }

    /// The measurement of the interval that ends with the totals `to`.
    fn reading(&self, to: &Totals, processors: u32) -> Reading {
        let (from, dedicated) = (&self.begin, self.dedicated);
        let length = (to.at - from.at).as_seconds();
        let rate = |from: TotalTime, to: TotalTime| {
            if length > 0.0 { to.saturating_sub(from).as_seconds() / length } else { 0.0 }
        };
        let share =
            |from: TotalTime, to: TotalTime, of: u32| (rate(from, to) / f64::from(of.max(1))).min(1.0);
        let computing = processors - dedicated;
        let done = |totals: &Totals| totals.own + TotalTime::from(self.handler) * totals.handlers;
        Reading {
            at: to.at,
            processors,
            dedicated,
            handlers: share(from.handling[0], to.handling[0], computing),
            looking: share(from.looking, to.looking, computing),
            idle: share(from.idle[0], to.idle[0], computing),
            protocol: if dedicated > 0 { 1.0 - share(from.idle[1], to.idle[1], dedicated) } else { 0.0 },
            waiting: rate(from.waited, to.waited),
            progress: rate(done(from), done(to)),
        }
    }
}

impl Totals {
    fn of(now: Time, cores: &[Core], waited: TotalTime) -> Self {
        let mut totals = Self { at: now, waited, ..Self::default() };
        for core in cores {
            let role = usize::from(core.is_dedicated());
            totals.handling[role] += core.service.handling();
            totals.idle[role] += core.ledger.idle_at(now);
            totals.looking += core.service.looking();
            totals.own += core.ledger.computed();
            totals.handlers += core.ledger.counters().handlers;
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::testing::{computing, node};
    use crate::processor::ledger::Bucket;
    use crate::processor::service::Receipt;
    use crate::testing::ns;

    /// Two processors at `at` nanoseconds, which have spent half of that time looking for events.
    fn looking(at: u64) -> [Core; 2] {
        let mut cores = node([computing(), computing()]);
        for core in &mut cores {
            core.service.begin_handler(ns(0), ns(0), Receipt::default());
            core.service.end_handler(ns(at / 4), ns(0));
            core.service.look(ns(at / 2));
            core.ledger.book(Bucket::Compute, ns(at / 8));
        }
        cores
    }

    #[test]
    fn a_node_that_looks_for_half_of_its_time_dedicates_a_processor() {
        let mut roles = Roles::every(ns(100), ns(1));
        let decided =
            (1..40).find(|step| roles.measure(ns(100 * step), &looking(100 * step), TotalTime::ZERO));
        let step = decided.expect("a change is worth a trial");
        assert!(roles.wants_more() && !roles.wants_fewer(true));
        assert!(
            !roles.measure(ns(100 * step + 100), &looking(100), TotalTime::ZERO),
            "no processor has changed yet"
        );
        let (dedicated, why) = roles.note_change(ns(100 * step), true, &looking(100 * step), TotalTime::ZERO);
        assert_eq!(dedicated, 1);
        assert!(matches!(why, Some(Why::Looking(_))));
        assert!(!roles.wants_more());
    }

    #[test]
    fn an_interval_has_to_pass() {
        let mut roles = Roles::every(ns(100), ns(1));
        for step in 1..40 {
            assert!(!roles.measure(ns(99), &looking(10 * step), TotalTime::ZERO));
        }
    }

    #[test]
    fn the_last_dedicated_processor_stays_until_all_is_injected() {
        let mut roles = Roles::every(ns(100), ns(1));
        roles.dedicated = 1;
        assert!(!roles.wants_fewer(false) && roles.wants_fewer(true));
        roles.dedicated = 2;
        assert!(roles.wants_fewer(false), "another one goes on injecting");
    }
}
