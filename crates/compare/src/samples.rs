//! Made-up rows and times for tests. This module must never be part of a build that ships.

use tempest::entry::mix;
use tempest::outcome::{Breakdown, Counters, Dispatching, Outcome, PhaseRecord, Resource, Utilization};
use tempest::policy::Split;
use tempest::{Mechanism, Report};
use units::{Time, TotalTime};

use crate::combination::{Combination, Way};
use crate::interval::{CONFIDENCE, Interval};
use crate::ranking::{Machine, MachineShape, Place, Ranking, Row};

/// The nodes and processors of every ranking here.
pub const SHAPE: MachineShape = MachineShape { nodes: 2, processors: 2 };

/// A row of a model whose two computing processors on each of two nodes spent the microseconds of `parts` each.
pub fn row(mechanism: Mechanism, policy: &str, parts: [u64; 4]) -> Row {
    let [compute, memory, overhead, synchronization] =
        parts.map(|part| TotalTime::from(Time::from_microseconds(part)) * 4);
    let time = Time::from_microseconds(parts.iter().sum());
    let breakdown =
        Breakdown { compute, memory, overhead, synchronization, idle: TotalTime::ZERO, taken: None };
    let counters = Counters { messages: 1000, handlers: 1000, ..Counters::default() };
    Row {
        mechanism,
        policies: vec![policy.to_owned()],
        split: Split { computing: 2, dedicated: 0 },
        oversubscribed: false,
        lone_sender: false,
        outcome: Outcome {
            time,
            phases: vec![PhaseRecord {
                name: "work",
                time,
                counters,
                breakdown,
                protocol: Vec::new(),
                utilization: Vec::new(),
            }],
            counters,
            breakdown,
            protocol: Vec::new(),
            utilization: Vec::new(),
            dispatching: Dispatching::default(),
            anatomy: Vec::new(),
            adjustments: Vec::new(),
            events: None,
            digest: None,
            report: Report::default(),
        },
        samples: vec![time],
        interval: None,
        taken: None,
        verified: true,
        failures: Vec::new(),
    }
}

/// Rows of these mechanisms, policies and times in microseconds.
pub fn rows(times: &[(Mechanism, &str, u64)]) -> Vec<Row> {
    times.iter().map(|(mechanism, policy, time)| row(*mechanism, policy, [*time, 0, 0, 0])).collect()
}

/// The ranking of this host, of a combination for each list of times, in the order of measurement, in seconds. Their policies
/// are called `0`, `1` and so on.
pub fn measured(samples: &[Vec<f64>]) -> Ranking {
    let outcome = |seconds: &f64| {
        let mut outcome = row(Mechanism::Messages, "", [0; 4]).outcome;
        outcome.phases[0].time = Time::from_femtoseconds((seconds * 1e15) as u64);
        outcome.report.checks = 1;
        outcome
    };
    let combination = |(index, samples): (usize, &Vec<f64>)| {
        let way = Way { mechanism: Mechanism::Messages, policy: index.to_string() };
        let split = Split { computing: 1, dedicated: 0 };
        Combination::new(way, split, false, samples.iter().map(outcome).collect())
    };
    let ran = samples.iter().enumerate().map(combination).collect();
    let host = Machine { name: "native".to_owned(), native: true, ..Machine::default() };
    Ranking::new(host, SHAPE, ran, Vec::new(), Vec::new())
}

/// Made-up times of runs, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// Noise of a seed.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// A number from 0 to 1, each as likely.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Extra time of a run over an undisturbed one, as a share, if most runs are disturbed a little and few by much.
    /// The median is `0.2 ln 2`.
    pub fn skewed(&mut self) -> f64 {
        -0.2 * (1.0 - self.uniform()).ln()
    }

    /// Extra time of a run on a host with other users, as a share: four runs of ten share their core for a while.
    pub fn shared(&mut self) -> f64 {
        let waits = if self.uniform() < 0.4 { 0.5 + self.uniform() } else { 0.0 };
        waits + 0.02 * self.uniform()
    }
}

/// The combination behind a row: an outcome for each sample, with the row's answer and the time that was taken from it.
fn combination(row: &Row) -> Combination {
    let outcome = |sample: &Time| {
        let mut outcome = row.outcome.clone();
        outcome.report.checks = row.verified.into();
        outcome.report.failures = row.failures.clone();
        if let Some(phase) = outcome.phases.first_mut() {
            phase.time = *sample;
            let spent = phase.breakdown.total().as_nanoseconds();
            let taken = |share: f64| TotalTime::from_nanoseconds((spent * share / (1.0 - share)) as u64);
            phase.breakdown.taken = row.taken.map(taken);
        }
        outcome
    };
    let outcomes = row.samples.iter().map(outcome).collect();
    Combination::new(row.way(), row.split, row.oversubscribed, outcomes)
        .sent_by_one(row.lone_sender)
        .standing_for(row.policies[1..].to_vec())
}

/// The ranking of a machine of that name, a model unless it is called `native`, with these rows in this order.
pub fn ranking(name: &str, rows: &[Row]) -> Ranking {
    let machine = Machine { name: name.to_owned(), native: name == "native", ..Machine::default() };
    let places = rows.iter().map(|row| Place { row: row.clone(), ran: vec![combination(row)] }).collect();
    Ranking {
        machine,
        shape: SHAPE,
        places,
        refused: Vec::new(),
        left_out: Vec::new(),
        failed: Vec::new(),
        missing: Vec::new(),
    }
}

impl Row {
    /// The row as measured on this host in twenty runs, the ends of its interval this far from the median.
    #[must_use]
    pub fn within(mut self, share: f64) -> Self {
        let around = |factor: f64| {
            Time::from_femtoseconds((self.outcome.timed().as_femtoseconds() as f64 * factor) as u64)
        };
        let [low, high] = [1.0 - share, 1.0 + share].map(around);
        self.samples = [vec![low; 5], vec![self.outcome.timed(); 10], vec![high; 5]].concat();
        self.interval = Some(Interval { low, high, level: CONFIDENCE, is_enough: true });
        self
    }

    /// The row with this share of its time taken away by the operating system.
    #[must_use]
    pub fn robbed(self, share: f64) -> Self {
        Self { taken: Some(share), ..self }
    }

    /// The row with other counters of the timed region.
    #[must_use]
    pub fn counting(mut self, change: impl Fn(&mut Counters)) -> Self {
        change(&mut self.outcome.phases[0].counters);
        self
    }

    /// The row with a part of this kind and name that was busy for this share of the time, and was the only one.
    #[must_use]
    pub fn busy(mut self, resource: Resource, name: &str, share: f64) -> Self {
        let entry = Utilization { resource, count: 1, mean: share, most: share, busiest: name.to_owned() };
        self.outcome.utilization.push(entry.clone());
        self.outcome.phases[0].utilization.push(entry);
        self
    }

    /// The row with dedicated processors that were busy for this share of the time.
    #[must_use]
    pub fn dedicated_busy(self, share: f64) -> Self {
        self.busy(Resource::DedicatedProcessor, "node 0", share)
    }

    /// The row with a change in its outcome.
    #[must_use]
    pub fn with(mut self, change: impl Fn(&mut Outcome)) -> Self {
        change(&mut self.outcome);
        self
    }
}
