//! An event: a counter that only grows, and that threads of one node wait for.
//!
//! Two protocols implement it, *shared* and *alone*. Each event uses the same protocol for its whole life.
//!
//! # Shared: why no wake-up is lost
//!
//! `waiters` holds the least count that a thread waits for. A waiter takes the list's lock, lowers `waiters` to the count
//! that it waits for, and reads `count` again. A signaller adds to `count` and then reads `waiters`. All four are
//! sequentially consistent, so at least one side sees the other: either the waiter sees the new count and does not block,
//! or the signaller sees a value of `waiters` that the new count reaches, and takes the lock to look for the waiter. A
//! waiter that does not see the count enlists itself under the same lock, so that the signaller finds it. `waiters`
//! rises only under the lock, to the least count of the list, so it never hides a thread of the list.
//!
//! The addition is also a release, and the waiter's read an acquire: everything before the signal happens before the
//! wait returns.
//!
//! A model checker compiles this source with instrumented atomics and locks. It therefore uses only the atomics and
//! locks of `sync`.
//!
//! # Alone: why no locked instruction is needed
//!
//! If one OS thread runs all threads and handlers of a node, that OS thread performs every operation on the node's
//! events, one after the other. Nothing happens to an event between its load and the store that follows, so plain loads
//! and stores suffice. A world chooses this protocol by calling [`add_alone`](Event::add_alone) and
//! [`enlist_alone`](Event::enlist_alone).
//!
//! Deposits of other nodes would break this protocol: they count in an event of the segment that they write. Such an
//! event is *open* from the start, and uses the shared protocol whichever methods are called.
//!
//! # Open: another node counts, the owner resumes
//!
//! The count and `waiters` of an open event are words of its [`Tally`], which other nodes access too. A node that
//! deposits is the signaller of the shared protocol, except for its last step: it cannot reach the list, so it tells
//! the owner, which [looks for the waiters](Event::end_waits). It tells the owner only if the count has reached `waiters`.
//!
//! # One event, one node
//!
//! A waiter names a thread of its own node, so a signal on another node would resume the wrong thread. The first node
//! that uses an event becomes its *keeper*, by an atomic exchange, and a use on any other node panics. Only an open
//! event has no keeper.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::plain::names::lasting;
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, PoisonError, TallyWords, mutated};
use crate::{NodeId, Waiter};

/// The value of `keeper` before any node has used the event.
const UNKEPT: u32 = u32::MAX;

/// The value of `keeper` of an event that any node may use, by the shared protocol.
const OPEN: u32 = u32::MAX - 1;

/// The value of `waiters` when no thread waits: each event has reached this count from the start.
const NONE: u64 = 0;

/// The value of `waiters` when one thread waits, which stands in the field `first`. Only the alone protocol uses this
/// value.
const FIRST: u64 = u64::MAX;

/// The greatest value of `waiters` when the waiting threads stand in the list. The list is also looked at when a thread
/// of it waits for a greater count.
const MOST_LISTED: u64 = FIRST - 1;

/// A named counter that only grows. Handlers and threads [signal](crate::Actions::signal) it; threads
/// [wait](crate::Thread::wait) until it has reached a value.
///
/// The fields that an uncontended signal or wait touches share one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub struct Event {
    name: &'static str,
    count: AtomicU64,
    /// The number of the only node that may use the event; `UNKEPT` before any use; `OPEN` if every node may use it.
    keeper: AtomicU32,
    /// `NONE`; or `FIRST`, if the field `first` has the only waiting thread; or else the least count that a thread of the
    /// list waits for.
    waiters: AtomicU64,
    /// The count that the only waiting thread waits for, and its waiter in 64 bits. The field is valid only while
    /// `waiters` is `FIRST`.
    first: [AtomicU64; 2],
    more: Box<More>,
}

/// The part of an event that an uncontended signal or wait does not touch.
#[derive(Default, Debug)]
struct More {
    list: Mutex<List>,
    /// The words that stand in for `count` and `waiters` if the event is open.
    tally: Option<Tally>,
}

