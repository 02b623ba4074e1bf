//! Costs of fibers. `cargo bench -p tradewind-fiber` prints nanoseconds, each the best of several rounds.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use tradewind_bench::least;
use tradewind_fiber::{Fiber, Pool, Status, suspend};

const ROUNDS: usize = 7;
const PASSES: usize = 2_000_000;
const STACK: usize = 64 * 1024;

/// Calls between a fiber's body and where it suspends.
const DEPTH: usize = 3;

fn main() {
    for fibers in [1, 64, 1024] {
        let pair = best(|| switches(fibers, 0));
        println!("resume and suspend, {fibers:4} fibers in turn: {pair:5.1} ns, {:.1} a switch", pair / 2.0);
        let pair = best(|| switches(fibers, DEPTH));
        println!("the same, {DEPTH} calls deep:                       {pair:5.1} ns");
    }
    println!("spawn, run to the end, drop:              {:5.1} ns", best(lives));
}

/// The least of several measurements: noise only adds.
fn best(measure: impl Fn() -> f64) -> f64 {
    least(ROUNDS, || (measure(), ())).0
}

fn per_pass(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 / PASSES as f64
}

/// A body that counts its resumptions for ever.
fn counter(count: &Rc<Cell<usize>>, depth: usize) -> impl FnOnce() + use<> {
    let count = Rc::clone(count);
    move || {
        loop {
            count.set(count.get() + 1);
            suspend_deep(depth);
        }
    }
}

/// Suspends `depth` calls further down; the compiler may leave none of them out.
#[inline(never)]
fn suspend_deep(depth: usize) {
    if black_box(depth) > 0 {
        suspend_deep(depth - 1);
    } else {
        suspend();
    }
    black_box(depth);
}

fn switches(fibers: usize, depth: usize) -> f64 {
    let pool = Pool::new(STACK);
    let count = Rc::new(Cell::new(0));
    // SAFETY: the body touches no thread-local but the room's own.
    let spawn = |_| unsafe { pool.spawn(counter(&count, depth)) }.expect("stacks for the benchmark");
    let mut fibers: Vec<Fiber> = (0..fibers).map(spawn).collect();
    let start = Instant::now();
    let mut passes = 0;
    while passes < PASSES {
        for fiber in &mut fibers {
            assert_eq!(fiber.resume(), Status::Suspended);
        }
        passes += fibers.len();
    }
    let nanoseconds = per_pass(start) * PASSES as f64 / passes as f64;
    assert_eq!(count.get(), passes);
    nanoseconds
}

fn lives() -> f64 {
    let pool = Pool::new(STACK);
    let count = Rc::new(Cell::new(0));
    let start = Instant::now();
    for _ in 0..PASSES {
        let count = Rc::clone(&count);
        let body = move || count.set(count.get() + 1);
        // SAFETY: the body touches no thread-local.
        let mut fiber = unsafe { pool.spawn(body) }.expect("one stack for the benchmark");
        assert_eq!(fiber.resume(), Status::Finished);
    }
    let nanoseconds = per_pass(start);
    assert_eq!(count.get(), PASSES);
    nanoseconds
}
