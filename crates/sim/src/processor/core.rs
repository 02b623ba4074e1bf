//! One modelled processor: what it is doing, and what waits for it to go on.
//!
//! Must never know which event comes next, nor what anything costs.

use machine::Class;
use tempest::world::{DispatchKey, Held};
use tempest::{ProtocolTime, Resource};
use units::Time;

use crate::prices::List;

use super::clock::Clock;
use super::ledger::{Bucket, Ledger};
use super::looks::Looks;
use super::service::Service;

/// What a processor is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    /// Nothing, since then.
    Idle {
        /// Start of the idle time.
        since: Time,
    },
    /// Running a program thread, by its index on the node.
    Thread(u32),
    /// Running a handler.
    Handler,
    /// Injecting a message that a thread handed over.
    Injecting,
    /// What a network processor does besides handlers.
    Step(Step),
    /// Emptying the interface, whose queue was full for too long.
    Trapped,
}

/// What a network processor is doing besides handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Taking a message that was handed over.
    Take,
    /// Putting it into the interface.
    Inject,
    /// Finding out whether a send succeeded, and the like: nothing follows from it.
    Settle,
    /// Reading a message out of the interface.
    Extract {
        /// Which.
        flight: u32,
    },
    /// Writing a message into the queue to the computing processor.
    HandOver {
        /// Which.
        flight: u32,
    },
    /// The end of a pass.
    Turn,
}

/// A protocol event of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A message for its handler, by its place among the messages on their way.
    Message {
        /// That place.
        flight: u32,
    },
    /// A thread that asked for a key and now gets it.
    Grant {
        /// The thread's index on the node.
        thread: u32,
    },
}

/// An event that a processor has been given.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) held: Held,
    pub(crate) event: Event,
}

/// What the fiber at work on a processor is for: prices, keys and the account of costs depend on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose {
    /// The class of the message at work.
    pub(crate) class: Class,
    /// The kind of event to the account of costs.
    pub(crate) kind: u16,
    /// The key of the handler at work.
    pub(crate) key: Option<DispatchKey>,
}

impl Purpose {
    /// What a thread does; `kind` is that of threads to the account of costs.
    pub(crate) fn of_thread(kind: u16) -> Self {
        Self { class: Class::User, kind, key: None }
    }
}

/// One processor.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) clock: Clock,
    pub(crate) ledger: Ledger,
    pub(crate) looks: Looks,
    pub(crate) service: Service,
    node: usize,
    number: u16,
    /// The price list that the processor pays from.
    list: List,
    /// Began as a computing processor: its time is that of the program.
    counted: bool,
    activity: Activity,
    purpose: Purpose,
    /// The thread put off by handlers, and how much of its charge was left.
    interrupted: Option<(u32, Time)>,
    /// A thread holds a key here: no interrupts.
    masked: bool,
    /// The thread waits until a message that was handed over is taken: there is nothing to interrupt.
    starved: bool,
    job: Option<Job>,
    /// The last turn was an injection: handlers come first now.
    injected_last: bool,
}

impl Core {
    /// A processor of a node that does nothing yet; `kind` is that of threads to the account of costs.
    pub(crate) fn new(node: usize, number: u16, dedicated: bool, kind: u16) -> Self {
        Self {
            clock: Clock::default(),
            ledger: Ledger::new(),
            looks: Looks::new(Time::ZERO),
            service: Service::new(dedicated),
            node,
            number,
            list: List::General,
            counted: !dedicated,
            activity: Activity::Idle { since: Time::ZERO },
            purpose: Purpose::of_thread(kind),
            interrupted: None,
            masked: false,
            starved: false,
            job: None,
            injected_last: false,
        }
    }

    /// A processor whose looks for events are meant to be so far apart.
    pub(crate) fn with_looks(self, apart: Time) -> Self {
        Self { looks: Looks::new(apart), ..self }
    }

    /// Its node.
    pub(crate) fn node(&self) -> usize {
        self.node
    }

