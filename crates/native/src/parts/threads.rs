//! Waits and wake-ups of program threads.
//!
//! A thread is a fiber of one processor. It is *running*, *ready* (in its processor's queue, or in the inbox on the way there) or
//! *waiting*. A waiting thread tests its condition again whenever it is resumed, so a spurious wake-up is harmless. A lost one would not
//! be: a wake-up first makes the condition true, then makes the thread ready. The models run this source, from an event's signal to the
//! processor that it wakes.

use std::cell::Cell;
use std::fmt;

use tempest::world::{DispatchKey, Held, Wait};
use tempest::{NodeId, Waiter};

use crate::lock::lock;
use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering, mutated};

/// The condition that a thread waits for.
#[derive(Clone, Copy)]
pub(crate) enum Reason {
    /// An event's count.
    Event(Wait),
    /// A key that is held.
    Key(DispatchKey),
    /// The other threads, before a timed region; the world knows how many have arrived.
    Phase(&'static str),
    /// Room on the way to a node.
    Room(NodeId),
}

impl Reason {
    /// A short name of the condition, the program's own if it has one.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Self::Event(wait) => wait.what(),
            Self::Phase(name) => name,
            Self::Key(_) => "key",
            Self::Room(_) => "room",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(wait) => write!(f, "{wait}"),
            Self::Key(key) => write!(f, "key {key}"),
            Self::Phase(name) => write!(f, "phase `{name}`"),
            Self::Room(to) => write!(f, "room towards {to}"),
        }
    }
}

/// The state of a thread that only its processor accesses.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Local {
    /// The condition that the thread waits for, if it waits.
    pub(crate) waits_for: Cell<Option<Reason>>,
    /// Start of its wait, in nanoseconds.
    pub(crate) since_ns: Cell<u64>,
    /// Generation of the wait that it is about to enter.
    pub(crate) wait: Cell<u32>,
}

impl Local {
    /// A short name of the condition that the thread waits for.
    pub(crate) fn waits_for_what(&self) -> &'static str {
        self.waits_for.get().map_or("", |reason| reason.what())
    }

    /// Records that the thread has found no room. Returns true if it is the first time of this wait.
    pub(crate) fn lacks_room(&self, to: NodeId, now_ns: u64) -> bool {
        let first = !self.lacked_room();
        if first {
            self.waits_for.set(Some(Reason::Room(to)));
            self.since_ns.set(now_ns);
        }
        first
    }

    /// Records that the thread has found room. Returns true if it had waited for some.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        let lacked = self.lacked_room();
        if lacked {
            self.waits_for.set(None);
        }
        lacked
    }

    /// Whether the thread's last send found no room and it waits for some.
    #[inline]
    pub(crate) fn lacked_room(&self) -> bool {
        matches!(self.waits_for.get(), Some(Reason::Room(_)))
    }
}

/// The state of a thread that all processors of its node share.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct ThreadSlot {
    /// Number of the next wait: a waiter with another number is out of date.
    generation: AtomicU32,
    /// A key that the thread asked for and was granted.
    granted: Mutex<Option<Held>>,
}

impl ThreadSlot {
    /// Number of the next wait.
    #[inline]
    pub(crate) fn generation(&self) -> u32 {
        self.generation.load(Ordering::Acquire)
    }

    /// Ends the wait that `waiter` names, if one OS thread runs all of the node. Returns false if it has ended before.
    ///
    /// Only a deposit of another node may do the same between the load and the store. It then raises the number to the same value, and
    /// both make the thread ready: a harmless spurious wake-up. No waiter with the next number is made meanwhile: a thread would do that,
    /// and threads of this node run on the caller.
    #[inline]
    pub(crate) fn end_wait_alone(&self, waiter: Waiter) -> bool {
        let is_this = self.generation.load(Ordering::Acquire) == waiter.generation;
        if is_this {
            self.generation.store(waiter.generation.wrapping_add(1), Ordering::Release);
        }
        is_this
    }

    /// Ends the wait that `waiter` names. Returns false if it has ended before.
    pub(crate) fn end_wait(&self, waiter: Waiter) -> bool {
        let next = waiter.generation.wrapping_add(1);
        let order = if mutated!("wait-ended-relaxed") { Ordering::Relaxed } else { Ordering::AcqRel };
        self.generation.compare_exchange(waiter.generation, next, order, Ordering::Relaxed).is_ok()
    }

    /// Leaves a granted key for the thread.
    pub(crate) fn grant(&self, held: Held) {
        *lock(&self.granted) = Some(held);
    }

    /// Takes the granted key, if it is there.
    pub(crate) fn take_grant(&self) -> Option<Held> {
        lock(&self.granted).take()
    }
}

/// Threads of one processor that other processors have woken.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Inbox {
    count: AtomicU32,
    threads: Mutex<Vec<u32>>,
}

impl Inbox {
    /// Adds a woken thread. The caller wakes the processor.
    pub(crate) fn push(&self, thread: u32) {
        let mut threads = lock(&self.threads);
        threads.push(thread);
        self.say_how_many(&threads);
    }

    /// Whether it is empty. Exact for a processor that has seen the last push, by any ordering.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Takes all threads out. Returns their number.
    #[inline]
    pub(crate) fn drain(&self, each: impl FnMut(u32)) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let mut threads = lock(&self.threads);
        let count = threads.len() as u64;
        threads.drain(..).for_each(each);
        self.say_how_many(&threads);
        count
    }

    /// Publishes the number of threads, so that `is_empty` needs no lock.
    fn say_how_many(&self, threads: &MutexGuard<'_, Vec<u32>>) {
        self.count.store(threads.len() as u32, Ordering::Relaxed);
    }
}
