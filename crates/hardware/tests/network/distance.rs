//! Idle networks: 5 ns and 10 ns for each link between routers, for messages of any length.

use machine::Topology;
use tradewind_hardware::{Network, Parcel};
use units::{Bandwidth, Time};

use crate::driver::{Driver, alone, mesh, network, ns, torus};

#[test]
fn the_first_byte_pays_for_the_links_between_routers() {
    let tree = Topology::FatTree { arity: 4 };
    for (topology, nodes, from, to, links) in [
        (Topology::Crossbar, 8, 0, 7, 0),
        (mesh(&[8, 4]), 32, 0, 1, 1),
        (mesh(&[8, 4]), 32, 0, 31, 7 + 3),
        (mesh(&[8, 4]), 32, 31, 0, 7 + 3),
        (torus(&[8, 4]), 32, 0, 31, 1 + 1),
        (torus(&[4, 2, 2]), 16, 0, 15, 1 + 1 + 1),
        (torus(&[8]), 8, 1, 6, 3),
        (torus(&[8]), 8, 1, 5, 4),
        (Topology::Hypercube, 16, 0b0000, 0b1011, 3),
        (tree.clone(), 32, 0, 3, 0),
        (tree.clone(), 32, 0, 15, 2),
        (tree, 32, 0, 16, 4),
    ] {
        for bytes in [0, 1, 24, 1000] {
            let at = alone(&network(topology.clone()), nodes, from, to, bytes);
            assert_eq!(at, ns(5 + 10 * links), "{topology:?} from {from} to {to}, {bytes} B");
        }
    }
}

#[test]
fn a_constant_network_is_one_addition() {
    let network = machine::Network { latency: ns(7), routers: None };
    let Network::Constant(constant) = Network::new(&network, Time::ZERO, 1 << 20) else { panic!("routed") };
    assert_eq!(constant.arrival(ns(3)), ns(10));
}

#[test]
fn bytes_that_the_port_holds_back_occupy_what_they_pass_for_longer() {
    let mut driver = Driver::new(&network(mesh(&[2, 1])), 2);
    let parcel = |cargo| Parcel { cargo, tie: 0, from: 0, to: 1, bytes: 24, passage: ns(100) };
    driver.launch_parcel(ns(0), parcel(0));
    driver.launch_parcel(ns(0), parcel(1));
    driver.run();
    // The first byte passes as it would through a fast port; the next message leaves when the port is free.
    assert_eq!((driver.arrival(0), driver.arrival(1)), (ns(15), ns(115)));
}

#[test]
fn times_all_doubled_give_doubled_arrivals() {
    let at = |scale: u64| -> Vec<Time> {
        let mut network = network(mesh(&[4, 4]));
        network.latency = network.latency * scale;
        let routers = network.routers.as_mut().unwrap();
        routers.hop = routers.hop * scale;
        routers.link = Bandwidth::new(1_000_000_000 / scale).unwrap();
        let mut driver = Driver::new(&network, 16);
        for message in 0..200_u64 {
            let (from, to) = (message * 7 % 16, message * 11 % 16);
            if from != to {
                driver.launch(ns(3 * scale * message), from as u32, to as u32, 8 + message % 40);
            }
        }
        driver.run();
        driver.arrivals.iter().map(|arrival| arrival.at).collect()
    };
    let doubled: Vec<Time> = at(1).into_iter().map(|time| time * 2).collect();
    assert_eq!(at(2), doubled);
}

/// The arrival times of the first bytes of `count` messages of 20 bytes that one node sends another at once, where the
/// network has latency `latency`.
fn stream(topology: Topology, latency: Time, gap: Time, count: u64) -> Vec<Time> {
    let mut network = network(topology);
    network.latency = latency;
    let mut driver = Driver::with_gap(&network, gap, 4);
    (0..count).for_each(|_| {
        driver.launch(ns(0), 0, 1, 20);
    });
    driver.run();
    driver.arrivals.iter().map(|arrival| arrival.at).collect()
}

#[test]
fn latency_is_a_delay_and_occupies_no_port() {
    for topology in [Topology::Crossbar, mesh(&[4]), torus(&[4]), Topology::Hypercube] {
        let hop = if topology == Topology::Crossbar { 0 } else { 10 };
        for latency in [0, 5, 1000, 1_000_000] {
            // Each follows the one before after its 20 ns on the wire.
            let expected: Vec<Time> = (0..100).map(|message| ns(latency + hop + 20 * message)).collect();
            assert_eq!(stream(topology.clone(), ns(latency), Time::ZERO, 100), expected, "{topology:?}");
        }
    }
}

#[test]
fn a_hop_is_a_delay_and_occupies_no_link() {
    // Messages of 2 bytes on links of 10 ns.
    let mut driver = Driver::new(&network(mesh(&[8])), 8);
    let messages: Vec<u32> = (0..50).map(|_| driver.launch(ns(0), 0, 7, 2)).collect();
    driver.run();
    for (number, message) in messages.into_iter().enumerate() {
        assert_eq!(driver.arrival(message), ns(5 + 70 + 2 * number as u64));
    }
}

#[test]
fn a_gap_spaces_messages_that_are_shorter() {
    for topology in [Topology::Crossbar, mesh(&[4])] {
        for (gap, every) in [(15, 20), (20, 20), (35, 35)] {
            let at = stream(topology.clone(), ns(5), ns(gap), 10);
            assert!(at.windows(2).all(|two| two[1] - two[0] == ns(every)), "{gap} ns: {at:?}");
        }
    }
}

#[test]
fn ports_in_keep_the_gap_among_messages_of_several_nodes() {
    let mut driver = Driver::with_gap(&network(Topology::Crossbar), ns(50), 4);
    let messages: Vec<u32> = (0..3).map(|from| driver.launch(ns(0), from, 3, 20)).collect();
    driver.run();
    let at: Vec<Time> = messages.into_iter().map(|message| driver.arrival(message)).collect();
    assert_eq!(at, [ns(5), ns(55), ns(105)]);
}

#[test]
fn links_are_busy_for_the_bytes_and_ports_for_the_gap_where_that_is_longer() {
    let mut driver = Driver::with_gap(&network(mesh(&[4])), ns(35), 4);
    (0..10).for_each(|_| {
        driver.launch(ns(0), 0, 2, 20);
    });
    driver.run();
    let end = ns(1000);
    let links = driver.links_busy(end);
    assert_eq!(links, [("0→1".to_owned(), ns(200)), ("1→2".to_owned(), ns(200))]);
    assert_eq!((driver.ports_busy(0, end), driver.ports_busy(2, end)), ((ns(350), ns(0)), (ns(0), ns(350))));
    // The last of ten begins to leave at 315.
    assert_eq!(driver.ports_busy(0, ns(330)).0, ns(330));
    assert_eq!(
        driver.ports_busy(1, end),
        (ns(0), ns(0)),
        "what passes a node's router passes none of its ports"
    );
}

#[test]
fn a_message_that_stands_still_keeps_a_link_but_does_not_make_it_busy() {
    let mut driver = Driver::new(&network(mesh(&[4])), 4);
    driver.shut(1, ns(5000));
    driver.launch(ns(0), 0, 1, 100);
    driver.run();
    assert_eq!(driver.links_busy(ns(9000)), [("0→1".to_owned(), ns(100))]);
}
