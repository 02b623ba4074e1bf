//! Predictions: times of a calibrated model, paired with measurements on its machine, and scored. This module must
//! never know how they are shown, and never change a time.
//!
//! A pair is one mechanism under one policy that gave right answers on both machines, which have the same nodes and
//! processors throughout a comparison. Its **error** is the predicted time over the measured one, less 1. A pair is not
//! **scored** if its measurement is doubtful ([`Doubt`]): its processors took turns on too few cores, where the model
//! has a core for each; the operating system took much of their time; or the interval of its median is as wide as the
//! median.
//!
//! The ranking shows whether the model chooses well: the cost of its choice beside the best measured one. It also
//! counts the pairs of pairs that the model puts in the measured order, among the pairs whose runs can be told apart.

use crate::combination::Way;
use crate::interval::Interval;
use crate::ranking::{Calibration, Machine, MachineShape, Ranking, Row};
use crate::tie::is_tied;

/// The predictions of a calibrated model, beside the measurements of the machine that it was calibrated on.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// The model.
    pub model: Machine,
    /// The machine that the model was calibrated on.
    pub calibration: Calibration,
    /// The nodes and processors of both.
    pub shape: MachineShape,
    /// First the pairs that are scored; each group the fastest measured first.
    pub pairs: Vec<Pair>,
    /// The number of measured combinations that the model cannot run, or runs with a wrong answer.
    pub unpredicted: usize,
    /// The quality of the prediction; `None` if no pair is scored.
    pub score: Option<Score>,
}

/// A combination, predicted and measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// The combination.
    pub way: Way,
    /// The time measured, in nanoseconds.
    pub measured_ns: f64,
    /// The time predicted, in nanoseconds.
    pub predicted_ns: f64,
    /// The reason why nothing can be told of the measurement, if there is one.
    pub doubt: Option<Doubt>,
}

/// A reason why a measurement says nothing of a prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The processors took turns on too few cores.
    Turns,
    /// The operating system took more than [`TAKEN`](crate::parts::TAKEN) of the processors' time.
    Taken,
    /// The interval of the median is as wide as the median, or wider.
    Wide,
}

impl Doubt {
    fn of(row: &Row) -> Option<Self> {
        let wide =
            |interval: Interval| interval.high.as_seconds() - interval.low.as_seconds() >= row.seconds();
        match row {
            row if row.oversubscribed => Some(Self::Turns),
            row if row.disturbed().is_some() => Some(Self::Taken),
            row => row.interval.is_some_and(wide).then_some(Self::Wide),
        }
    }
}

/// Accuracy of a prediction.
#[derive(Clone, PartialEq, Debug)]
pub struct Score {
    /// Number of scored pairs: at least one.
    pub scored: usize,
    /// Median of the sizes of errors; of an even number, the mean of the two in the middle.
    pub median: f64,
    /// The pair whose error is the largest.
    pub worst: Pair,
    /// The model's ranking of the pairs; `None` for a single pair.
    pub ranking: Option<PairOrder>,
}

/// A model's ranking of at least two pairs.
#[derive(Clone, PartialEq, Debug)]
pub struct PairOrder {
    /// The fastest pair as measured.
    pub best: Pair,
    /// The fastest pair as predicted.
    pub chosen: Pair,
    /// Whether runs do not tell the chosen pair from the best.
    pub tied: bool,
    /// Number of pairs of pairs whose runs can be told apart.
    pub apart: usize,
    /// The number of those pairs of pairs that are predicted in their order.
    pub in_order: usize,
}

impl Pair {
    /// Predicted minus measured time, as a share of the measured time.
    pub fn error(&self) -> f64 {
        self.predicted_ns / self.measured_ns - 1.0
    }

    /// Whether the pair is scored.
    pub fn is_scored(&self) -> bool {
        self.doubt.is_none() && self.error().is_finite()
    }
}

impl PairOrder {
    /// Time that the predicted choice takes more than the best, as a share, both as measured.
    pub fn cost(&self) -> f64 {
        self.chosen.measured_ns / self.best.measured_ns - 1.0
    }

