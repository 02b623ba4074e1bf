//! A modelled run: its machine, program and size, and its measured time and counts. This file must never know an aim.

use std::time::Instant;

use machine::Machine;
use tempest::entry::{Given, Plan};
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism, Policy, Shape};

use crate::by_hand::Answer;

/// A modelled run.
pub(crate) struct Trial {
    pub(crate) machine: Machine,
    pub(crate) policy: &'static str,
    pub(crate) nodes: u32,
    pub(crate) processors: u32,
    pub(crate) program: &'static str,
    pub(crate) mechanism: Mechanism,
    pub(crate) inputs: Vec<(&'static str, String)>,
}

/// Host time of a run, and its counts.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) seconds: f64,
    pub(crate) answer: Answer,
}

impl Trial {
    /// Runs it once, and checks its answer. Making the input and the expected answer is not timed.
    pub(crate) fn run(&self) -> Taken {
        let (job, policy) = self.made();
        let launch = Launch {
            nodes: self.nodes,
            processors: self.processors,
            mechanism: self.mechanism,
            ..Launch::new(job, policy)
        };
        let model = tradewind_sim::Model::new(self.machine.clone());
        let start = Instant::now();
        let outcome = model.run(&launch).expect("the run ends well");
        let seconds = start.elapsed().as_secs_f64();
        assert!(outcome.report.verified(), "{:?}", outcome.report);
        Taken { seconds, answer: Answer::of_run(outcome.timed(), outcome.time, &outcome.counters) }
    }

    /// Makes the input and the expected answer, and drops them.
    pub(crate) fn prepare(&self) {
        std::hint::black_box(self.made());
    }

    fn made(&self) -> (Job, Policy) {
        let policy: Policy = self.policy.parse().expect("a policy of the table");
        let threads = policy.split(self.processors).expect("a processor is left to compute").computing;
        (self.job(Shape { nodes: self.nodes, threads }), policy)
    }

    fn job(&self, shape: Shape) -> Job {
        let values = self.inputs.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        let given = Given { values: values.collect(), ..Given::default() };
        let programs = [apps::ALL, probes::ALL];
        let program = programs.iter().find_map(|all| tempest::entry::find(self.program, all).ok());
        let instance = (program.expect("the program is there").load)(&given).expect("the inputs are good");
        instance
            .job(&Plan::new(self.mechanism, shape).kept_by(&protocols::stache::STACHE))
            .expect("the shape is possible")
    }
}
