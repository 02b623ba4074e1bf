//! An event: a monotone counter that threads of one node wait for.
//!
//! There are two ways to it, and each event goes one of them for good.
//!
//! # Shared: why no wake-up is lost
//!
//! A waiter, under the list's lock, enlists itself, then sets `waiters` and reads `count` again; a signaller adds to
//! `count` and then reads `waiters`. All four are sequentially consistent, so at least one of them sees the other:
//! either the waiter sees the new count and does not block, or the signaller sees `waiters` and takes the lock to
//! look for it. A waiter that was enlisted and also saw the count withdraws under the same lock, so that nobody resumes it.
//!
//! The addition is also a release and the waiter's read an acquire: what happened before the signal happens
//! before the wait returns.
//!
//! # Alone: why no locked instruction is needed
//!
//! Where one thread of the host runs all that a node runs, that thread does everything that is ever done to the node's events,
//! one after the other: between a load and the store that follows nothing happens to the event, so plain loads and stores do.
//! A world says so by the methods that it calls ([`add_alone`](Event::add_alone), [`enlist_alone`](Event::enlist_alone)).
//!
//! Two things could be otherwise, and both are seen to. Deposits of other nodes count in an event of a segment: such an event
//! is *open* from the start, and goes the shared way whatever it is called by. And a program might use one event on two
//! nodes, which would resume threads of the wrong one anyway: the first node to use an event alone becomes its *keeper*, by an
//! atomic exchange, and any other panics.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{NodeId, Waiter};

/// No node keeps the event yet.
const UNKEPT: u32 = u32::MAX;

/// Any node may use the event.
const OPEN: u32 = u32::MAX - 1;

/// Nobody waits.
const NONE: u8 = 0;

/// One waits, in `first`: alone only.
const FIRST: u8 = 1;

/// Whoever waits stands in the list.
const LISTED: u8 = 2;

/// A named counter that only grows. Handlers and threads [signal](crate::Actions::signal) it; threads
/// [wait](crate::Thread::wait) until it has reached a value.
///
/// All that a signal and a wait touch where nobody else waits lies in one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
pub struct Event {
    name: &'static str,
    count: AtomicU64,
    /// The node that uses it alone, or that nobody does.
    keeper: AtomicU32,
    /// Where waiters are.
    waiters: AtomicU8,
    /// The count that the only waiter wants, and who it is.
    first: [AtomicU64; 2],
    list: Box<Mutex<Vec<(u64, Waiter)>>>,
}

impl Event {
    /// A counter at zero. The name appears where a deadlock is reported.
    pub fn new(name: &'static str) -> Self {
        Self::kept_by(UNKEPT, name)
    }

    /// A counter that other nodes count in too.
    pub(crate) fn open(name: &'static str) -> Self {
        Self::kept_by(OPEN, name)
    }