    /// Whether the predicted choice is the best.
    pub fn is_best(&self) -> bool {
        self.best.way == self.chosen.way
    }
}

/// The predictions of each calibrated model of a comparison, if the machine that it was calibrated on is in the comparison too.
pub fn of(rankings: &[Ranking]) -> Vec<Prediction> {
    let predicted = |model: &Ranking| {
        let calibration = model.machine.calibration.as_ref()?;
        let is_of = |other: &&Ranking| other.machine.name == calibration.of && other.shape == model.shape;
        let measured = rankings.iter().find(is_of)?;
        Some(Prediction::new(model, calibration.clone(), measured))
    };
    rankings.iter().filter_map(predicted).collect()
}

/// A pair with the rows it is made of.
type Paired<'r> = (Pair, &'r Row, &'r Row);

impl Prediction {
    fn new(model: &Ranking, calibration: Calibration, measured: &Ranking) -> Self {
        let (measured, predicted) = (ways(measured), ways(model));
        let pairs = measured.iter().filter_map(|way| pair(way, &predicted));
        let mut pairs: Vec<Paired<'_>> = pairs.collect();
        pairs.sort_by_key(|(pair, row, _)| (!pair.is_scored(), row.outcome.timed()));
        let scored: Vec<_> = pairs.iter().filter(|(pair, ..)| pair.is_scored()).collect();
        Self {
            model: model.machine.clone(),
            calibration,
            shape: model.shape,
            unpredicted: measured.len() - pairs.len(),
            score: score(&scored),
            pairs: pairs.into_iter().map(|(pair, ..)| pair).collect(),
        }
    }
}