    /// Its number on the node.
    pub(crate) fn number(&self) -> u16 {
        self.number
    }

    /// The price list that it pays from.
    pub(crate) fn list(&self) -> List {
        self.list
    }

    /// Whether its time is that of the program: it began as a computing processor.
    pub(crate) fn is_counted(&self) -> bool {
        self.counted
    }

    /// Whether it runs handlers and nothing else.
    pub(crate) fn is_dedicated(&self) -> bool {
        self.service.is_dedicated()
    }

    /// What it is doing.
    pub(crate) fn activity(&self) -> Activity {
        self.activity
    }

    /// Does something else from now on.
    pub(crate) fn begin(&mut self, activity: Activity) {
        self.activity = activity;
    }

    /// A processor that pays from another price list.
    pub(crate) fn with_list(self, list: List) -> Self {
        Self { list, ..self }
    }

    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.activity, Activity::Idle { .. })
    }

    /// Since when it has had nothing to do, if it has nothing.
    pub(crate) fn idle_since(&self) -> Option<Time> {
        if let Activity::Idle { since } = self.activity { Some(since) } else { None }
    }

    /// The thread that runs here, if one does.
    pub(crate) fn thread(&self) -> Option<u32> {
        if let Activity::Thread(thread) = self.activity { Some(thread) } else { None }
    }

    /// Whether it runs a program thread that an interrupt may put off.
    pub(crate) fn is_computing(&self) -> bool {
        self.thread().is_some() && !self.masked && !self.starved
    }

    /// Has nothing to do from now on.
    pub(crate) fn begin_idling(&mut self, now: Time) {
        self.activity = Activity::Idle { since: now };
        self.ledger.begin_idling(now);
    }

    /// Will do something: books the idle time that ends now. True if it was idle.
    pub(crate) fn end_idling(&mut self, now: Time) -> bool {
        let idles = self.is_idle();
        if idles {
            self.ledger.end_idling(now);
        }
        idles
    }

    /// The time up to now of a processor that runs no threads, as one of a kind.
    pub(crate) fn protocol_time_at(&self, now: Time, kind: Resource) -> ProtocolTime {
        let idle = self.ledger.idle_at(now);
        let memory = self.ledger.waited_for_memory().min(now - idle);
        let busy = now - idle - memory;
        let handlers = self.service.handled().min(busy);
        ProtocolTime { processors: kind, handlers, overhead: busy - handlers, memory, idle }
    }

    /// The time for which it has been dedicated up to now, and how much of that it idled.
    pub(crate) fn dedicated_at(&self, now: Time) -> (Time, Time) {
        self.service.dedicated_at(now, self.ledger.idle_at(now))
    }

    /// Spends time on its own clock.
    pub(crate) fn spend(&mut self, bucket: Bucket, time: Time) {
        self.clock.advance(time);
        self.ledger.book(bucket, time);
    }

    /// What the fiber at work is for.
    pub(crate) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// The fiber at work serves something else from now on.
    pub(crate) fn serve(&mut self, purpose: Purpose) {
        self.purpose = purpose;
    }

    /// Puts off the thread that runs here, with so much of its charge left.
    pub(crate) fn put_thread_off(&mut self, thread: u32, left: Time) {
        self.interrupted = Some((thread, left));
    }

    /// Whether this thread is put off here.
    pub(crate) fn has_put_off(&self, thread: u32) -> bool {
        self.interrupted.is_some_and(|(other, _)| other == thread)
    }

    /// Whether a thread is put off here.
    pub(crate) fn has_thread_put_off(&self) -> bool {
        self.interrupted.is_some()
    }

    /// The thread that was put off, which goes on, and how much of its charge was left.
    pub(crate) fn take_thread_put_off(&mut self) -> Option<(u32, Time)> {
        self.interrupted.take()
    }

    /// Whether a thread holds a key here.
    pub(crate) fn is_masked(&self) -> bool {
        self.masked
    }

    /// The thread holds a key from now on, or no longer.
    pub(crate) fn mask(&mut self, masked: bool) {
        self.masked = masked;
    }

    /// Whether the thread waits until a message that was handed over is taken.
    pub(crate) fn is_starved(&self) -> bool {
        self.starved
    }

    /// The thread waits until a message that was handed over is taken, or does so no longer.
    pub(crate) fn starve(&mut self, starved: bool) {
        self.starved = starved;
    }

    /// Whether no thread of it is put off, holds a key or waits for room.
    pub(crate) fn may_leave_threads(&self) -> bool {
        self.interrupted.is_none() && !self.masked && !self.starved
    }

    /// Is given an event.
    pub(crate) fn give(&mut self, job: Job) {
        self.injected_last = false;
        self.job = Some(job);
    }

    /// The event that it was given, which its handler begins with.
    pub(crate) fn take_job(&mut self) -> Option<Job> {
        self.job.take()
    }

    /// Its turn was an injection.
    pub(crate) fn note_injection(&mut self) {
        self.injected_last = true;
    }

    /// Whether handlers come before injections now: they take turns when both wait.
    pub(crate) fn serves_handlers_first(&self) -> bool {
        self.injected_last
    }
}

