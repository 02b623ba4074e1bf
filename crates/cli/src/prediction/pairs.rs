//! Pairs what a calibrated model predicts with what was measured, and scores the pairs. Must never know how that looks.
//!
//! A pair is one mechanism under one policy that gave right answers on both machines, which have the same nodes and
//! processors throughout a comparison. Its **error** is the predicted time over the measured one, less 1. A pair is not
//! **scored** if its processors took turns on too few cores: the model has a core for each, so there is nothing that it
//! could be held against.
//!
//! Of the ranking is said whether the model chooses well (what the choice it predicts costs, beside the best that was
//! measured) and how many pairs of pairs it puts in the order that was measured, of those whose runs can be told apart.

use crate::finding::is_tied;
use crate::ranking::{Ranking, Row};
use worlds::Target;

/// One way to run the program, predicted and measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'r> {
    pub(super) policy: &'r str,
    pub(super) measured: &'r Row,
    pub(super) predicted: &'r Row,
}

impl Pair<'_> {
    /// How much longer the model says that it takes, as a share of what it takes.
    pub(super) fn error(&self) -> f64 {
        self.predicted.seconds() / self.measured.seconds() - 1.0
    }

    pub(super) fn is_scored(&self) -> bool {
        !self.measured.oversubscribed && self.error().is_finite()
    }
}

/// What a model of a machine predicted.
pub(super) struct Prediction<'r> {
    pub(super) model: &'r Target,
    /// The machine that was measured.
    pub(super) of: &'r str,
    /// First those that are scored; each group the fastest measured first.
    pub(super) pairs: Vec<Pair<'r>>,
    /// How many ways were measured that the model does not have, or gets wrong.
    pub(super) unpredicted: usize,
}

/// How good a prediction is.
pub(super) struct Score<'r> {
    /// How many pairs are scored: at least one.
    pub(super) scored: usize,
    /// Median of the sizes of errors; of an even number, the mean of the two in the middle.
    pub(super) median: f64,
    /// The pair whose error is the largest.
    pub(super) worst: Pair<'r>,
    pub(super) ranking: Option<Choice<'r>>,
}

/// Of at least two pairs.
pub(super) struct Choice<'r> {
    /// The fastest measured.
    pub(super) best: Pair<'r>,
    /// The fastest predicted.
    pub(super) chosen: Pair<'r>,
    /// Whether runs do not tell `chosen` from `best`.
    pub(super) is_tied: bool,
    /// Pairs of pairs that runs tell apart.
    pub(super) apart: usize,
    /// Of those, how many are predicted in their order.
    pub(super) in_order: usize,
}

impl Choice<'_> {
    /// How much longer the predicted choice takes than the best, as a share, both as measured.
    pub(super) fn cost(&self) -> f64 {
        self.chosen.measured.seconds() / self.best.measured.seconds() - 1.0
    }

    pub(super) fn is_best(&self) -> bool {
        std::ptr::eq(self.best.measured, self.chosen.measured)
    }
}

/// What each calibrated model of a comparison predicted of a machine that is in it too.
pub(super) fn predictions<'r>(rankings: &'r [Ranking]) -> Vec<Prediction<'r>> {
    let of = |model: &'r Ranking| {
        let machine = model.target.measured()?;
        let measured = rankings.iter().find(|ranking| ranking.target.name() == machine)?;
        Some(Prediction::new(&model.target, machine, &measured.rows(), &model.rows()))
    };
    rankings.iter().filter_map(of).collect()
}

/// The ways of rows with right answers.
fn ways<'r>(rows: &[&'r Row]) -> Vec<(&'r Row, &'r str)> {
    let right = rows.iter().filter(|row| row.verified);
    right.flat_map(|row| row.policies.iter().map(|policy| (*row, policy.as_str()))).collect()
}

impl<'r> Prediction<'r> {
    fn new(model: &'r Target, of: &'r str, measured: &[&'r Row], predicted: &[&'r Row]) -> Self {
        let (measured, predicted) = (ways(measured), ways(predicted));
        let pair = |(row, policy): &(&'r Row, &'r str)| {
            let is_same =
                |(other, under): &&(&'r Row, &'r str)| other.mechanism == row.mechanism && under == policy;
            let (predicted, _) = predicted.iter().find(is_same)?;
            Some(Pair { policy, measured: row, predicted })
        };
        let mut pairs: Vec<_> = measured.iter().filter_map(pair).collect();
        pairs.sort_by_key(|pair| (!pair.is_scored(), pair.measured.outcome.timed()));
        Self { model, of, unpredicted: measured.len() - pairs.len(), pairs }
    }

    /// `None` if no pair is scored.
    pub(super) fn score(&self) -> Option<Score<'r>> {
        let scored: Vec<_> = self.pairs.iter().copied().filter(Pair::is_scored).collect();
        let size = |pair: &Pair<'_>| pair.error().abs();
        let mut sizes: Vec<_> = scored.iter().map(size).collect();
        sizes.sort_by(f64::total_cmp);
        let worst = *scored.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
        let middle = sizes.len() / 2;
        let median = (sizes[middle] + sizes[(sizes.len() - 1) / 2]) / 2.0;
        Some(Score { scored: scored.len(), median, worst, ranking: choice(&scored) })
    }
}

