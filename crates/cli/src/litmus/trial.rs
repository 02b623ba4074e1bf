//! A test in a world: runs it, and keeps the observed outcomes. This module must never know how they look.

use std::collections::BTreeSet;
use std::sync::Arc;

use apps::litmus::{Dose, Experiment, Meeting, Placement, Seen};
use formats::litmus::Architecture;
use report::document::{State, Test, Trial};
use tempest::Mechanism;
use tempest::memory::Frames;
use tempest::outcome::Failure;
use tempest::policy::Servers;
use tempest::world::Launch;
use worlds::NATIVE;

use super::collection::Subject;
use super::world::World;
use crate::problem::Problem;

/// The result of a test in a world.
pub(super) struct Run {
    /// The number of times that each state was seen, by placement.
    seen: [Seen; 2],
    /// The reason why the run did not end well, if it did not: then nothing was seen.
    failure: Option<String>,
}

/// Runs a test.
///
/// # Errors
/// If the world cannot run it at all.
pub(super) fn run(subject: &Subject, world: &World, dose: Dose) -> Result<Run, Problem> {
    let question = &subject.question;
    // Threads meet by messages, but where only the protocol's handlers can run.
    let meeting = if world.policy.servers == Servers::Hardware { Meeting::Memory } else { Meeting::Messages };
    let experiment = Experiment::new(Arc::clone(question), Dose { meeting, ..dose });
    let job = experiment.job().map_err(|bad| Problem::wrong(bad.to_string()))?;
    let launch = Launch {
        mechanism: Mechanism::SharedMemory,
        nodes: question.nodes(),
        processors: world.processors,
        seed: dose.seed,
        ..Launch::new(job, world.policy.clone())
    };
    let here = || world.hosting.world(&order(subject, world, dose));
    let place = if world.target.is_native() { here() } else { world.target.world() };
    match place.run(&launch) {
        Ok(outcome) => Ok(Run { seen: experiment.seen(&outcome.report), failure: None }),
        Err(Failure::Refused(why)) => Err(Problem::wrong(world.target.refusing(why))),
        Err(failure) => Ok(Run { seen: Default::default(), failure: Some(failure.to_string()) }),
    }
}

/// The arguments of the command that makes this run alone.
fn order(subject: &Subject, world: &World, dose: Dose) -> Vec<String> {
    let mut order = ["litmus", &subject.file, "--machine", NATIVE].map(str::to_owned).to_vec();
    order.extend(world.hosting.arguments());
    let frames = match dose.frames {
        Frames::AtMost(frames) => Some(("--frames", frames.to_string())),
        _ => None,
    };
    let options = [
        ("--policy", world.policy.to_string()),
        ("--repeat", dose.rounds.to_string()),
        ("--seed", dose.seed.to_string()),
        ("--block", dose.block.to_string()),
        ("--protocol", dose.protocol.to_string()),
    ];
    order.extend(options.into_iter().chain(frames).flat_map(|(name, value)| [name.to_owned(), value]));
    order.extend(dose.prefetch.then(|| "--prefetch".to_owned()));
    order
}

/// The results of a test in every world, as the document states them.
pub(super) fn document(subject: &Subject, runs: &[Run]) -> Test {
    let Subject { file, question } = subject;
    let test = &question.test;
    let seen = runs.iter().flat_map(|run| run.seen.iter().flat_map(Seen::keys));
    let states: BTreeSet<_> = question.allowed.iter().chain(seen).collect();
    let state = |state: &apps::litmus::State| {
        let counts = |placement: Placement| {
            let count = |run: &Run| run.seen[placement as usize].get(state).copied().unwrap_or(0);
            runs.iter().map(count).collect()
        };
        State {
            state: question.state_name(state),
            allowed: question.allowed.contains(state),
            holds: question.holds(&test.condition.formula, state),
            apart: counts(Placement::Apart),
            together: counts(Placement::Together),
        }
    };
    let states: Vec<_> = states.into_iter().map(state).collect();
    let trial = |(world, run): (usize, &Run)| Trial::new(&states, world, run.failure.clone());
    Test {
        file: file.clone(),
        name: test.name.clone(),
        architecture: match test.architecture {
            Architecture::X86 => "X86",
            Architecture::RiscV => "RISCV",
        }
        .to_owned(),
        threads: test.threads.len(),
        condition: test.condition_text(),
        allowed: question.allowed.len(),
        results: runs.iter().enumerate().map(trial).collect(),
        states,
    }
}
