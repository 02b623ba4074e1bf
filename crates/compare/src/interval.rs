//! The confidence interval of a median, from the order of the runs' times alone. This module must never assume how times
//! are distributed, and never know the program.
//!
//! Each of `n` runs is slower than the true median with the chance of one half, whatever the distribution. So the
//! number of slower runs is binomial, and the `k`-th fastest and the `k`-th slowest run enclose the true median with
//! the probability `1 - 2 P(B(n, 1/2) < k)`. The interval takes the largest `k` that keeps the requested level
//! ([`units::median`]).
//!
//! **The level.** A table holds many rows against one another. The intervals of a table of `m` rows have the level `1 -
//! 0.05 / m` each, so that with 95 % **all** of them enclose their medians at once (Bonferroni). Where the intervals of two rows
//! of the same median part, at least one of them does not enclose it. So that happens in less than 5 % of the tables, however
//! many pairs a table has; much less, since the two ends that part must be off in opposite directions.
//!
//! **Too few runs.** Even the whole range of `n` runs has a level of `1 - 2^(1 - n)` only. With fewer runs than
//! [`least_runs`] the interval is the whole range, its level says how little that is, and it is not
//! [enough](Interval::is_enough) to tell anything apart.
//!
//! Source: H. A. David, H. N. Nagaraja, *Order Statistics*, 3rd ed., section 7.1.

use units::Time;
use units::median::share;
pub use units::median::{cut, least_runs};

/// The probability that all intervals of a table enclose their medians.
pub const CONFIDENCE: f64 = 0.95;

/// Level of each interval of a table of `rows` rows: together they have the level [`CONFIDENCE`].
pub fn level(rows: usize) -> f64 {
    1.0 - (1.0 - CONFIDENCE) / rows.max(1) as f64
}

/// An interval that encloses the median of all runs there could be, with a stated probability.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower end: the time of a run.
    pub low: Time,
    /// Upper end: the time of a run.
    pub high: Time,
    /// The probability with which an interval that is made so encloses the median, for runs that are independent of each
    /// other.
    pub level: f64,
    /// Whether the level is at least the requested one. If not, the interval is the whole range of too few runs.
    pub is_enough: bool,
}

impl Interval {
    /// The interval of the median of these times, in any order, with at least the level `wanted`, or the whole range if
    /// there are too few times for that. `None` without a time.
    pub fn of_median(times: &[Time], wanted: f64) -> Option<Self> {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let (cut, level) = cut(sorted.len(), wanted);
        let (low, high) = (*sorted.get(cut)?, *sorted.get(sorted.len() - 1 - cut)?);
        Some(Self { low, high, level, is_enough: level >= wanted })
    }

    /// Whether all of this interval is below all of the other.
    pub fn is_below(&self, other: &Self) -> bool {
        self.high < other.low
    }

    /// The distance of the farther end from `median`, as a [share] of `median`; 0 of a median of no time.
    pub fn share_of(&self, median: Time) -> f64 {
        let [median, low, high] = [median, self.low, self.high].map(Time::as_seconds);
        share(median, low, high).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(count: u64) -> Vec<Time> {
        (1..=count).rev().map(Time::from_microseconds).collect()
    }

    fn interval(count: u64, wanted: f64) -> (u64, u64, f64, bool) {
        let found = Interval::of_median(&times(count), wanted).expect("there are times");
        let us = |time: Time| (time.as_seconds() * 1e6).round() as u64;
        (us(found.low), us(found.high), (found.level * 1e4).round() / 1e4, found.is_enough)
    }

    #[test]
    fn the_ranks_are_those_of_the_tables_of_the_sign_test() {
        // Ranks and levels as printed in tables of the nonparametric interval of a median.
        assert_eq!(interval(6, 0.95), (1, 6, 0.9688, true));
        assert_eq!(interval(8, 0.95), (1, 8, 0.9922, true));
        assert_eq!(interval(9, 0.95), (2, 8, 0.9609, true));
        assert_eq!(interval(10, 0.95), (2, 9, 0.9785, true));
        assert_eq!(interval(20, 0.95), (6, 15, 0.9586, true));
        assert_eq!(interval(100, 0.95), (40, 61, 0.9648, true));
        // About sqrt(n) ranks on either side of the median, of very many too.
        assert_eq!(interval(10_000, 0.95), (4902, 5099, 0.9512, true));
    }

    #[test]
    fn too_few_runs_give_their_range_and_say_what_it_is_worth() {
        assert_eq!(interval(5, 0.95), (1, 5, 0.9375, false));
        assert_eq!(interval(2, 0.95), (1, 2, 0.5, false));
        assert_eq!(interval(1, 0.95), (1, 1, 0.0, false));
        assert_eq!(Interval::of_median(&[], 0.95), None);
    }

    #[test]
    fn the_least_number_of_runs_is_the_first_that_is_enough() {
        for rows in 1..100 {
            let least = least_runs(level(rows)) as u64;
            assert!(interval(least, level(rows)).3 && !interval(least - 1, level(rows)).3, "{rows} rows");
        }
        assert_eq!([1, 2, 8, 20].map(|rows| least_runs(level(rows))), [6, 7, 9, 10]);
    }
}
