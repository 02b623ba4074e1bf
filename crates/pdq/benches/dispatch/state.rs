//! The work of handlers: check that they may run, count, compute for a while.
//!
//! Each key has a plain cell of 16 bytes. A handler finds it free, marks it busy, checks that the items of each producer
//! come in order, counts, computes and frees it. Afterwards the counts are compared with the keys that were drawn. A
//! contender that breaks its word ends the benchmark. This module must never know how items got to the handler.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crossbeam::utils::Backoff;

use crate::workload::Streams;

/// An item of the queue, beside its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) producer: u32,
    /// From 1 up at each producer.
    pub(crate) sequence: u32,
}

/// Mutual exclusion of the handlers of one key, where the queue does not provide it.
pub(crate) trait Lock: Default + Send + Sync + 'static {
    type Guard<'l>;
    fn lock(&self) -> Self::Guard<'_>;
}

/// The contender keeps handlers of equal keys apart by itself.
#[derive(Default)]
pub(crate) struct NoLock;

impl Lock for NoLock {
    type Guard<'l> = ();
    fn lock(&self) {}
}

/// Test-and-set, then test until it may succeed; gives way when the holder seems to have lost its processor.
#[derive(Default)]
pub(crate) struct Spin(AtomicBool);

pub(crate) struct SpinGuard<'l>(&'l AtomicBool);

impl Lock for Spin {
    type Guard<'l> = SpinGuard<'l>;

    #[inline]
    fn lock(&self) -> SpinGuard<'_> {
        if self.0.swap(true, Ordering::Acquire) {
            let backoff = Backoff::new();
            while self.0.load(Ordering::Relaxed) || self.0.swap(true, Ordering::Acquire) {
                backoff.snooze();
            }
        }
        SpinGuard(&self.0)
    }
}

impl Drop for SpinGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// A lock of one byte that spins for a while and then sleeps.
#[derive(Default)]
pub(crate) struct Parking(parking_lot::Mutex<()>);

impl Lock for Parking {
    type Guard<'l> = parking_lot::MutexGuard<'l, ()>;

    #[inline]
    fn lock(&self) -> Self::Guard<'_> {
        self.0.lock()
    }
}

/// Counts of one key.
#[derive(Clone, Copy, Default)]
struct Tally {
    count: u32,
    /// The last sequence number seen from each producer.
    last: [u32; 2],
}

/// Cell of one key: 16 bytes with its lock, if there is one, so that the lock never costs a second cache line.
#[derive(Default)]
#[repr(align(16))]
struct Slot<L> {
    tally: UnsafeCell<Tally>,
    busy: UnsafeCell<bool>,
    lock: L,
}

/// The cells of all keys.
pub(crate) struct Table<L> {
    slots: Box<[Slot<L>]>,
    /// Few keys stand on cache lines of their own, or two workers with different keys would meet nevertheless.
    spacing: usize,
}

// SAFETY: a cell is used by the handler of its key and by nothing else while threads run. The contender under test
// keeps handlers of equal keys apart, by `L` or by itself, and orders one before the next; `busy` checks that, and a
// violation ends the benchmark.
unsafe impl<L: Sync> Sync for Table<L> {}

/// Number of keys up to which each cell has a cache line of its own.
const APART: usize = 2048;

impl<L: Lock> Table<L> {
    pub(crate) fn new(keys: usize) -> Self {
        assert_eq!(size_of::<Slot<L>>(), 16, "a cell has 16 bytes whatever its lock");
        let spacing = if keys <= APART { 64 / size_of::<Slot<L>>() } else { 1 };
        Self { slots: (0..keys * spacing).map(|_| Slot::default()).collect(), spacing }
    }