/// The count of an open event, and the least count that a thread of the owner waits for: words that other nodes access
/// too. A clone shows the same words.
#[derive(Clone, Debug)]
pub(crate) struct Tally(TallyWords);

impl Tally {
    /// Makes a tally of its words.
    pub(crate) fn new(words: TallyWords) -> Self {
        Self(words)
    }

    /// Adds `amount` to the count. Returns whether a thread of the owner may have waited for the new count: the owner must
    /// then look for it.
    ///
    /// # Errors
    /// The count before, if it would exceed 64 bits.
    pub(crate) fn add(&self, amount: u64) -> Result<bool, u64> {
        let [count, waiters] = self.words();
        let order = if mutated!("signal-relaxed") { Ordering::Relaxed } else { Ordering::SeqCst };
        let before = count.fetch_add(amount, order);
        let count = before.checked_add(amount).ok_or(before)?;
        let order = if mutated!("signaller-looks-early") { Ordering::Acquire } else { Ordering::SeqCst };
        Ok(is_reached(waiters.load(order), count))
    }

    /// The count, and `waiters` of the event.
    #[inline]
    fn words(&self) -> [&AtomicU64; 2] {
        [&self.0[0], &self.0[1]]
    }
}

/// Whether `count` has reached `waiters`, the least count that a thread waits for, if there is one.
#[inline]
fn is_reached(waiters: u64, count: u64) -> bool {
    waiters != NONE && waiters <= count
}

/// The waiting threads, ordered by the count that they wait for, least first. A signal looks at the threads that it
/// resumes and at one more.
#[derive(Default, Debug)]
struct List {
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// The number of waiters that were ever put into the list. It numbers the waiters in order of arrival.
    listed: u64,
}

/// A waiting thread. Waiting threads are ordered by the count that they wait for, and for equal counts by arrival.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Waiting {
    at_least: u64,
    arrival: u64,
    /// The right to resume the thread, packed in 64 bits.
    waiter: u64,
}

impl List {
    fn push(&mut self, at_least: u64, waiter: Waiter) {
        let arrival = self.listed;
        self.listed += 1;
        self.waiting.push(Reverse(Waiting { at_least, arrival, waiter: packed(waiter) }));
    }

    /// The value of `waiters` for the threads of the list.
    fn least(&self) -> u64 {
        self.waiting.peek().map_or(NONE, |Reverse(first)| first.at_least.min(MOST_LISTED))
    }

    /// Removes the first waiter whose wanted count is at most `count`. Returns its number in the order of arrival, and
    /// the waiter; `None` if there is no such waiter.
    fn take_due(&mut self, count: u64) -> Option<(u64, Waiter)> {
        #[cfg(test)]
        looks::count();
        let Reverse(first) = self.waiting.peek()?;
        if first.at_least > count {
            return None;
        }
        let Reverse(first) = self.waiting.pop()?;
        Some((first.arrival, unpacked(first.waiter)))
    }
}

