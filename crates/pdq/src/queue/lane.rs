//! A lane: an inbox, and the items that have left it but are not done. All items of a user key pass through the
//! same lane.
//!
//! # Exclusion and order without comparing keys
//!
//! As long as one server at a time takes from a lane, and takes *in place* (a [`Span`] of the inbox, run in order),
//! equal keys exclude each other by themselves. So the usual way through a lane never compares two keys. Only when a
//! second server comes while the first still runs its claim, or a single key is held, does the lane turn to its
//! [`Index`]: the keys of the claim are entered as held, items that follow are sorted into strands, and each is ready
//! as soon as no item of its key is ahead. The lane goes back when the index has run empty. So
//!
//! * in place: `index` is empty, and at most one claim is outstanding;
//! * by index: every unfinished item that was taken from the inbox is in the index (waiting) or counted by it (running).
//!   An outstanding claim has been entered, item by item.
//!
//! Items still in the inbox are younger than all that have left it, in both modes.
//!
//! A *shared* claim can be split when one of its items takes long: that item stays claimed, the keys of the items
//! before it are freed, and the items behind it wait in the index.
//!
//! # Orderings
//!
//! All changes happen under the lane's latch, so each section sees the earlier ones: the completion of an item
//! happens before the dispatch of an item that waited for it. `hints` repeats a few numbers for threads that only
//! look. They may be out of date: a server that is about to sleep looks again under both latches (see `idle`).
//!
//! *A look without the latch.* A thread that knows of a published item sees it, in the inbox or as ready, unless it
//! is held up or has been taken: `taken` is stored after `ready`, with release, and loaded before it, with acquire,
//! so an item that a section has moved out of the inbox is not missed in between. If an item is held up by its key,
//! the completion that frees the key finds it in the index, because it was moved there before the look, and reports
//! it ([`After::ready`]).
//!
//! An item of a shared claim moves from the inbox to the claim, and may move on to the index. `unbegun` is stored after `ready` and
//! before `taken`, each with release. A thread looks in the inbox, the claim and the index in this order, and takes a claim that is
//! being split for one with an item. So it sees an item that no server has begun, wherever the item is.
//!
//! *The fence.* Positions of the inbox from `fence` on are younger than an unfinished sequential item and stay there.
//! It is set under the writers' latch, and read after `pushed`: a thread that sees an item published behind the fence
//! also sees the fence, because the writer came after the fence under the same latch.
//!
//! This module must never know servers, nor which thread waits for a lane to drain.

mod break_in;

use std::num::NonZeroU64;

use super::inbox::{Inbox, Reader, Span, Tail};
use super::index::Index;
use super::latch::{Guard, Latch};
use super::padded::Padded;
use super::tuning::BLOCK;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, mutated};
use crate::{Key, UserKey};

/// Value of the fence of a lane that no sequential item holds back.
pub(super) const NO_FENCE: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct Lane<T, K: UserKey> {
    inbox: Padded<Inbox<T, K>>,
    served: Padded<(Hints, Latch<Served<T, K>>)>,
}

/// State of a lane that can be read without its latch.
#[derive(Debug)]
struct Hints {
    fence: AtomicU64,
    taken: AtomicU64,
    ready: AtomicUsize,
    /// 0, unless a server runs items of this lane and no other item is known to be ready: then a number that changes with every
    /// claim.
    attended: AtomicU64,
    /// Index of the slot behind the last item of a shared claim; 0 if no claim is shared.
    unbegun: AtomicUsize,
}

/// State of a lane, under its latch.
#[derive(Debug)]
pub(super) struct Served<T, K: UserKey> {
    reader: Reader<T, K>,
    index: Index<T, K>,
    /// Whether the items of the outstanding claim have been entered into the index, as running.
    entered: bool,
    /// Number of servers that run items picked from the index.
    pickers: usize,
    /// Whether another server may take claimed items that have not begun, so that no item waits behind a long one.
    shares: bool,
    /// Whether an item of the outstanding claim has kept its key.
    kept: bool,
    /// Number of coming picks that move more items from the inbox into the index than they need.
    sort_ahead: usize,
    /// Whether the queue was aborted, so that no item is handed out any more. The abort takes the waiting items; later ones wait
    /// for the next abort.
    stopped: bool,
    /// Whether a sequential item waits for all items before the fence to be done.
    draining: bool,
    counts: Counts,
}

