//! A rival of the crate's queue: per-key strands ("design B" among the designs for Falsafi and Wood's queue, HPCA 1999;
//! the idea is that of Asio's strands and of actors' mailboxes).
//!
//! Keys hash to many small buckets, each a FIFO that one worker at a time serves; the buckets that have work travel
//! through rings with stealing. Keys that collide are serialized, which is safe. To be measured, not used: it
//! has the cost of sequential items (see *Phases*) but not the items, no NOSYNC, and a handler that panics leaves its
//! bucket held.
//!
//! # Buckets
//!
//! A bucket is one word, the youngest node of its FIFO or null. That word is also its state: no counter of pending
//! items is needed. (It is the queue lock of Mellor-Crummey and Scott with items in the place of waiting threads.)
//!
//! * **Idle**: null. An enqueue swaps its node in, finds null, and so is the one to push the node, the bucket's oldest,
//!   onto its ready ring.
//! * **Owned**: not null. Exactly one place has the oldest node, and with it the bucket: a ring, the few a worker has
//!   grabbed from one, or the worker that runs it. An enqueue swaps its node in and links it to the one it finds.
//! * The owner runs the oldest item. If a next node is linked, it goes on with that or, after a small batch, pushes it
//!   onto its ring. If none is, it swings the word back to null. If that fails an enqueue is between swap and link: the
//!   owner looks again for a moment, then pushes the *finished* node rather than wait for a preempted thread.
//!
//! Swinging to null releases and the swap that finds null acquires, so the handlers of one ownership happen before
//! those of the next. Push and link release, grab and following a link acquire, so a handler sees what its producer
//! wrote.
//!
//! # Ready rings
//!
//! A bucket is ready at one place at most, so a ring with an entry for each cannot overflow. An entry is a node with
//! the parity of the ring's lap in its lowest bit: takers see from it alone whether it was written in this lap, and no
//! line is shared for the ring's end. They advance `first` by compare-and-swap; it never goes back, so one that
//! succeeds proves that no entry read before it was overwritten. Also the owner takes the oldest: the youngest first
//! would starve the rest.
//!
//! # Phases
//!
//! A sequential item is a barrier in queue order: it closes the phase of all before it and waits until none of them is
//! in flight. So every enqueue is counted in its phase (a sequentially consistent increment, then another look at the
//! phase: a closer may have missed the increment), and every completion is counted off (decrement, then a look whether
//! the phase was closed: then sum up). The counters are striped by slot and only their sum counts. By [`CREDIT`] a
//! slot counts that many in at once, and completions refill what enqueues use up. The sum is never too low, and a
//! worker gives back what it has in hand when it finds nothing to do or the phase closed. (A sequential item
//! would have to do that for the slots of threads that are not workers, whose lock it can take.)

use std::array;
use std::cell::UnsafeCell;
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64};
use std::sync::{Mutex, PoisonError};
use std::{hint, thread};

/// Whether items are counted in and out, as sequential items would need.
const PHASES: bool = true;

/// So many items are counted in ahead of their enqueue; 1: each by itself.
const CREDIT: i64 = 64;

/// Two to this power is the number of buckets. Few under Miri, which also makes keys collide.
const BUCKET_BITS: u32 = if cfg!(miri) { 3 } else { 13 };
const BUCKETS: usize = 1 << BUCKET_BITS;

/// After so many items a bucket goes to the back of the ring, if another is ready.
const BATCH: usize = 8;

/// After so many it does in any case, so that a call is bounded.
const LONE_BATCH: usize = 64;

/// A worker takes half of the ready buckets it sees, and at most this many: those behind the first cannot be stolen
/// while its handler runs.
const GRAB: usize = 8;

/// Once in so many grabs a worker looks at the other rings first: else one that never runs dry would starve them.
const ROUND: u32 = 64;

/// Rings for threads that are not workers.
const EXTERNAL: usize = 4;

/// Nodes that a slot exchanges with the depot at once.
const MAGAZINE: usize = 64;

/// Phases that can be open at once.
const OPEN_PHASES: usize = 8;

/// Nodes are asked for so many allocations ahead of their use: another core may have been the last to write them.
const AHEAD: usize = 4;

/// Looks for a link that is about to be made before its bucket is put off.
const LOOKS: usize = 32;

/// A queue of items by key for a fixed set of workers.
pub(crate) struct Strands<T> {
    /// Of each, the youngest node. (A line of its own for each made no difference.)
    buckets: Box<[AtomicPtr<Node<T>>; BUCKETS]>,
    /// Those of the workers, then those for other threads.
    slots: Box<[Slot<T>]>,
    workers: usize,
    depot: Padded<Mutex<Depot<T>>>,
    phases: Padded<Phases>,
}

