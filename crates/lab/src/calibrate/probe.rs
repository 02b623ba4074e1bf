//! The runs that measure a host, and their figures. This module must never know the use of a figure.

use std::collections::BTreeMap;

use machine::NATIVE;

use crate::specification::{FIGURES, NodeProcesses, numbers};
use crate::{NoAnswer, Runner, Specification};

/// The policy under which a computing processor never looks for messages.
const NO_LOOKS: &str = "single+every=4000000000";

/// Maximum number of pairs of cores whose distance is measured: all of eight cores.
const PAIRS: usize = 28;

/// A run, and the name of its figures.
pub(super) struct Probe {
    pub(super) name: &'static str,
    pub(super) run: Specification,
}

/// Nodes, processors of each and threads on each processor of a probe; all together use at most two cores.
type Shape = (u32, u32, u32);

fn run(program: &str, policy: &str, shape: Shape, inputs: &[(&str, &str)]) -> Specification {
    let (nodes, processors, threads) = shape;
    Specification {
        program: program.to_owned(),
        machine: NATIVE.to_owned(),
        policy: Some(policy.to_owned()),
        nodes: Some(nodes),
        processors: Some(processors),
        threads: Some(threads),
        inputs: inputs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
        seed: 1,
        ..Specification::default()
    }
}

/// Runs of a round, with their nodes in these processes.
pub(super) fn probes(processes: Option<NodeProcesses>) -> Vec<Probe> {
    let probe =
        |name, program, policy, shape, inputs: &[_]| Probe { name, run: run(program, policy, shape, inputs) };
    let mut bulk = probe("bulk", "bulk-bandwidth", "single", (2, 1, 1), &[("bytes", "65536")]);
    bulk.run.mechanism = Some("bulk".to_owned());
    let mut all = vec![
        probe("single", "message-costs", "single", (2, 1, 1), &[("rest", "2000")]),
        probe("own", "message-costs", "single", (1, 1, 1), &[]),
        probe("look", "message-costs", "single+every=1", (2, 1, 1), &[("rounds", "50")]),
        probe("fixed", "message-costs", "fixed:1", (1, 2, 1), &[]),
        probe("work", "work-costs", NO_LOOKS, (1, 1, 1), &[]),
        probe("switch", "thread-switch", "single", (1, 1, 2), &[]),
        probe("miss", "remote-miss", "single", (2, 1, 1), &[]),
        bulk,
    ];
    all.iter_mut().for_each(|probe| probe.run.processes = processes);
    all
}

/// A line for each probe, for people: the name of its figures, and its command line with the command of this name.
pub(super) fn told(command: &str, processes: Option<NodeProcesses>) -> Vec<String> {
    probes(processes)
        .iter()
        .map(|probe| format!("{:8} {}", probe.name, probe.run.command_line(command)))
        .collect()
}

/// The figures of one round, named `probe.figure`.
#[derive(Clone, Debug, Default)]
pub(super) struct Round(BTreeMap<String, f64>);

impl Round {
    /// A figure.
    ///
    /// # Errors
    /// Names it if no run reported it.
    pub(super) fn get(&self, name: &str) -> Result<f64, String> {
        self.0.get(name).copied().ok_or_else(|| format!("no run reported the figure `{name}`"))
    }

    fn add(&mut self, probe: &Probe, runner: &Runner) -> Result<(), String> {
        let answer = runner.run(&probe.run).map_err(|none: NoAnswer| {
            let command = runner.executable().file_stem().unwrap_or_default().to_string_lossy();
            format!("{}: {}", probe.run.command_line(&command), none.why())
        })?;
        let figures = numbers(&answer).into_iter().filter_map(|(name, value)| {
            Some((format!("{}.{}", probe.name, name.strip_prefix(FIGURES)?), value))
        });
        self.0.extend(figures);
        Ok(())
    }

    /// Replaces the value of a figure.
    #[cfg(test)]
    pub(super) fn with(mut self, name: &str, value: f64) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    #[cfg(test)]
    pub(super) fn of(figures: &[(&str, f64)]) -> Self {
        Self(figures.iter().map(|&(name, value)| (name.to_owned(), value)).collect())
    }
}

/// Does all runs of a round, one after the other.
pub(super) fn round(
    runner: &Runner,
    processes: Option<NodeProcesses>,
    progress: &dyn Fn(&Specification, bool),
) -> Result<Round, String> {
    let mut round = Round::default();
    for probe in probes(processes) {
        progress(&probe.run, false);
        round.add(&probe, runner)?;
        progress(&probe.run, true);
    }
    Ok(round)
}

/// Distance between two cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Numbers of the two cores, from 0.
    pub cores: (u32, u32),
    /// A lone request and its reply.
    pub nanoseconds: f64,
}

/// The cores whose distance is measured: all pairs, or [`PAIRS`] of them that are spread over all.
pub(super) fn pairs(cores: u32) -> Vec<(u32, u32)> {
    let all: Vec<_> = (0..cores).flat_map(|one| (one + 1..cores).map(move |other| (one, other))).collect();
    let count = all.len().min(PAIRS);
    (1..=count).map(|number| all[number * all.len() / count - 1]).collect()
}

/// Measures the distances, each node of one world on a core of its own.
pub(super) fn distances(
    runner: &Runner,
    cores: u32,
    processes: Option<NodeProcesses>,
    progress: &dyn Fn(&Specification, bool),
) -> Result<Vec<Distance>, String> {
    let measure = |(one, other): (u32, u32)| {
        let inputs = [("from", &*one.to_string()), ("partner", &*other.to_string()), ("rounds", "100")];
        let run = run("message-costs", "single", (cores, 1, 1), &inputs);
        let run = Specification { processes, ..run };
        progress(&run, false);
        let mut round = Round::default();
        round.add(&Probe { name: "distance", run: run.clone() }, runner)?;
        progress(&run, true);
        Ok(Distance { cores: (one, other), nanoseconds: round.get("distance.waiting")? })
    };
    pairs(cores).into_iter().map(measure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_many_cores_are_sampled_up_to_the_last() {
        assert_eq!(pairs(1), []);
        assert_eq!(pairs(2), [(0, 1)]);
        assert_eq!(pairs(4), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(pairs(8).len(), 28);
        // 2016 pairs: every 72nd. The first core has 63 of them, and its neighbour the ninth after those.
        let many = pairs(64);
        assert_eq!((many.len(), many[0], many[27]), (28, (1, 10), (62, 63)));
    }
}
