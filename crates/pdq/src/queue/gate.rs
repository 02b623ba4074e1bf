//! The barrier of the sequential key.
//!
//! # States
//!
//! A sequential item has a position in every lane: the lane's length at its arrival. It is *waiting* behind another
//! sequential one, or it is the oldest, and then *draining* (lanes still have unfinished items before it), *ready*,
//! or *running*. The lanes' fences are the positions of the oldest; without a sequential item there are none.
//!
//! * To arrive, it takes the writers' latches of all lanes at once. So its positions are one instant of the total
//!   order of arrival, and no item is ever on both sides of it.
//! * `left` counts lanes that have not drained, plus one while they are being asked. Each lane is counted down
//!   exactly once: by the thread that asks, if the lane has no unfinished item, else by the thread that completes its
//!   last item, as counted under the lane's latch. The thread that counts down to zero makes the item ready. Each
//!   decrement releases and the last acquires, so everything before the barrier happens before the sequential
//!   handler.
//! * Opening stores the fences of the next item, or none, with release; lanes read them with acquire. So the
//!   sequential handler happens before everything behind the barrier. If there is no next item, each lane is opened
//!   under its writers' latch: items published before that waited, and the opening thread reports them; a thread that
//!   knows of later items sees no fence.
//!
//! Latches are taken in the order: the gate's state, writers of lanes from the first up, lanes from the first up. This
//! module must never know which server runs the item.

use std::collections::VecDeque;

use super::inbox::Tail;
use super::lane::{Lane, NO_FENCE};
use super::latch::Guard;
use super::padded::Padded;
use crate::UserKey;
use crate::sync::{AtomicBool, AtomicUsize, Mutex, MutexGuard, Ordering, PoisonError, mutated};

/// The `place` in the token (`Held`) of the sequential key, which belongs to no lane.
pub(super) const AT_GATE: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct Gate<T> {
    signs: Padded<Signs>,
    state: Mutex<State<T>>,
}

/// State of the gate that can be read without its lock.
#[derive(Debug, Default)]
struct Signs {
    /// Whether the oldest sequential item can be run.
    ready: AtomicBool,
    /// Number of sequential items that are not done. Changes under the lock. Grows only while the writers' latches of all lanes are
    /// held.
    unfinished: AtomicUsize,
    /// Number of lanes with unfinished items that are older than the oldest sequential item, plus 1 while the lanes are being
    /// asked.
    left: AtomicUsize,
}

#[derive(Debug)]
struct State<T> {
    /// Unfinished sequential items, oldest first. `None` stands for an item that runs, and for a hold of the sequential key without
    /// an item.
    items: VecDeque<Option<T>>,
    /// Positions of `items` in the lanes: for each item, one position per lane, in order of lanes.
    positions: VecDeque<u64>,
    /// Whether the queue was aborted, so that no item passes the gate any more.
    aborted: bool,
    counts: Counts,
}

/// Counts of events at the gate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Number of sequential items, and of holds of the sequential key without an item, that arrived.
    pub(super) arrived: u64,
    /// Number of sequential items, and of holds of the sequential key without an item, that are done.
    pub(super) done: u64,
    /// Number of sequential items handed out, continuations and holds included.
    pub(super) dispatched: u64,
    pub(super) continued: u64,
    /// Number of items that waited for a sequential item, and of sequential items that waited for any item.
    pub(super) waited: u64,
}

impl<T> Gate<T> {
    pub(super) fn new() -> Self {
        let state = State {
            items: VecDeque::new(),
            positions: VecDeque::new(),
            aborted: false,
            counts: Counts::default(),
        };
        Self { signs: Padded::default(), state: Mutex::new(state) }
    }

    /// Whether the oldest sequential item can be run, as far as is visible without the lock.
    #[inline]
    pub(super) fn shows_work(&self) -> bool {
        self.signs.ready.load(Ordering::Relaxed)
    }