/// The phase that runs, and the one that enqueues belong to.
struct Phases {
    head: AtomicU64,
    tail: AtomicU64,
}

/// Keeps what one thread writes off the lines (and the pairs of lines that are fetched together) of others.
#[repr(align(128))]
struct Padded<V>(V);

struct Node<T> {
    /// The next younger node of the bucket.
    next: AtomicPtr<Node<T>>,
    key: u64,
    phase: u32,
    /// The item ran, but the next node is not linked yet.
    finished: bool,
    item: MaybeUninit<T>,
}

/// What belongs to one worker, or to other threads one at a time.
struct Slot<T> {
    local: Padded<UnsafeCell<Local<T>>>,
    /// Per phase, the items counted in here less those counted off here.
    inflight: Padded<[AtomicI64; OPEN_PHASES]>,
    first: Padded<AtomicU64>,
    entries: Box<[AtomicPtr<Node<T>>; BUCKETS]>,
    /// Of a slot for other threads: one of them is in it. Of a worker's, when debugging: to find misuse.
    taken: Padded<AtomicBool>,
}

/// The part of a slot that only its present user touches.
struct Local<T> {
    /// Where the ring ends.
    end: u64,
    grabbed: [*mut Node<T>; GRAB],
    grabbed_first: usize,
    grabbed_end: usize,
    grabs: u32,
    /// Items counted in `phase` beyond those in flight by this slot's doing.
    credit: i64,
    phase: u64,
    /// A magazine (after Bonwick) of nodes to allocate from and to free into, and another that is full or empty. Whole
    /// ones are exchanged with the depot, under its lock, once for many items.
    nodes: Vec<*mut Node<T>>,
    spare: Vec<*mut Node<T>>,
}

/// Full and empty magazines, and the memory of all nodes.
struct Depot<T> {
    full: Vec<Vec<*mut Node<T>>>,
    empty: Vec<Vec<*mut Node<T>>>,
    chunks: Vec<*mut Chunk<T>>,
}

#[repr(align(64))]
struct Chunk<T>([MaybeUninit<Node<T>>; MAGAZINE]);

// SAFETY: what is inside moves from thread to thread, each item used by one of them at a time, ordered by the protocol
// at the head of the module: that takes `T: Send`. A `Local` is reached by the slot's one user (see `Strands::local`).
unsafe impl<T: Send> Send for Strands<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Strands<T> {}

