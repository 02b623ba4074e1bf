//! Idle networks: 5 ns and 10 ns for each link between routers, whatever the message's length.

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
    let Network::Constant(constant) = Network::new(&network, 1 << 20) else { panic!("routed") };
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

/// Alewife: links of 45 MB/s, hops of 40 ns, 50 ns into and out of the network, cycles of 50 ns.
#[test]
fn a_cache_line_crosses_alewife_in_15_cycles() {
    let mut alewife = network(mesh(&[8, 4]));
    alewife.latency = ns(50);
    let routers = alewife.routers.as_mut().unwrap();
    (routers.link, routers.hop) = (Bandwidth::new(45_000_000).unwrap(), ns(40));
    // To the last byte, over the mean distance of 3.875 hops: 24 / 45 MB/s = 533.3 ns behind the first.
    let bytes = routers.link.transfer_time(units::Bytes::new(24));
    let to_neighbour = alone(&alewife, 32, 0, 1, 24) + bytes;
    let each_hop = alone(&alewife, 32, 0, 2, 24) + bytes - to_neighbour;
    let mean = to_neighbour.as_nanoseconds() + 2.875 * each_hop.as_nanoseconds();
    assert_eq!(each_hop, ns(40));
    // (533.3 + 155 + 50) / 50 = 14.8, of which 13.8 are bytes and hops.
    assert!((mean / 50.0 - 14.77).abs() < 0.01, "{} cycles", mean / 50.0);
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
