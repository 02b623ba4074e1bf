//! The arrival list of a lane: a list of fixed blocks with many writers and one reader at a time.
//!
//! # States and orderings
//!
//! Items have positions from 0 up, in order of arrival. A slot is *empty*, then *published*, then *taken* (its item
//! has been moved out, or will be by the owner of the [`Span`] it lies in), then empty again when its block is
//! reused.
//!
//! * Writers hold the latch of the [`Tail`]. They fill slots and then store `pushed` with release: everything below
//!   `pushed` is published, the link to its block included. Filling and publishing under one latch makes the order of
//!   positions the order of the sections, so it agrees with real time.
//! * The reader is the holder of `&mut Reader` (the lane keeps it under another latch). It loads `pushed` with
//!   acquire, so it sees the slots below, and moves `taken` up. It follows a block's link only when it knows an item
//!   beyond, so a link that a writer is still to set is never followed, and a block that writers still fill is never
//!   given back.
//! * A block whose last item has been taken goes to the stack of spare blocks, by a compare-and-swap with release. Only
//!   writers pop, under their latch, with acquire: one popper at a time, so a block cannot leave and return while it is
//!   looked at (no ABA), and all reads of the block's old slots happen before its new ones are written.
//! * One span at a time may be *claimed*: its items belong to the span's owner and are moved out without any latch, while
//!   others read its keys, which stay. Its block is spared only after the claim is finished.
//! * A claim may be *shared*: then `begun` is the slot of its next item, and its owner adds one to take that item.
//!   The holder of `&mut Reader` takes the rest by storing a number beyond all slots. Both are single changes of one
//!   counter, so each item goes to one of the two. The owner releases and the reader acquires: it sees that all items
//!   before the running one are done.
//!
//! This module must never know which keys conflict or which server runs an item.

use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{self, addr_of};

use super::latch::{Guard, Latch};
use super::padded::{Padded, prefetch_to_write};
use super::tuning::BLOCK;
use crate::prefetch::line_at;
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, UnsafeCell, mutated};
use crate::{Key, UserKey};

/// Arrival list of a lane, with the state that writers change.
#[derive(Debug)]
pub(super) struct Inbox<T, K: UserKey> {
    tail: Latch<Tail<T, K>>,
    /// Number of items ever published, that is, made visible to the reader.
    pushed: AtomicU64,
    /// Identity of the thread that published last. Only a hint.
    writer: AtomicUsize,
    /// Stack of blocks to use again. In a cache line of its own, because readers write it.
    spare: Padded<AtomicPtr<Block<T, K>>>,
    /// Slot of the next item of a shared claim. In a cache line of its own, because it changes with every item.
    begun: Padded<AtomicUsize>,
}

/// Slot for the next item to arrive; reached under the writers' latch.
#[derive(Debug)]
pub(super) struct Tail<T, K: UserKey> {
    block: *mut Block<T, K>,
    /// Number of slots of `block` in use.
    used: usize,
}

/// State of a lane's inbox that only the reader changes.
#[derive(Debug)]
pub(super) struct Reader<T, K: UserKey> {
    /// Block of the item that was taken last; at the start, the first block.
    block: *mut Block<T, K>,
    /// Number of items that were ever taken.
    taken: u64,
    /// Position of the item behind the last slot of `block`.
    end: u64,
    claimed: Option<Slots<T, K>>,
    /// Whether the outstanding claim is shared.
    shared: bool,
}

/// Value of `begun` when no item of a shared claim is left: beyond all slots, however often one is added.
const ALL_TAKEN: usize = usize::MAX / 2;

/// A run of slots in one block.
#[derive(Debug)]
struct Slots<T, K: UserKey> {
    block: *mut Block<T, K>,
    from: usize,
    to: usize,
}

/// Items that a claim gave up when it was split: all but the item that runs.
#[derive(Debug)]
pub(super) struct Split<T, K: UserKey> {
    /// Keys of the items that have been run.
    pub(super) done: Vec<Key<K>>,
    /// Keys and items that have not begun, oldest first.
    pub(super) unbegun: Vec<(Key<K>, T)>,
}

impl<T, K: UserKey> Default for Split<T, K> {
    fn default() -> Self {
        Self { done: Vec::new(), unbegun: Vec::new() }
    }
}