impl<T> Strands<T> {
    /// An empty queue, for so many workers.
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            buckets: nulls(),
            slots: (0..workers + EXTERNAL).map(|_| Slot::new()).collect(),
            workers,
            depot: Padded(Mutex::new(Depot { full: Vec::new(), empty: Vec::new(), chunks: Vec::new() })),
            phases: Padded(Phases { head: AtomicU64::new(0), tail: AtomicU64::new(0) }),
        }
    }

    /// Appends an item to its key's strand. A worker passes its own number, which no other thread may use at the same
    /// time; also its handlers do. All other threads pass `workers` or more: any number will do, but those that
    /// pass different ones (modulo [`EXTERNAL`]) do not get in each other's way.
    #[inline]
    pub(crate) fn enqueue(&self, worker: usize, key: u64, item: T) {
        if worker < self.workers {
            self.enqueue_at(&self.slots[worker], key, item);
        } else {
            let slot = &self.slots[self.workers + (worker - self.workers) % EXTERNAL];
            while slot.taken.0.swap(true, Acquire) {
                while slot.taken.0.load(Relaxed) {
                    thread::yield_now();
                }
            }
            self.enqueue_at(slot, key, item);
            slot.taken.0.store(false, Release);
        }
    }

    #[inline]
    fn enqueue_at(&self, slot: &Slot<T>, key: u64, item: T) {
        let (node, phase) = self.local(slot, |local| (self.allocate(local), self.count_in(slot, local)));
        // SAFETY: a free node is this thread's alone until it is swapped in. (The phase is told from 2^32 others.)
        unsafe {
            let value = Node {
                next: AtomicPtr::default(),
                key,
                phase: phase as u32,
                finished: false,
                item: MaybeUninit::new(item),
            };
            node.write(value);
        }
        let before = self.last(key).swap(node, AcqRel);
        if before.is_null() {
            self.local(slot, |local| slot.push(local, node));
        } else {
            // SAFETY: a node that is not the last is freed only after its link was seen, which is made here.
            unsafe { (*before).next.store(node, Release) };
        }
    }

    /// Runs some items of one bucket in order, and returns how many: 0 if none is ready, or none that can be had
    /// without waiting. A worker that got some calls again before it rests, for it may have reserved more.
    ///
    /// `worker` is the calling worker's number, which no other thread may use at the same time.
    #[inline]
    pub(crate) fn serve(&self, worker: usize, mut f: impl FnMut(u64, T)) -> usize {
        assert!(worker < self.workers, "worker {worker} of {}", self.workers);
        let slot = &self.slots[worker];
        let node = self.local(slot, |local| match local.next_grabbed() {
            None => self.grab(worker, local),
            node => node,
        });
        match node {
            Some(node) => self.run(slot, node, &mut f),
            None => {
                self.local(slot, |local| self.settle(slot, local));
                0
            }
        }
    }

    #[inline]
    fn run(&self, slot: &Slot<T>, mut node: *mut Node<T>, f: &mut impl FnMut(u64, T)) -> usize {
        let head = self.phases.0.head.load(Acquire);
        let mut ran = 0;
        // SAFETY: (of all blocks of this function) this thread owns the bucket, so it alone uses its oldest node, which
        // is alive until freed below; others only write its link.
        let last = self.last(unsafe { (*node).key });
        loop {
            // SAFETY: see above.
            let link = unsafe { &(*node).next };
            // SAFETY: see above.
            if unsafe { !(*node).finished } {
                // SAFETY: see above. The item is taken once: the node is freed or marked before it is seen again.
                let (key, phase, item) =
                    unsafe { ((*node).key, (*node).phase, (*node).item.assume_init_read()) };
                if PHASES && phase != head as u32 {
                    later_phase();
                }
                f(key, item);
                ran += 1;
            }
            let mut next = link.load(Acquire);
            if next.is_null() {
                if last.compare_exchange(node, ptr::null_mut(), Release, Relaxed).is_ok() {
                    self.local(slot, |local| self.free(local, node));
                    break;
                }
                for _ in 0..LOOKS {
                    next = link.load(Acquire);
                    if !next.is_null() {
                        break;
                    }
                    hint::spin_loop();
                }
                if next.is_null() {
                    // SAFETY: see above.
                    unsafe { (*node).finished = true };
                    self.local(slot, |local| slot.push(local, node));
                    break;
                }
            }
            let go_on = self.local(slot, |local| {
                self.free(local, node);
                let go_on = ran < BATCH || (ran < LONE_BATCH && local.none_grabbed() && !slot.any_ready());
                if !go_on {
                    slot.push(local, next);
                }
                go_on
            });
            if !go_on {
                break;
            }
            node = next;
        }
        self.local(slot, |local| self.count_off(slot, local, head, ran as i64));
        ran
    }

    #[inline]
    fn last(&self, key: u64) -> &AtomicPtr<Node<T>> {
        // Fibonacci hashing: the golden ratio spreads neighbours, and the best bits are the highest.
        &self.buckets[(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BUCKET_BITS)) as usize]
    }

    /// Lends the part of a slot that is its user's alone. `f` must not run foreign code.
    #[inline]
    fn local<R>(&self, slot: &Slot<T>, f: impl FnOnce(&mut Local<T>) -> R) -> R {
        let owned = cfg!(debug_assertions) && self.slots[..self.workers].iter().any(|own| ptr::eq(own, slot));
        assert!(!owned || !slot.taken.0.swap(true, Relaxed), "two threads are the same worker");
        // SAFETY: a worker's slot is used by that worker only, and one for other threads by the one that took it. None
        // of the closures, which are all in this file, comes back here.
        let result = f(unsafe { &mut *slot.local.0.get() });
        if owned {
            slot.taken.0.store(false, Relaxed);
        }
        result
    }

    /// Takes ready buckets from the own ring, else from another.
    #[inline]
    fn grab(&self, worker: usize, local: &mut Local<T>) -> Option<*mut Node<T>> {
        local.grabs = local.grabs.wrapping_add(1);
        let own_first = !local.grabs.is_multiple_of(ROUND);
        if !(own_first && self.slots[worker].grab(local)) {
            let (before, from) = self.slots.split_at(worker + 1);
            if !from.iter().chain(before).any(|slot| slot.grab(local)) {
                return None;
            }
        }
        // Another core may have written the lines of each. All are asked for at once: a read-modify-write would wait
        // for each by itself.
        for &node in &local.grabbed[..local.grabbed_end] {
            // SAFETY: a grabbed node is this worker's.
            prefetch(ptr::from_ref(self.last(unsafe { (*node).key })));
        }
        local.next_grabbed()
    }

    #[inline]
    fn allocate(&self, local: &mut Local<T>) -> *mut Node<T> {
        if let Some(node) = local.nodes.pop() {
            if let Some(&soon) = local.nodes.len().checked_sub(AHEAD).and_then(|i| local.nodes.get(i)) {
                prefetch(soon);
            }
            return node;
        }
        self.refill(local);
        local.nodes.pop().expect("just refilled")
    }

    #[cold]
    #[inline(never)]
    fn refill(&self, local: &mut Local<T>) {
        mem::swap(&mut local.nodes, &mut local.spare);
        if !local.nodes.is_empty() {
            return;
        }
        let mut depot = self.depot.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(full) = depot.full.pop() {
            let empty = mem::replace(&mut local.nodes, full);
            depot.empty.push(empty);
            return;
        }
        let chunk = Box::into_raw(Box::<Chunk<T>>::new_uninit()).cast::<Chunk<T>>();
        depot.chunks.push(chunk);
        // SAFETY: the offsets are inside the chunk.
        local.nodes.extend((0..MAGAZINE).rev().map(|i| unsafe { chunk.cast::<Node<T>>().add(i) }));
    }

    #[inline]
    fn free(&self, local: &mut Local<T>, node: *mut Node<T>) {
        if local.nodes.len() == MAGAZINE {
            self.spill(local);
        }
        local.nodes.push(node);
    }

    #[cold]
    #[inline(never)]
    fn spill(&self, local: &mut Local<T>) {
        mem::swap(&mut local.nodes, &mut local.spare);
        if !local.nodes.is_empty() {
            let mut depot = self.depot.0.lock().unwrap_or_else(PoisonError::into_inner);
            let empty = depot.empty.pop().unwrap_or_else(|| Vec::with_capacity(MAGAZINE));
            depot.full.push(mem::replace(&mut local.nodes, empty));
        }
    }

    /// Counts an item in and returns its phase.
    #[inline]
    fn count_in(&self, slot: &Slot<T>, local: &mut Local<T>) -> u64 {
        if !PHASES {
            return 0;
        }
        // With a counted item in hand the phase cannot end, so there is no need to look again.
        if local.credit > 0 && self.phases.0.tail.load(Acquire) == local.phase {
            local.credit -= 1;
            return local.phase;
        }
        self.settle(slot, local);
        loop {
            let phase = self.phases.0.tail.load(SeqCst);
            slot.inflight(phase).fetch_add(CREDIT, SeqCst);
            if self.phases.0.tail.load(SeqCst) == phase {
                (local.phase, local.credit) = (phase, CREDIT - 1);
                return phase;
            }
            self.leave(slot, phase, CREDIT);
        }
    }

    /// Counts finished items off.
    #[inline]
    fn count_off(&self, slot: &Slot<T>, local: &mut Local<T>, phase: u64, count: i64) {
        if !PHASES {
            return;
        }
        if CREDIT == 1 || local.phase != phase {
            self.leave(slot, phase, count);
            return;
        }
        local.credit += count;
        if self.phases.0.tail.load(Acquire) != phase {
            self.settle(slot, local);
        } else if local.credit > 2 * CREDIT {
            self.leave(slot, phase, local.credit - CREDIT);
            local.credit = CREDIT;
        }
    }

    /// Gives the credit in hand back.
    #[inline]
    fn settle(&self, slot: &Slot<T>, local: &mut Local<T>) {
        if PHASES && local.credit > 0 {
            self.leave(slot, local.phase, mem::take(&mut local.credit));
        }
    }

    #[inline]
    fn leave(&self, slot: &Slot<T>, phase: u64, count: i64) {
        slot.inflight(phase).fetch_sub(count, SeqCst);
        if self.phases.0.tail.load(SeqCst) != phase {
            self.sum_up(phase);
        }
    }

    /// The phase is closed. Whoever finds it drained first would run the sequential item, then opens the next.
    #[cold]
    fn sum_up(&self, phase: u64) {
        if self.slots.iter().map(|slot| slot.inflight(phase).load(SeqCst)).sum::<i64>() == 0 {
            let _ = self.phases.0.head.compare_exchange(phase, phase + 1, SeqCst, Relaxed);
        }
    }
}

