//! The margin of a row over a slower one. This module must never know the other rows of a table.

use units::Time;

use crate::ranking::{Row, ratio};

/// The margin of the fastest row over a slower one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Margin {
    /// Time of the slower row divided by that of the fastest: above 1.
    pub ratio: f64,
    /// Lower bound of the ratio, if the ratio is known less precisely than its excess over 1. `None` on a model.
    pub at_least: Option<f64>,
    /// The number of all processors at work, where the fastest has more of them.
    pub at_work: Option<Processors>,
}

/// The number of processors of each node under the winner and under a slower row, where they differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Processors {
    /// Processors of each node under the winner.
    pub winner: u32,
    /// Processors of each node under the slower row.
    pub loser: u32,
}

impl Margin {
    /// The margin; `None` where an answer is wrong or the fastest row took no time.
    pub(crate) fn of(fastest: &Row, slower: &Row) -> Option<Self> {
        let ratio = ratio(fastest, slower)?;
        let at_work = Processors { winner: fastest.split.all(), loser: slower.split.all() };
        let at_work = Some(at_work).filter(|of| of.winner > of.loser);
        Some(Self { ratio, at_least: at_least(ratio, fastest, slower), at_work })
    }

    /// The ratio, or its lower bound where it is not known precisely.
    pub fn known(&self) -> f64 {
        self.at_least.unwrap_or(self.ratio)
    }
}

/// The least ratio that the intervals of two rows allow, if they leave more room than its excess over 1.
fn at_least(ratio: f64, first: &Row, row: &Row) -> Option<f64> {
    let [below, above] = [first.interval?, row.interval?];
    let between = |above: Time, below: Time| above.as_seconds() / below.as_seconds();
    let (least, most) = (between(above.low, below.high), between(above.high, below.low));
    (most - least > ratio - 1.0).then(|| least.max(1.0))
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::Messages;

    use super::*;
    use crate::samples::row;

    #[test]
    fn a_margin_that_is_not_known_to_within_itself_is_told_by_its_least() {
        let least = |shares: [f64; 2], ratio: u64| {
            let row = |time, share| row(Messages, "", [time, 0, 0, 0]).within(share);
            Margin::of(&row(1000, shares[0]), &row(ratio, shares[1])).expect("times").at_least
        };
        assert_eq!(least([0.01, 0.01], 1210), None);
        let told = least([0.07, 0.07], 1210).expect("14 of 21 % are not sure");
        assert!((told - 1.21 * 0.93 / 1.07).abs() < 1e-9, "{told}");
        assert!(least([0.99, 0.3], 8500).is_some_and(|least| least < 3.0), "no factor of 8.5");
        assert_eq!(least([0.1, 0.1], 8500), None);
        let model = row(Messages, "", [1; 4]);
        assert_eq!(Margin::of(&model, &model).and_then(|margin| margin.at_least), None);
    }
}
