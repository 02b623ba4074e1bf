//! Routed networks under whole programs.

use machine::Machine;
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism, Shape};
use tradewind_sim::Model;

use crate::adders::Adders;
use crate::setup::{figures, job, machine, machine_with};

const TOPOLOGIES: &[&[(&str, &str)]] = &[
    &[("network.topology", "crossbar"), ("network.latency", "1 us")],
    &[("network.topology", "mesh")],
    &[("network.topology", "torus"), ("network.dimensions", "2,2,2")],
    &[("network.topology", "ring")],
    &[("network.topology", "hypercube")],
    &[("network.topology", "fat-tree"), ("network.arity", "2")],
];

/// A Hurricane-1 whose network is so slow that messages stand in each other's way.
fn routed(topology: &[(&'static str, &'static str)]) -> Machine {
    let mut set = topology.to_vec();
    set.extend([("network.link", "100 MB/s"), ("network.buffer", "16 B")]);
    if topology[0].1 != "crossbar" {
        set.push(("network.hop", "40 ns"));
    }
    machine("hurricane-1", &set)
}

fn adders(machine: Machine, policy: &str) -> Outcome {
    let launch = Launch {
        nodes: 8,
        processors: 2,
        threads: 2,
        ..Launch::new(Job::new::<Adders>(()), policy.parse().expect("a policy"))
    };
    Model::new(machine).run(&launch).expect("it runs")
}

#[test]
fn programs_give_their_answers_on_every_topology_and_repeat_themselves() {
    for topology in TOPOLOGIES {
        for policy in ["single+interrupt", "fixed:1"] {
            let outcome = adders(routed(topology), policy);
            assert!(outcome.report.verified(), "{topology:?} {policy}");
            assert_eq!(outcome, adders(routed(topology), policy), "{topology:?} {policy}");
        }
    }
}

/// Figures of the program `active-message`.
fn active_message(machine: Machine, mechanism: Mechanism, inputs: &[(&str, &str)]) -> impl Fn(&str) -> f64 {
    let job = job("active-message", mechanism, Shape { nodes: 32, threads: 1 }, inputs);
    let launch =
        Launch { mechanism, nodes: 32, ..Launch::new(job, "single+interrupt".parse().expect("a policy")) };
    let outcome = Model::new(machine).run(&launch).expect("it runs");
    assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
    let figures = figures(&outcome);
    move |name| figures[name]
}

#[test]
fn a_null_message_on_alewife_takes_102_cycles_and_0_8_a_hop() {
    let figure = active_message(machine("alewife", &[]), Mechanism::Messages, &[]);
    // Node 1 is one hop away. A cycle is 50 ns.
    assert!((figure("one_way.near") / 50.0 - 102.8).abs() < 0.005, "{}", figure("one_way.near"));
    assert!((figure("per_hop") / 50.0 - 0.8).abs() < 0.001, "{}", figure("per_hop"));
}

#[test]
fn the_network_keeps_its_speed_when_the_clock_of_the_nodes_changes() {
    let slow = machine("alewife", &[("processor.clock", "10 MHz")]);
    let figure = active_message(slow, Mechanism::Messages, &[]);
    assert!((figure("per_hop") - 40.0).abs() < 0.1, "{}", figure("per_hop"));
    // 97.44 cycles of 100 ns in the nodes; 50 ns and a hop of 40 in the network. 8 bytes take 200 ns through a port of 4 bytes
    // a cycle, which is slower than the links now.
    let network = 50.0 + 40.0 + 200.0;
    assert!((figure("one_way.near") - (9_744.0 + network)).abs() < 0.3, "{}", figure("one_way.near"));
}

#[test]
fn blocks_across_the_middle_of_alewife_make_18_bytes_a_cycle() {
    let inputs = [("rounds", "32"), ("block", "16384")];
    let figure = active_message(machine("alewife", &[]), Mechanism::Bulk, &inputs);
    // 360 MB/s at 20 MHz, less 8 bytes of header to a block of 131072 and some cycles at the ends.
    assert!((17.98..=18.0).contains(&(figure("cut") / 20.0)), "{} MB/s", figure("cut"));
}

#[test]
fn cross_traffic_takes_its_share_of_the_middle() {
    let traffic = "[network.cross_traffic]\nmessage = \"64 B\"\nrate = \"9 MB/s\"\nlaunch = \"1 us\"";
    let crossed = machine_with("alewife", traffic, &[]);
    let figure = active_message(crossed, Mechanism::Bulk, &[("rounds", "200"), ("block", "64")]);
    // Each of the 8 links has 45 MB/s, of which 9 are asked for from outside. At least one message of 64 bytes passes
    // between two blocks of 520: between 360 - 72 = 288 and 360 * 520 / 584 = 321 MB/s are left.
    let left = figure("cut") * 520.0 / 512.0;
    assert!((287.0..322.0).contains(&left), "{left} MB/s");
}
