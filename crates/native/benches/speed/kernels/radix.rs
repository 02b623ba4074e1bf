//! The passes of radix in one shared memory with rayon, written plainly.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Keys, their bits, and the bits of a digit.
const KEYS: usize = 1 << 22;
const BITS: u32 = 19;
const DIGIT: u32 = 10;

/// Inputs of the program for the same number of keys.
pub(super) fn inputs() -> Vec<(&'static str, String)> {
    vec![("keys", KEYS.to_string()), ("bits", BITS.to_string()), ("radix", (1 << DIGIT).to_string())]
}

/// Microseconds of all passes.
pub(super) fn plain(pool: &ThreadPool) -> f64 {
    let key = |index: u32| index.wrapping_mul(2_654_435_761) >> (32 - BITS);
    let cell = |key| AtomicU32::new(key);
    let mut keys: Vec<_> = (0..KEYS as u32).map(|index| cell(key(index))).collect();
    let mut to: Vec<_> = (0..KEYS).map(|_| cell(0)).collect();
    let part = KEYS.div_ceil(pool.current_num_threads());
    let start = Instant::now();
    pool.install(|| {
        for shift in (0..BITS).step_by(DIGIT as usize) {
            let digit = |key: &AtomicU32| (key.load(Ordering::Relaxed) >> shift) as usize % (1 << DIGIT);
            let counts: Vec<Vec<usize>> = keys
                .par_chunks(part)
                .map(|keys| {
                    let mut counts = vec![0; 1 << DIGIT];
                    keys.iter().for_each(|key| counts[digit(key)] += 1);
                    counts
                })
                .collect();
            let mut next = 0;
            let mut places = vec![vec![0; 1 << DIGIT]; counts.len()];
            for value in 0..1 << DIGIT {
                for (places, counts) in places.iter_mut().zip(&counts) {
                    places[value] = next;
                    next += counts[value];
                }
            }
            keys.par_chunks(part).zip(&mut places).for_each(|(keys, places)| {
                for key in keys {
                    let place = &mut places[digit(key)];
                    to[*place].store(key.load(Ordering::Relaxed), Ordering::Relaxed);
                    *place += 1;
                }
            });
            std::mem::swap(&mut keys, &mut to);
        }
    });
    let time = start.elapsed().as_secs_f64() * 1e6;
    assert!(keys.iter().is_sorted_by_key(|key| key.load(Ordering::Relaxed)));
    time
}
