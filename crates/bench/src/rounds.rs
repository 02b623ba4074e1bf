//! Several measurements in one figure. This module must never know the meaning of the values.

use std::fmt::Debug;

/// The middle value; of an even number of values the mean of the two in the middle.
///
/// # Panics
/// If there is no value.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        f64::midpoint(values[middle - 1], values[middle])
    } else {
        values[middle]
    }
}

/// The least time of `rounds` measurements, since noise only adds, and the answer of all of them.
///
/// # Panics
/// If there is no round, or if two rounds have different answers.
pub fn least<A: PartialEq + Debug>(rounds: usize, measure: impl Fn() -> (f64, A)) -> (f64, A) {
    let (mut least, answer) = measure();
    for _ in 1..rounds {
        let (time, other) = measure();
        assert_eq!(answer, other, "two rounds have different answers");
        least = least.min(time);
    }
    (least, answer)
}