/// Counts of events in a lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Number of times that a key was taken without an item of the queue, since the queue was made.
    pub(super) holds: u64,
    /// Number of items that are done, plus the keys held without an item that were given back.
    pub(super) done: u64,
    /// Number of items, continuations, and keys without an item that were handed out.
    pub(super) dispatched: u64,
    pub(super) continued: u64,
    pub(super) waited_on_key: u64,
    pub(super) stolen: u64,
}

/// A lane whose latch is held.
#[derive(Debug)]
pub(super) struct Serving<'q, T, K: UserKey> {
    lane: &'q Lane<T, K>,
    served: Guard<'q, Served<T, K>>,
}

/// Items of a claim or pick that are not done when it ends.
#[derive(Debug)]
pub(super) struct Left<T, K: UserKey> {
    /// Keys that handlers have kept: they stay held.
    pub(super) kept: Vec<Key<K>>,
    /// Items of the kept keys that were not run, oldest first. They run when their key is free, before all other waiting items of
    /// the key.
    pub(super) returned: Vec<(K, T)>,
}

/// Consequences of a completion, of which other threads must be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct After {
    /// Whether an item of the lane can be run.
    pub(super) ready: bool,
    /// Whether all items before the fence have just become done, and a sequential item waits for that.
    pub(super) drained: bool,
}

impl<T, K: UserKey> Lane<T, K> {
    /// Makes an empty lane. If `shares`, claimed items that have not begun can be taken back.
    pub(super) fn new(shares: bool) -> Self {
        let (inbox, reader) = Inbox::new();
        let hints = Hints {
            fence: AtomicU64::new(NO_FENCE),
            taken: AtomicU64::new(0),
            ready: AtomicUsize::new(0),
            attended: AtomicU64::new(0),
            unbegun: AtomicUsize::new(0),
        };
        let served = Served {
            reader,
            index: Index::new(),
            entered: false,
            pickers: 0,
            shares,
            kept: false,
            sort_ahead: 0,
            stopped: false,
            draining: false,
            counts: Counts::default(),
        };
        Self { inbox: Padded(inbox), served: Padded((hints, Latch::new(served))) }
    }

    fn hints(&self) -> &Hints {
        &self.served.0.0
    }

    /// Prefetches the inbox of this lane for a write.
    #[inline]
    pub(super) fn expect_writing(&self) {
        self.inbox.expect_writing();
    }

    /// Prefetches the inbox's count of published items for a search.
    #[inline]
    pub(super) fn expect_reading(&self) {
        self.inbox.expect_reading();
    }

