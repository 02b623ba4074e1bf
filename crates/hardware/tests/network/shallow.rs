//! Buffers that hold less than a link carries in the round trip of a credit: such a buffer limits the link to as many messages in a
//! round trip as fit into it.

use machine::Topology;
use units::{Bytes, Time};

use crate::driver::{Driver, alone, mesh, network, ns, torus};

/// The round trip of a credit: two hops.
const ROUND_TRIP: u64 = 400;

/// A network whose links carry 400 B during the round trip of a credit, into buffers of `buffer` bytes.
fn with_buffer(topology: Topology, buffer: u64) -> machine::Network {
    let mut network = network(topology);
    let routers = network.routers.as_mut().expect("it is routed");
    (routers.hop, routers.buffer) = (ns(ROUND_TRIP / 2), Bytes::new(buffer));
    network
}

/// The nanoseconds from one message of `bytes` to the next, of many that node 0 sends over one link or several, `k` in each round trip.
fn interval(network: &machine::Network, to: u32, bytes: u64, k: u64) -> f64 {
    let mut driver = Driver::new(network, 16);
    (0..400).for_each(|_| {
        driver.launch(ns(0), 0, to, bytes);
    });
    driver.run();
    let at: Vec<Time> = driver.arrivals.iter().map(|arrival| arrival.at).collect();
    assert_eq!(at.len(), 400);
    let whole = (300 / k * k) as usize;
    (at[80 + whole] - at[80]).as_nanoseconds() / whole as f64
}

#[test]
fn a_buffer_of_k_messages_limits_a_link_to_k_messages_in_a_round_trip() {
    for topology in [mesh(&[4, 4]), torus(&[4, 4]), Topology::Hypercube] {
        for to in [1, 2, 3, 15] {
            for bytes in [8, 20, 40] {
                for k in 1..=ROUND_TRIP / bytes + 2 {
                    let each = interval(&with_buffer(topology.clone(), k * bytes), to, bytes, k);
                    let expected = (ROUND_TRIP as f64 / k as f64).max(bytes as f64);
                    assert!(
                        (each / expected - 1.0).abs() < 0.01,
                        "{topology:?} to {to}, {k} of {bytes} B: {each} ns"
                    );
                }
            }
        }
    }
}

#[test]
fn a_message_longer_than_a_shallow_buffer_passes_at_a_buffer_in_a_round_trip() {
    for to in [1, 3, 15] {
        for (buffer, bytes) in [(40, 41), (40, 100), (100, 350), (24, 2000)] {
            let network = with_buffer(mesh(&[4, 4]), buffer);
            let expected = (ROUND_TRIP * bytes) as f64 / buffer as f64;
            let each = interval(&network, to, bytes, 1);
            assert!((each / expected - 1.0).abs() < 0.01, "{bytes} B in {buffer} B to {to}: {each} ns");
        }
    }
}

#[test]
fn a_message_alone_that_fits_into_its_buffers_does_not_notice_how_deep_they_are() {
    let [shallow, deep] = [40, 400].map(|buffer| alone(&with_buffer(mesh(&[4, 4]), buffer), 16, 0, 15, 40));
    assert_eq!(shallow, deep);
}

/// Uniform traffic through shallow buffers: all arrives, more of it with more room, and a run repeats itself.
#[test]
fn shallow_buffers_lose_nothing_and_carry_more_the_deeper_they_are() {
    for topology in [mesh(&[4, 4]), torus(&[4, 4]), Topology::Hypercube, Topology::FatTree { arity: 4 }] {
        let run = |buffer| {
            let mut driver = Driver::new(&with_buffer(topology.clone(), buffer), 16);
            let choice = des::Choice::new(5);
            for message in 0..3000 {
                let (from, ahead, bytes) = (
                    choice.tie(3 * message) % 16,
                    choice.tie(3 * message + 1) % 15,
                    choice.tie(3 * message + 2) % 90,
                );
                driver.launch(ns(0), from, (from + 1 + ahead) % 16, u64::from(bytes));
            }
            driver.run();
            driver.arrivals
        };
        let ends = [30, 100, 300].map(|buffer| {
            let arrivals = run(buffer);
            assert_eq!(arrivals, run(buffer), "{topology:?}, {buffer} B");
            assert_eq!(arrivals.len(), 3000, "{topology:?}, {buffer} B");
            arrivals[2999].at
        });
        assert!(ends.is_sorted_by(|less, more| less > more), "{topology:?}: {ends:?}");
    }
}
