//! Host time per message and link, beside a bare loop over the same channels.
//! `cargo bench -p tradewind-hardware --bench network` prints nanoseconds per message and link.
//!
//! The bare loop does no more than must be done for a network without blocking: per link, find when it is free and take
//! it for the message's bytes.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::time::Instant;

use machine::{Routers, Topology};
use tradewind_bench::least;
use tradewind_hardware::{Event, Fabric, Network, Parcel};
use units::{Bandwidth, Bytes, Time};

#[path = "../tests/network/agenda.rs"]
mod agenda;
use agenda::Agenda;

const ROUNDS: usize = 5;
const MESSAGES: u32 = 200_000;
const BYTES: u64 = 24;
/// Messages inside at a time.
const WINDOW: u32 = 64;

fn main() {
    println!("nodes  links per message   fabric  bare loop");
    for nodes in [32, 256, 4096] {
        let fabric = least(ROUNDS, || fabric(nodes));
        let bare = least(ROUNDS, || bare(nodes));
        assert_eq!(fabric.1, bare.1, "both pass the same links");
        let (links, per_message) = (fabric.1, fabric.1 as f64 / f64::from(MESSAGES));
        let each = |seconds: f64| seconds * 1e9 / links as f64;
        println!("{nodes:5}  {per_message:17.1}  {:6.1} ns  {:6.1} ns", each(fabric.0), each(bare.0));
    }
}

/// A message's two nodes, spread over the machine; never the same.
fn pair(message: u32, nodes: u32) -> (u32, u32) {
    let from = message.wrapping_mul(2_654_435_761) % nodes;
    let to = (from + 1 + message.wrapping_mul(40_503) % (nodes - 1)) % nodes;
    (from, to)
}

/// Links between routers: the distances of the places along both sides.
fn links(nodes: u32) -> u64 {
    let width = side(nodes);
    let distance = |message| {
        let (from, to) = pair(message, nodes);
        u64::from((from % width).abs_diff(to % width) + (from / width).abs_diff(to / width))
    };
    (0..MESSAGES).map(distance).sum()
}

fn side(nodes: u32) -> u32 {
    if nodes == 32 { 8 } else { nodes.isqrt() }
}

fn fabric(nodes: u32) -> (f64, u64) {
    let routers = Routers {
        topology: Topology::Mesh { dimensions: 2, sides: None },
        link: Bandwidth::new(1_000_000_000).expect("above zero"),
        hop: Time::from_nanoseconds(10),
        buffer: Bytes::new(20),
        cross_traffic: None,
    };
    let network = machine::Network { latency: Time::from_nanoseconds(5), routers: Some(routers) };
    let Network::Routed(mut fabric) = Network::new(&network, Time::ZERO, nodes) else {
        unreachable!("it has routers")
    };
    let mut agenda = Agenda::new();
    let start = Instant::now();
    let mut sent = 0;
    while sent < WINDOW {
        launch(&mut fabric, &mut agenda, Time::ZERO, nodes, &mut sent);
    }
    let mut arrived = 0;
    while let Some((now, event)) = agenda.pop() {
        let knocks = fabric.step(now, event, |at, tie, event| agenda.push(at, tie, event));
        let Some(message) = knocks else { continue };
        let (_, to) = pair(message, nodes);
        fabric.accept(now, to, |at, tie, event| agenda.push(at, tie, event));
        arrived += 1;
        if sent < MESSAGES {
            launch(&mut fabric, &mut agenda, now, nodes, &mut sent);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(arrived, MESSAGES);
    (seconds, links(nodes))
}

fn launch(fabric: &mut Fabric, agenda: &mut Agenda<Event>, now: Time, nodes: u32, sent: &mut u32) {
    let (from, to) = pair(*sent, nodes);
    let parcel = Parcel { cargo: *sent, tie: 0, from, to, bytes: BYTES, passage: Time::ZERO };
    fabric.launch(now, parcel, |at, tie, event| agenda.push(at, tie, event));
    *sent += 1;
}

/// Each message in turn books its links, one after another.
fn bare(nodes: u32) -> (f64, u64) {
    let width = side(nodes);
    let mut free = vec![0_u64; 4 * nodes as usize];
    let mut passed = 0;
    let mut sum = 0_u64;
    let start = Instant::now();
    for message in 0..MESSAGES {
        let (from, to) = pair(message, nodes);
        let (mut place, mut at) = (from, u64::from(message) * 4_000_000);
        let goals = [to % width, to / width];
        for (dimension, goal) in goals.into_iter().enumerate() {
            let stride = if dimension == 0 { 1 } else { width };
            loop {
                let here = if dimension == 0 { place % width } else { place / width };
                if here == goal {
                    break;
                }
                let up = here < goal;
                let link = &mut free[(place as usize * 2 + dimension) * 2 + usize::from(up)];
                at = at.max(*link);
                *link = at + BYTES * 1_000_000;
                at += 10_000_000;
                place = if up { place + stride } else { place - stride };
                passed += 1;
            }
        }
        sum = sum.wrapping_add(at);
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_ne!(std::hint::black_box(sum), 0);
    (seconds, passed)
}