impl Event {
    /// Makes an event with the count 0. A deadlock report prints the event's name. The process never frees a name that
    /// is made at run time; events with equal names share it.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self::kept_by(UNKEPT, lasting(name), None)
    }

    /// Makes an event whose count is that of `tally`, to which deposits of other nodes add.
    pub(crate) fn open(name: &'static str, tally: Tally) -> Self {
        Self::kept_by(OPEN, name, Some(tally))
    }

    fn kept_by(keeper: u32, name: &'static str, tally: Option<Tally>) -> Self {
        Self {
            name,
            count: AtomicU64::new(0),
            keeper: AtomicU32::new(keeper),
            waiters: AtomicU64::new(NONE),
            first: Default::default(),
            more: Box::new(More { tally, ..More::default() }),
        }
    }

    /// The event's name, which deadlock reports print.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The present count, at no instant of a modelled clock. Everything that happened before the signals that are
    /// counted happened before this call returns.
    #[inline]
    pub(crate) fn counted(&self) -> u64 {
        let order = if mutated!("count-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        let kept = self.keeper.load(Ordering::Relaxed) != OPEN;
        let count = if kept { &self.count } else { self.shared_words()[0] };
        count.load(order)
    }

    /// The words of the shared protocol: the count, and `waiters`.
    fn shared_words(&self) -> [&AtomicU64; 2] {
        self.more.tally.as_ref().map_or([&self.count, &self.waiters], Tally::words)
    }

    /// Passes each waiter that the present count satisfies to `resume`, in order of arrival: another node has added to the
    /// count of an open event.
    pub(crate) fn end_waits(&self, resume: impl FnMut(Waiter)) {
        self.release(self.counted(), resume);
    }

    /// Adds `amount` to the count of an event of `node` and passes each waiter that the new count satisfies to
    /// `resume`, in order of arrival.
    ///
    /// # Panics
    /// If another node uses the event, or the count would exceed 64 bits.
    pub(crate) fn add(&self, node: NodeId, amount: u64, resume: impl FnMut(Waiter)) {
        self.is_kept_by(node);
        self.add_shared(amount, resume);
    }

    /// Adds `amount` to the count by the shared protocol, and passes each waiter that the new count satisfies to
    /// `resume`.
    fn add_shared(&self, amount: u64, resume: impl FnMut(Waiter)) {
        let order = if mutated!("signal-relaxed") { Ordering::Relaxed } else { Ordering::SeqCst };
        let [count, waiters] = self.shared_words();
        let before = count.fetch_add(amount, order);
        let Some(count) = before.checked_add(amount) else { self.overflows(before, amount) };
        let order = if mutated!("signaller-looks-early") { Ordering::Acquire } else { Ordering::SeqCst };
        if is_reached(waiters.load(order), count) {
            self.release(count, resume);
        }
    }

    /// Adds `amount` to the count by the alone protocol and passes each waiter that the new count satisfies to
    /// `resume`. The caller must be the one OS thread that runs all threads and handlers of `node`.
    ///
    /// # Panics
    /// If another node uses the event, or the count would exceed 64 bits.
    #[inline]
    pub(crate) fn add_alone(&self, node: NodeId, amount: u64, mut resume: impl FnMut(Waiter)) {
        if !self.is_kept_by(node) {
            return self.add_shared(amount, resume);
        }
        let before = self.count.load(Ordering::Relaxed);
        let Some(count) = before.checked_add(amount) else { self.overflows(before, amount) };
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
            least if least <= count => self.release(count, resume),
            _ => {}
        }
    }

    /// Panics because the sum of `count` and `amount` exceeds 64 bits. The function is not inlined, and its callers
    /// need no closure: otherwise the arguments of the message would go through memory at every signal.
    #[cold]
    #[inline(never)]
    fn overflows(&self, count: u64, amount: u64) -> ! {
        panic!("event `{}` is at {count} and cannot count {amount} more: a count has 64 bits", self.name)
    }

    #[cold]
    fn release(&self, count: u64, mut resume: impl FnMut(Waiter)) {
        let mut list = self.lock();
        let Some(first) = list.take_due(count) else { return };
        // One waiter is the common case, and needs no list of the waiters to resume.
        let Some(second) = list.take_due(count) else {
            self.show_least(&list);
            drop(list);
            return resume(first.1);
        };
        let mut due = vec![first, second];
        while let Some(next) = list.take_due(count) {
            due.push(next);
        }
        self.show_least(&list);
        drop(list);
        due.sort_unstable_by_key(|(arrival, _)| *arrival);
        due.into_iter().for_each(|(_, waiter)| resume(waiter));
    }

    /// Enlists a waiter of `node`: the signal by which the count reaches `at_least` resumes its thread. Returns false,
    /// and enlists nothing, if the count has reached `at_least` already.
    ///
    /// # Panics
    /// If another node uses the event.
    pub(crate) fn enlist(&self, node: NodeId, at_least: u64, waiter: Waiter) -> bool {
        self.is_kept_by(node);
        self.enlist_shared(at_least, waiter)
    }

    /// Enlists a waiter by the shared protocol. Returns false, and enlists nothing, if the count has reached `at_least`
    /// already.
    fn enlist_shared(&self, at_least: u64, waiter: Waiter) -> bool {
        // Each event has reached 0, which stands for no waiting thread.
        if at_least == NONE {
            return false;
        }
        let mut list = self.lock();
        let [count, waiters] = self.shared_words();
        let lowest = if list.waiting.is_empty() { at_least } else { list.least().min(at_least) };
        let order = if mutated!("waiter-listed-late") { Ordering::Release } else { Ordering::SeqCst };
        waiters.store(lowest.min(MOST_LISTED), order);
        let order = if mutated!("waiter-looks-early") { Ordering::Acquire } else { Ordering::SeqCst };
        let reached = count.load(order) >= at_least;
        if reached && !mutated!("waiter-stays-listed") {
            self.show_least(&list);
        } else {
            list.push(at_least, waiter);
        }
        !reached
    }

    /// Enlists a waiter by the alone protocol. Returns false, and enlists nothing, if the count has reached `at_least`
    /// already. The caller must be the one OS thread that runs all threads and handlers of `node`.
    ///
    /// # Panics
    /// If another node uses the event.
    #[inline]
    pub(crate) fn enlist_alone(&self, node: NodeId, at_least: u64, waiter: Waiter) -> bool {
        if !self.is_kept_by(node) {
            return self.enlist_shared(at_least, waiter);
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

    /// Enlists a waiter while another thread waits already. Only the alone protocol calls this.
    #[cold]
    fn enlist_behind_others(&self, at_least: u64, waiter: Waiter) {
        let mut list = self.lock();
        if self.waiters.load(Ordering::Relaxed) == FIRST {
            let (at_least, first) = self.first();
            list.push(at_least, first);
        }
        list.push(at_least, waiter);
        self.waiters.store(list.least(), Ordering::Relaxed);
    }

    /// Unpacks `first`: the count that the only waiter waits for, and the waiter.
    #[inline]
    fn first(&self) -> (u64, Waiter) {
        let [at_least, waiter] = &self.first;
        (at_least.load(Ordering::Relaxed), unpacked(waiter.load(Ordering::Relaxed)))
    }

    /// Sets `waiters` for the threads of the list.
    fn show_least(&self, list: &List) {
        self.shared_words()[1].store(list.least(), Ordering::SeqCst);
    }

    /// Whether `node` keeps the event; false if it is open. The first call for an unkept event makes `node` its keeper.
    ///
    /// # Panics
    /// If another node keeps the event.
    #[inline]
    fn is_kept_by(&self, node: NodeId) -> bool {
        let keeper = self.keeper.load(Ordering::Relaxed);
        keeper == node.0 || keeper != OPEN && self.is_first_kept_by(node)
    }

    #[cold]
    fn is_first_kept_by(&self, node: NodeId) -> bool {
        let kept = self.keeper.compare_exchange(UNKEPT, node.0, Ordering::Relaxed, Ordering::Relaxed);
        // Another processor of the node may have made the node the keeper in the meantime.
        if let Err(keeper) = kept
            && keeper != node.0
        {
            panic!("event `{}` of {} is used on {node}: an event is for one node", self.name, NodeId(keeper));
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        // A panic elsewhere cannot leave the list half-changed: no caller's code runs under the lock.
        self.more.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline]
fn packed(waiter: Waiter) -> u64 {
    u64::from(waiter.thread) << 32 | u64::from(waiter.generation)
}

fn unpacked(waiter: u64) -> Waiter {
    Waiter { thread: (waiter >> 32) as u32, generation: waiter as u32 }
}

/// Counts the looks at lists of waiting threads, for tests of their cost.
#[cfg(test)]
pub(crate) mod looks {
    use std::cell::Cell;

    thread_local! {
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        LOOKS.set(LOOKS.get() + 1);
    }

    /// The number of looks of this OS thread until now.
    pub(crate) fn so_far() -> u64 {
        LOOKS.get()
    }
}
