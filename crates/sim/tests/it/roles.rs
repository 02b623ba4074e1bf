//! Policies that change the roles of processors while a program runs.

use tempest::outcome::{Outcome, Resource, Utilization};
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_sim::Model;

use crate::setup::{job, machine};

const NODES: u32 = 2;

/// A change of roles takes the software of this machine as long as handling does, with this amount of data to move:
/// processors are dedicated soon.
fn run(policy: &str, processors: u32, program: &str, inputs: &[(&str, &str)]) -> Outcome {
    let shape = Shape { nodes: NODES, threads: processors };
    let job = job(program, Mechanism::Messages, shape, inputs);
    let policy = policy.parse().expect("a policy");
    let launch = Launch { nodes: NODES, processors, ..Launch::new(job, policy) };
    let outcome = Model::new(machine("sparc20-myrinet", &[("software_dispatch.state", "\"1 KiB\"")]))
        .run(&launch)
        .expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome
}

/// Every node changes by one processor at a time, in order of time, and leaves one to compute.
fn check(outcome: &Outcome, processors: u32) {
    let mut dedicated = [0; NODES as usize];
    let mut last = units::Time::ZERO;
    for change in &outcome.adjustments {
        let before = std::mem::replace(&mut dedicated[change.node.0 as usize], change.dedicated);
        assert_eq!(before.abs_diff(change.dedicated), 1, "{change:?}");
        assert!(change.dedicated < processors, "{change:?}");
        assert!(change.at >= last && change.at <= outcome.time, "{change:?}");
        last = change.at;
    }
}

#[test]
fn processors_are_dedicated_one_by_one_and_never_the_last() {
    for (policy, processors) in [("adaptive+serial", 2), ("adaptive+serial", 4), ("adaptive+serial+bound", 4)]
    {
        for (program, inputs) in [("fetch-add", ("operations", "4000")), ("em3d", ("nodes", "1600"))] {
            let outcome = run(policy, processors, program, &[inputs]);
            assert!(!outcome.adjustments.is_empty(), "{policy} {program}");
            check(&outcome, processors);
        }
    }
}

#[test]
fn what_dedicated_processors_do_is_reported_apart() {
    let outcome = run("adaptive+serial", 2, "fetch-add", &[("operations", "4000")]);
    let busy = |resource| Utilization::find(&outcome.utilization, resource).map(|entry| entry.mean);
    let protocol = busy(Resource::DedicatedProcessor).expect("processors were dedicated");
    assert!(protocol > 0.5 && protocol <= 1.0, "{protocol}");
    let computing = busy(Resource::ComputingProcessor).expect("processors compute");
    assert!(computing > 0.0 && computing < 1.0);
}

#[test]
fn a_node_of_one_processor_has_none_to_dedicate() {
    let outcome = run("adaptive+serial", 1, "fetch-add", &[("operations", "1000")]);
    assert_eq!((outcome.adjustments.len(), Utilization::protocol(&outcome.utilization)), (0, None));
}

/// Until a change is made, an adaptive node behaves like a floating one.
#[test]
fn without_a_change_it_is_floating() {
    let shape = Shape { nodes: NODES, threads: 2 };
    let time = |policy: &str| {
        let job = job("em3d", Mechanism::Messages, shape, &[("nodes", "400")]);
        let launch =
            Launch { nodes: NODES, processors: 2, ..Launch::new(job, policy.parse().expect("a policy")) };
        let outcome = Model::new(machine("hurricane-1", &[])).run(&launch).expect("the run ends well");
        (outcome.time, outcome.adjustments)
    };
    assert_eq!(time("adaptive+serial"), time("floating"));
}
