//! The workload of fetch-add: the words that each thread adds to, and the required results.
//!
//! Words are drawn from a Zipf distribution by rejection (J. Crease, *Rejection sampling the Zipf distribution*, in
//! the crate `rand_distr`). That is exact for any number of words, and needs no table. Word w has rank w + 1, so that
//! the hottest words are spread over the nodes. Where no word is hotter than others no sample is rejected, and none needs a power.
//!
//! This module must never know messages or threads of a world.

use rand::RngExt;
use rand_distr::{Distribution, Zipf};
use rand_pcg::Pcg64;
use tempest::entry::mix;
use tempest::{NodeId, Shape, ThreadId};

use super::problem::Parameters;
use crate::kit::stream;

/// The workload of one run: the inputs, the shape of the world and the seed determine everything but the order of the
/// additions.
#[derive(Debug)]
pub(super) struct Workload {
    pub(super) parameters: Parameters,
    shape: Shape,
    seed: u64,
    /// The number of additions to each word.
    counts: Vec<u64>,
}

impl Workload {
    /// Makes the workload. Passes over the random streams of all threads once, to count the additions to each word.
    pub(super) fn new(parameters: Parameters, shape: Shape, seed: u64) -> Self {
        let mut workload = Self { parameters, shape, seed, counts: Vec::new() };
        let mut counts = vec![0; parameters.words as usize];
        for thread in workload.threads() {
            workload.words_of(thread).for_each(|word| counts[word as usize] += 1);
        }
        workload.counts = counts;
        workload
    }

    /// The words that a thread adds to, in order, drawn from the thread's random stream.
    pub(super) fn words_of(&self, thread: ThreadId) -> impl ExactSizeIterator<Item = u32> + use<> {
        let Parameters { words, operations, skew, .. } = self.parameters;
        let index = u64::from(thread.node.0) * u64::from(self.shape.threads) + u64::from(thread.index);
        let mut random = stream(self.seed, index);
        let ranks = Ranks::new(words, skew);
        let threads = u64::from(self.shape.nodes) * u64::from(self.shape.threads);
        let share = u64::from(operations) / threads + u64::from(index < u64::from(operations) % threads);
        // A uniform sample just below 1 may be rounded up to a rank beyond the last.
        (0..share as u32).map(move |_| ranks.sample(&mut random).min(words) - 1)
    }

    /// The number of additions to each word of a node, in the order of the words' places there.
    pub(super) fn counts_on(&self, node: NodeId) -> impl Iterator<Item = u64> + '_ {
        self.counts.iter().copied().skip(node.0 as usize).step_by(self.shape.nodes as usize)
    }

    /// The sum of the hashes of all expected (word, old value) pairs of replies.
    pub(super) fn expected_told(&self) -> u64 {
        let told = |(word, &count): (usize, &u64)| {
            (0..count).map(move |old| told_hash(word as u32, old)).fold(0, u64::wrapping_add)
        };
        self.counts.iter().enumerate().map(told).fold(0, u64::wrapping_add)
    }

    fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        let Shape { nodes, threads } = self.shape;
        (0..nodes).flat_map(move |node| (0..threads).map(move |index| ThreadId { node: NodeId(node), index }))
    }
}

/// The distribution of ranks.
#[derive(Clone, Copy, Debug)]
enum Ranks {
    /// All of this number of ranks are equally likely.
    Even(f64),
    Skewed(Zipf<f64>),
}

impl Ranks {
    fn new(words: u32, skew: f64) -> Self {
        let words = f64::from(words);
        if skew == 0.0 {
            return Self::Even(words);
        }
        Self::Skewed(Zipf::new(words, skew).expect("the parameters are within their ranges"))
    }

    /// A rank, which rounding may put one beyond the last.
    #[inline]
    fn sample(&self, random: &mut Pcg64) -> u32 {
        match self {
            Self::Even(words) => {
                let place: f64 = random.random();
                // The number by which the sample would be accepted.
                let _: f64 = random.random();
                (place * words + 1.0) as u32
            }
            Self::Skewed(ranks) => ranks.sample(random) as u32,
        }
    }
}

/// The hash of one (word, old value) pair: a reply that says that `word` was `old`.
pub(super) fn told_hash(word: u32, old: u64) -> u64 {
    mix(mix(u64::from(word)).wrapping_add(old))
}

#[cfg(test)]
mod tests {
    use tempest::memory::Frames;

    use super::*;

