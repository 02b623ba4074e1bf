//! What is left to chance, decided by a seed: the same seed decides the same.
//!
//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): a counter under a
//! mixing function, so that a decision about one actor does not depend on how many were made before.

use crate::event_queue::TIES;

/// Decisions under one seed.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    seed: u64,
}

impl Choice {
    /// The decisions of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// In which order an actor's events come among simultaneous ones of other actors.
    pub fn tie(&self, actor: u32) -> u32 {
        (mix(self.seed, u64::from(actor)) % u64::from(TIES)) as u32
    }
}

/// Output number `index` of SplitMix64 under `seed`.
fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The reference implementation's first outputs from seed 1234567.
        assert_eq!(mix(1_234_567, 0), 6_457_827_717_110_365_317);
        assert_eq!(mix(1_234_567, 1), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_seed_decides_and_another_decides_otherwise() {
        let ties = |seed| (0..8).map(|actor| Choice::new(seed).tie(actor)).collect::<Vec<_>>();
        assert_eq!(ties(1), ties(1));
        assert_ne!(ties(1), ties(2));
    }
}
