//! Rankings: the combinations of one machine as rows, right answers first, the fastest first. Combinations that came out
//! exactly equal share a row. This module must never know how rows are shown.

use tempest::Mechanism;
use tempest::outcome::Outcome;
use tempest::policy::Split;
use units::Time;

use crate::combination::{Combination, Way};
use crate::interval::{self, Interval};
use crate::parts::disturbed;
use crate::refusal::{LeftOut, Refusal};

/// A machine on which combinations ran.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Machine {
    /// The name of the machine.
    pub name: String,
    /// The user's machine file; `None` for this host and for a machine that ships. Two files may give their machines the same
    /// name.
    pub file: Option<String>,
    /// Whether it is this host, where two runs are never equal; two runs on a model always are.
    pub native: bool,
    /// A one-line description of the machine, if it is a model.
    pub summary: Option<String>,
    /// The digest of all values of a model.
    pub digest: Option<u64>,
    /// The machine that it is a measurement of, for a calibrated model.
    pub calibration: Option<Calibration>,
}

/// The machine that a model was calibrated on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calibration {
    /// The name of the machine that was measured.
    pub of: String,
    /// The host that was measured, in words.
    pub host: Option<String>,
    /// The place of the nodes that were measured, by its name in documents; `None` if all were in one process.
    pub world: Option<String>,
    /// The values on which the measurements disagree, in words; `None` if there are none.
    pub disturbed: Option<String>,
}

/// The time of a phase on this host below which much of it is its own beginning and end. An empty one takes 9 us: `tradewind run
/// known-delay --input rounds=1 --input work=2 --nodes 2 --processors 1 --policy single --repeat auto`.
const BRIEF_PHASE: Time = Time::from_microseconds(100);

/// Time of a whole run on this host below which a large part of it is its own beginning and end. The empty run of
/// [`BRIEF_PHASE`] takes 47 us as a whole.
const BRIEF_RUN: Time = Time::from_microseconds(500);

/// The nodes and processors of a machine that combinations ran on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MachineShape {
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of processors of each node, at least 1.
    pub processors: u32,
}

/// The result of one combination, or of several that came out exactly equal.
#[derive(Clone, Debug)]
pub struct Row {
    /// The mechanism by which data moved.
    pub mechanism: Mechanism,
    /// The policies under which it came out so: at least one.
    pub policies: Vec<String>,
    /// Processors of each node that compute, and that only run handlers.
    pub split: Split,
    /// Whether processors took turns on too few cores, so that times mean little.
    pub oversubscribed: bool,
    /// Whether a single dedicated processor sends for all computing processors of its node.
    pub lone_sender: bool,
    /// The outcome of the run of median time.
    pub outcome: Outcome,
    /// The time of each run, in the order of measurement. A run that warmed up is not among them.
    pub samples: Vec<Time>,
    /// The confidence interval of the median, where runs differ: on this host, also of a single run. Its level is the one
    /// that the number of rows of the table asks for, see [`interval`].
    pub interval: Option<Interval>,
    /// Share of the processors' time that the operating system took away, over all runs; `None` if it is not reported.
    pub taken: Option<f64>,
    /// Whether every answer of every run was right.
    pub verified: bool,
    /// The wrong results of every run.
    pub failures: Vec<String>,
}

impl Row {
    fn new(combination: &Combination) -> Self {
        Self {
            mechanism: combination.mechanism,
            policies: combination.policies().map(str::to_owned).collect(),
            split: combination.split,
            oversubscribed: combination.oversubscribed,
            lone_sender: combination.lone_sender,
            outcome: combination.median().clone(),
            samples: combination.samples().to_vec(),
            interval: None,
            taken: combination.taken(),
            verified: combination.verified(),
            failures: combination.failures().map(str::to_owned).collect(),
        }
    }

    /// The mechanism and the first policy.
    pub fn way(&self) -> Way {
        Way { mechanism: self.mechanism, policy: self.policies.first().cloned().unwrap_or_default() }
    }

    /// The mechanism and each policy.
    pub fn ways(&self) -> impl Iterator<Item = Way> {
        self.policies.iter().map(|policy| Way { mechanism: self.mechanism, policy: policy.clone() })
    }

    /// The time of the timed region, in seconds.
    pub fn seconds(&self) -> f64 {
        self.outcome.timed().as_seconds()
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.samples.len()
    }

    /// Whether a run on this host is so short that a large part of the measured time is its beginning and end. A
    /// program that names no phase is measured whole.
    pub fn is_brief(&self) -> bool {
        let least = if self.outcome.phases.is_empty() { BRIEF_RUN } else { BRIEF_PHASE };
        self.interval.is_some() && self.outcome.timed() < least
    }

    /// Share of the time that the operating system took away, if it is large enough to make the row decide nothing.
    /// `None` if processors take turns on cores: they take the time from each other.
    pub fn disturbed(&self) -> Option<f64> {
        disturbed(self.taken, self.oversubscribed)
    }

    /// Whether two rows of a model came out exactly equal. Two runs of this host never do.
    fn is_same(&self, other: &Self) -> bool {
        let [one, two] = [&self.outcome, &other.outcome];
        one.digest.is_some()
            && self.mechanism == other.mechanism
            && (one.digest, one.time) == (two.digest, two.time)
            && one.utilization == two.utilization
    }
}

/// A row with the combinations behind it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The row.
    pub row: Row,
    /// The combinations that ran, each for one or more policies of the row, in the same order.
    pub ran: Vec<Combination>,
}

