//! Means with their confidence, order statistics of values that no node has all of, and the theory of one queue.
//!
//! This module must never know where values come from.

use std::ops::Range;

/// The number of batches into which messages are divided by the time at which they were made.
pub(crate) const BATCHES: usize = 12;

/// The 97.5 % quantile of Student's distribution with `BATCHES - 1` degrees of freedom.
const STUDENT: f64 = 2.201;

/// The number of sums of a [`Batches`].
pub(crate) const SUMS: usize = 2 * BATCHES;

/// The numbers and the sums of values, batch by batch. The means of long batches hardly depend on each other, although
/// the waits of messages that follow each other do (the method of batch means: R. W. Conway, *Some tactical problems in digital
/// simulation*, Management Science 10, 1963).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Batches {
    /// The numbers, then the sums.
    pub(crate) sums: [f64; SUMS],
}

impl Batches {
    pub(crate) const EMPTY: Self = Self { sums: [0.0; SUMS] };

    /// Adds a value of an event at `at` to the batch of that time. `whole` is the time of all batches.
    pub(crate) fn add(&mut self, at: f64, whole: &Range<f64>, value: f64) {
        let batch = (at - whole.start) / (whole.end - whole.start) * BATCHES as f64;
        let batch = (batch as usize).min(BATCHES - 1);
        self.sums[batch] += 1.0;
        self.sums[BATCHES + batch] += value;
    }

    /// The number of values.
    pub(crate) fn count(&self) -> f64 {
        self.sums[..BATCHES].iter().sum()
    }

    /// The mean of all values; 0 if there is none.
    pub(crate) fn mean(&self) -> f64 {
        self.sums[BATCHES..].iter().sum::<f64>() / self.count().max(1.0)
    }

    /// Half the width of the 95 % confidence interval of the mean; infinite where a batch has no value.
    pub(crate) fn half_width(&self) -> f64 {
        let (counts, sums) = self.sums.split_at(BATCHES);
        let mean = self.mean();
        let square = |(count, sum): (&f64, &f64)| (sum / count - mean).powi(2);
        if counts.contains(&0.0) {
            return f64::INFINITY;
        }
        let squares: f64 = counts.iter().zip(sums).map(square).sum();
        STUDENT * (squares / (BATCHES * (BATCHES - 1)) as f64).sqrt()
    }
}

/// The number of places at which one round of a [`Search`] asks.
pub(crate) const PLACES: usize = 6;

/// The search for the value of a rank among values spread over nodes: each node counts its values up to some places,
/// the counts are added up, and the search goes on between two of the places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Search {
    rank: u64,
    /// Fewer values than the rank are at most this, which may be -1.
    low: i128,
    /// At least as many values as the rank are at most this.
    high: i128,
}

impl Search {
    /// The search for the value below or at which there are `rank` values, all of them within `least..=most`.
    pub(crate) fn new(rank: u64, least: u64, most: u64) -> Self {
        Self { rank, low: i128::from(least) - 1, high: i128::from(most) }
    }

    /// The places at which values are to be counted, ascending.
    pub(crate) fn places(&self) -> [u64; PLACES] {
        let width = self.high - self.low;
        std::array::from_fn(|place| {
            let place = self.low + width * (place as i128 + 1) / (PLACES as i128 + 1);
            place.max(0) as u64
        })
    }

    /// Goes on, where `counts` are the numbers of values at or below each place.
    pub(crate) fn narrow(&mut self, counts: &[u64]) {
        for (place, count) in self.places().into_iter().zip(counts) {
            if *count < self.rank {
                self.low = self.low.max(place.into());
            } else {
                self.high = self.high.min(place.into());
                return;
            }
        }
    }

    /// Whether the value is known to within `tolerance`, at least 1.
    pub(crate) fn is_over(&self, tolerance: u64) -> bool {
        self.high - self.low <= i128::from(tolerance.max(1))
    }

    /// The value, or a little more.
    pub(crate) fn value(&self) -> u64 {
        self.high as u64
    }
}

/// The mean wait for a server that takes `service` for each message, where messages come as a Poisson stream and load it to
/// `load` (M/D/1; the formula of F. Pollaczek and A. Khinchine).
pub(crate) fn wait(load: f64, service: f64) -> f64 {
    if load < 1.0 { load * service / (2.0 * (1.0 - load)) } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_interval_of_batches_is_that_of_the_textbook() {
        let mut batches = Batches::EMPTY;
        // Batch means 1 to 12: their mean is 6.5, their variance 13.
        (1..=12).for_each(|value| batches.add(f64::from(value) - 0.5, &(0.0..12.0), f64::from(value)));
        assert_eq!((batches.count(), batches.mean()), (12.0, 6.5));
        assert!((batches.half_width() - 2.201 * (13.0_f64 / 12.0).sqrt()).abs() < 1e-12);
        batches = Batches::EMPTY;
        batches.add(1.0, &(0.0..12.0), 3.0);
        assert_eq!((batches.mean(), batches.half_width()), (3.0, f64::INFINITY));
    }

    #[test]
    fn a_queue_waits_half_a_service_at_half_load() {
        assert_eq!([0.5, 0.8].map(|load| (wait(load, 100.0) * 1e9).round() / 1e9), [50.0, 200.0]);
        assert_eq!(wait(1.0, 100.0), f64::INFINITY);
    }

    proptest! {
        /// Any rank is found, however the values are spread.
        #[test]
        fn a_search_finds_the_value_of_its_rank(
            mut values in prop::collection::vec(prop_oneof![0..20_u64, any::<u64>()], 1..200), rank: prop::sample::Index,
        ) {
            values.sort_unstable();
            let rank = rank.index(values.len()) as u64 + 1;
            let mut search = Search::new(rank, values[0], values[values.len() - 1]);
            let mut rounds = 0;
            while !search.is_over(1) {
                let counts = search.places().map(|place| values.partition_point(|value| *value <= place) as u64);
                search.narrow(&counts);
                rounds += 1;
                prop_assert!(rounds <= 64);
            }
            prop_assert_eq!(search.value(), values[rank as usize - 1]);
        }
    }
}
