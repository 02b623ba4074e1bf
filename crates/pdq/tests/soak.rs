//! Many items: exact counts, and memory that stays as it is. A binary of its own, because its allocator counts.
//!
//! The full dose, for minutes:
//!
//! ```text
//! PDQ_DOSE=full cargo test --release -p tradewind-pdq --test soak -- --nocapture
//! ```
//!
//! This module must never know how the queue keeps its memory, only how much it has.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, Worker, queue};

struct Counting;

thread_local! {
    /// Number of allocations of this thread. Other threads, such as the tests' harness, are not counted.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}
static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator; counting changes nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: of the caller.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs one test at a time, so that no other thread allocates.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn items() -> u64 {
    match std::env::var("PDQ_DOSE").as_deref() {
        _ if cfg!(miri) => 400,
        Ok("full") => 100_000_000,
        _ => 1_000_000,
    }
}

const WORKERS: usize = 8;
const KEYS: u64 = 1000;
const LIMIT: usize = 1024;

fn key_of(n: u64) -> Key {
    match n.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 44 {
        0..256 => Key::Sequential,
        n if n.is_multiple_of(16) => Key::NoSync,
        n => Key::User(n % KEYS),
    }
}

fn bounded(servers: usize) -> Queue<u64> {
    Queue::new(DispatcherId::fresh(), queue::Config { limit: Some(LIMIT), ..queue::Config::servers(servers) })
}

#[test]
fn a_long_run_counts_every_item_once_in_memory_that_does_not_grow() {
    let _alone = alone();
    let items = items();
    let queue = bounded(WORKERS);
    let sums = Keyed::dense(queue.id(), 0, KEYS as usize, |_| 0_u64);
    let (keyless, alone) = (AtomicU64::new(0), AtomicU64::new(0));
    let started = Instant::now();
    let (warm, peak) = thread::scope(|scope| {
        for server in 0..WORKERS {
            let (queue, sums, keyless, alone) = (&queue, &sums, &keyless, &alone);
            scope.spawn(move || {
                queue.worker(server).run(|n, mut handling| match handling.key() {
                    Key::User(_) => *sums.get(&mut handling.proof()) += n,
                    Key::NoSync => drop(keyless.fetch_add(n, Ordering::Relaxed)),
                    // No other handler runs: reading and writing is enough.
                    Key::Sequential => alone.store(alone.load(Ordering::Relaxed) + n, Ordering::Relaxed),
                });
            });
        }
        let (mut warm, mut peak) = (0, 0);
        for n in 0..items {
            queue.enqueue_when_room(key_of(n), n).expect("nobody closes it before");
            let live = LIVE.load(Ordering::Relaxed);
            if n < items / 4 { &mut warm } else { &mut peak }.max_assign(live);
        }
        queue.close();
        (warm, peak)
    });
    let rate = items as f64 / started.elapsed().as_secs_f64() / 1e6;
    let report = format!("{items} items, {rate:.2} million a second, {warm} bytes at first, {peak} later\n");
    std::io::stdout().write_all(report.as_bytes()).expect("somebody reads it");
    let mut expected = (vec![0; KEYS as usize], 0, 0);
    for n in 0..items {
        match key_of(n) {
            Key::User(key) => expected.0[key as usize] += n,
            Key::NoSync => expected.1 += n,
            Key::Sequential => expected.2 += n,
        }
    }
    let sums: Vec<_> = sums.into_entries().into_iter().map(|(_, sum)| sum).collect();
    assert_eq!((sums, keyless.into_inner(), alone.into_inner()), expected);
    let counts = queue.statistics();
    assert_eq!((counts.enqueued, counts.dispatched), (items, items));
    // The most items that wait may gather in each lane once, and its room is kept; growth for each item would be far
    // more.
    assert!(peak < warm + SLACK, "memory grows: {warm} bytes at first, {peak} later");
}

const SLACK: usize = 1 << 20;

trait MaxAssign {
    fn max_assign(self, other: usize);
}

impl MaxAssign for &mut usize {
    fn max_assign(self, other: usize) {
        *self = other.max(*self);
    }
}

/// Allocations of `round` when it has been run often enough before.
fn allocations_of(mut round: impl FnMut()) -> usize {
    (0..if cfg!(miri) { 4 } else { 200 }).for_each(|_| round());
    let before = ALLOCATIONS.get();
    (0..if cfg!(miri) { 4 } else { 1000 }).for_each(|_| round());
    ALLOCATIONS.get() - before
}

fn serve_all(
    worker: &mut Worker<'_, u64>,
    mut handler: impl FnMut(u64, tradewind_pdq::Handling<'_, '_, u64>),
) {
    while worker.serve(&mut handler) > 0 {}
}

fn user_or_none(n: u64) -> Key {
    if n.is_multiple_of(16) { Key::NoSync } else { Key::User(n % 50) }
}

#[test]
fn a_warm_queue_allocates_nothing_for_an_item() {
    let _alone = alone();
    let queue = bounded(1);
    let mut worker = queue.worker(0);
    let by_worker = allocations_of(|| {
        for n in 0..200 {
            queue.enqueue(user_or_none(n), n);
        }
        serve_all(&mut worker, |n, mut handling| {
            if n < 100 {
                handling.enqueue(Key::User(n), 1000);
            }
        });
    });
    drop(worker);
    let by_guards = allocations_of(|| {
        for n in 0..200 {
            queue.enqueue(user_or_none(n), n);
        }
        while let Some(dispatch) = queue.dequeue(0) {
            drop(dispatch);
        }
    });
    let continued = allocations_of(|| {
        for n in 0..200 {
            queue.enqueue(user_or_none(n), n);
        }
        while let Some(dispatch) = queue.dequeue(0) {
            match dispatch.into_parts() {
                (n @ 0..100, held) => queue.complete_with(held, n + 100),
                (_, held) => {
                    queue.complete(held);
                }
            }
        }
    });
    assert_eq!((by_worker, by_guards, continued), (0, 0, 0));
}

#[test]
fn keys_leave_no_trace() {
    let _alone = alone();
    let queue = bounded(2);
    let mut worker = queue.worker(0);
    let mut pass = |keys: std::ops::Range<u64>| {
        for first in keys.step_by(100) {
            (first..first + 100).for_each(|key| queue.enqueue(Key::User(key), key));
            // By the index and in place.
            for _ in 0..50 {
                drop(queue.dequeue(1));
            }
            serve_all(&mut worker, |_, _| ());
        }
        assert!(queue.is_empty());
    };
    let distinct = items().max(1000);
    pass(0..distinct / 10);
    let before = LIVE.load(Ordering::Relaxed);
    pass(distinct / 10..distinct);
    let after = LIVE.load(Ordering::Relaxed);
    assert!(after <= before + 16 * 1024, "{distinct} keys have left {} bytes", after - before);
}
