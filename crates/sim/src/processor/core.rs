//! One modelled processor: what it is doing, how far its own clock has run ahead, where its time went.

use std::collections::VecDeque;

use machine::{Class, Transactions};
use tempest::world::{DispatchKey, Held, Pace};
use tempest::{Breakdown, Counters};
use units::Time;

use crate::link::cargo::HandedOver;
use crate::measure::anatomy::Taken;

/// Bus transactions that somebody has to make before its next effect, each at its own instant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pending {
    pub(crate) made: Transactions,
    /// The step that they are part of, to the account of where time goes: kind of event and step, of several the last.
    pub(crate) step: Option<(u16, Taken)>,
}

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
#[derive(Debug)]
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

/// An event this processor has been given.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) held: Held,
    pub(crate) event: Event,
}

/// What a processor's time is booked under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bucket {
    Compute,
    Memory,
    Overhead,
}

/// What a processor does for handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Service {
    /// When its handler began, and how long it had looked by then.
    began: (Time, Time),
    /// The other node that its last handler's message came from, and when that one was taken up.
    pub(crate) taken: Option<(usize, Time)>,
    /// In handlers.
    pub(crate) handling: Time,
    /// In looking for events, and in changing between them and threads.
    pub(crate) looking: Time,
    /// Since when it has been dedicated, if it is, and its idle time by then.
    since: (Time, Time),
    /// How long it was dedicated before, and how much of that it idled.
    before: (Time, Time),
}

/// One processor.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) node: usize,
    /// Its number on the node.
    pub(crate) number: u16,
    /// Which server of the dispatch queue it is, if its policy lets it run handlers.
    pub(crate) server: Option<usize>,
    /// Runs handlers and nothing else.
    pub(crate) dedicated: bool,
    /// Its time is that of a computing processor: it began as one.
    pub(crate) counted: bool,
    /// How often its threads look for events, and back-edges until the next look.
    pub(crate) pace: Pace,
    pub(crate) until_look: u32,
    /// What it did while it was dedicated, and in which handlers and in looking for them its time went.
    pub(crate) service: Service,
    pub(crate) activity: Activity,
    /// From when on its idle time has not been booked, if it idles.
    unbooked_since: Time,
    /// All idle time that has been booked.
    idle: Time,
    /// How many threads that may run here wait for a block of shared memory: while there is one, idling is a wait for memory.
    blocks_awaited: u32,
    /// Work done since engine time: the next effect comes so much later.
    pub(crate) ahead: Time,
    /// When the fiber at work here goes on, if it is suspended in mid-work.
    pub(crate) until: Time,
    /// Number of the continuation that counts; those of lower numbers were put off by an interrupt.
    pub(crate) epoch: u32,
    /// The thread put off by handlers, and how much of its charge was left.
    pub(crate) interrupted: Option<(u32, Time)>,
    /// The step of a network processor put off by a message that it takes in at once, and how much of it was left.
    pub(crate) put_off: Option<(Step, Time)>,
    /// A thread holds a key here: no interrupts.
    pub(crate) masked: bool,
    /// Its thread waits until a message that was handed over is taken: there is nothing to interrupt.
    pub(crate) starved: bool,
    /// A fault of its thread waits: it takes no other thread.
    pub(crate) held: bool,
    pub(crate) job: Option<Job>,
    /// The message being injected for a thread.
    pub(crate) injecting: Option<HandedOver>,
    /// Its last turn was an injection: handlers come first now.
    pub(crate) injected_last: bool,
    /// Occupancy that follows the handler at work.
    pub(crate) tail: Time,
    /// How long no other handler starts here after the one at work, though the processor is free.
    pub(crate) wait: Time,
    /// Of the bus transactions that follow the handler at work, as part of that.
    pub(crate) after: Transactions,
    /// Bus transactions to be made once engine time has come up to this processor's clock.
    pub(crate) pending: Pending,
    /// What the message at work is for: prices depend on it.
    pub(crate) class: Class,
    /// What it is to the account of where time goes.
    pub(crate) kind: u16,
    /// The key of the handler at work.
    pub(crate) key: Option<DispatchKey>,
    pub(crate) ready: VecDeque<u32>,
    /// The thread that ran here last.
    pub(crate) last_thread: Option<u32>,
    pub(crate) counters: Counters,
    pub(crate) breakdown: Breakdown,
}

impl Core {
    /// A processor that does nothing yet; `kind` is what threads do to the account of where time goes.
    pub(crate) fn new(node: usize, number: u16, server: Option<usize>, dedicated: bool, kind: u16) -> Self {
        Self {
            node,
            number,
            server,
            dedicated,
            counted: !dedicated,
            pace: Pace::new(Time::ZERO),
            until_look: 1,
            service: Service::default(),
            activity: Activity::Idle { since: Time::ZERO },
            unbooked_since: Time::ZERO,
            idle: Time::ZERO,
            blocks_awaited: 0,
            ahead: Time::ZERO,
            until: Time::ZERO,
            epoch: 0,
            interrupted: None,
            put_off: None,
            masked: false,
            starved: false,
            held: false,
            job: None,
            injecting: None,
            injected_last: false,
            tail: Time::ZERO,
            wait: Time::ZERO,
            after: Transactions::NONE,
            pending: Pending::default(),
            class: Class::User,
            kind,
            key: None,
            ready: VecDeque::new(),
            last_thread: None,
            counters: Counters::default(),
            breakdown: Breakdown::default(),
        }
    }