/// A claimed run of items, which its owner moves out one after the other and then gives back with [`Reader::finish`].
#[derive(Debug)]
pub(super) struct Span<'q, T, K: UserKey> {
    slots: Slots<T, K>,
    /// Number of items of this claim that its worker has moved out to run.
    begun: usize,
    /// Slot of the next item of a shared claim, which other servers read; `None` if the claim is not shared.
    cursor: Option<&'q AtomicUsize>,
    /// Number of published items behind the claim.
    rest: u64,
    /// Whether the calling thread published the last item of the inbox.
    own: bool,
    inbox: PhantomData<&'q Inbox<T, K>>,
}

#[derive(Debug)]
struct Block<T, K: UserKey> {
    next: AtomicPtr<Block<T, K>>,
    /// Bit mask of the slots whose item has [`Key::NoSync`]: such a slot stores no key.
    nosync: AtomicU64,
    slots: [UnsafeCell<MaybeUninit<Slot<T, K>>>; BLOCK],
}

#[derive(Debug)]
struct Slot<T, K> {
    /// Initialized unless the slot's bit in `nosync` is set.
    key: MaybeUninit<K>,
    item: T,
}

const _: () = assert!(BLOCK <= 64, "there is a bit for each slot");

// SAFETY: the raw pointers own the blocks and their items, like a `Vec<T>` split between `Inbox` and `Reader`; the
// head of this module says which thread reaches which slot when.
unsafe impl<T: Send, K: UserKey + Send> Send for Tail<T, K> {}
// SAFETY: as above.
unsafe impl<T: Send, K: UserKey + Send> Send for Reader<T, K> {}
// SAFETY: a span owns its items and is the only one to move them out.
unsafe impl<T: Send, K: UserKey + Send> Send for Span<'_, T, K> {}

impl<T, K: UserKey> Block<T, K> {
    fn boxed() -> *mut Self {
        let block: *mut Self = Box::into_raw(Box::<Self>::new_uninit()).cast();
        // SAFETY: the memory is this function's alone, and each field is written before another thread can see it. A
        // block of large items does not fit on the stack, so it is made in place.
        unsafe {
            (&raw mut (*block).next).write(AtomicPtr::new(ptr::null_mut()));
            (&raw mut (*block).nosync).write(AtomicU64::new(0));
            let slots = (&raw mut (*block).slots).cast::<UnsafeCell<MaybeUninit<Slot<T, K>>>>();
            for index in 0..BLOCK {
                slots.add(index).write(UnsafeCell::new(MaybeUninit::uninit()));
            }
        }
        block
    }

    /// Number of slots that share a cache line.
    const SLOTS_PER_LINE: usize = match size_of::<Slot<T, K>>() {
        // All slots of items and keys without a size are at one place.
        0 => BLOCK,
        65.. => 1,
        bytes => 64 / bytes,
    };

    /// Address of the slot at `index` of `block`; valid if the block is alive.
    #[inline]
    fn slot_address(block: *mut Self, index: usize) -> *const Slot<T, K> {
        block.wrapping_byte_add(offset_of!(Self, slots)).cast::<Slot<T, K>>().wrapping_add(index)
    }

    /// Returns the slot at `index` of `block`.
    ///
    /// # Safety
    ///
    /// `block` is alive.
    #[inline]
    unsafe fn slot<'b>(block: *mut Self, index: usize) -> &'b UnsafeCell<MaybeUninit<Slot<T, K>>> {
        debug_assert!(index < BLOCK);
        // SAFETY: the block is alive, and the index is below its length. Other threads access the content of slots
        // only through the cells.
        unsafe { (*block).slots.get_unchecked(index) }
    }

    /// Returns the key of the item in the slot at `index` of `block`.
    ///
    /// # Safety
    ///
    /// `block` is alive and the slot published, and it is not used anew meanwhile.
    #[inline]
    unsafe fn key(block: *mut Self, index: usize) -> Key<K> {
        // SAFETY: of the caller. `nosync` is atomic, and its bits are those of the items in the slots: both change before
        // the slot is published. A published slot's key is only ever read; where the bit is clear, it is initialized.
        unsafe {
            if (*block).nosync.load(Ordering::Relaxed) >> index & 1 == 1 {
                Key::NoSync
            } else {
                Key::User(
                    addr_of!((*Self::slot(block, index).get_shared().cast::<Slot<T, K>>()).key)
                        .read()
                        .assume_init(),
                )
            }
        }
    }

    /// Moves the item out of the slot at `index` of `block`.
    ///
    /// # Safety
    ///
    /// `block` is alive and the slot published, and it is not used anew meanwhile. No other caller moves this item out.
    #[inline]
    unsafe fn item(block: *mut Self, index: usize) -> T {
        // SAFETY: of the caller.
        unsafe { addr_of!((*Self::slot(block, index).get_shared().cast::<Slot<T, K>>()).item).read() }
    }
}