#[cfg(test)]
mod tests {
    use super::super::service::Receipt;
    use super::*;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    fn core() -> Core {
        Core::new(3, 1, false, 7)
    }

    #[test]
    fn what_is_spent_is_booked_and_comes_before_the_next_effect() {
        let mut core = core();
        core.ledger.count_thread(Time::ZERO, true);
        assert!(core.end_idling(ns(5)));
        core.begin(Activity::Thread(2));
        core.spend(Bucket::Compute, ns(4));
        core.spend(Bucket::Memory, ns(3));
        assert_eq!(core.clock.at(ns(5)), ns(12));
        let spent = core.ledger.breakdown_at(ns(12));
        assert_eq!((spent.compute, spent.memory, spent.synchronization), (ns(4), ns(3), ns(5)));
        assert!(!core.end_idling(ns(12)), "it did not idle");
    }

    #[test]
    fn a_thread_that_holds_a_key_or_waits_for_room_is_not_interrupted() {
        let mut core = core();
        assert!(!core.is_computing());
        core.begin(Activity::Thread(0));
        assert!(core.is_computing() && core.may_leave_threads());
        core.mask(true);
        assert!(!core.is_computing() && !core.may_leave_threads());
        core.mask(false);
        core.starve(true);
        assert!(!core.is_computing() && !core.may_leave_threads());
    }

    #[test]
    fn a_thread_that_was_put_off_comes_back_once() {
        let mut core = core();
        core.put_thread_off(4, ns(6));
        assert!(core.has_thread_put_off() && !core.may_leave_threads());
        assert_eq!(core.take_thread_put_off(), Some((4, ns(6))));
        assert_eq!(core.take_thread_put_off(), None);
    }

    #[test]
    fn a_dedicated_processors_time_is_handlers_receipt_memory_and_idle() {
        let mut core = Core::new(3, 1, true, 7);
        core.end_idling(ns(10));
        core.begin(Activity::Handler);
        // An event is found at 10 and dispatched in 5, of which 1 is a wait for memory.
        core.ledger.book(Bucket::Memory, ns(1));
        core.service.begin_handler(
            ns(10),
            Time::ZERO,
            Receipt { took: ns(5), waited: core.ledger.waited_for_memory() },
        );
        // The handler waits for memory for 2 and ends at 30.
        core.ledger.book(Bucket::Memory, ns(2));
        core.service.end_handler(ns(30), core.ledger.waited_for_memory());
        core.begin_idling(ns(30));
        let spent = core.protocol_time_at(ns(37), Resource::DedicatedProcessor);
        let parts = [spent.handlers, spent.overhead, spent.memory, spent.idle];
        assert_eq!((parts, spent.total()), ([13, 4, 3, 17].map(ns), ns(37)));
    }
}
