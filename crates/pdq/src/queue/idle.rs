//! Servers without work: search, sleep and wake-up.
//!
//! # Protocol
//!
//! A server without work *searches* for a while and then *sleeps*; `state` counts both. A thread that makes an item
//! ready wakes a sleeper only if no server searches, so no system call is made while a server is searching.
//!
//! * Making ready: publish under a latch (of a lane's writers, of a lane, or the gate's lock), then load `state`. If
//!   no server searches and one sleeps, wake one; it counts as searching from then on.
//! * Falling asleep: enlist (one less searches, one more sleeps), then look again *under each of those latches*, then
//!   sleep until woken.
//! * Finding: a server that takes work while searching stops to search. The last one to do so looks, under the
//!   latches, whether there is more, and wakes a sleeper for it: threads that published meanwhile have relied on it.
//!
//! # No lost wake-up
//!
//! Take the latch under which an item was published. The section in which a falling sleeper (or the last finder)
//! looks is either after the publishing section, and sees the item, or before it. In the second case its change of
//! `state` came before its section, hence before the publishing section, hence before the publisher's load, which
//! sees it. No fence is needed, and publishing costs only one more load.
//!
//! The end of the queue concerns every server, also a server without lanes, which looks under the gate's lock only. So
//! the closing thread passes through the gate's lock too, between its store and its load. A thread that completes the
//! last item needs only its latch: a server that finds the queue closed asks every lane, under its latch, whether all
//! items are done.
//!
//! The last server to fall asleep is woken first: its cache is the warmest. This module must never know the meaning
//! of work.

use super::padded::Padded;
use crate::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering, PoisonError, Thread, current, park};

#[derive(Debug)]
pub(super) struct Idle {
    /// Number of searching servers in the lower 32 bits, of sleeping servers in the upper.
    state: Padded<AtomicU64>,
    /// Sleepers in the order in which they fell asleep.
    sleepers: Mutex<Vec<Arc<Sleeper>>>,
    /// Whether servers cannot take each other's work, so that a searching server does not stand in for a sleeping one.
    apart: bool,
}

#[derive(Debug)]
struct Sleeper {
    thread: Thread,
    woken: AtomicBool,
}

/// Entry of a sleeping server in the list of sleepers.
#[derive(Debug)]
pub(super) struct Registration(Arc<Sleeper>);

const SEARCHER: u64 = 1;
const SLEEPER: u64 = 1 << 32;

impl Idle {
    pub(super) fn new(apart: bool) -> Self {
        Self { state: Padded::default(), sleepers: Mutex::new(Vec::new()), apart }
    }

    /// Wakes a sleeper if no server searches. Where servers cannot take each other's work, wakes all sleepers in any case. The
    /// caller has made an item ready under a latch, and has given the latch back.
    #[inline]
    pub(super) fn tell(&self) {
        let state = self.state.load(Ordering::Relaxed);
        if state >= SLEEPER {
            self.tell_sleepers(state);
        }
    }

    #[cold]
    fn tell_sleepers(&self, state: u64) {
        if self.apart {
            self.wake(usize::MAX);
        } else if state.is_multiple_of(SLEEPER) {
            self.wake(1);
        }
    }

    #[inline]
    pub(super) fn has_sleepers(&self) -> bool {
        self.state.load(Ordering::Relaxed) >= SLEEPER
    }

    /// Wakes all sleepers after a change that concerns all of them.
    pub(super) fn tell_all(&self) {
        if self.has_sleepers() {
            self.wake(usize::MAX);
        }
    }

    /// Wakes up to `most` sleepers, the last to fall asleep first.
    pub(super) fn wake(&self, most: usize) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = sleepers.len().saturating_sub(most);
        let woken = sleepers.split_off(kept);
        // From here on they search.
        let change = (SLEEPER - SEARCHER).wrapping_mul(woken.len() as u64);
        self.state.fetch_sub(change, Ordering::Relaxed);
        drop(sleepers);
        for sleeper in woken {
            sleeper.woken.store(true, Ordering::Release);
            sleeper.thread.unpark();
        }
    }

    pub(super) fn search(&self) {
        self.state.fetch_add(SEARCHER, Ordering::Relaxed);
    }

    /// Ends a server's search. Returns true if no other server searches and at least one sleeps: the caller then looks whether
    /// there is more work, and wakes a sleeper for it.
    pub(super) fn stop_search(&self) -> bool {
        let before = self.state.fetch_sub(SEARCHER, Ordering::Relaxed);
        before % SLEEPER == SEARCHER && before >= SLEEPER
    }

    /// Counts the calling server, which was searching, as sleeping, and lists it among the sleepers. The server looks for work once
    /// more, under the latches, before it sleeps.
    pub(super) fn register(&self) -> Registration {
        let sleeper = Arc::new(Sleeper { thread: current(), woken: AtomicBool::new(false) });
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.push(sleeper.clone());
        self.state.fetch_add(SLEEPER - SEARCHER, Ordering::Relaxed);
        Registration(sleeper)
    }

    /// Removes the server of `registration`, which has found work, from the sleepers, and counts it as searching. Does nothing if
    /// another thread has just woken it.
    pub(super) fn deregister(&self, registration: &Registration) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        // A sleeper that is not in the list has just been woken by another thread, which has counted it as searching.
        if let Some(at) = sleepers.iter().position(|other| Arc::ptr_eq(other, &registration.0)) {
            sleepers.remove(at);
            self.state.fetch_sub(SLEEPER - SEARCHER, Ordering::Relaxed);
        }
    }

    /// Sleeps until another thread wakes the server of `registration`. That thread counts the server as searching.
    pub(super) fn sleep(&self, registration: &Registration) {
        while !registration.0.woken.load(Ordering::Acquire) {
            park();
        }
    }
}
