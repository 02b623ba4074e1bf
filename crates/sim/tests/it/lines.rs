//! Cache lines of shared memory that processors of a node fight for: each access pays for the move of the line, and loads
//! that run ahead of engine time change little.

use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Mechanism, Policy, Shape};
use tradewind_sim::Model;
use units::Time;

use crate::setup::{figures, job, machine};

/// A line moves from cache to cache in 48 cycles of 2.5 ns: 8 for the address, 24 until the cache supplies, 16 of data.
const TRANSFER: f64 = 120.0;

/// The machines with caches on a bus, and policies under which several processors of a node compute.
const POLICIES: [(&str, &str); 9] = [
    ("hurricane-1", "fixed:1"),
    ("hurricane-1", "floating"),
    ("hurricane-1", "floating+interrupt"),
    ("hurricane-1", "partitioned:1"),
    ("hurricane-1", "adaptive"),
    ("hurricane-1", "hurricane-1:1"),
    ("hurricane-1", "hurricane-1-mult"),
    ("hurricane", "hurricane:2"),
    ("s-coma", "s-coma"),
];

/// Runs a program on `computing` processors of each of `nodes` nodes.
fn run(
    (model, policy): (&Model, &str),
    (nodes, computing): (u32, u32),
    program: &str,
    inputs: &[(&str, &str)],
) -> Outcome {
    let policy: Policy = policy.parse().expect("a policy");
    let taken =
        (0..2).find(|more| policy.split(computing + more).is_ok_and(|split| split.computing == computing));
    let processors = computing + taken.expect("one processor is taken at most");
    let job = job(program, Mechanism::SharedMemory, Shape { nodes, threads: computing }, inputs);
    let outcome = model.run(&Launch {
        nodes,
        processors,
        mechanism: Mechanism::SharedMemory,
        ..Launch::new(job, policy)
    });
    let outcome = outcome.unwrap_or_else(|failure| panic!("{program}: {failure}"));
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome
}

fn model(name: &str) -> Model {
    Model::new(machine(name, &[]))
}

#[test]
fn a_word_that_all_processors_change_moves_no_faster_than_a_line() {
    for (name, policy) in POLICIES {
        for processors in [2, 3, 4, 8, 16] {
            for kind in ["add", "store"] {
                let inputs = [("accesses", "200"), ("kind", kind)];
                let outcome = run((&model(name), policy), (1, processors), "contended-line", &inputs);
                let found = figures(&outcome);
                let what = format!("{kind} by {processors} processors of {name} under {policy}: {found:?}");
                // A store is issued in one cycle of 2.5 ns.
                assert_eq!(found["transfer"], TRANSFER + 2.5, "{what}");
                // The first and the last processor find the line in their cache a few times, before or after all
                // others.
                let least = TRANSFER * (1.0 - 1.0 / 200.0);
                assert!(found["access"] >= least && found["access"] < 1.05 * TRANSFER, "{what}");
            }
        }
    }
}

/// The time of a run on 16 processors as a share of the time of a run in which every access happens exactly at its
/// time.
fn share_of_exact(name: &str, policy: &str, nodes: u32, program: &str, inputs: &[(&str, &str)]) -> f64 {
    let models = [model(name), model(name).with_lead(Time::ZERO)];
    let [ahead, exact] = models.map(|model| run((&model, policy), (nodes, 16 / nodes), program, inputs));
    assert_eq!(figures(&ahead), figures(&exact), "{program} on {name} under {policy}");
    assert_eq!(ahead.report.checks, exact.report.checks);
    ahead.time.as_seconds() / exact.time.as_seconds()
}

#[test]
fn accesses_that_run_ahead_change_no_answer_and_little_time() {
    for (name, policy) in
        [("hurricane-1", "floating"), ("hurricane-1", "hurricane-1:2"), ("s-coma", "s-coma")]
    {
        // The program loads words of others again and again. Which lines of a direct-mapped cache give way to which depends on
        // when a word comes, so the times of single runs scatter.
        let loads = ["400", "500", "600", "800", "1000", "1200", "1600"]
            .map(|size| share_of_exact(name, policy, 4, "em3d", &[("nodes", size)]));
        let mean = loads.iter().sum::<f64>() / loads.len() as f64;
        let little = loads.iter().all(|share| (0.98..1.02).contains(share)) && (0.995..1.005).contains(&mean);
        assert!(little, "em3d on {name} under {policy}: {loads:?}");
        // The program only adds to words that others add to.
        for (nodes, words) in [(1, "1"), (1, "8"), (2, "8"), (4, "64")] {
            let inputs = [("operations", "4000"), ("words", words)];
            let adds = share_of_exact(name, policy, nodes, "fetch-add", &inputs);
            assert_eq!(adds, 1.0, "fetch-add on {words} words of {nodes} nodes of {name} under {policy}");
        }
    }
}
