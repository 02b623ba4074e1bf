//! Closed loops of uniform traffic: each node keeps a window of messages on their way to nodes drawn at random.

use machine::Topology;
use units::Bytes;

use crate::driver::{Driver, mesh, network, ns, torus};

const NODES: u32 = 64;
const BYTES: u64 = 24;

/// The throughput of 64 nodes that keep `window` messages each on their way, as a share of the capacity of the
/// network's middle, with buffers of `buffer` bytes.
fn reached(topology: Topology, buffer: u64, window: u32) -> f64 {
    let rings = matches!(topology, Topology::Torus { .. });
    let mut network = network(topology);
    network.routers.as_mut().expect("it is routed").buffer = Bytes::new(buffer);
    let mut driver = Driver::new(&network, NODES);
    let choice = des::Choice::new(7);
    let mut drawn = 0;
    let mut next = |from: u32| {
        drawn += 1;
        (from + 1 + choice.tie(drawn) % (NODES - 1)) % NODES
    };
    for _ in 0..window {
        for from in 0..NODES {
            let to = next(from);
            driver.launch(ns(0), from, to, BYTES);
        }
    }
    // Half the messages fill the network, the other half are counted.
    let (warm, counted) = (12_000, 12_000);
    let (mut begin, mut end) = (ns(0), ns(0));
    for arrived in 0..warm + counted {
        let (at, from) = driver.next_arrival().expect("there are always messages on their way");
        if arrived == warm {
            begin = at;
        }
        end = at;
        let to = next(from);
        driver.launch(at, from, to, BYTES);
    }
    let took = (end - begin).as_nanoseconds();
    // Half of all messages cross the middle: 16 links of a byte per nanosecond in a mesh of 8 x 8, 32 in a torus.
    let across = counted as f64 * BYTES as f64 / 2.0 / took;
    across / if rings { 32.0 } else { 16.0 }
}

/// Asserts that more messages on their way never lower the throughput; returns the throughput of the largest window.
fn never_falls(topology: &Topology, buffer: u64) -> f64 {
    let at = [1, 4, 16, 64].map(|window| reached(topology.clone(), buffer, window));
    for (fewer, more) in at.iter().zip(&at[1..]) {
        assert!(more / fewer > 0.97, "{topology:?}, buffers of {buffer} B: {at:?}");
    }
    at[3]
}

#[test]
fn the_throughput_of_a_mesh_does_not_fall_with_load_and_rises_with_its_buffers() {
    let mesh = mesh(&[8, 8]);
    let [one, four, many] = [24, 96, 1024].map(|buffer| never_falls(&mesh, buffer));
    // One message at a time in each buffer: blocked messages leave links unused that others could have. Where all of
    // them have room, only messages in front of each other in a queue do.
    assert!(one > 0.58 && four > 1.15 * one && many > 1.25 * one && many < 1.0, "{one} {four} {many}");
}

#[test]
fn the_throughput_of_a_torus_does_not_fall_with_load_and_rises_with_its_buffers() {
    let torus = torus(&[8, 8]);
    let [one, four, many] = [24, 96, 1024].map(|buffer| never_falls(&torus, buffer));
    assert!(one > 0.4 && four > 1.2 * one && many > 1.5 * one && many < 1.0, "{one} {four} {many}");
}
