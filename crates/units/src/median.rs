//! The median of measured values and its confidence interval, from the order of the values alone. This module must
//! never assume a distribution of the values, and never know the measured quantity.
//!
//! Each of `n` values is greater than the true median with the chance of one half, whatever the distribution. So the number
//! of greater values is binomial, and the `k`-th least and the `k`-th greatest value enclose the true median with the
//! probability `1 - 2 P(B(n, 1/2) < k)`.
//!
//! Source: H. A. David, H. N. Nagaraja, *Order Statistics*, 3rd ed., section 7.1.

use std::f64::consts::LN_2;

/// The number of values to leave out at each end of `count` sorted values, as many as possible if the rest is to enclose the true
/// median with the probability `wanted`; and the actual probability. Of too few values none is left out, and the probability is
/// below `wanted`.
pub fn cut(count: usize, wanted: f64) -> (usize, f64) {
    // The logarithm of the chance of exactly `cut` greater values, since that of few among thousands is below the least float.
    let mut exactly = -(count as f64) * LN_2;
    let mut outside = exactly.exp();
    let mut cut = 0;
    let mut level = (1.0 - 2.0 * outside).max(0.0);
    while 2 * (cut + 1) < count {
        exactly += ((count - cut) as f64 / (cut + 1) as f64).ln();
        outside += exactly.exp();
        let next = 1.0 - 2.0 * outside;
        if next < wanted {
            break;
        }
        (cut, level) = (cut + 1, next);
    }
    (cut, level)
}

/// The least number of values whose whole range encloses the true median with the probability `level`, below 1.
pub fn least_runs(level: f64) -> usize {
    1 + (1.0 / (1.0 - level)).log2().ceil() as usize
}

/// The median of values in ascending order: of an even number, the greater of the two in the middle. `None` if there is no value.
pub fn upper<T>(sorted: &[T]) -> Option<&T> {
    sorted.get(sorted.len() / 2)
}

/// Distance of the farther end of a range from the median, as a share of the median's absolute value: the ± of a measured
/// value. `None` if the median is 0.
pub fn share(median: f64, low: f64, high: f64) -> Option<f64> {
    (median != 0.0).then(|| far(median, low, high) / median.abs())
}

fn far(median: f64, low: f64, high: f64) -> f64 {
    (median - low).max(high - median)
}

/// A median of measured values, and a range that encloses the true median.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Median {
    /// The median: of an even number of values, the greater of the two in the middle.
    pub value: f64,
    /// Lower end of the range that encloses the true median: a measured value.
    pub low: f64,
    /// Upper end of the range that encloses the true median: a measured value.
    pub high: f64,
    /// The probability, from 0 to 1, that a range made in this way encloses the true median, if the values are independent.
    pub level: f64,
}

impl Median {
    /// The median of `values`, with a range that encloses the true median with the probability `wanted`, or the range of all values
    /// if they are too few. `None` if there is no value.
    pub fn of(values: &[f64], wanted: f64) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (cut, level) = cut(sorted.len(), wanted);
        let at = |place: usize| sorted.get(place).copied();
        Some(Self { value: *upper(&sorted)?, low: at(cut)?, high: at(sorted.len() - 1 - cut)?, level })
    }

    /// The distance from the median to the farther end of the range.
    pub fn far(&self) -> f64 {
        far(self.value, self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_or_minus_is_the_farther_end() {
        assert_eq!(share(10.0, 9.0, 12.0), Some(0.2));
        assert_eq!((share(-10.0, -14.0, -9.0), share(0.0, -1.0, 1.0)), (Some(0.4), None));
        assert_eq!((upper(&[1, 2, 3, 4]), upper::<u8>(&[])), (Some(&3), None));
    }

    #[test]
    fn one_value_at_each_end_of_nine_is_left_out() {
        let values = [9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 500.0];
        let median = Median::of(&values, 0.95).expect("there are values");
        assert_eq!((median.value, median.low, median.high, median.far()), (6.0, 2.0, 9.0, 4.0));
        assert!((median.level - 0.9609).abs() < 1e-4);
        let one = Median::of(&[7.0], 0.95).expect("there is a value");
        assert_eq!(one, Median { value: 7.0, low: 7.0, high: 7.0, level: 0.0 });
        assert_eq!(Median::of(&[], 0.95), None);
    }
}