    fn kept_by(keeper: u32, name: &'static str) -> Self {
        Self {
            name,
            count: AtomicU64::new(0),
            keeper: AtomicU32::new(keeper),
            waiters: AtomicU8::new(NONE),
            first: Default::default(),
            list: Box::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it counts now. What was signalled up to here happened before.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// For worlds: adds to the count and gives every waiter that this satisfies to `resume`, in the order they came.
    pub fn add(&self, amount: u64, resume: impl FnMut(Waiter)) {
        let count = self.count.fetch_add(amount, Ordering::SeqCst).wrapping_add(amount);
        if self.waiters.load(Ordering::SeqCst) != NONE {
            self.release(count, resume);
        }
    }

    /// For worlds: [`add`](Self::add) where whoever calls this is one thread of the host, which alone runs all that `node` runs.
    ///
    /// # Panics
    /// If another node uses the event.
    #[inline]
    pub fn add_alone(&self, node: NodeId, amount: u64, mut resume: impl FnMut(Waiter)) {
        if !self.is_kept_by(node) {
            return self.add(amount, resume);
        }
        let count = self.count.load(Ordering::Relaxed).wrapping_add(amount);
        self.count.store(count, Ordering::Release);
        match self.waiters.load(Ordering::Relaxed) {
            NONE => {}
            FIRST => {
                let (at_least, waiter) = self.first();
                if at_least <= count {
                    self.waiters.store(NONE, Ordering::Relaxed);
                    resume(waiter);
                }
            }
            _ => self.release(count, resume),
        }
    }

    #[cold]
    fn release(&self, count: u64, mut resume: impl FnMut(Waiter)) {
        let mut list = self.lock();
        // One waiter is the common case, and needs no list of those that are due.
        if let [(at_least, waiter)] = list[..] {
            if at_least <= count {
                list.clear();
                self.waiters.store(NONE, Ordering::SeqCst);
                drop(list);
                resume(waiter);
            }
            return;
        }
        let due: Vec<Waiter> =
            list.extract_if(.., |(at_least, _)| *at_least <= count).map(|(_, waiter)| waiter).collect();
        self.say_who_is_listed(&list);
        drop(list);
        due.into_iter().for_each(resume);
    }

    /// For worlds: enlists a waiter. Returns false, and does not enlist it, if the count is already there.
    pub fn enlist(&self, at_least: u64, waiter: Waiter) -> bool {
        let mut list = self.lock();
        list.push((at_least, waiter));
        self.waiters.store(LISTED, Ordering::SeqCst);
        let reached = self.count.load(Ordering::SeqCst) >= at_least;
        if reached {
            list.pop();
            self.say_who_is_listed(&list);
        }
        !reached
    }

    /// For worlds: [`enlist`](Self::enlist), called as [`add_alone`](Self::add_alone) is.
    ///
    /// # Panics
    /// If another node uses the event.
    #[inline]
    pub fn enlist_alone(&self, node: NodeId, at_least: u64, waiter: Waiter) -> bool {
        if !self.is_kept_by(node) {
            return self.enlist(at_least, waiter);
        }
        if self.count.load(Ordering::Relaxed) >= at_least {
            return false;
        }
        if self.waiters.load(Ordering::Relaxed) == NONE {
            self.first[0].store(at_least, Ordering::Relaxed);
            self.first[1].store(packed(waiter), Ordering::Relaxed);
            self.waiters.store(FIRST, Ordering::Relaxed);
        } else {
            self.enlist_behind_others(at_least, waiter);
        }
        true
    }

    /// Alone only.
    #[cold]
    fn enlist_behind_others(&self, at_least: u64, waiter: Waiter) {
        let mut list = self.lock();
        if self.waiters.load(Ordering::Relaxed) == FIRST {
            list.push(self.first());
            self.waiters.store(LISTED, Ordering::Relaxed);
        }
        list.push((at_least, waiter));
    }

    /// Who stands in `first`, and the count it wants.
    #[inline]
    fn first(&self) -> (u64, Waiter) {
        let [at_least, waiter] = &self.first;
        let waiter = waiter.load(Ordering::Relaxed);
        let waiter = Waiter { thread: (waiter >> 32) as u32, generation: waiter as u32 };
        (at_least.load(Ordering::Relaxed), waiter)
    }

    fn say_who_is_listed(&self, list: &MutexGuard<'_, Vec<(u64, Waiter)>>) {
        self.waiters.store(if list.is_empty() { NONE } else { LISTED }, Ordering::SeqCst);
    }

    /// Whether only `node` uses the event.
    #[inline]
    fn is_kept_by(&self, node: NodeId) -> bool {
        let keeper = self.keeper.load(Ordering::Relaxed);
        keeper == node.0 || keeper != OPEN && self.is_first_kept_by(node)
    }

    #[cold]
    fn is_first_kept_by(&self, node: NodeId) -> bool {
        let kept = self.keeper.compare_exchange(UNKEPT, node.0, Ordering::Relaxed, Ordering::Relaxed);
        if let Err(keeper) = kept {
            panic!("event `{}` of {} is used on {node}: an event is for one node", self.name, NodeId(keeper));
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Waiter)>> {
        // A panic elsewhere cannot leave the list half-changed: no caller's code runs under the lock.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline]
fn packed(waiter: Waiter) -> u64 {
    u64::from(waiter.thread) << 32 | u64::from(waiter.generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeId = NodeId(3);

    fn waiter(thread: u32) -> Waiter {
        Waiter { thread, generation: 7 }
    }

    /// Who is resumed when `amount` is added.
    fn add(event: &Event, alone: bool, amount: u64) -> Vec<u32> {
        let mut resumed = Vec::new();
        let resume = |waiter: Waiter| {
            assert_eq!(waiter.generation, 7);
            resumed.push(waiter.thread);
        };
        if alone {
            event.add_alone(NODE, amount, resume);
        } else {
            event.add(amount, resume);
        }
        resumed
    }

    fn enlist(event: &Event, alone: bool, at_least: u64, thread: u32) -> bool {
        if alone {
            event.enlist_alone(NODE, at_least, waiter(thread))
        } else {
            event.enlist(at_least, waiter(thread))
        }
    }

    #[test]
    fn both_ways_resume_who_is_satisfied_in_the_order_they_came() {
        for (alone, event) in
            [(false, Event::new("shared")), (true, Event::new("alone")), (true, Event::open("open"))]
        {
            assert_eq!(add(&event, alone, 2), []);
            assert!(!enlist(&event, alone, 2, 0), "{event:?}: it is there already");
            assert!(enlist(&event, alone, 4, 1));
            assert_eq!((add(&event, alone, 1), add(&event, alone, 1)), (vec![], vec![1]), "{event:?}");
            // At 4 now: two that want 5, between them one that wants 9.
            assert!([(5, 2), (9, 3), (5, 4)].iter().all(|(count, who)| enlist(&event, alone, *count, *who)));
            assert_eq!((add(&event, alone, 1), add(&event, alone, 1)), (vec![2, 4], vec![]), "{event:?}");
            assert!(enlist(&event, alone, 8, 5));
            assert_eq!((add(&event, alone, 3), add(&event, alone, 1)), (vec![3, 5], vec![]), "{event:?}");
            assert!(enlist(&event, alone, 11, 6));
            assert_eq!((add(&event, alone, 1), event.count()), (vec![6], 11));
        }
    }

    #[test]
    #[should_panic(expected = "event `mine` of node 3 is used on node 4")]
    fn an_event_is_for_one_node() {
        let event = Event::new("mine");
        event.add_alone(NODE, 1, |_| ());
        event.add_alone(NodeId(4), 1, |_| ());
    }
}
