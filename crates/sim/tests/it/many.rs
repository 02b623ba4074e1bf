//! Determinism from one node to very many: a run repeated gives the same digest.

use machine::Machine;
use tempest::entry::{Given, Plan};
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_sim::Model;

/// A round in which every node exchanges values with four others, on a machine without memory systems.
fn exchange(nodes: u32, handlers_only: bool) -> Outcome {
    let values =
        [("handlers-only".to_owned(), handlers_only.to_string()), ("rounds".to_owned(), "1".to_owned())];
    let given = Given { values: values.into(), ..Given::default() };
    let program = tempest::entry::find("neighbours", probes::ALL).expect("a program");
    let plan = Plan::new(Mechanism::Messages, Shape { nodes, threads: 1 });
    let job = (program.load)(&given).expect("good inputs").job(&plan).expect("a job");
    let text = include_str!("../../../../machines/ideal.toml");
    let model = Model::new(Machine::parse("machines/ideal.toml", text).expect("a valid machine file"));
    let launch = Launch { nodes, ..Launch::new(job, "single".parse().expect("a policy")) };
    model.run(&launch).expect("it runs")
}

#[test]
fn a_run_repeated_gives_the_same_digest_on_one_node_and_on_65536() {
    for (nodes, handlers_only) in [(1, false), (64, false), (1024, false), (65_536, true)] {
        let runs = [(); 2].map(|()| exchange(nodes, handlers_only));
        assert!(runs.iter().all(|run| run.report.verified()), "{nodes} nodes: {:?}", runs[0].report.failures);
        assert!(runs[0].digest.is_some());
        assert_eq!(runs[0].digest, runs[1].digest, "{nodes} nodes");
        assert_eq!(runs[0].time, runs[1].time, "{nodes} nodes");
    }
}

/// A processor is numbered on its node by 16 bits: one more is refused, and not taken for another.
#[test]
fn a_node_has_as_many_processors_as_it_can_number() {
    let text = include_str!("../../../../machines/ideal.toml");
    let model = Model::new(Machine::parse("machines/ideal.toml", text).expect("a valid machine file"));
    let policy = "floating".parse().expect("a policy");
    assert!(model.check_size(&policy, 1, 65_535, 1).is_ok());
    let refused = model.check_size(&policy, 1, 65_536, 1).expect_err("there are too many");
    assert_eq!(
        refused.to_string(),
        "more than 65535 processors on one node in all: expected fewer --processors"
    );
}