/// The results of one machine in one shape: one table.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// The machine.
    pub machine: Machine,
    /// The nodes and processors that all combinations ran on.
    pub shape: MachineShape,
    /// The rows: those with right answers first, and the fastest first in each group.
    pub places: Vec<Place>,
    /// Combinations that were asked for and that the machine cannot do.
    pub refused: Vec<Refusal>,
    /// Combinations that were not asked for by name and could not run: policies with too few processors, and mechanisms
    /// that the machine lacks.
    pub left_out: Vec<LeftOut>,
    /// Combinations that began and did not end well.
    pub failed: Vec<Refusal>,
    /// Combinations of which no run was over when the comparison was stopped.
    pub missing: Vec<Way>,
}

impl Ranking {
    /// Ranks the combinations of a machine.
    pub fn new(
        machine: Machine,
        shape: MachineShape,
        ran: Vec<Combination>,
        refused: Vec<Refusal>,
        failed: Vec<Refusal>,
    ) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for combination in ran {
            let row = Row::new(&combination);
            match places.iter_mut().find(|place| place.row.is_same(&row)) {
                Some(place) => {
                    place.row.policies.extend(row.policies);
                    place.ran.push(combination);
                }
                None => places.push(Place { row, ran: vec![combination] }),
            }
        }
        places.sort_by_key(|place| (!place.row.verified, place.row.outcome.timed()));
        let level = interval::level(places.len());
        for Place { row, .. } in places.iter_mut().filter(|_| machine.native) {
            row.interval = Interval::of_median(&row.samples, level);
        }
        Self { machine, shape, places, refused, left_out: Vec::new(), failed, missing: Vec::new() }
    }

    /// The rows, in the order of their places.
    pub fn rows(&self) -> Vec<&Row> {
        self.places.iter().map(|place| &place.row).collect()
    }

    /// The rows with right answers, the fastest first.
    pub fn right_rows(&self) -> Vec<&Row> {
        self.rows().into_iter().filter(|row| row.verified).collect()
    }

    /// The number of combinations that ran.
    pub fn ran(&self) -> usize {
        self.places.iter().map(|place| place.ran.len()).sum()
    }

    /// The number of combinations that gave right answers only.
    pub fn right(&self) -> usize {
        self.places.iter().filter(|place| place.row.verified).map(|place| place.ran.len()).sum()
    }

    /// Returns true if every combination that was started also ended, and all of them gave right answers. A combination that
    /// the machine refused was never started.
    pub fn is_clean(&self) -> bool {
        self.right() == self.ran() && self.failed.is_empty()
    }
}

/// The share of the time that the operating system took from the rows that it disturbed, their mean; `None` if it disturbed none.
pub fn disturbance(rows: &[&Row]) -> Option<f64> {
    let shares: Vec<_> = rows.iter().filter_map(|row| row.disturbed()).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// A row's time divided by that of the first row; `None` where an answer is wrong or the first row took no time.
pub fn ratio(first: &Row, row: &Row) -> Option<f64> {
    let ratio = row.seconds() / first.seconds();
    (row.verified && first.verified && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{SHAPE, row};

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
    fn equal_combinations_share_a_row_and_the_fastest_comes_first() {
        let outcome = |time, digest| {
            let row = row(Mechanism::Messages, "", [time, 0, 0, 0]);
            row.with(|outcome| {
                outcome.digest = Some(digest);
                outcome.report.checks = 1;
            })
            .outcome
        };
        let combination = |policy: &str, time, digest| {
            let way = Way { mechanism: Mechanism::Messages, policy: policy.to_owned() };
            Combination::new(way, Split { computing: 2, dedicated: 0 }, false, vec![outcome(time, digest)])
        };
        let ran = vec![combination("slow", 3, 1), combination("fast", 2, 2), combination("alike", 3, 1)];
        let ranking = Ranking::new(Machine::default(), SHAPE, ran, Vec::new(), Vec::new());
        let policies: Vec<_> = ranking.rows().iter().map(|row| row.policies.join(" ")).collect();
        assert_eq!(policies, ["fast", "slow alike"]);
        assert_eq!((ranking.ran(), ranking.right(), ranking.is_clean()), (3, 3, true));
    }

    #[test]
    fn a_run_is_too_short_where_its_beginning_and_end_count() {
        let model = row(Mechanism::Messages, "single", [90, 0, 0, 0]);
        assert!(!model.is_brief() && model.clone().within(0.01).is_brief());
        let long = row(Mechanism::Messages, "single", [100, 0, 0, 0]).within(0.01);
        assert!(!long.is_brief());
        assert!(
            long.with(|outcome| outcome.phases.clear()).is_brief(),
            "start and end of the whole run count"
        );
    }

    #[test]
    fn what_the_system_took_is_told_of_the_rows_that_it_disturbed() {
        let [calm, robbed, worse] =
            [0.01, 0.2, 0.4].map(|share| row(Mechanism::Messages, "", [1; 4]).robbed(share));
        assert_eq!((calm.disturbed(), disturbance(&[&calm])), (None, None));
        let mean = disturbance(&[&calm, &robbed, &worse]).expect("two are disturbed");
        assert!((mean - 0.3).abs() < 1e-9, "{mean}");
        let crowded = Row { oversubscribed: true, ..worse };
        assert_eq!(crowded.disturbed(), None, "its processors take turns");
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