impl<T, K: UserKey> Inbox<T, K> {
    /// Whether a shared claim that ends before slot `end` has items that have not begun, or that another server is taking back.
    /// `end` is 0 if no claim is shared; the answer is then no.
    pub(super) fn has_unbegun(&self, end: usize) -> bool {
        let begun = self.begun.load(Ordering::Relaxed);
        let is_being_split = end > 0 && begun >= ALL_TAKEN && !mutated!("split-unseen");
        end > begun || is_being_split
    }

    /// Makes an empty inbox and its reader. [`Reader::dispose`] frees the blocks.
    pub(super) fn new() -> (Self, Reader<T, K>) {
        let block = Block::boxed();
        let inbox = Self {
            tail: Latch::new(Tail { block, used: 0 }),
            pushed: AtomicU64::new(0),
            writer: AtomicUsize::new(0),
            spare: Padded(AtomicPtr::new(ptr::null_mut())),
            begun: Padded::default(),
        };
        (inbox, Reader { block, taken: 0, end: BLOCK as u64, claimed: None, shared: false })
    }

    /// Takes the writers' latch, which excludes all other writers.
    #[inline]
    pub(super) fn lock(&self) -> Guard<'_, Tail<T, K>> {
        self.tail.lock()
    }

    /// Prefetches the cache line that all writers share, for a write.
    #[inline]
    pub(super) fn expect_writing(&self) {
        prefetch_to_write(&raw const self.tail);
    }

    /// Whether the calling thread published the last item.
    #[inline]
    fn is_own(&self) -> bool {
        self.writer.load(Ordering::Relaxed) == this_thread()
    }

    /// Prefetches the cache line of `pushed`, for a read.
    #[inline]
    pub(super) fn expect_reading(&self) {
        line_at(&raw const self.pushed);
    }

    /// Number of items ever published. A thread that sees an item counted here sees all that happened before the item was
    /// published.
    #[inline]
    pub(super) fn pushed(&self) -> u64 {
        self.pushed.load(Ordering::Acquire)
    }

    /// Appends one item with its key.
    #[inline]
    pub(super) fn push(&self, tail: &mut Guard<'_, Tail<T, K>>, key: Key<K>, item: T) {
        self.fill(tail, key, item);
        self.publish(1);
    }

    /// Appends all of `items`, with their user keys, and leaves the vector empty.
    pub(super) fn append(&self, tail: &mut Guard<'_, Tail<T, K>>, items: &mut Vec<(K, T)>) {
        let more = items.len() as u64;
        for (key, item) in items.drain(..) {
            self.fill(tail, Key::User(key), item);
        }
        self.publish(more);
    }

    #[inline]
    fn publish(&self, more: u64) {
        self.writer.store(this_thread(), Ordering::Relaxed);
        // Only the holder of the writers' latch changes it, so it need not be one atomic step.
        self.pushed.store(self.pushed.load(Ordering::Relaxed) + more, Ordering::Release);
    }

    #[inline]
    fn fill(&self, tail: &mut Tail<T, K>, key: Key<K>, item: T) {
        if tail.used == BLOCK {
            self.next_block(tail);
        }
        let (key, nosync) = match key {
            Key::User(key) => (MaybeUninit::new(key), 0),
            Key::NoSync => (MaybeUninit::uninit(), 1_u64 << tail.used),
            Key::Sequential => unreachable!("the gate keeps sequential items"),
        };
        // SAFETY: the tail's block is alive: readers give a block back only when they have followed its link, which is
        // not set before the tail has left it. The slot is empty: it lies at or above `pushed`, where no reader looks.
        unsafe {
            Block::slot(tail.block, tail.used).get().write(MaybeUninit::new(Slot { key, item }));
            if nosync != 0 {
                let mask = &(*tail.block).nosync;
                mask.store(mask.load(Ordering::Relaxed) | nosync, Ordering::Relaxed);
            }
        }
        tail.used += 1;
    }

    #[cold]
    fn next_block(&self, tail: &mut Tail<T, K>) {
        let block = self.pop_spare().unwrap_or_else(Block::boxed);
        // SAFETY: as in `fill`, the tail's block is alive. Readers see the link with the first item behind it.
        unsafe { (*tail.block).next.store(block, Ordering::Relaxed) };
        *tail = Tail { block, used: 0 };
    }

    /// Pops a spare block; `None` if there is none. The caller holds the writers' latch.
    fn pop_spare(&self) -> Option<*mut Block<T, K>> {
        let mut block = self.spare.load(Ordering::Acquire);
        while !block.is_null() {
            // SAFETY: spare blocks are alive, and this is the only popper: `block` is in the stack until the swap below.
            let next = unsafe { (*block).next.load(Ordering::Relaxed) };
            match self.spare.compare_exchange_weak(block, next, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => {
                    // SAFETY: popped, so it is this thread's alone.
                    unsafe {
                        (*block).next.store(ptr::null_mut(), Ordering::Relaxed);
                        (*block).nosync.store(0, Ordering::Relaxed);
                    }
                    return Some(block);
                }
                Err(changed) => block = changed,
            }
        }
        None
    }

    fn push_spare(&self, block: *mut Block<T, K>) {
        let mut top = self.spare.load(Ordering::Relaxed);
        loop {
            // SAFETY: the block is out of use and not yet in the stack: this thread's alone.
            unsafe { (*block).next.store(top, Ordering::Relaxed) };
            match self.spare.compare_exchange_weak(top, block, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(changed) => top = changed,
            }
        }
    }
}