    const SHAPE: Shape = Shape { nodes: 3, threads: 2 };

    const PLAIN: Parameters = Parameters {
        words: 1,
        operations: 1,
        window: 1,
        skew: 0.0,
        steps: 0,
        spacing: 8,
        frames: Frames::All,
    };

    /// A workload in which each thread makes `operations` additions.
    fn workload(words: u32, operations: u32, skew: f64, seed: u64) -> Workload {
        let operations = operations * SHAPE.nodes * SHAPE.threads;
        let parameters = Parameters { words, operations, skew, ..PLAIN };
        Workload::new(parameters, SHAPE, seed)
    }

    /// Pearson's chi-squared statistic of the counts against weights r^-s.
    fn chi_squared(counts: &[u64], skew: f64) -> f64 {
        let weights: Vec<f64> = (1..=counts.len()).map(|rank| (rank as f64).powf(-skew)).collect();
        let scale = counts.iter().sum::<u64>() as f64 / weights.iter().sum::<f64>();
        let terms = counts.iter().zip(weights).map(|(&count, weight)| {
            let expected = scale * weight;
            (count as f64 - expected).powi(2) / expected
        });
        terms.sum()
    }

    #[test]
    fn words_follow_the_distribution() {
        for skew in [0.0, 0.5, 0.99, 1.0, 2.0] {
            let statistic = chi_squared(&workload(20, 20_000, skew, 7).counts, skew);
            // 19 degrees of freedom: 43.8 is exceeded once in a thousand.
            assert!(statistic < 43.8, "skew {skew}: {statistic}");
        }
    }

    #[test]
    fn even_ranks_are_those_of_a_zipf_distribution_without_skew() {
        for words in [1, 2, 3, 10, 512, 1000, u32::MAX] {
            let zipf = Zipf::new(f64::from(words), 0.0).expect("it is a distribution");
            let [mut one, mut other] = [7, 7].map(|index| stream(u64::from(words), index));
            let even = Ranks::new(words, 0.0);
            for _ in 0..10_000 {
                assert_eq!(even.sample(&mut one), zipf.sample(&mut other) as u32, "of {words}");
            }
        }
    }

    #[test]
    fn the_test_of_the_distribution_can_fail() {
        assert!(chi_squared(&workload(20, 20_000, 0.9, 7).counts, 1.0) > 43.8);
    }

    #[test]
    fn all_words_are_in_range_and_one_word_is_enough() {
        let one = workload(1, 100, 0.99, 1);
        assert_eq!(one.counts, [600]);
        assert_eq!(workload(5, 100, 10.0, 1).counts.iter().sum::<u64>(), 600);
    }

    #[test]
    fn operations_are_shared_out_to_the_last() {
        let parameters = Parameters { words: 4, operations: 20, ..PLAIN };
        let workload = Workload::new(parameters, SHAPE, 1);
        let shares: Vec<usize> = workload.threads().map(|thread| workload.words_of(thread).len()).collect();
        assert_eq!(shares, [4, 4, 3, 3, 3, 3]);
    }

    #[test]
    fn streams_depend_on_seed_and_thread() {
        let words = |seed, node, index| -> Vec<u32> {
            workload(1 << 20, 50, 0.0, seed).words_of(ThreadId { node: NodeId(node), index }).collect()
        };
        assert_eq!(words(1, 0, 0), words(1, 0, 0));
        let others = [words(2, 0, 0), words(1, 0, 1), words(1, 1, 0)];
        assert!(others.iter().all(|other| *other != words(1, 0, 0)));
    }

    #[test]
    fn nodes_have_all_words_between_them() {
        let workload = workload(10, 100, 0.0, 1);
        let on: Vec<Vec<u64>> = (0..3).map(|node| workload.counts_on(NodeId(node)).collect()).collect();
        assert_eq!(on.iter().map(Vec::len).collect::<Vec<_>>(), [4, 3, 3]);
        assert_eq!(on[1], [workload.counts[1], workload.counts[4], workload.counts[7]]);
    }

    #[test]
    fn expected_hashes_are_those_of_a_sequential_run() {
        let workload = workload(10, 100, 0.99, 3);
        let mut held = [0; 10];
        let mut told = 0_u64;
        for thread in workload.threads() {
            for word in workload.words_of(thread) {
                told = told.wrapping_add(told_hash(word, held[word as usize]));
                held[word as usize] += 1;
            }
        }
        assert_eq!(told, workload.expected_told());
    }
}
