//! Seeds of random streams: one stream for each thread, the same on every host. This module must never know the use of
//! a stream.

/// Returns the seed of random stream `index` of a run with the seed `seed`. The result depends on nothing else.
pub fn stream_seed(seed: u64, index: u64) -> u64 {
    mix(seed).wrapping_add(index)
}

/// Scatters the bits of a word, one to one: the finalizer of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood,
/// *Fast splittable pseudorandom number generators*, OOPSLA 2014).
pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