impl<T, K: UserKey> Reader<T, K> {
    /// Number of items that were ever taken.
    #[inline]
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes the next item and its key. There is an item: the caller has found `taken` below [`Inbox::pushed`].
    #[inline]
    pub(super) fn take(&mut self, inbox: &Inbox<T, K>) -> (Key<K>, T) {
        let slots = self.next_slots(inbox, 1);
        // SAFETY: the slot is published, and `taken` has moved past it, so no other thread moves its item out.
        unsafe { (Block::key(slots.block, slots.from), Block::item(slots.block, slots.from)) }
    }

    /// Claims up to `most` of the `available` next items, as long as they lie in one block. No other claim is outstanding. If
    /// `shared`, the items of the claim that have not begun can be taken back.
    #[inline]
    pub(super) fn claim<'q>(
        &mut self,
        inbox: &'q Inbox<T, K>,
        available: u64,
        most: u64,
        shared: bool,
    ) -> Span<'q, T, K> {
        debug_assert!(self.claimed.is_none());
        // Before another thread takes the line away from which `available` was read.
        let own = inbox.is_own();
        let slots = self.next_slots(inbox, available.min(most));
        self.claimed = Some(Slots { ..slots });
        // The items come from other processors' caches: all lines but the first are prefetched together.
        let mut slot = slots.from + Block::<T, K>::SLOTS_PER_LINE;
        while slot < slots.to {
            line_at(Block::slot_address(slots.block, slot));
            slot += Block::<T, K>::SLOTS_PER_LINE;
        }
        let rest = available - (slots.to - slots.from) as u64;
        self.shared = shared && slots.to - slots.from > 1;
        let cursor = self.shared.then_some(&*inbox.begun);
        if let Some(cursor) = cursor {
            cursor.store(slots.from, Ordering::Relaxed);
        }
        Span { begun: 0, cursor, rest, own, slots, inbox: PhantomData }
    }

    /// Index of the slot behind the last item of the outstanding claim, if that claim is shared; else 0.
    pub(super) fn shared_end(&self) -> usize {
        self.claimed.as_ref().filter(|_| self.shared).map_or(0, |slots| slots.to)
    }

    /// Whether the outstanding claim is shared, and has not been split.
    pub(super) fn shares_claim(&self) -> bool {
        self.shared && self.claimed.is_some()
    }

    /// Takes the items that have not begun back from a shared claim. If `leaves_done`, the claim also gives up the items that are
    /// done, and keeps only the item that runs. Returns the items that the claim gave up: none if no claim is shared.
    pub(super) fn split_claim(&mut self, inbox: &Inbox<T, K>, leaves_done: bool) -> Split<T, K> {
        let Some(claimed) = self.claimed.as_mut().filter(|_| self.shared) else { return Split::default() };
        let next = if mutated!("unbegun-taken-twice") {
            inbox.begun.load(Ordering::Acquire)
        } else {
            let order = if mutated!("done-unseen") { Ordering::Relaxed } else { Ordering::Acquire };
            inbox.begun.swap(ALL_TAKEN, order)
        };
        let Slots { block, from, to } = *claimed;
        let next = next.min(to);
        self.shared = false;
        // Its owner takes an item when the one before is done.
        claimed.from = if leaves_done { next.saturating_sub(1).max(from) } else { from };
        claimed.to = next;
        // SAFETY: the claim's block stays, and so do keys.
        let key = |index| unsafe { Block::key(block, index) };
        // SAFETY: the owner has not taken these slots and will not find them any more.
        let item = |index| unsafe { Block::item(block, index) };
        Split {
            done: (from..claimed.from).map(key).collect(),
            unbegun: (next..to).map(|index| (key(index), item(index))).collect(),
        }
    }

    /// Whether a claim is outstanding.
    #[inline]
    pub(super) fn has_claim(&self) -> bool {
        self.claimed.is_some()
    }

    /// Number of items of the outstanding claim.
    #[inline]
    pub(super) fn claimed(&self) -> usize {
        self.claimed.as_ref().map_or(0, |slots| slots.to - slots.from)
    }

    /// Keys of all items of the outstanding claim, run or not.
    pub(super) fn claimed_keys(&self) -> impl Iterator<Item = Key<K>> {
        let slots = self.claimed.as_ref();
        slots.into_iter().flat_map(|slots| {
            // SAFETY: its block is not given back before the claim is finished, and keys stay.
            (slots.from..slots.to).map(|index| unsafe { Block::key(slots.block, index) })
        })
    }

    /// Ends the outstanding claim, whose items `span` has moved out.
    #[inline]
    pub(super) fn finish(&mut self, inbox: &Inbox<T, K>, span: Span<'_, T, K>) {
        let claimed = self.claimed.take().expect("a span is a claim of its reader");
        debug_assert!(span.begun >= claimed.to - claimed.from, "items of the claim were not run");
        if claimed.block != self.block && !mutated!("claimed-block-spared") {
            inbox.push_spare(claimed.block);
        }
    }

    /// Frees all blocks and their items. No other thread uses the inbox any more.
    pub(super) fn dispose(&mut self, inbox: &Inbox<T, K>) {
        while self.taken < inbox.pushed() {
            drop(self.take(inbox));
        }
        let claimed = self.claimed.take().map(|slots| slots.block).filter(|block| *block != self.block);
        for first in [self.block, inbox.spare.load(Ordering::Acquire), claimed.unwrap_or(ptr::null_mut())] {
            let mut block = first;
            while !block.is_null() {
                // SAFETY: each block is in exactly one of the three lists, and no thread uses them any more. A
                // claimed block has been left, so its link leads into the first list and is not followed.
                let boxed = unsafe { Box::from_raw(block) };
                let last = Some(block) == claimed;
                block = if last { ptr::null_mut() } else { boxed.next.load(Ordering::Relaxed) };
            }
        }
    }

    /// Counts up to `most` published items as taken, within one block, and returns their slots.
    #[inline]
    fn next_slots(&mut self, inbox: &Inbox<T, K>, most: u64) -> Slots<T, K> {
        if self.taken == self.end {
            self.next_block(inbox);
        }
        let from = BLOCK - (self.end - self.taken) as usize;
        let to = BLOCK.min(from + most as usize);
        self.taken += (to - from) as u64;
        Slots { block: self.block, from, to }
    }

    #[cold]
    fn next_block(&mut self, inbox: &Inbox<T, K>) {
        let left = self.block;
        // SAFETY: an item beyond this block is known, so the tail has left it and has linked the next.
        self.block = unsafe { (*left).next.load(Ordering::Relaxed) };
        self.end += BLOCK as u64;
        if self.claimed.as_ref().is_none_or(|claimed| claimed.block != left)
            || mutated!("claimed-block-spared")
        {
            inbox.push_spare(left);
        }
    }
}

impl<T, K: UserKey> Span<'_, T, K> {
    /// Moves the next item out of the span, with its key.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Key<K>, T)> {
        let Slots { block, from, to } = self.slots;
        let index = self.cursor.map_or(from + self.begun, |cursor| cursor.fetch_add(1, Ordering::Release));
        if index >= to {
            return None;
        }
        self.begun += 1;
        // SAFETY: the slots are claimed by this span, so their block stays, and each index comes up once.
        Some(unsafe { (Block::key(block, index), Block::item(block, index)) })
    }

    /// Number of items of this claim that its worker has moved out to run.
    #[inline]
    pub(super) fn begun(&self) -> usize {
        self.begun
    }

    /// Whether the calling thread published the last item of the inbox when this claim was made.
    #[inline]
    pub(super) fn is_own(&self) -> bool {
        self.own
    }

    /// Number of published items behind the claim.
    #[inline]
    pub(super) fn rest(&self) -> u64 {
        self.rest
    }

    /// Number of claimed items, run or not.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.to - self.slots.from
    }
}

/// Returns a number that no other living thread has.
#[inline]
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}