/// A later phase's item would be put in its bucket's stash here.
#[cold]
fn later_phase() -> ! {
    unreachable!("no phase is ever closed here")
}

impl<T> Slot<T> {
    fn new() -> Self {
        let local = Local {
            end: 0,
            grabbed: [ptr::null_mut(); GRAB],
            grabbed_first: 0,
            grabbed_end: 0,
            grabs: 0,
            credit: 0,
            phase: 0,
            nodes: Vec::with_capacity(MAGAZINE),
            spare: Vec::with_capacity(MAGAZINE),
        };
        Self {
            local: Padded(UnsafeCell::new(local)),
            inflight: Padded(array::from_fn(|_| AtomicI64::new(0))),
            first: Padded(AtomicU64::new(0)),
            entries: nulls(),
            taken: Padded(AtomicBool::new(false)),
        }
    }

    fn inflight(&self, phase: u64) -> &AtomicI64 {
        &self.inflight.0[phase as usize % OPEN_PHASES]
    }

    /// Appends a bucket, by its oldest node.
    #[inline]
    fn push(&self, local: &mut Local<T>, node: *mut Node<T>) {
        let entry = node.map_addr(|address| address | parity(local.end));
        self.entries[local.end as usize % BUCKETS].store(entry, Release);
        local.end += 1;
    }

