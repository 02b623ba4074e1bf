//! The rule by which two rows of one table are tied. This module must never know the winner.
//!
//! A row is slower than another only if it took more than [`MARGIN`] longer **and**, where runs differ, the confidence
//! intervals of the two part. Everything else is a tie: two rows with too few runs for an [interval](crate::interval)
//! of the table's level are tied however far apart they are. A row from which the operating system took more than
//! [`TAKEN`](crate::parts::TAKEN) of its time is tied with every other: its times are in good part those of other
//! programs, and their time slices are as long for any row.
//!
//! The margin is there because an interval speaks of chance alone. With enough runs any two programs part, by the place
//! of their code in memory if by nothing else; a difference that small is no reason to choose. A model is not that
//! exact either, so its rows have the same margin.

use crate::interval::Interval;
use crate::ranking::Row;

/// The relative difference that two times must exceed to be told apart.
pub const MARGIN: f64 = 0.03;

/// The relative difference up to which tied rows are called equal. If their intervals leave room for more, nothing was shown: the
/// host was too busy, or there were too few runs.
pub const EQUAL: f64 = 0.1;

/// The relative difference that the intervals of these rows leave room for: any two of them are as close as that. `None` of
/// fewer than two rows, and on a model.
pub fn room(rows: &[&Row]) -> Option<f64> {
    room_of(&rows.iter().map(|row| row.interval).collect::<Vec<_>>())
}

fn room_of(intervals: &[Option<Interval>]) -> Option<f64> {
    let intervals: Option<Vec<_>> = intervals.iter().copied().collect();
    let intervals = intervals.filter(|intervals| intervals.len() > 1)?;
    let low = intervals.iter().map(|interval| interval.low).min()?;
    let high = intervals.iter().map(|interval| interval.high).max()?;
    Some(high.as_seconds() / low.as_seconds() - 1.0)
}

/// Whether tied rows may differ by more than [`EQUAL`], for all that is known.
pub fn is_unclear(rows: &[&Row]) -> bool {
    let is_disturbed = rows.iter().any(|row| row.disturbed().is_some());
    is_unclear_from(&rows.iter().map(|row| row.interval).collect::<Vec<_>>(), is_disturbed)
}

/// Whether tied rows of these intervals may differ by more than [`EQUAL`], for all that is known. If the operating system disturbed
/// a row, they may.
pub fn is_unclear_from(intervals: &[Option<Interval>], is_disturbed: bool) -> bool {
    if intervals.len() > 1 && is_disturbed {
        return true;
    }
    let few = intervals.iter().any(|interval| interval.is_some_and(|interval| !interval.is_enough));
    room_of(intervals).is_some_and(|room| few || room > EQUAL)
}

/// Whether a row is tied with a faster one.
pub fn is_tied(faster: &Row, row: &Row) -> bool {
    !(row.seconds() > faster.seconds() * (1.0 + MARGIN) && part(faster, row))
}

/// Whether neither chance nor the operating system explains that a row was slower.
fn part(faster: &Row, row: &Row) -> bool {
    if [faster, row].iter().any(|row| row.disturbed().is_some()) {
        return false;
    }
    match (faster.interval, row.interval) {
        (Some(below), Some(above)) => below.is_enough && above.is_enough && below.is_below(&above),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::Messages;

    use super::*;
    use crate::samples::row;

    fn measured(time: u64, share: f64) -> Row {
        row(Messages, "single", [time, 0, 0, 0]).within(share)
    }

    #[test]
    fn rows_differ_if_their_intervals_part_by_more_than_the_margin() {
        assert!(!is_tied(&measured(1000, 0.01), &measured(1040, 0.01)));
        // The intervals meet.
        assert!(is_tied(&measured(1000, 0.03), &measured(1040, 0.03)));
        // The intervals part, but the difference is too small to matter.
        assert!(is_tied(&measured(1000, 0.001), &measured(1030, 0.001)));
        // However far the medians are apart.
        assert!(is_tied(&measured(1000, 0.01), &measured(9000, 0.95)));
    }

    #[test]
    fn too_few_runs_tell_nothing_apart() {
        let mut few = measured(1000, 0.0);
        few.interval.as_mut().expect("measured").is_enough = false;
        assert!(is_tied(&few, &measured(9000, 0.01)) && is_tied(&measured(100, 0.01), &few));
    }

    #[test]
    fn rows_are_equal_if_their_intervals_leave_no_room_for_more_than_a_tenth() {
        let (one, two, wide) = (measured(1000, 0.01), measured(1020, 0.02), measured(1000, 0.2));
        assert!((room(&[&one, &two]).unwrap() - (1040.4 / 990.0 - 1.0)).abs() < 1e-6);
        assert!(!is_unclear(&[&one, &two]) && is_unclear(&[&one, &wide]));
        let mut few = one.clone();
        few.interval.as_mut().expect("measured").is_enough = false;
        assert!(is_unclear(&[&one, &few]));
        let model = row(Messages, "single", [1000, 0, 0, 0]);
        assert!(!is_unclear(&[&model, &model]) && !is_unclear(&[&wide]));
    }

    #[test]
    fn runs_of_a_model_differ_by_the_margin_alone() {
        let model = |time| row(Messages, "single", [time, 0, 0, 0]);
        assert!(is_tied(&model(1000), &model(1030)) && !is_tied(&model(1000), &model(1031)));
    }

    #[test]
    fn a_row_that_lost_its_time_is_tied_with_any_other_and_equal_to_none() {
        let [fast, slow] = [100, 900].map(|time| measured(time, 0.01));
        assert!(!is_tied(&fast, &slow));
        for (one, other) in [(0.5, 0.0), (0.0, 0.5), (0.031, 0.0)] {
            let (fast, slow) = (fast.clone().robbed(one), slow.clone().robbed(other));
            assert!(is_tied(&fast, &slow) && is_unclear(&[&fast, &slow]), "{one} {other}");
        }
        let (fast, slow) = (fast.robbed(0.03), slow.robbed(0.0));
        assert!(!is_tied(&fast, &slow), "a little may be lost");
    }

    #[test]
    fn rows_whose_times_are_slices_of_others_are_not_called_equal() {
        let [one, other] = [4700, 4701].map(|time| measured(time, 0.01));
        assert!(!is_unclear(&[&one, &other]));
        assert!(is_unclear(&[&one.robbed(0.7), &other.robbed(0.7)]));
    }
}
