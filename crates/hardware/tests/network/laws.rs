//! Laws of any network: the throughput of a port, and the length of the queue before it.

use machine::Topology;
use units::{Bytes, Time};

use crate::driver::{Driver, mesh, network, ns, torus};

fn all() -> [Topology; 5] {
    [Topology::Crossbar, mesh(&[4, 4]), torus(&[4, 4]), Topology::Hypercube, Topology::FatTree { arity: 4 }]
}

#[test]
fn many_senders_to_one_keep_its_port_busy_to_the_byte() {
    for topology in all() {
        for buffer in [24, 1024] {
            let mut network = network(topology.clone());
            network.routers.as_mut().expect("it is routed").buffer = Bytes::new(buffer);
            let mut driver = Driver::new(&network, 16);
            for _ in 0..200 {
                (0..8).for_each(|from| {
                    driver.launch(ns(0), from, 15, 24);
                });
            }
            driver.run();
            let at: Vec<Time> = driver.arrivals.iter().map(|arrival| arrival.at).collect();
            // 1600 messages of 24 bytes: from the first to come, each follows at once.
            let idle = at.windows(2).filter(|two| two[1] - two[0] > ns(24)).count();
            assert_eq!(at.len(), 1600);
            assert_eq!(at[1599] - at[0], ns(24 * 1599), "{topology:?}, {buffer} B: {idle} pauses");
        }
    }
}

#[test]
fn who_has_waited_longest_goes_first_so_that_senders_share_a_port() {
    let mut driver = Driver::new(&network(Topology::Crossbar), 16);
    for _ in 0..100 {
        (0..8).for_each(|from| {
            driver.launch(ns(0), from, 15, 24);
        });
    }
    driver.run();
    for (round, arrivals) in driver.arrivals.chunks(8).enumerate() {
        let mut from: Vec<u32> = arrivals.iter().map(|arrival| arrival.cargo % 8).collect();
        from.sort_unstable();
        assert_eq!(from, (0..8).collect::<Vec<_>>(), "round {round}");
    }
}

/// The mean wait for a port in of a crossbar, in times of service, where messages of one length come to it by chance
/// from 200 nodes, and keep it busy for `percent` per cent of the time.
fn mean_wait(percent: u64) -> f64 {
    const BYTES: u64 = 24;
    const MESSAGES: u32 = 400_000;
    let mut network = network(Topology::Crossbar);
    network.routers.as_mut().expect("it is routed").buffer = Bytes::new(1024);
    let mut driver = Driver::new(&network, 201);
    let choice = des::Choice::new(11);
    let mut at = 0.0;
    let mut launched = Vec::new();
    for message in 0..MESSAGES {
        let draw = (f64::from(choice.tie(2 * message)) + 1.0) / (f64::from(u32::MAX) + 2.0);
        at -= draw.ln() * (BYTES * 100) as f64 / percent as f64;
        let time = Time::from_femtoseconds((at * 1e6) as u64);
        driver.launch(time, choice.tie(2 * message + 1) % 200, 200, BYTES);
        launched.push(time);
    }
    driver.run();
    let waits = driver.arrivals.iter().map(|arrival| arrival.at - launched[arrival.cargo as usize] - ns(5));
    waits.map(Time::as_nanoseconds).sum::<f64>() / f64::from(MESSAGES) / BYTES as f64
}

#[test]
fn a_port_is_a_server_with_a_queue_of_the_length_that_theory_says() {
    for (percent, within) in [(50, 0.02), (80, 0.03), (95, 0.1)] {
        let load = percent as f64 / 100.0;
        // Arrivals by chance, one time of service for all, one server.
        let expected = load / (2.0 * (1.0 - load));
        let found = mean_wait(percent);
        assert!((found / expected - 1.0).abs() < within, "{percent} %: {found}, expected {expected}");
    }
}