    /// Whether each key's items ran as often as they were drawn. Then the table is as new.
    ///
    /// # Safety
    ///
    /// No handler runs, and all that ran happened before.
    pub(crate) unsafe fn settle(&self, who: &str, streams: &Streams<'_>) {
        let mut counted = 0;
        for slot in &self.slots {
            // SAFETY: no other thread uses the table, as the caller says.
            let (tally, busy) = unsafe { (&mut *slot.tally.get(), *slot.busy.get()) };
            counted += u64::from(tally.count);
            tally.last = [0; 2];
            if busy {
                violation(who, "a cell is busy after all handlers have ended");
            }
        }
        if counted != streams.items() {
            violation(who, &format!("{counted} handlers ran for {} items", streams.items()));
        }
        for key in streams.all() {
            // SAFETY: as before.
            let tally = unsafe { &mut *self.slots[key as usize * self.spacing].tally.get() };
            match tally.count.checked_sub(1) {
                Some(left) => tally.count = left,
                None => violation(who, &format!("key {key} lost an item and another key has it")),
            }
        }
        // The sums agree and nothing went below zero, so every count is zero again.
    }
}

/// Parameters of the handlers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// The contender's name, for the message when it breaks its word.
    pub(crate) who: &'static str,
    /// Number of iterations of the computation.
    pub(crate) iterations: u32,
    /// Whether items of one key must come in the order of each producer.
    pub(crate) ordered: bool,
}

/// A worker's access to the handlers.
pub(crate) struct Server<'t, L> {
    table: &'t Table<L>,
    work: Work,
    /// Result of the previous handler, which enters the next, so that a processor cannot overlap their computations.
    result: u64,
}

impl<'t, L: Lock> Server<'t, L> {
    pub(crate) fn new(table: &'t Table<L>, work: Work) -> Self {
        Self { table, work, result: 1 }
    }

    /// The handler.
    #[inline]
    pub(crate) fn run(&mut self, key: u64, item: Item) {
        let slot = &self.table.slots[key as usize * self.table.spacing];
        let _guard = slot.lock.lock();
        let busy = slot.busy.get();
        // SAFETY: see `Sync` of the table. Volatile, because a compiler that trusts in exclusion would drop the mark.
        if unsafe { ptr::read_volatile(busy) } {
            violation(self.work.who, &format!("two handlers of key {key} overlap"));
        }
        // SAFETY: as before.
        unsafe { ptr::write_volatile(busy, true) };
        // SAFETY: see `Sync` of the table; the reference ends before the cell is freed.
        let tally = unsafe { &mut *slot.tally.get() };
        let last = &mut tally.last[item.producer as usize & 1];
        if self.work.ordered && item.sequence <= *last {
            violation(
                self.work.who,
                &format!("key {key}, producer {}: {} runs after {last}", item.producer, item.sequence),
            );
        }
        *last = item.sequence;
        tally.count += 1;
        if self.work.iterations > 0 {
            // The cell is freed only after the result is there.
            self.result = black_box(compute(self.result, self.work.iterations));
        }
        // SAFETY: as before.
        unsafe { ptr::write_volatile(busy, false) };
    }
}

/// A chain of dependent operations: no clock, no pause, no memory.
#[inline]
fn compute(mut value: u64, iterations: u32) -> u64 {
    for _ in 0..iterations {
        value = (value ^ (value >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    value
}

/// Number of iterations that take that many nanoseconds on this host: the best of several trials, as the host is
/// shared.
pub(crate) fn calibrate(nanoseconds: u32) -> u32 {
    const CALLS: u32 = 20_000;
    let time = |iterations: u32| {
        (0..15)
            .map(|_| {
                let start = Instant::now();
                let mut value = 1;
                for _ in 0..CALLS {
                    value = black_box(compute(value, iterations));
                }
                start.elapsed().as_nanos() as f64 / f64::from(CALLS)
            })
            .fold(f64::INFINITY, f64::min)
    };
    if nanoseconds == 0 {
        return 0;
    }
    // Time is a line over iterations; two points give it.
    let (few, many) = (time(20), time(120));
    let each = (many - few) / 100.0;
    (20.0 + (f64::from(nanoseconds) - few) / each).round().max(1.0) as u32
}

#[cold]
#[inline(never)]
pub(crate) fn violation(who: &str, what: &str) -> ! {
    eprintln!("\nVIOLATION by {who}: {what}");
    std::process::abort();
}
