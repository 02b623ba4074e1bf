//! Promises for all traffic on all topologies.

use machine::Topology;
use proptest::prelude::*;
use units::Time;

use crate::driver::{Arrival, Driver, mesh, network, ns, torus};

const NODES: u32 = 16;

fn topologies() -> impl Strategy<Value = Topology> {
    prop_oneof![
        Just(Topology::Crossbar),
        Just(mesh(&[4, 4])),
        Just(mesh(&[4, 2, 2])),
        Just(torus(&[16])),
        Just(torus(&[4, 4])),
        Just(torus(&[5, 4])),
        Just(Topology::Hypercube),
        Just(Topology::FatTree { arity: 2 }),
        Just(Topology::FatTree { arity: 4 }),
    ]
}

/// Time, source, destination, bytes.
type Message = (u64, u32, u32, u64);

fn messages() -> impl Strategy<Value = Vec<Message>> {
    // Close together and long, so that nearly every one is blocked for a while.
    prop::collection::vec((0_u64..400, 0..NODES, 0..NODES, 0_u64..200), 1..150)
}

/// Runs all messages, with some nodes shut at first; returns the sent messages and the arrivals.
fn run(topology: &Topology, messages: &[Message], shut: &[(u32, u64)]) -> (Vec<Message>, Vec<Arrival>) {
    let mut driver = Driver::new(&network(topology.clone()), NODES);
    for &(node, until) in shut {
        driver.shut(node, ns(until));
    }
    let mut sent: Vec<Message> = messages.iter().copied().filter(|&(_, from, to, _)| from != to).collect();
    sent.sort_by_key(|&(at, ..)| at);
    for &(at, from, to, bytes) in &sent {
        driver.launch(ns(at), from, to, bytes);
    }
    driver.run();
    (sent, driver.arrivals)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn everything_arrives_and_nothing_twice(
        topology in topologies(),
        messages in messages(),
        shut in prop::collection::vec((0..NODES, 0_u64..3000), 0..4),
    ) {
        let (sent, arrivals) = run(&topology, &messages, &shut);
        let mut cargo: Vec<u32> = arrivals.iter().map(|arrival| arrival.cargo).collect();
        cargo.sort_unstable();
        prop_assert_eq!(cargo, (0..sent.len() as u32).collect::<Vec<_>>());
    }

    #[test]
    fn messages_of_one_pair_arrive_in_the_order_of_their_launch(topology in topologies(), messages in messages()) {
        let (sent, arrivals) = run(&topology, &messages, &[]);
        for (index, first) in arrivals.iter().enumerate() {
            for second in &arrivals[index + 1..] {
                let pair = |arrival: &Arrival| {
                    let (_, from, to, _) = sent[arrival.cargo as usize];
                    (from, to)
                };
                prop_assert!(pair(first) != pair(second) || first.cargo < second.cargo);
            }
        }
    }

    #[test]
    fn a_port_in_never_takes_more_than_it_can(topology in topologies(), messages in messages()) {
        let (sent, arrivals) = run(&topology, &messages, &[]);
        let mut free = vec![Time::ZERO; NODES as usize];
        for arrival in arrivals {
            let (_, _, to, bytes) = sent[arrival.cargo as usize];
            prop_assert!(free[to as usize] <= arrival.at);
            free[to as usize] = arrival.at + ns(bytes);
        }
    }

    #[test]
    fn the_same_traffic_arrives_at_the_same_times(topology in topologies(), messages in messages()) {
        prop_assert_eq!(run(&topology, &messages, &[]), run(&topology, &messages, &[]));
    }
}

#[test]
fn a_network_of_65_536_nodes_is_small() {
    // 4 links and 2 ports of 40 bytes for each node of a mesh, and 8 bytes beside them.
    let mut driver = Driver::new(&network(Topology::Mesh { dimensions: 2, sides: None }), 1 << 16);
    // From corner to corner of 256 x 256.
    let far = driver.launch(ns(0), 0, (1 << 16) - 1, 24);
    driver.run();
    assert_eq!(driver.arrival(far), ns(5 + 10 * 510));
}
