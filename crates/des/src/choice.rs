//! Decisions left to chance, made by a seed: the same seed decides the same, on every platform and for ever.
//!
//! This module must never ask the host for anything: no clock, no address, no entropy.

/// Decisions under one seed.
///
/// Ties are a function of seed and actor alone. Their keys come from SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014): a counter under a mixing function.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    seed: u64,
}

/// Separates the keys of ties from all other draws under the same seed.
const FOR_TIES: u64 = 0x7469_6573_7469_6573;

impl Choice {
    /// The decisions of a seed; any seed is as good as another.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Rank of an actor's events among simultaneous events of other actors: lower first.
    ///
    /// Under one seed no two actors have the same tie (it is a permutation of the 32-bit numbers), so the seed alone
    /// orders them.
    pub fn tie(&self, actor: u32) -> u32 {
        let keys = splitmix(self.seed ^ FOR_TIES, 1);
        scramble(scramble(actor ^ keys as u32) ^ (keys >> 32) as u32)
    }
}

/// Output number `index`, from 1, of SplitMix64 under `seed`.
#[inline]
fn splitmix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The finalizer of MurmurHash3 (Appleby, public domain): each step can be undone, so it permutes.
fn scramble(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_generator_is_splitmix64() {
        // The reference implementation's first outputs from seed 1234567.
        assert_eq!(splitmix(1_234_567, 1), 6_457_827_717_110_365_317);
        assert_eq!(splitmix(1_234_567, 2), 3_203_168_211_198_807_973);
    }

    #[test]
    fn ties_are_what_they_always_were() {
        let ties = |seed| [0, 1, 2, u32::MAX].map(|actor| Choice::new(seed).tie(actor));
        // Checked against the same formulas written in Python.
        assert_eq!(ties(0), [1_862_211_353, 4_184_545_256, 980_810_597, 350_150_606]);
        assert_eq!(ties(42), [1_876_671_556, 2_420_060_896, 4_024_555_616, 229_403_346]);
    }

    #[test]
    fn no_two_actors_share_a_tie() {
        let choice = Choice::new(9);
        // By chance alone some 116 pairs would.
        let ties: HashSet<u32> = (0..1_000_000).map(|actor| choice.tie(actor)).collect();
        assert_eq!(ties.len(), 1_000_000);
    }

    #[test]
    fn of_two_actors_either_comes_first_under_half_of_the_seeds() {
        let first = (0..1000).filter(|&seed| Choice::new(seed).tie(0) < Choice::new(seed).tie(1)).count();
        assert!((450..=550).contains(&first), "{first} of 1000");
    }
}