    /// Whether the oldest sequential item can be run. Takes the lock, so it is ordered with every change that makes an item
    /// ready.
    pub(super) fn search(&self) -> bool {
        let _state = self.lock();
        self.shows_work()
    }

    /// Whether a sequential item is unfinished. While the caller holds the writers' latch of a lane, no sequential item arrives.
    #[inline]
    pub(super) fn is_shut(&self) -> bool {
        self.signs.unfinished.load(Ordering::Acquire) > 0
    }

    /// Appends a sequential item. First keeps the writers of all lanes out, then calls `refuses`. If that returns true, appends
    /// nothing and returns the item as the error.
    pub(super) fn arrive<K: UserKey>(
        &self,
        lanes: &[Lane<T, K>],
        item: T,
        refuses: impl Fn() -> bool,
    ) -> Result<(), T> {
        let mut state = self.lock();
        let writing = keep_writers_out(lanes);
        if refuses() {
            return Err(item);
        }
        self.stand(&mut state, lanes, Some(item));
        drop(writing);
        let ready = state.items.len() == 1 && self.drain(lanes);
        state.counts.waited += u64::from(!ready);
        Ok(())
    }

    /// Holds the sequential key without an item, if no item of the queue is unfinished. Returns whether the key is held now.
    pub(super) fn try_hold<K: UserKey>(&self, lanes: &[Lane<T, K>]) -> bool {
        let mut state = self.lock();
        if state.aborted || !state.items.is_empty() {
            return false;
        }
        let writing = keep_writers_out(lanes);
        let idle = lanes.iter().all(|lane| lane.serve().is_done_up_to(lane.pushed()));
        if idle {
            self.stand(&mut state, lanes, None);
            state.counts.dispatched += 1;
        }
        drop(writing);
        idle
    }

    /// Takes the oldest sequential item if it can be run.
    pub(super) fn take(&self) -> Option<T> {
        // Only one of the threads that see it ready clears the flag; it also acquires everything that drained before.
        if !self.shows_work() || !self.signs.ready.swap(false, Ordering::Acquire) {
            return None;
        }
        let mut state = self.lock();
        // Between the two steps, an abort may have taken the item, and another may have come to its place.
        if state.aborted {
            return None;
        }
        let item = state.items.front_mut().and_then(Option::take);
        state.counts.dispatched += u64::from(item.is_some());
        item
    }

    /// Continues the sequential item that ran: its continuation `item` runs before everything else.
    pub(super) fn continue_with(&self, item: T) {
        let mut state = self.lock();
        state.counts.continued += 1;
        let oldest = state.items.front_mut().expect("a held sequential key has its place at the gate");
        *oldest = Some(item);
        self.signs.ready.store(!state.aborted, Ordering::Release);
    }

    /// Ends the sequential item that ran. Items behind it may pass, up to the next sequential one. Returns whether any item waits
    /// behind it.
    pub(super) fn complete<K: UserKey>(&self, lanes: &[Lane<T, K>]) -> bool {
        let mut state = self.lock();
        state.items.pop_front();
        state.counts.done += 1;
        let waited: u64 = (0..lanes.len()).map(|at| state.open(lanes, at)).sum();
        state.counts.waited += waited;
        state.positions.drain(..lanes.len());
        self.signs.unfinished.store(state.items.len(), Ordering::Release);
        if !state.items.is_empty() {
            self.drain(lanes);
        }
        waited > 0 || !state.items.is_empty()
    }

    /// Counts a drained lane. Returns true if it was the last, so that the oldest sequential item is now ready.
    pub(super) fn drained(&self) -> bool {
        let order = if mutated!("drained-relaxed") { Ordering::Relaxed } else { Ordering::AcqRel };
        let last = self.signs.left.fetch_sub(1, order) == 1;
        if last {
            // Under the lock, so that a server about to sleep either sees the flag or is seen (see `idle`).
            let state = self.lock();
            // An abort may have taken the item.
            let waits = !state.aborted && state.items.front().is_some_and(Option::is_some);
            self.signs.ready.store(waits, Ordering::Release);
        }
        last
    }

