//! Networks under load: their greatest throughput, and the growth of waiting on the way there.

use units::{Bandwidth, Bytes, Time};

use crate::driver::{Driver, mesh, network, ns, torus};

/// Bytes per second that cross, when each pair sends `count` messages of `bytes` one after another.
fn rate(network: &machine::Network, nodes: u32, pairs: &[(u32, u32)], count: u64, bytes: u64) -> f64 {
    let mut driver = Driver::new(network, nodes);
    for _ in 0..count {
        for &(from, to) in pairs {
            driver.launch(ns(0), from, to, bytes);
        }
    }
    driver.run();
    // From the first arrival to the last, for then all ways are full; the last message is not counted.
    let first = driver.arrivals[0].at;
    let last = driver.arrivals[driver.arrivals.len() - 1].at;
    (count - 1) as f64 * pairs.len() as f64 * bytes as f64 / (last - first).as_seconds()
}

#[test]
fn the_middle_of_alewife_carries_18_bytes_a_cycle() {
    let mut alewife = network(mesh(&[8, 4]));
    alewife.routers.as_mut().unwrap().link = Bandwidth::new(45_000_000).unwrap();
    // Each node beside the cut sends to its neighbour across it: 8 directed links of 45 MB/s.
    let pairs: Vec<(u32, u32)> =
        (0..4).flat_map(|row| [(row * 8 + 3, row * 8 + 4), (row * 8 + 4, row * 8 + 3)]).collect();
    let rate = rate(&alewife, 32, &pairs, 100, 24);
    // 360 MB/s, at 20 MHz; a femtosecond is lost where a time is rounded up.
    assert!((rate / 20e6 - 18.0).abs() < 1e-6, "{} B/cycle", rate / 20e6);
}

#[test]
fn all_nodes_sending_across_the_middle_do_no_better() {
    let pairs: Vec<(u32, u32)> = (0..32).map(|node| (node, node / 8 * 8 + (node + 4) % 8)).collect();
    let rate = rate(&network(mesh(&[8, 4])), 32, &pairs, 100, 24);
    // Eight links of 1 GB/s; wormholes block each other, but only the links of the cut are needed by all.
    assert!((7.5e9..=8e9).contains(&rate), "{rate} B/s");
}

#[test]
fn closing_a_row_to_a_ring_lets_up_to_twice_as_much_cross() {
    // Every node sends half way round: on the ring by either of two cuts, less the share that blocked messages keep
    // from others.
    let pairs: Vec<(u32, u32)> = (0..8).map(|node| (node, (node + 4) % 8)).collect();
    let row = rate(&network(mesh(&[8])), 8, &pairs, 100, 20);
    let ring = rate(&network(torus(&[8])), 8, &pairs, 100, 20);
    assert!((1.5..=2.0).contains(&(ring / row)), "{ring} and {row} B/s");
}

/// The mean time to the first byte's arrival in a mesh of 8 x 8, where each node sends 24 bytes to nodes all over at
/// `percent` per cent of the capacity of the middle.
fn mean_latency(percent: u64) -> f64 {
    const BYTES: u64 = 24;
    const MESSAGES: u64 = 400;
    let mut driver = Driver::new(&network(mesh(&[8, 8])), 64);
    // The middle carries 16 B/ns in all, and half of the traffic of 64 nodes crosses it: at most 0.5 B/ns from each.
    let period = Time::from_femtoseconds(BYTES * 2_000_000 * 100 / percent);
    let choice = des::Choice::new(1);
    let mut launched = Vec::new();
    for message in 0..MESSAGES {
        for from in 0..64_u32 {
            let draw = choice.tie(message as u32 * 64 + from);
            let to = draw % 64;
            // Anywhere in its period, so that nodes do not march in step.
            let at = period * message
                + Time::from_femtoseconds(period.as_femtoseconds() / 1024 * u64::from(draw >> 22));
            if to != from {
                driver.launch(at, from, to, BYTES);
                launched.push(at);
            }
        }
    }
    driver.run();
    let waits = driver
        .arrivals
        .iter()
        .map(|arrival| (arrival.at - launched[arrival.cargo as usize]).as_nanoseconds());
    waits.sum::<f64>() / launched.len() as f64
}

#[test]
fn waiting_grows_faster_than_the_load() {
    // On an idle mesh 5 + 10 * 5.25 = 57.5 ns, or 58.3 without nodes' messages to themselves.
    let latencies: Vec<f64> = [1, 10, 20, 30, 40, 50].map(mean_latency).into();
    assert!((58.0..60.0).contains(&latencies[0]), "{latencies:?}");
    let growth: Vec<f64> = latencies.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(growth.windows(2).all(|two| two[1] > two[0]), "{latencies:?}");
    assert!(latencies[5] > 1.5 * latencies[0], "{latencies:?}");
}

#[test]
fn a_byte_is_carried_by_each_link_once() {
    // A row of four, 1000 messages of 10 bytes from end to end: one after another at a byte per nanosecond.
    let network = network(mesh(&[4]));
    let carried = rate(&network, 4, &[(0, 3)], 1000, 10);
    let link = network.routers.unwrap().link;
    assert_eq!(link.transfer_time(Bytes::new(9990)), ns(9990));
    assert!((carried - 1e9).abs() < 1.0, "{carried} B/s");
}
