//! From measured combinations to ranked rows: right answers first, the fastest first, runs that came out the same in
//! one row. Must never know how rows look.

use tempest::policy::Split;
use tempest::{Mechanism, Outcome};
use units::Time;
use worlds::{Compared, Measured, Refusal, Setting, Target};

/// What came of one combination, or of several that came out exactly the same.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) mechanism: Mechanism,
    /// Under which it came out so: at least one.
    pub(crate) policies: Vec<String>,
    /// Processors of each node that compute, and that only run handlers.
    pub(crate) split: Split,
    /// Runs took turns on too few cores, so that times mean little.
    pub(crate) oversubscribed: bool,
    /// Of the run of median time.
    pub(crate) outcome: Outcome,
    /// How often it ran.
    pub(crate) runs: usize,
    /// The least and the greatest time of the runs, where they can differ.
    pub(crate) spread: Option<(Time, Time)>,
    /// Whether every answer of every run was right.
    pub(crate) verified: bool,
    /// What was wrong in any run.
    pub(crate) failures: Vec<String>,
}

impl Row {
    fn new(setting: &Setting, measured: &Measured) -> Self {
        let split = setting.policy.split(setting.processors);
        Self {
            mechanism: setting.mechanism,
            policies: vec![setting.policy.to_string()],
            split: split.unwrap_or(Split { computing: setting.processors, dedicated: 0 }),
            oversubscribed: setting.is_oversubscribed(),
            outcome: measured.median().clone(),
            runs: measured.runs(),
            spread: (setting.target.is_native() && measured.runs() > 1).then(|| measured.spread()),
            verified: measured.verified(),
            failures: measured.failures().map(str::to_owned).collect(),
        }
    }

    /// The time that counts, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.outcome.timed().as_seconds()
    }

    /// Whether a model cannot tell the two apart, whatever they are called. Two runs of this host are never the same.
    fn is_same(&self, other: &Self) -> bool {
        let [one, two] = [&self.outcome, &other.outcome];
        one.digest.is_some()
            && self.mechanism == other.mechanism
            && (one.digest, one.time, one.utilization) == (two.digest, two.time, two.utilization)
    }
}

/// One row and the combinations behind it.
pub(crate) struct Place {
    pub(crate) row: Row,
    /// As many as the row has policies, in the same order.
    pub(crate) ran: Vec<(Setting, Measured)>,
}

/// One machine's results.
pub(crate) struct Ranking {
    pub(crate) target: Target,
    pub(crate) places: Vec<Place>,
    /// What was asked for and cannot be had here, and why.
    pub(crate) refused: Vec<Refusal>,
    /// What was begun and did not end well, and why.
    pub(crate) failed: Vec<Refusal>,
}

impl Ranking {
    /// Ranks what ran.
    pub(crate) fn new(compared: Compared) -> Self {
        let Compared { target, ran, refused, failed } = compared;
        let mut places: Vec<Place> = Vec::new();
        for (setting, measured) in ran {
            let row = Row::new(&setting, &measured);
            match places.iter_mut().find(|place| place.row.is_same(&row)) {
                Some(place) => {
                    place.row.policies.extend(row.policies);
                    place.ran.push((setting, measured));
                }
                None => places.push(Place { row, ran: vec![(setting, measured)] }),
            }
        }
        places.sort_by_key(|place| (!place.row.verified, place.row.outcome.timed()));
        Self { target, places, refused, failed }
    }

    pub(crate) fn rows(&self) -> Vec<&Row> {
        self.places.iter().map(|place| &place.row).collect()
    }

    /// How many combinations ran.
    pub(crate) fn ran(&self) -> usize {
        self.places.iter().map(|place| place.ran.len()).sum()
    }

    /// How many of them gave right answers only.
    pub(crate) fn right(&self) -> usize {
        let right = self.places.iter().filter(|place| place.row.verified);
        right.map(|place| place.ran.len()).sum()
    }
}

/// How many times as long as the first row a row took: of right answers only, and only of times that can be divided.
pub(crate) fn ratio(first: &Row, row: &Row) -> Option<f64> {
    let ratio = row.seconds() / first.seconds();
    (row.verified && first.verified && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
pub(crate) mod samples {
    //! Made-up rows for tests.

    use tempest::{Breakdown, Counters, Dispatching, PhaseRecord, Report, Utilization};

    use super::*;

    /// A row of a model whose two computing processors on each of two nodes spent the microseconds of `parts` each.
    pub(crate) fn row(mechanism: Mechanism, policy: &str, parts: [u64; 4]) -> Row {
        let [compute, memory, overhead, synchronization] =
            parts.map(|part| Time::from_microseconds(part * 4));
        let time = Time::from_microseconds(parts.iter().sum());
        let breakdown = Breakdown { compute, memory, overhead, synchronization };
        let counters = Counters { messages: 1000, handlers: 1000, ..Counters::default() };
        Row {
            mechanism,
            policies: vec![policy.to_owned()],
            split: Split { computing: 2, dedicated: 0 },
            oversubscribed: false,
            outcome: Outcome {
                time,
                phases: vec![PhaseRecord { name: "work", time, counters, breakdown }],
                counters,
                breakdown,
                utilization: Utilization::default(),
                dispatching: Dispatching::default(),
                anatomy: Vec::new(),
                adjustments: Vec::new(),
                events: None,
                digest: None,
                report: Report::default(),
            },
            runs: 1,
            spread: None,
            verified: true,
            failures: Vec::new(),
        }
    }

    impl Row {
        /// The same as measured on this host in five runs, the fastest and the slowest this far from the median.
        pub(crate) fn spread_by(mut self, share: f64) -> Self {
            let around = |factor: f64| {
                Time::from_femtoseconds((self.outcome.timed().as_femtoseconds() as f64 * factor) as u64)
            };
            self.spread = Some((around(1.0 - share), around(1.0 + share)));
            self.runs = 5;
            self
        }

        /// The same with other counters of the timed region.
        pub(crate) fn counting(mut self, change: impl Fn(&mut Counters)) -> Self {
            change(&mut self.outcome.phases[0].counters);
            self
        }

        /// The same with something else in the outcome.
        pub(crate) fn with(mut self, change: impl Fn(&mut Outcome)) -> Self {
            change(&mut self.outcome);
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::row;
    use super::*;

    #[test]
    fn only_a_model_can_say_that_two_runs_are_the_same() {
        let native = row(Mechanism::Messages, "single", [1, 0, 0, 0]);
        assert!(!native.is_same(&native));
        let model = native.with(|outcome| outcome.digest = Some(7));
        assert!(model.is_same(&model));
        let other = model.clone().with(|outcome| outcome.digest = Some(8));
        assert!(!model.is_same(&other));
        let bulk = Row { mechanism: Mechanism::Bulk, ..model.clone() };
        assert!(!model.is_same(&bulk));
    }

    #[test]
    fn only_right_answers_have_a_ratio() {
        let first = row(Mechanism::Messages, "single", [2, 0, 0, 0]);
        let second = row(Mechanism::Messages, "fixed:1", [3, 0, 0, 0]);
        assert_eq!(ratio(&first, &second), Some(1.5));
        let wrong = Row { verified: false, ..second };
        assert_eq!(ratio(&first, &wrong), None);
        let nothing = row(Mechanism::Messages, "single", [0; 4]);
        assert_eq!(ratio(&nothing, &first), None);
    }
}