    /// Takes and frees the gate's lock. So the caller comes after every earlier look at the gate under the lock, and before every
    /// later look.
    pub(super) fn pass(&self) {
        drop(self.lock());
    }

    pub(super) fn counts(&self) -> Counts {
        self.lock().counts
    }

    /// Number of sequential items and holds that are neither waiting nor done: 0 or 1.
    pub(super) fn running(&self) -> usize {
        self.lock().items.iter().filter(|item| item.is_none()).count()
    }

    /// Number of waiting sequential items.
    pub(super) fn waiting(&self) -> usize {
        self.lock().items.iter().flatten().count()
    }

    /// Takes all waiting sequential items, each with its positions in the lanes, and leaves only a running one.
    pub(super) fn abort<K: UserKey>(&self, lanes: &[Lane<T, K>]) -> Vec<(Vec<u64>, T)> {
        let mut state = self.lock();
        state.aborted = true;
        state.fence(lanes);
        self.signs.ready.store(false, Ordering::Relaxed);
        let runs = usize::from(state.items.front().is_some_and(Option::is_none));
        let items: Vec<_> = state.items.drain(runs..).flatten().collect();
        let positions: Vec<_> = state.positions.drain(runs * lanes.len()..).collect();
        state.counts.done += items.len() as u64;
        self.signs.unfinished.store(runs, Ordering::Release);
        positions.chunks(lanes.len()).map(<[u64]>::to_vec).zip(items).collect()
    }

    /// Adds a sequential item that arrives, with its positions in the lanes. `None` adds a hold of the sequential key without an
    /// item. The caller holds the lock and keeps writers out.
    fn stand<K: UserKey>(&self, state: &mut State<T>, lanes: &[Lane<T, K>], item: Option<T>) {
        state.positions.extend(lanes.iter().map(Lane::pushed));
        state.items.push_back(item);
        state.counts.arrived += 1;
        self.signs.unfinished.store(state.items.len(), Ordering::Release);
        if state.items.len() == 1 {
            state.fence(lanes);
        }
    }

    /// Asks all lanes to drain for the oldest sequential item. Returns true if all have drained already, so that the item is
    /// ready. The caller holds the lock.
    fn drain<K: UserKey>(&self, lanes: &[Lane<T, K>]) -> bool {
        self.signs.left.store(lanes.len() + 1, Ordering::Relaxed);
        let at_once = lanes.iter().filter(|lane| lane.serve().drain()).count();
        let ready = self.signs.left.fetch_sub(at_once + 1, Ordering::AcqRel) == at_once + 1;
        if ready || mutated!("gate-does-not-wait") {
            self.signs.ready.store(true, Ordering::Release);
        }
        ready
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// Moves the fence of lane `at` from the finished sequential item to the next, or removes it. Returns the number of items
    /// that may now pass. Writers are kept out while the fence is removed: each item is counted here, or neither its writer nor a
    /// server that looks for it sees a fence.
    fn open<K: UserKey>(&self, lanes: &[Lane<T, K>], at: usize) -> u64 {
        let next = self.positions.get(lanes.len() + at).copied();
        let _writing = (next.is_none() && !mutated!("opened-unseen")).then(|| lanes[at].write());
        let upto = next.unwrap_or_else(|| lanes[at].pushed());
        lanes[at].set_fence(if self.aborted { 0 } else { next.unwrap_or(NO_FENCE) });
        upto - self.positions[at]
    }

    /// Sets the fences of all lanes to the positions of the oldest sequential item.
    fn fence<K: UserKey>(&self, lanes: &[Lane<T, K>]) {
        for (index, lane) in lanes.iter().enumerate() {
            let open = || self.positions.get(index).copied().unwrap_or(NO_FENCE);
            lane.set_fence(if self.aborted { 0 } else { open() });
        }
    }
}

fn keep_writers_out<T, K: UserKey>(lanes: &[Lane<T, K>]) -> Vec<Guard<'_, Tail<T, K>>> {
    lanes.iter().map(Lane::write).collect()
}
