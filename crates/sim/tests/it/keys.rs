//! Keys of different protocols: neither the cost of a message nor mutual exclusion of events may depend on the keys of
//! another protocol of the program.

use std::num::NonZeroU32;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use protocols::Barrier;
use protocols::split_phase::{self, Procedure, SplitPhase};
use protocols::stache::{Config, Stache};
use protocols::sync::{Collectives, Reduction};
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{
    Cells, FinalState, Handler, Job, Layout, NodeId, Operations, Protocol, Report, Setup, Thread, handlers,
};
use tradewind_sim::Model;
use units::TotalTime;

use crate::setup::machine;

/// Barriers and reductions of every run.
const ROUNDS: u64 = 10;

/// All threads meet, by messages alone. Shared memory may be present; no thread uses it.
struct Meet {
    barrier: Arc<Barrier>,
    collectives: Arc<Collectives>,
}

impl Protocol for Meet {
    type Config = Option<Config>;

    fn install(shared_memory: &Option<Config>, setup: &mut Setup<'_>) -> Self {
        if let Some(config) = shared_memory {
            setup.install::<Stache>(config);
        }
        let fan_in = NonZeroU32::new(2).expect("2 is not 0");
        Self { barrier: setup.install::<Barrier>(&()), collectives: setup.install::<Collectives>(&fan_in) }
    }
}

#[handlers]
impl Meet {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("meet");
        for round in 0..ROUNDS {
            self.barrier.wait(thread);
            let sum = self.collectives.all_reduce(thread, Reduction::Sum, round);
            assert_eq!(sum, round * u64::from(thread.nodes() * thread.threads()));
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

fn run(job: Job, policy: &str, nodes: u32) -> Outcome {
    let policy = policy.parse().expect("a policy");
    let launch = Launch { nodes, ..Launch::new(job, policy) };
    let model = Model::new(machine("hurricane", &[]));
    model.run(&launch).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn meeting_costs_as_much_where_there_is_shared_memory() {
    let mut layout = Layout::new(4, 64).expect("a block of a permitted size");
    layout.array::<u64>("words", 64, tempest::Homes::Parts).expect("it is small");
    let with = run(Job::new::<Meet>(Some(Config::new(layout))), "hurricane:1", 4);
    let without = run(Job::new::<Meet>(None), "hurricane:1", 4);
    let (with, without) = (&with.phases[0], &without.phases[0]);
    assert_eq!(with.counters.volume, without.counters.volume);
    assert_eq!(with.time, without.time);
}

/// A procedure that takes longer than anything else in the run.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Long;

impl Procedure for Long {
    fn run(self, _: &Cells<u64>, cx: &mut Handler<'_>) -> u64 {
        cx.charge(Operations::NONE.integers(1_000_000));
        7
    }
}

/// Node 1 invokes the procedure on node 0, while node 2 comes to the reduction, for which it tells node 0.
struct Side {
    split: Arc<SplitPhase>,
    collectives: Arc<Collectives>,
}

impl Protocol for Side {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        let mut plan = split_phase::Plan::new(setup.shape().nodes);
        plan.procedure::<Long>();
        let fan_in = NonZeroU32::new(2).expect("2 is not 0");
        Self { split: setup.install::<SplitPhase>(&plan), collectives: setup.install::<Collectives>(&fan_in) }
    }
}

#[handlers]
impl Side {
    fn main(&self, thread: &Thread<'_>) {
        let mut mine = 0;
        match thread.node() {
            NodeId(1) => mine = self.split.on(thread).invoke(NodeId(0), Long),
            // Until the procedure runs, and not until it has ended.
            NodeId(2) => thread.charge(Operations::NONE.integers(100_000)),
            _ => (),
        }
        assert_eq!(self.collectives.all_reduce(thread, Reduction::Sum, mine), 7);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

#[test]
fn procedures_and_collectives_of_a_node_do_not_wait_for_each_other() {
    let outcome = run(Job::new::<Side>(()), "hurricane:2", 3);
    let come = outcome.anatomy.iter().find(|stage| stage.kind.ends_with("::Come")).expect("nodes reported");
    assert_eq!(
        (come.events, come.wait),
        (2, TotalTime::ZERO),
        "reports that waited for the procedure to end"
    );
}