/// How pairs, the fastest measured first, are ranked by the model.
fn choice<'r>(pairs: &[Pair<'r>]) -> Option<Choice<'r>> {
    let [best, _, ..] = pairs else { return None };
    let predicted = |pair: &&Pair<'_>| pair.predicted.outcome.timed();
    let chosen = pairs.iter().min_by_key(predicted)?;
    let two = pairs.iter().enumerate();
    let two = two.flat_map(|(index, fast)| pairs[index + 1..].iter().map(move |slow| (fast, slow)));
    let apart: Vec<_> = two.filter(|(fast, slow)| !is_tied(fast.measured, slow.measured)).collect();
    let in_order = apart.iter().filter(|(fast, slow)| predicted(fast) < predicted(slow)).count();
    let is_tied = is_tied(best.measured, chosen.measured);
    Some(Choice { best: *best, chosen: *chosen, is_tied, apart: apart.len(), in_order })
}

#[cfg(test)]
pub(super) mod samples {
    //! Made-up measurements and predictions for tests.

    use tempest::Mechanism;

    use super::Prediction;
    use crate::ranking::Row;
    use crate::ranking::samples::row;
    use worlds::Target;

    /// Rows of these mechanisms, policies and times.
    pub(in super::super) fn rows(times: &[(Mechanism, &str, u64)]) -> Vec<Row> {
        times.iter().map(|(mechanism, policy, time)| row(*mechanism, policy, [*time, 0, 0, 0])).collect()
    }

    /// What a model with these rows predicted of native ones.
    pub(in super::super) fn prediction<'r>(measured: &'r [Row], predicted: &'r [Row]) -> Prediction<'r> {
        let [measured, predicted] = [measured, predicted].map(|rows| rows.iter().collect::<Vec<_>>());
        Prediction::new(&Target::Native, "native", &measured, &predicted)
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Messages};

    use super::samples::{prediction, rows};

    #[test]
    fn ways_are_paired_by_mechanism_and_policy_whatever_their_order() {
        let measured = rows(&[(Messages, "fixed:1", 400), (Bulk, "single", 100), (Messages, "single", 200)]);
        let mut predicted = rows(&[(Messages, "single", 200), (Bulk, "floating", 1), (Bulk, "single", 125)]);
        // What came out the same on a model stands in one row.
        predicted[0].policies.push("fixed:1".to_owned());
        let prediction = prediction(&measured, &predicted);
        let pairs: Vec<_> = prediction
            .pairs
            .iter()
            .map(|pair| (pair.measured.mechanism, pair.policy, pair.error()))
            .collect();
        assert_eq!(pairs, [(Bulk, "single", 0.25), (Messages, "single", 0.0), (Messages, "fixed:1", -0.5)]);
        assert_eq!(prediction.unpredicted, 0);
        let score = prediction.score().unwrap();
        assert_eq!((score.scored, score.median, score.worst.policy), (3, 0.25, "fixed:1"));
        let ranking = score.ranking.unwrap();
        assert!(ranking.is_best() && ranking.cost() == 0.0);
        // The two that the model cannot tell apart are not in order.
        assert_eq!((ranking.apart, ranking.in_order), (3, 2));
    }

    #[test]
    fn processors_that_took_turns_are_not_scored() {
        let mut measured = rows(&[(Messages, "single", 100), (Messages, "floating", 100)]);
        let predicted = rows(&[(Messages, "single", 110), (Messages, "floating", 900)]);
        measured[1].oversubscribed = true;
        let crowded = prediction(&measured, &predicted);
        let score = crowded.score().unwrap();
        assert!(crowded.pairs.len() == 2 && score.scored == 1 && score.ranking.is_none());
        assert!((score.median - 0.1).abs() < 1e-9 && score.worst.policy == "single");
        measured[0].oversubscribed = true;
        assert!(prediction(&measured, &predicted).score().is_none());
    }

    #[test]
    fn a_wrong_answer_is_neither_predicted_nor_a_prediction() {
        let mut measured = rows(&[(Messages, "single", 100), (Messages, "floating", 100)]);
        let mut predicted = rows(&[(Messages, "single", 100), (Messages, "floating", 100)]);
        measured[0].verified = false;
        let found = prediction(&measured, &predicted);
        assert_eq!((found.pairs.len(), found.unpredicted), (1, 0));
        predicted[1].verified = false;
        let found = prediction(&measured, &predicted);
        assert_eq!((found.pairs.len(), found.unpredicted), (0, 1));
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 200)]);
        let predicted = rows(&[(Messages, "single", 110), (Messages, "floating", 140)]);
        let score = prediction(&measured, &predicted).score().map(|score| score.median).unwrap();
        assert!((score - 0.2).abs() < 1e-9, "{score}");
    }

    #[test]
    fn a_wrong_choice_costs_what_was_measured() {
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 150)]);
        let predicted = rows(&[(Messages, "single", 90), (Messages, "floating", 80)]);
        let wrong = prediction(&measured, &predicted).score().unwrap().ranking.unwrap();
        assert!(!wrong.is_best() && !wrong.is_tied && (wrong.cost() - 0.5).abs() < 1e-9);
        assert_eq!((wrong.apart, wrong.in_order), (1, 0));
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 105)]);
        let measured: Vec<_> = measured.into_iter().map(|row| row.spread_by(0.1)).collect();
        let tied = prediction(&measured, &predicted).score().unwrap().ranking.unwrap();
        assert!(tied.is_tied && !tied.is_best() && tied.apart == 0);
    }
}
