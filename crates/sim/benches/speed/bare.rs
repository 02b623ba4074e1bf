//! The bound: the fastest loop that could stand in for a simulation. For each message it takes an entry from a heap, switches to
//! a fiber and back, and pushes an entry. This file must never know a model.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

/// The seconds of so many messages. The heap holds `pending` entries, and each entry resumes one of `fibers` fibers.
pub(crate) fn seconds(fibers: u32, pending: u64, messages: u64) -> f64 {
    let pool = fiber::Pool::new(64 * 1024);
    let mut fibers: Vec<_> = (0..fibers)
        .map(|_| {
            let body = || loop {
                fiber::suspend();
            };
            // SAFETY: the body touches no thread-local but the room's own.
            unsafe { pool.spawn(body) }.expect("there is memory for the stacks")
        })
        .collect();
    let mut heap: BinaryHeap<_> =
        (0..pending).map(|entry| Reverse((entry, entry as usize % fibers.len()))).collect();
    let start = Instant::now();
    for _ in 0..messages {
        let Reverse((at, index)) = heap.pop().expect("every entry makes another");
        let _ = black_box(fibers[index].resume());
        // Not the same step for all, or the heap would be a queue.
        heap.push(Reverse((at + 100 + at * 7919 % 64, index)));
    }
    start.elapsed().as_secs_f64()
}
