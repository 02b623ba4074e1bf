//! A modelled processor: its present activity, and the work that waits for it.
//!
//! This module must never know which event comes next, nor any cost.

use machine::Class;
use tempest::outcome::{ProtocolTime, Resource};
use tempest::world::Held;
use units::Time;

use crate::prices::List;

use super::clock::Clock;
use super::ledger::{Bucket, Ledger};
use super::looks::Looks;
use super::service::Service;

/// The present activity of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    /// It has nothing to do.
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
    /// A step of a network processor besides handlers.
    Step(Step),
    /// It empties the interface, whose queue was full for too long.
    Trapped,
}

/// A step of a network processor besides handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// It takes a message that was handed over.
    Take,
    /// It puts that message into the interface.
    Inject,
    /// It finds out whether a send succeeded, or does other work that has no effect besides its time.
    Settle,
    /// It reads a message out of the interface.
    Extract {
        /// The message's place among the flights.
        flight: u32,
    },
    /// It writes a message into the queue to the computing processor.
    HandOver {
        /// The message's place among the flights.
        flight: u32,
    },
    /// It goes from the end of one pass of its loop to the next pass.
    Turn,
}

/// A protocol event of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A message for its handler.
    Message {
        /// The message's place among the flights.
        flight: u32,
    },
    /// The grant of a key to the thread that asked for it.
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

/// The purpose of the fiber at work on a processor. Its prices and the account of costs depend on the purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose {
    /// The class of the present message.
    pub(crate) class: Class,
    /// The kind of the present event in the account of costs.
    pub(crate) kind: u16,
}

impl Purpose {
    /// The purpose of a thread. `kind` is the kind of threads in the account of costs.
    pub(crate) fn of_thread(kind: u16) -> Self {
        Self { class: Class::User, kind }
    }
}

/// The thread of a processor that handlers have put off, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PutOff {
    None,
    Thread {
        thread: u32,
        /// The time that was left of its charge.
        left: Time,
    },
}

/// A modelled processor. The parts that every message touches come first, in this order: of very many processors hardly
/// any lies in a near cache of the host.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Core {
    pub(crate) service: Service,
    node: u32,
    number: u16,
    /// The price list that the processor pays from.
    list: List,
    /// Whether the processor began as a computing processor. Its time then counts as the program's.
    counted: bool,
    /// Whether a thread holds a key here, which masks interrupts.
    masked: bool,
    /// Whether the thread waits until a message that was handed over is taken. Such a thread is not interrupted.
    starved: bool,
    /// Whether the last turn was an injection. The next turn then goes to handlers.
    injected_last: bool,
    purpose: Purpose,
    activity: Activity,
    pub(crate) clock: Clock,
    job: Option<Job>,
    pub(crate) ledger: Ledger,
    interrupted: PutOff,
    pub(crate) looks: Looks,
}

impl Core {
    /// A processor of a node that has not begun to work. `kind` is the kind of threads in the account of costs.
    pub(crate) fn new(node: usize, number: u16, dedicated: bool, kind: u16) -> Self {
        Self {
            clock: Clock::default(),
            ledger: Ledger::new(),
            looks: Looks::new(Time::ZERO),
            service: Service::new(dedicated),
            node: node as u32,
            number,
            list: List::General,
            counted: !dedicated,
            activity: Activity::Idle { since: Time::ZERO },
            purpose: Purpose::of_thread(kind),
            interrupted: PutOff::None,
            masked: false,
            starved: false,
            job: None,
            injected_last: false,
        }
    }

    /// Sets the time between two looks for events that the processor's threads aim at.
    pub(crate) fn with_looks(self, apart: Time) -> Self {
        Self { looks: Looks::new(apart), ..self }
    }

    /// The number of the processor's node.
    pub(crate) fn node(&self) -> usize {
        self.node as usize
    }

    /// The processor's number on its node.
    pub(crate) fn number(&self) -> u16 {
        self.number
    }

    /// The price list that the processor pays from.
    pub(crate) fn list(&self) -> List {
        self.list
    }

    /// Whether the processor's time counts as the program's: it began as a computing processor.
    pub(crate) fn is_counted(&self) -> bool {
        self.counted
    }

    /// Whether the processor runs handlers and nothing else.
    pub(crate) fn is_dedicated(&self) -> bool {
        self.service.is_dedicated()
    }

    /// The present activity.
    pub(crate) fn activity(&self) -> Activity {
        self.activity
    }

    /// Begins another activity.
    pub(crate) fn begin(&mut self, activity: Activity) {
        self.activity = activity;
    }