    /// The node at this place of the ring, if it was written.
    #[inline]
    fn ready(&self, place: u64) -> Option<*mut Node<T>> {
        let entry = self.entries[place as usize % BUCKETS].load(Acquire);
        (entry.addr() & 1 == parity(place)).then(|| entry.map_addr(|address| address & !1))
    }

    fn any_ready(&self) -> bool {
        self.ready(self.first.0.load(Relaxed)).is_some()
    }

    /// Takes half of the ready buckets in sight, if there are any. None may be left from before.
    #[inline]
    fn grab(&self, local: &mut Local<T>) -> bool {
        let mut first = self.first.0.load(Acquire);
        loop {
            let mut seen = 0;
            while let Some(node) = (seen < 2 * GRAB).then(|| self.ready(first + seen as u64)).flatten() {
                if seen < GRAB {
                    local.grabbed[seen] = node;
                }
                seen += 1;
            }
            if seen == 0 {
                return false;
            }
            let taken = seen.div_ceil(2);
            match self.first.0.compare_exchange_weak(first, first + taken as u64, AcqRel, Acquire) {
                Ok(_) => {
                    (local.grabbed_first, local.grabbed_end) = (0, taken);
                    return true;
                }
                Err(now) => first = now,
            }
        }
    }
}

/// Asks for a line that will be written.
#[inline]
fn prefetch<V>(target: *const V) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults. (The intrinsic asks for writing only where the target is known to have it.)
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) target, options(nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = target;
}

fn nulls<N>() -> Box<[AtomicPtr<N>; BUCKETS]> {
    let nulls: Box<[_]> = (0..BUCKETS).map(|_| AtomicPtr::default()).collect();
    nulls.try_into().unwrap_or_else(|_| unreachable!("so many were made"))
}

/// Marks the entries of this place's lap: 1 in the first, so that null is none of them.
#[inline]
fn parity(place: u64) -> usize {
    !(place >> BUCKET_BITS) as usize & 1
}

impl<T> Local<T> {
    #[inline]
    fn next_grabbed(&mut self) -> Option<*mut Node<T>> {
        let node = *self.grabbed[..self.grabbed_end].get(self.grabbed_first)?;
        self.grabbed_first += 1;
        Some(node)
    }

    fn none_grabbed(&self) -> bool {
        self.grabbed_first == self.grabbed_end
    }
}

impl<T> Drop for Strands<T> {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            let Local { end, grabbed, grabbed_first, grabbed_end, .. } = *slot.local.0.get_mut();
            let ready = (slot.first.0.load(Relaxed)..end).filter_map(|place| slot.ready(place));
            let oldest = grabbed[grabbed_first..grabbed_end].iter().copied().chain(ready);
            for mut node in oldest.filter(|_| mem::needs_drop::<T>()) {
                while !node.is_null() {
                    // SAFETY: no other thread is left, and the node waits in its bucket.
                    unsafe {
                        if !(*node).finished {
                            (*node).item.assume_init_drop();
                        }
                        node = *(*node).next.get_mut();
                    }
                }
            }
        }
        for chunk in self.depot.0.get_mut().unwrap_or_else(PoisonError::into_inner).chunks.drain(..) {
            // SAFETY: it came from a box, and its nodes, which need no drop of their own, were used for the last time.
            drop(unsafe { Box::from_raw(chunk.cast::<MaybeUninit<Chunk<T>>>()) });
        }
    }
}
