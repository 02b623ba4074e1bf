//! The bounds. The first is the fastest loop that could stand in for a simulation: for each message it takes an entry
//! from a heap, switches to a fiber and back, and pushes an entry. The second is the memory time of the lines that a
//! message touches. This file must never know a model.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

/// The seconds of `messages` messages. The heap holds `pending` entries, and each entry resumes a fiber out of
/// `fibers`.
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

/// The bytes of a line of the host's cache.
const LINE: usize = 64;

/// The lines that are touched at one place before the next: about as many as the turn of a node touches.
const PLACE: usize = 56;

/// The nanoseconds in which a line of a memory of `bytes` bytes is read and written. Places of some lines are visited
/// at random; the next place but one is prefetched.
pub(crate) fn nanoseconds_of_line(bytes: usize) -> f64 {
    const VISITED: usize = 1 << 22;
    let mut lines = vec![[0_u64; LINE / 8]; bytes / LINE];
    // The system gives a page at its first use.
    lines.iter_mut().for_each(|line| line[1] = 1);
    let places = lines.len() / PLACE;
    // All numbers below 2^31, each once, in an order that is random enough.
    let next = |place: usize| (place.wrapping_mul(0x2c9277b5) + 0xac564b05) % (1 << 31);
    let (mut place, mut ahead) = (1, next(next(1)));
    let start = Instant::now();
    for _ in 0..VISITED / PLACE {
        for line in 0..PLACE {
            fiber::prefetch_value(&lines[ahead % places * PLACE + line]);
        }
        for line in &mut lines[place % places * PLACE..][..PLACE] {
            line[0] += 1;
        }
        (place, ahead) = (next(place), next(ahead));
    }
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9;
    let visits: u64 = black_box(&lines).iter().map(|line| line[0]).sum();
    assert_eq!(visits as usize, VISITED / PLACE * PLACE, "every visit counts");
    nanoseconds / visits as f64
}
