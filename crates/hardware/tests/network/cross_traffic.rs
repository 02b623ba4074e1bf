//! Messages from outside on the rows of a mesh.

use machine::CrossTraffic;
use units::{Bandwidth, Bytes, Time};

use crate::driver::{Driver, mesh, network, ns};

/// A row of eight, and at each end a source of `rate` bytes per nanosecond, in messages of `bytes`.
fn row(rate: f64, bytes: u64, launch: u64) -> machine::Network {
    let mut network = network(mesh(&[8]));
    network.routers.as_mut().expect("it is routed").cross_traffic = Some(CrossTraffic {
        message: Bytes::new(bytes),
        rate: Bandwidth::new((rate * 1e9) as u64).expect("above zero"),
        launch: ns(launch),
    });
    network
}

/// The throughput, in bytes per nanosecond, of two nodes beside the middle that send as fast as they can in both
/// directions.
fn left_over(network: &machine::Network) -> f64 {
    const MESSAGES: u64 = 2000;
    const BYTES: u64 = 10;
    let mut driver = Driver::new(network, 8);
    driver.start();
    for _ in 0..MESSAGES {
        driver.launch(ns(0), 3, 4, BYTES);
        driver.launch(ns(0), 4, 3, BYTES);
    }
    driver.run();
    let last = driver.arrivals[driver.arrivals.len() - 1].at;
    (2 * MESSAGES * BYTES) as f64 / last.as_nanoseconds()
}

#[test]
fn what_crosses_from_outside_is_missing_inside() {
    // Of two links of 1 B/ns.
    assert!((left_over(&network(mesh(&[8]))) - 2.0).abs() < 0.01);
    for rate in [0.1, 0.25] {
        let left = left_over(&row(rate, 20, 0));
        assert!((left - (2.0 - 2.0 * rate)).abs() < 0.02, "{left} B/ns beside {rate}");
    }
}

#[test]
fn on_a_full_link_both_sides_get_their_turns() {
    // First come, first served: one message of 20 bytes from outside for each of 10 from inside, at most.
    let left = left_over(&row(1.0, 20, 0));
    assert!((left - 2.0 / 3.0).abs() < 0.02, "{left} B/ns");
}

#[test]
fn launching_takes_its_time_so_that_small_messages_cannot_load_a_row() {
    // A launch each 100 ns: 10 bytes are 0.1 B/ns, for any requested rate.
    let left = left_over(&row(1.0, 10, 100));
    assert!((left - (2.0 - 2.0 * 0.1)).abs() < 0.02, "{left} B/ns");
}

#[test]
fn long_messages_block_longer_at_the_same_rate() {
    let worst = |bytes| {
        let network = row(0.25, bytes, 0);
        let mut driver = Driver::new(&network, 8);
        driver.start();
        let count = 4000;
        for message in 0..count {
            driver.launch(ns(37 * message), 3, 4, 4);
        }
        driver.run();
        let wait = |cargo: u64| driver.arrival(cargo as u32) - ns(37 * cargo);
        (0..count).map(wait).max().unwrap()
    };
    let (short, long) = (worst(16), worst(256));
    // A message that finds the link just taken waits for all of the other's bytes.
    assert!(short <= ns(15 + 2 * 16), "{short}");
    assert!(long >= ns(200), "{long}");
}

#[test]
fn nodes_never_see_it_and_a_run_ends_without_it() {
    let mut driver = Driver::new(&row(0.5, 20, 0), 8);
    driver.start();
    let only = driver.launch(ns(1000), 0, 7, 10);
    driver.run();
    assert_eq!(driver.arrivals.len(), 1);
    assert!(driver.arrival(only) >= ns(1000 + 5 + 70));
}

#[test]
fn an_idle_row_is_not_slowed_by_what_another_carries() {
    let mut network = row(1.0, 64, 0);
    let routers = network.routers.as_mut().unwrap();
    routers.topology = mesh(&[4, 2]);
    let mut driver = Driver::new(&network, 8);
    driver.start();
    // Along the second dimension, on which nothing crosses.
    let up = driver.launch(ns(500), 1, 5, 10);
    driver.run();
    assert_eq!(driver.arrival(up), ns(500) + Time::from_nanoseconds(15));
}