    /// Takes the writers' latch of the inbox, which excludes other writers.
    #[inline]
    pub(super) fn write(&self) -> Guard<'_, Tail<T, K>> {
        self.inbox.lock()
    }

    #[inline]
    pub(super) fn push(&self, tail: &mut Guard<'_, Tail<T, K>>, key: Key<K>, item: T) {
        self.inbox.push(tail, key, item);
    }

    #[inline]
    pub(super) fn append(&self, tail: &mut Guard<'_, Tail<T, K>>, items: &mut Vec<(K, T)>) {
        self.inbox.append(tail, items);
    }

    /// Number of items that ever arrived in this lane.
    pub(super) fn pushed(&self) -> u64 {
        self.inbox.pushed()
    }

    /// Holds back the items from `position` on. To close the lane, the caller holds the writers' latch and `position` is
    /// `pushed`; to open it further, no latch is needed.
    pub(super) fn set_fence(&self, position: u64) {
        let order = if mutated!("fence-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.hints().fence.store(position, order);
    }

    /// Position up to which items of the inbox may be taken now.
    #[inline]
    fn limit(&self) -> u64 {
        // In this order: see the head of the module.
        let pushed = self.inbox.pushed();
        if mutated!("fence-ignored") {
            return pushed;
        }
        let order = if mutated!("fence-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        pushed.min(self.hints().fence.load(order))
    }

    /// Whether the lane may have an item to run, as far as is visible without the latch.
    #[inline]
    pub(super) fn shows_work(&self) -> bool {
        let hints = self.hints();
        // In this order: see the head of the module.
        let order = if mutated!("taken-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.limit() > hints.taken.load(order) || hints.ready.load(Ordering::Relaxed) > 0
    }

    /// Whether the lane may have an item to run. Takes both latches, so it is ordered with every change that makes an item ready.
    pub(super) fn shows_work_in_order(&self) -> bool {
        drop(self.write());
        if !mutated!("looks-past-the-latch") {
            drop(self.served.1.lock());
        }
        self.shows_work()
    }

    /// Whether an item of a shared claim has not begun, or is being taken back, as far as is visible without the latch.
    pub(super) fn shows_unbegun(&self) -> bool {
        let order = if mutated!("unbegun-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.inbox.has_unbegun(self.hints().unbegun.load(order))
    }

    /// Whether the lane may have an item to run, perhaps only after breaking into another server's claim, as far as is visible
    /// without the latch.
    pub(super) fn shows_more(&self) -> bool {
        // The index once more, behind the claim, because an item moves from the claim there: see the head of the module.
        self.shows_work() || self.shows_unbegun() || self.shows_ready()
    }

    fn shows_ready(&self) -> bool {
        self.hints().ready.load(Ordering::Relaxed) > 0 && !mutated!("put-back-unseen")
    }

    /// Returns `None`, unless a server runs items of this lane and no other item is known to be ready: then a number that changes
    /// with every claim. To take an item from such a lane, a server has to break in. The lane is read without its latch, so the
    /// answer may be out of date.
    #[inline]
    pub(super) fn attended(&self) -> Option<NonZeroU64> {
        NonZeroU64::new(self.hints().attended.load(Ordering::Relaxed))
    }

    #[inline]
    pub(super) fn serve(&self) -> Serving<'_, T, K> {
        Serving { lane: self, served: self.served.1.lock() }
    }

    #[inline]
    pub(super) fn try_serve(&self) -> Option<Serving<'_, T, K>> {
        Some(Serving { lane: self, served: self.served.1.try_lock()? })
    }
}

impl<'q, T, K: UserKey> Serving<'q, T, K> {
    /// Number of items that are ready in the index.
    #[inline]
    fn ready(&self) -> usize {
        if self.served.stopped { 0 } else { self.served.index.ready() }
    }

    /// Takes one item of this lane that can be run, with its key.
    pub(super) fn take(&mut self) -> Option<(Key<K>, T)> {
        if self.ready() == 0 {
            let (key, item) = self.take_from_inbox()?;
            self.served.counts.dispatched += 1;
            return Some((key, item));
        }
        self.served.counts.dispatched += 1;
        self.served.index.take()
    }

    /// Takes the first item of the inbox whose key is free. Moves the items before it into the index, which has no ready items.
    fn take_from_inbox(&mut self) -> Option<(Key<K>, T)> {
        let limit = self.lane.limit();
        if self.served.reader.taken() < limit {
            self.enter_claim();
        }
        let served = &mut *self.served;
        while served.reader.taken() < limit {
            let (key, item) = served.reader.take(&self.lane.inbox);
            match key {
                Key::User(user) if !served.index.hold(user) => {
                    served.index.wait(user, item);
                    served.counts.waited_on_key += 1;
                }
                _ => return Some((key, item)),
            }
        }
        None
    }

    /// Claims up to `most` items of the inbox, to be run in place. `None` if a claim is outstanding, the index is in use, or no
    /// item waits.
    #[inline]
    pub(super) fn claim(&mut self, most: u64) -> Option<Span<'q, T, K>> {
        // The difference can be negative: an abort takes all items, and then sets the fence to 0.
        let available = self.lane.limit().saturating_sub(self.served.reader.taken());
        if available == 0 || self.served.reader.has_claim() || !self.served.index.is_empty() {
            return None;
        }
        let lane = self.lane;
        let shares = self.served.shares;
        let span = self.served.reader.claim(&lane.inbox, available, most, shares);
        self.served.counts.dispatched += span.len() as u64;
        Some(span)
    }

    /// Picks up to `most` items from the index into `picked`: the longest ready item, the items that wait behind it for the same
    /// key, then the next ready item. Where claims are shared, items of another key are left to other servers. Picks nothing if
    /// the lane is attended.
    pub(super) fn pick(&mut self, most: usize, picked: &mut Vec<(Key<K>, T)>) {
        if self.is_attended() || self.served.stopped {
            return;
        }
        self.sort_some();
        let served = &mut *self.served;
        while picked.len() < most {
            let Some((key, item)) = served.index.take() else { break };
            let first = picked.len();
            picked.push((key, item));
            let Key::User(user) = key else {
                if served.shares {
                    break;
                }
                continue;
            };
            while picked.len() < most
                && let Some(item) = served.index.take_next_of(user, picked.len() - first)
            {
                picked.push((key, item));
            }
            if served.shares {
                break;
            }
        }
        served.counts.dispatched += picked.len() as u64;
        served.pickers += usize::from(!picked.is_empty());
    }

    fn is_attended(&self) -> bool {
        let served = &self.served;
        (served.pickers > 0 || served.reader.has_claim()) && served.index.ready() == 0
    }

    /// Moves a block of items from the inbox into the index if no item is ready there, or if a server has broken in lately
    /// (`sort_ahead`). Goes on beyond the block until an item is ready. In all other cases does nothing, and the index runs empty.
    fn sort_some(&mut self) {
        let served = &mut *self.served;
        if served.index.ready() > 0 && served.sort_ahead == 0 {
            return;
        }
        served.sort_ahead = served.sort_ahead.saturating_sub(1);
        let limit = self.lane.limit();
        let upto = limit.min(served.reader.taken() + BLOCK as u64);
        // Behind a block of items whose key is held, there may be one that can be run.
        while self.served.reader.taken() < upto
            || self.served.index.ready() == 0 && self.served.reader.taken() < limit
        {
            self.sort_one();
        }
    }

    fn sort_one(&mut self) {
        let served = &mut *self.served;
        let (key, item) = served.reader.take(&self.lane.inbox);
        served.counts.waited_on_key += u64::from(!served.index.admit(key, item));
    }

    /// Enters the keys of the outstanding claim, as held, into the index, which is empty.
    fn enter_claim(&mut self) {
        if self.served.entered || !self.served.reader.has_claim() || mutated!("claim-not-entered") {
            return;
        }
        let served = &mut *self.served;
        for key in served.reader.claimed_keys() {
            if let Key::User(user) = key {
                served.index.hold_again(user);
            }
        }
        served.entered = true;
    }

    /// Holds `key` without an item of the queue. Returns false if an unfinished item or another hold has the key, or if the lane
    /// has stopped.
    pub(super) fn hold(&mut self, key: Key<K>) -> bool {
        if self.served.stopped {
            return false;
        }
        if let Key::User(user) = key {
            self.enter_claim();
            let limit = self.lane.limit();
            while self.served.reader.taken() < limit {
                self.sort_one();
            }
            if !self.served.index.hold(user) {
                return false;
            }
        }
        self.served.counts.holds += 1;
        self.served.counts.dispatched += 1;
        true
    }

    /// Marks `key` as held by an item that runs already. No unfinished item of the lane may conflict with it.
    pub(super) fn take_up(&mut self, key: Key<K>) {
        if let Key::User(user) = key {
            self.served.index.hold_again(user);
        }
        self.served.counts.holds += 1;
        self.served.counts.dispatched += 1;
    }

    /// Ends an item of `key`, so that the next item of the key can be run.
    #[inline]
    pub(super) fn complete(&mut self, key: Key<K>) {
        if let Key::User(user) = key {
            self.served.index.complete(user);
        }
        self.served.counts.done += 1;
    }

    /// Replaces the running item of `key` by its continuation `item`, which is the next to be taken. The item stays unfinished.
    pub(super) fn continue_with(&mut self, key: Key<K>, item: T) {
        self.served.counts.continued += 1;
        // A key-less continuation can come while a claim is run in place: it must not have to wait for that claim.
        self.enter_claim();
        if mutated!("continuation-last")
            && let Key::User(user) = key
        {
            self.served.index.complete(user);
            self.served.index.admit(key, item);
            return;
        }
        self.served.index.make_first(key, item);
    }

    /// Records that the running item of the outstanding claim will keep its key beyond the claim.
    pub(super) fn keep(&mut self) {
        self.enter_claim();
        self.served.kept = true;
    }

    /// Ends the claim of `span`. `left` has the part of the claim that is not done.
    #[inline]
    pub(super) fn finish(&mut self, span: Span<'q, T, K>, left: &mut Left<T, K>) {
        self.served.counts.done += self.served.reader.claimed() as u64;
        self.served.kept = false;
        if std::mem::take(&mut self.served.entered) {
            let keys: Vec<_> = self.served.reader.claimed_keys().collect();
            self.release(keys.into_iter(), left);
        }
        self.served.reader.finish(&self.lane.inbox, span);
    }

    /// Ends a pick of items with the keys `picked`. `left` has the part of the pick that is not done.
    pub(super) fn finish_picked(&mut self, picked: &[Key<K>], left: &mut Left<T, K>) {
        self.served.counts.done += picked.len() as u64;
        self.release(picked.iter().copied(), left);
        self.served.pickers -= 1;
    }

    fn release(&mut self, keys: impl Iterator<Item = Key<K>>, left: &mut Left<T, K>) {
        let counts = &mut self.served.counts;
        counts.done -= (left.kept.len() + left.returned.len()) as u64;
        counts.dispatched -= left.returned.len() as u64;
        // Last first, so that in the end the first is in front.
        for (key, item) in left.returned.drain(..).rev() {
            self.served.index.put_back(key, item);
        }
        for key in keys {
            if let Some(at) = left.kept.iter().position(|kept| *kept == key) {
                left.kept.swap_remove(at);
            } else if let Key::User(user) = key {
                self.served.index.complete(user);
            }
        }
    }

    /// Counts `items` items as run by a server that is not at home in this lane.
    pub(super) fn count_stolen(&mut self, items: usize) {
        self.served.counts.stolen += items as u64;
    }

    pub(super) fn counts(&self) -> Counts {
        self.served.counts
    }

    /// Number of waiting items of this lane.
    pub(super) fn waiting(&self) -> u64 {
        self.lane.pushed() - self.served.reader.taken() + self.served.index.waiting() as u64
    }

    /// Number of items of this lane that run, plus the keys of this lane that are held without an item.
    pub(super) fn running(&self) -> u64 {
        let counts = &self.served.counts;
        self.served.reader.taken() + counts.holds - counts.done - self.served.index.waiting() as u64
    }

    /// Whether all items before `position` are done, and no key of the lane is held without an item.
    pub(super) fn is_done_up_to(&self, position: u64) -> bool {
        let counts = &self.served.counts;
        self.served.reader.taken() >= position && self.served.reader.taken() + counts.holds == counts.done
    }

    /// Requests [`After::drained`] when all items before the fence are done. Returns true if they are already.
    pub(super) fn drain(&mut self) -> bool {
        let done = self.is_done_up_to(self.fence());
        self.served.draining = !done;
        done
    }

    fn fence(&self) -> u64 {
        self.lane.hints().fence.load(Ordering::Acquire)
    }

    /// Stops handing out items, because the queue is aborted.
    pub(super) fn stop(&mut self) {
        self.served.stopped = true;
    }

    /// Moves the items that wait in the index, which are older than all in the inbox, into `out`.
    pub(super) fn drain_index(&mut self, out: &mut Vec<(Key<K>, T)>) {
        let before = out.len();
        self.served.index.drain(out);
        self.served.counts.done += (out.len() - before) as u64;
    }

    /// Moves the items of the inbox before `position` into `out`, with their keys.
    pub(super) fn drain_inbox(&mut self, position: u64, out: &mut Vec<(Key<K>, T)>) {
        let upto = position.min(self.lane.pushed());
        while self.served.reader.taken() < upto {
            out.push(self.served.reader.take(&self.lane.inbox));
            self.served.counts.done += 1;
        }
    }

    /// Gives the latch back after completions, and returns their consequences.
    #[inline]
    pub(super) fn leave(mut self) -> After {
        let drained = self.served.draining && self.is_done_up_to(self.fence());
        if drained {
            self.served.draining = false;
        }
        After { ready: self.ready() > 0, drained }
    }
}

impl<T, K: UserKey> Drop for Serving<'_, T, K> {
    #[inline]
    fn drop(&mut self) {
        let hints = self.lane.hints();
        hints.ready.store(self.ready(), Ordering::Relaxed);
        if self.served.shares {
            // Between the two: see the head of the module.
            let order = if mutated!("unbegun-relaxed") { Ordering::Relaxed } else { Ordering::Release };
            hints.unbegun.store(self.served.reader.shared_end(), order);
        }
        let order = if mutated!("taken-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        hints.taken.store(self.served.reader.taken(), order);
        let attended = if self.is_attended() { self.served.counts.dispatched } else { 0 };
        hints.attended.store(attended, Ordering::Relaxed);
    }
}

impl<T, K: UserKey> Drop for Lane<T, K> {
    fn drop(&mut self) {
        let mut serving = self.served.1.lock();
        serving.reader.dispose(&self.inbox);
    }
}
