//! The problem of sample-sort: the inputs, the keys, and the bins that the splitters make of them.
//!
//! This module must never know how keys travel.

use std::ops::Range;
use std::sync::Arc;

use rand::RngExt;
use tempest::ThreadId;
use tempest::entry::Inputs;

use crate::kit::sorts::Keys;
use crate::kit::{Division, stream};

/// The most keys of a push.
pub(super) const PUSHED: usize = 2;

/// The inputs of sample-sort.
#[derive(Clone, Copy, Debug, Inputs)]
pub(super) struct Options {
    /// keys of 4 bytes; the study of global addresses has 16777216 on 16 nodes and 4194304 on 8
    #[input(default = 16384, range = 1..=1 << 26)]
    pub(super) keys: u32,
    /// bits of a key
    #[input(default = 31, range = 1..=31)]
    pub(super) bits: u32,
    /// samples that a thread draws of its keys; the more, the more alike are the bins
    #[input(default = 64, range = 1..=4096)]
    pub(super) oversampling: u32,
    /// keys that one push carries
    #[input(default = 1, range = 1..=PUSHED as u32, only = [Messages])]
    pub(super) push: u32,
}

/// Keys, and the bins into which they belong.
pub(super) struct Problem {
    pub(super) keys: Arc<Keys>,
    pub(super) seed: u64,
    /// By thread: the first of the sorted keys that belong to its bin; and their number.
    starts: Vec<usize>,
}

impl Problem {
    /// Finds the bins of keys: draws the samples of all threads, in turn.
    pub(super) fn of(asked: &Options, keys: Arc<Keys>, division: Division, seed: u64) -> Self {
        let shape = division.shape();
        let mut samples = Vec::new();
        for node in (0..shape.nodes).map(tempest::NodeId) {
            for id in (0..shape.threads).map(|index| ThreadId { node, index }) {
                let own = division.of_thread(id);
                let own = &keys.keys[own.start as usize..own.end as usize];
                samples.extend(sample(own, asked.oversampling, seed, division.number(id)));
            }
        }
        samples.sort_unstable();
        let splitters = splitters(&samples, asked.oversampling);
        let start = |splitter: u32| keys.expected.partition_point(|key| *key < splitter);
        let starts = [0].into_iter().chain(splitters.map(start)).chain([keys.expected.len()]).collect();
        Self { keys, seed, starts }
    }

    /// The sorted keys of a thread's bin.
    pub(super) fn bin(&self, number: u32) -> Range<usize> {
        self.starts[number as usize]..self.starts[number as usize + 1]
    }

    /// The size of the largest bin.
    pub(super) fn largest(&self) -> u32 {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0) as u32
    }
}

/// Draws `oversampling` of a thread's keys, each at a random place.
pub(super) fn sample(own: &[u32], oversampling: u32, seed: u64, number: u32) -> impl Iterator<Item = u32> {
    // Stream 0 is that of the keys.
    let mut random = stream(seed, u64::from(number) + 1);
    (0..oversampling).map(move |_| own[random.random_range(0..own.len())])
}

/// The splitters between the bins: of sorted samples every `oversampling`-th, but for the first.
pub(super) fn splitters(samples: &[u32], oversampling: u32) -> impl Iterator<Item = u32> {
    samples.iter().copied().step_by(oversampling as usize).skip(1)
}

/// The bin of a key: that behind the last splitter which is not greater.
#[inline]
pub(super) fn bin_of(splitters: &[u32], key: u32) -> usize {
    splitters.partition_point(|splitter| *splitter <= key)
}

#[cfg(test)]
mod tests {
    use tempest::Shape;

    use super::*;

    fn problem(keys: u32, bits: u32, nodes: u32) -> Problem {
        let asked = Options { keys, bits, oversampling: 64, push: 1 };
        let division = Division::new(keys, Shape { nodes, threads: 2 });
        Problem::of(&asked, Keys::draw(keys, bits, 5), division, 5)
    }

    #[test]
    fn bins_share_all_keys_out_and_are_about_alike() {
        let problem = problem(80_000, 31, 4);
        let sizes: Vec<usize> = (0..8).map(|number| problem.bin(number).len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 80_000);
        assert!(sizes.iter().all(|size| (5_000..15_000).contains(size)), "{sizes:?}");
        assert_eq!(problem.largest() as usize, sizes.into_iter().max().unwrap_or(0));
    }

    #[test]
    fn a_key_goes_to_the_bin_that_has_it() {
        let splitters = [3, 5, 5, 9];
        assert_eq!([0, 3, 4, 5, 8, 9].map(|key| bin_of(&splitters, key)), [0, 1, 1, 3, 3, 4]);
        for bits in [1, 2] {
            let problem = problem(1_000, bits, 3);
            assert_eq!((0..6).map(|number| problem.bin(number).len()).sum::<usize>(), 1_000);
        }
    }
}
