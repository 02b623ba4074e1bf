//! Random streams: one for each thread, the same on every host.
//!
//! This module must never know what is drawn from a stream.

use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Stream number `index` of a run: it follows from `seed` and `index` alone.
pub(crate) fn stream(seed: u64, index: u64) -> Pcg64 {
    Pcg64::seed_from_u64(mix(seed).wrapping_add(index))
}

/// Scatters the bits of a word, one to one: the finalizer of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood,
/// *Fast splittable pseudorandom number generators*, OOPSLA 2014).
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