/// A measured combination with the same one among those predicted, if it is there.
fn pair<'r>((way, row): &(Way, &'r Row), predicted: &[(Way, &'r Row)]) -> Option<Paired<'r>> {
    let (_, other) = predicted.iter().find(|(other, _)| other == way)?;
    let pair = Pair {
        way: way.clone(),
        measured_ns: row.outcome.timed().as_nanoseconds(),
        predicted_ns: other.outcome.timed().as_nanoseconds(),
        doubt: Doubt::of(row),
    };
    Some((pair, row, other))
}

/// The combinations of rows with right answers.
fn ways(ranking: &Ranking) -> Vec<(Way, &Row)> {
    ranking.right_rows().into_iter().flat_map(|row| row.ways().map(move |way| (way, row))).collect()
}

/// The score of pairs that are scored, the fastest measured first.
fn score(scored: &[&Paired<'_>]) -> Option<Score> {
    let size = |pair: &Pair| pair.error().abs();
    let mut sizes: Vec<_> = scored.iter().map(|(pair, ..)| size(pair)).collect();
    sizes.sort_by(f64::total_cmp);
    let (worst, ..) = scored.iter().max_by(|(a, ..), (b, ..)| size(a).total_cmp(&size(b)))?;
    let middle = sizes.len() / 2;
    let median = (sizes[middle] + sizes[(sizes.len() - 1) / 2]) / 2.0;
    Some(Score { scored: scored.len(), median, worst: worst.clone(), ranking: choice(scored) })
}

/// Compares the model's ranking of pairs with the measured one. The pairs are sorted, the fastest measured first.
fn choice(pairs: &[&Paired<'_>]) -> Option<PairOrder> {
    let [best, _, ..] = pairs else { return None };
    let predicted = |pair: &Paired<'_>| pair.2.outcome.timed();
    let chosen = pairs.iter().min_by_key(|pair| predicted(pair))?;
    let two = pairs.iter().enumerate();
    let two = two.flat_map(|(index, fast)| pairs[index + 1..].iter().map(move |slow| (fast, slow)));
    let apart: Vec<_> = two.filter(|(fast, slow)| !is_tied(fast.1, slow.1)).collect();
    let in_order = apart.iter().filter(|(fast, slow)| predicted(fast) < predicted(slow)).count();
    Some(PairOrder {
        best: best.0.clone(),
        chosen: chosen.0.clone(),
        tied: is_tied(best.1, chosen.1),
        apart: apart.len(),
        in_order,
    })
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;
    use crate::samples::{ranking, rows};

    fn prediction(measured: &[Row], predicted: &[Row]) -> Prediction {
        let mut model = ranking("model", predicted);
        model.machine.calibration =
            Some(Calibration { of: "native".to_owned(), host: None, world: None, disturbed: None });
        of(&[ranking("native", measured), model]).pop().expect("a prediction")
    }

    #[test]
    fn ways_are_paired_by_mechanism_and_policy_whatever_their_order() {
        let measured = rows(&[(Messages, "fixed:1", 400), (Bulk, "single", 100), (Messages, "single", 200)]);
        let mut predicted = rows(&[(Messages, "single", 200), (Bulk, "floating", 1), (Bulk, "single", 125)]);
        // Equal results on a model stand in one row.
        predicted[0].policies.push("fixed:1".to_owned());
        let prediction = prediction(&measured, &predicted);
        let pairs: Vec<_> = prediction
            .pairs
            .iter()
            .map(|pair| (pair.way.mechanism, pair.way.policy.as_str(), pair.error()))
            .collect();
        assert_eq!(pairs, [(Bulk, "single", 0.25), (Messages, "single", 0.0), (Messages, "fixed:1", -0.5)]);
        assert_eq!(prediction.unpredicted, 0);
        let score = prediction.score.unwrap();
        assert_eq!((score.scored, score.median, score.worst.way.policy.as_str()), (3, 0.25, "fixed:1"));
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
        let score = crowded.score.unwrap();
        assert!(crowded.pairs.len() == 2 && score.scored == 1 && score.ranking.is_none());
        assert!((score.median - 0.1).abs() < 1e-9 && score.worst.way.policy == "single");
        measured[0].oversubscribed = true;
        assert!(prediction(&measured, &predicted).score.is_none());
    }

    #[test]
    fn measurements_that_tell_nothing_are_not_scored() {
        let measured =
            rows(&[(Messages, "single", 100), (Messages, "floating", 100), (Messages, "fixed:1", 100)]);
        let [sure, wide, robbed] = [0.4, 0.6, 0.01].map(|share| measured[0].clone().within(share));
        let mut measured = [sure, wide, robbed.robbed(0.04)];
        for (row, policy) in measured.iter_mut().zip(["single", "floating", "fixed:1"]) {
            row.policies = vec![policy.to_owned()];
        }
        let predicted =
            rows(&[(Messages, "single", 110), (Messages, "floating", 900), (Messages, "fixed:1", 1)]);
        let prediction = prediction(&measured, &predicted);
        let doubts: Vec<_> = prediction.pairs.iter().map(|pair| pair.doubt).collect();
        assert_eq!(doubts, [None, Some(Doubt::Wide), Some(Doubt::Taken)]);
        let score = prediction.score.unwrap();
        assert_eq!((score.scored, score.worst.way.policy.as_str(), score.ranking), (1, "single", None));
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
        let median = prediction(&measured, &predicted).score.unwrap().median;
        assert!((median - 0.2).abs() < 1e-9, "{median}");
    }

    #[test]
    fn a_wrong_choice_costs_what_was_measured() {
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 150)]);
        let predicted = rows(&[(Messages, "single", 90), (Messages, "floating", 80)]);
        let wrong = prediction(&measured, &predicted).score.unwrap().ranking.unwrap();
        assert!(!wrong.is_best() && !wrong.tied && (wrong.cost() - 0.5).abs() < 1e-9);
        assert_eq!((wrong.apart, wrong.in_order), (1, 0));
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 105)]);
        let measured: Vec<_> = measured.into_iter().map(|row| row.within(0.1)).collect();
        let tied = prediction(&measured, &predicted).score.unwrap().ranking.unwrap();
        assert!(tied.tied && !tied.is_best() && tied.apart == 0);
    }
}
