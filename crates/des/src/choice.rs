//! What is left to chance, decided by a seed: the same seed decides the same, on every platform and for ever.
//!
//! Must never ask the host for anything: no clock, no address, no entropy.

/// Decisions under one seed.
///
/// Numbers are drawn from SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014): a counter under a mixing function. Ties are a function of seed and actor alone, so they do not depend on how
/// many numbers were drawn before.
#[derive(Clone, Debug)]
pub struct Choice {
    seed: u64,
    drawn: u64,
}

/// Sets the keys of ties apart from the numbers drawn under the same seed.
const FOR_TIES: u64 = 0x7469_6573_7469_6573;

impl Choice {
    /// The decisions of a seed; any seed is as good as another.
    pub const fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    /// The next number of the seed's sequence, uniform in 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.drawn += 1;
        splitmix(self.seed, self.drawn)
    }

    /// A number from 0 to `n - 1`, each equally likely.
    ///
    /// Lemire's method ("Fast random integer generation in an interval", TOMACS 2019): multiply, and draw again in the
    /// rare case that would favour small numbers.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "there is no number below 0 to choose");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            let remainder = product as u64;
            if remainder >= n || remainder >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// In which order an actor's events come among simultaneous ones of other actors: lower first.
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
        let mut choice = Choice::new(1_234_567);
        assert_eq!(choice.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(choice.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn ties_are_what_they_always_were() {
        let ties = |seed| [0, 1, 2, u32::MAX].map(|actor| Choice::new(seed).tie(actor));
        // Checked against the same formulas written in Python.
        assert_eq!(ties(0), [1_862_211_353, 4_184_545_256, 980_810_597, 350_150_606]);
        assert_eq!(ties(42), [1_876_671_556, 2_420_060_896, 4_024_555_616, 229_403_346]);
    }

    #[test]
    fn ties_do_not_depend_on_what_was_drawn() {
        let mut choice = Choice::new(3);
        let before = choice.tie(5);
        choice.next_u64();
        assert_eq!(choice.tie(5), before);
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

    #[test]
    fn below_is_bounded_and_even() {
        let mut choice = Choice::new(1);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[choice.below(6) as usize] += 1;
        }
        // Five standard deviations of a fair die.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 457), "{counts:?}");
        assert_eq!(choice.below(1), 0);
    }

    #[test]
    #[should_panic(expected = "no number below 0")]
    fn below_nothing_there_is_nothing() {
        Choice::new(1).below(0);
    }
}