    /// One whose looks are meant to be so far apart.
    pub(crate) fn with_pace(self, apart: Time) -> Self {
        Self { pace: Pace::new(apart), ..self }
    }

    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.activity, Activity::Idle { .. })
    }

    /// Since when it has had nothing to do, if it has nothing.
    pub(crate) fn idle_since(&self) -> Option<Time> {
        if let Activity::Idle { since } = self.activity { Some(since) } else { None }
    }

    /// Running a program thread that an interrupt may put off.
    pub(crate) fn is_computing(&self) -> bool {
        matches!(self.activity, Activity::Thread(_)) && !self.masked && !self.starved
    }

    /// Whether there are bus transactions to be made.
    pub(crate) fn pends(&self) -> bool {
        !self.pending.made.is_empty()
    }

    /// Books time without spending it.
    pub(crate) fn book(&mut self, bucket: Bucket, time: Time) {
        match bucket {
            Bucket::Compute => self.breakdown.compute += time,
            Bucket::Memory => self.breakdown.memory += time,
            Bucket::Overhead => self.breakdown.overhead += time,
        }
    }

    /// Spends time on the processor's own clock.
    pub(crate) fn spend(&mut self, bucket: Bucket, time: Time) {
        self.ahead += time;
        self.book(bucket, time);
    }

    /// Has nothing to do from now on.
    pub(crate) fn begin_idling(&mut self, now: Time) {
        self.activity = Activity::Idle { since: now };
        self.unbooked_since = now;
    }

    /// Books the idle time up to now under what has been waited for.
    pub(crate) fn book_idling(&mut self, now: Time) {
        self.breakdown = self.breakdown_at(now);
        self.idle = self.idle_at(now);
        self.unbooked_since = now;
    }

    /// One thread more that may run here waits for a block, or one less. The idle time before is booked under what was waited
    /// for then.
    pub(crate) fn await_block(&mut self, now: Time, begins: bool) {
        self.book_idling(now);
        self.blocks_awaited = if begins { self.blocks_awaited + 1 } else { self.blocks_awaited - 1 };
    }

    /// No thread that may run here is known to wait for a block any more.
    pub(crate) fn forget_waits(&mut self, now: Time) {
        self.book_idling(now);
        self.blocks_awaited = 0;
    }

    /// Idle time that has not been booked.
    fn unbooked_at(&self, now: Time) -> Time {
        if self.is_idle() { now - self.unbooked_since } else { Time::ZERO }
    }

    /// All idle time, whatever was waited for, with what is still running.
    pub(crate) fn idle_at(&self, now: Time) -> Time {
        self.idle + self.unbooked_at(now)
    }

    /// Its handler begins at `at`, after it has looked so long.
    pub(crate) fn note_handler(&mut self, at: Time, delay: Time) {
        self.service.looking += delay;
        self.service.began = (at, self.service.looking);
    }

    /// Its handler ends, with the way back to where it came from.
    pub(crate) fn end_handler(&mut self, now: Time) {
        let Service { began, looking, .. } = self.service;
        self.service.handling += now.saturating_sub(began.0 + (looking - began.1));
    }

    /// Is dedicated to handlers from now on, or computes.
    pub(crate) fn take_role(&mut self, dedicated: bool, now: Time) {
        self.service.before = self.dedicated_at(now);
        self.service.since = (now, self.idle_at(now));
        self.dedicated = dedicated;
    }

    /// How long it has been dedicated, and how much of that it idled.
    pub(crate) fn dedicated_at(&self, now: Time) -> (Time, Time) {
        let Service { since, before, .. } = self.service;
        match self.dedicated {
            true => (before.0 + (now - since.0), before.1 + (self.idle_at(now) - since.1)),
            false => before,
        }
    }

    /// The breakdown with the idle time that is still running.
    pub(crate) fn breakdown_at(&self, now: Time) -> Breakdown {
        let mut breakdown = self.breakdown;
        let waits_for =
            if self.blocks_awaited > 0 { &mut breakdown.memory } else { &mut breakdown.synchronization };
        *waits_for += self.unbooked_at(now);
        breakdown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_split_where_a_wait_for_a_block_begins_and_ends() {
        let ns = Time::from_nanoseconds;
        let mut core = Core::new(0, 0, None, false, 0);
        core.await_block(ns(10), true);
        core.await_block(ns(15), true);
        core.await_block(ns(20), false);
        assert_eq!(core.breakdown_at(ns(25)).memory, ns(15));
        core.await_block(ns(30), false);
        core.book_idling(ns(37));
        core.activity = Activity::Handler;
        core.await_block(ns(40), true);
        let spent = core.breakdown_at(ns(50));
        assert_eq!((spent.memory, spent.synchronization), (ns(20), ns(17)));
        core.begin_idling(ns(60));
        let spent = core.breakdown_at(ns(63));
        assert_eq!((spent.memory, spent.synchronization, core.idle_at(ns(63))), (ns(23), ns(17), ns(40)));
    }
}