    /// Sets the price list that the processor pays from.
    pub(crate) fn with_list(self, list: List) -> Self {
        Self { list, ..self }
    }

    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.activity, Activity::Idle { .. })
    }

    /// The beginning of the present idle time; `None` if the processor is not idle.
    pub(crate) fn idle_since(&self) -> Option<Time> {
        if let Activity::Idle { since } = self.activity { Some(since) } else { None }
    }

    /// Whether a handler runs here.
    #[inline]
    pub(crate) fn runs_handler(&self) -> bool {
        self.activity == Activity::Handler
    }

    /// The thread that runs here, if one does.
    #[inline]
    pub(crate) fn thread(&self) -> Option<u32> {
        if let Activity::Thread(thread) = self.activity { Some(thread) } else { None }
    }

    /// Whether the processor runs a program thread that an interrupt may put off.
    pub(crate) fn is_computing(&self) -> bool {
        self.thread().is_some() && !self.masked && !self.starved
    }

    /// Makes the processor idle from now on.
    pub(crate) fn begin_idling(&mut self, now: Time) {
        self.activity = Activity::Idle { since: now };
        self.ledger.begin_idling(now);
    }

    /// Books the idle time that ends now. Returns whether the processor was idle.
    pub(crate) fn end_idling(&mut self, now: Time) -> bool {
        let idles = self.is_idle();
        if idles {
            self.ledger.end_idling(now);
        }
        idles
    }

    /// The breakdown up to now of a processor that runs no threads, as a processor of this kind.
    pub(crate) fn protocol_time_at(&self, now: Time, kind: Resource) -> ProtocolTime {
        let idle = self.ledger.idle_at(now);
        let memory = self.ledger.waited_for_memory().min(now - idle);
        let busy = now - idle - memory;
        let handlers = self.service.handled().min(busy);
        ProtocolTime {
            processors: kind,
            handlers: handlers.into(),
            overhead: (busy - handlers).into(),
            memory: memory.into(),
            idle: idle.into(),
            taken: None,
        }
    }

    /// The time for which the processor has been dedicated up to now, and the idle part of that time.
    pub(crate) fn dedicated_at(&self, now: Time) -> (Time, Time) {
        self.service.dedicated_at(now, self.ledger.idle_at(now))
    }

    /// Spends time on the processor's own clock.
    pub(crate) fn spend(&mut self, bucket: Bucket, time: Time) {
        self.clock.advance(time);
        self.ledger.book(bucket, time);
    }

    /// Spends the time of a look for events.
    #[inline]
    pub(crate) fn look(&mut self, time: Time) {
        self.spend(Bucket::Overhead, time);
        self.service.look(time);
        self.looks.spend(time);
    }

    /// Spends the time of a program's operations. They count as computing unless the processor runs a handler, or the thread
    /// holds a key.
    #[inline]
    pub(crate) fn compute(&mut self, time: Time) {
        let computes = self.activity != Activity::Handler && !self.masked;
        self.spend(if computes { Bucket::Compute } else { Bucket::Overhead }, time);
    }

    /// The purpose of the fiber at work.
    pub(crate) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Changes the purpose of the fiber at work.
    pub(crate) fn serve(&mut self, purpose: Purpose) {
        self.purpose = purpose;
    }

    /// Puts off the thread that runs here. `left` is the time that was left of its charge.
    pub(crate) fn put_thread_off(&mut self, thread: u32, left: Time) {
        self.interrupted = PutOff::Thread { thread, left };
    }

    /// Whether this thread is put off here.
    pub(crate) fn has_put_off(&self, thread: u32) -> bool {
        matches!(self.interrupted, PutOff::Thread { thread: other, .. } if other == thread)
    }

    /// Whether a thread is put off here.
    pub(crate) fn has_thread_put_off(&self) -> bool {
        self.interrupted != PutOff::None
    }

    /// Removes and returns the thread that was put off, and the time that was left of its charge. The thread goes on.
    pub(crate) fn take_thread_put_off(&mut self) -> Option<(u32, Time)> {
        match std::mem::replace(&mut self.interrupted, PutOff::None) {
            PutOff::Thread { thread, left } => Some((thread, left)),
            PutOff::None => None,
        }
    }

    /// Masks interrupts while the thread holds a key, or unmasks them.
    pub(crate) fn mask(&mut self, masked: bool) {
        self.masked = masked;
    }

    /// Whether interrupts are masked: the thread holds a key.
    pub(crate) fn is_masked(&self) -> bool {
        self.masked
    }

    /// Whether the thread waits until a message that was handed over is taken.
    pub(crate) fn is_starved(&self) -> bool {
        self.starved
    }

    /// Sets whether the thread waits until a message that was handed over is taken.
    pub(crate) fn starve(&mut self, starved: bool) {
        self.starved = starved;
    }

    /// Whether the processor may leave its threads: none of them is put off, holds a key or waits for room.
    pub(crate) fn may_leave_threads(&self) -> bool {
        self.interrupted == PutOff::None && !self.masked && !self.starved
    }

    /// Gives the processor an event, and returns that.
    #[inline]
    pub(crate) fn give(&mut self, job: Job) -> Event {
        self.injected_last = false;
        let event = job.event;
        self.job = Some(job);
        event
    }

    /// Whether the processor has been given an event whose handler has not begun.
    pub(crate) fn has_job(&self) -> bool {
        self.job.is_some()
    }

    /// Removes and returns the processor's event, with which its handler begins.
    pub(crate) fn take_job(&mut self) -> Option<Job> {
        self.job.take()
    }

    /// Records that the processor's turn was an injection.
    pub(crate) fn note_injection(&mut self) {
        self.injected_last = true;
    }

    /// Whether handlers come before injections now. Handlers and injections take turns when both wait.
    pub(crate) fn serves_handlers_first(&self) -> bool {
        self.injected_last
    }
}

#[cfg(test)]
mod tests {
    use super::super::service::Receipt;
    use units::TotalTime;

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
        assert_eq!(
            (spent.compute, spent.memory, spent.synchronization),
            [4, 3, 5].map(TotalTime::from_nanoseconds).into()
        );
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
        assert_eq!((parts, spent.total()), ([13, 4, 3, 17].map(TotalTime::from_nanoseconds), ns(37).into()));
    }
}
