//! The rule by which two rows of one machine are tied. This module must never know who won.
//!
//! Where runs differ, two rows are tied if the median of each lies within the other's fastest and slowest run and they
//! are less than [`FAR`] apart. On a model, where runs do not differ, a row is tied with a winner if it took less than
//! [`EQUAL`] longer.

use crate::ranking::Row;

/// The relative difference below which times of a model are as good as equal.
pub const EQUAL: f64 = 0.005;

/// The ratio from which times are not tied, however wide the spread of the runs.
const FAR: f64 = 1.25;

/// Whether a row is tied with the winner.
pub fn is_tied(winner: &Row, row: &Row) -> bool {
    match (winner.spread, row.spread) {
        (Some(of_winner), Some(of_row)) => {
            let is_within =
                |row: &Row, (fastest, slowest)| (fastest..=slowest).contains(&row.outcome.timed());
            let is_near = row.seconds() < winner.seconds() * FAR;
            is_near && is_within(row, of_winner) && is_within(winner, of_row)
        }
        _ => row.seconds() <= winner.seconds() * (1.0 + EQUAL),
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::Messages;

    use super::*;
    use crate::samples::row;

    #[test]
    fn one_lucky_run_ties_nobody() {
        let best = row(Messages, "floating", [100, 0, 0, 0]).spread_by(0.1);
        let mut lucky = row(Messages, "single", [500, 0, 0, 0]).spread_by(0.1);
        lucky.spread = lucky.spread.map(|(_, slowest)| (best.outcome.timed(), slowest));
        assert!(!is_tied(&best, &lucky));
        // However wide the spread, times far apart are not tied.
        let wild = |time| row(Messages, "wild", [time, 0, 0, 0]).spread_by(0.9);
        assert!(is_tied(&wild(100), &wild(120)) && !is_tied(&wild(100), &wild(130)));
        // The median of each must lie in the range of the other.
        let steady = row(Messages, "steady", [90, 0, 0, 0]).spread_by(0.01);
        assert!(!is_tied(&steady, &wild(100)));
    }
}
