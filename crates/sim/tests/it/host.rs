//! Parts of a machine that is a host: what its processors pay that no device does for them, as `message-costs` measures it.

use std::collections::BTreeMap;

use sim::Model;
use tempest::{Launch, Mechanism, Shape, World};

use crate::setup::{figures, job, machine};

/// The ideal machine, but with these prices, in nanoseconds.
const PRICES: [(&str, &str); 11] = [
    ("processor.poll", "4 ns"),
    ("processor.find", "8 ns"),
    ("processor.hold", "5 ns"),
    ("processor.wake", "40 ns"),
    ("primitives.send_header", "20 ns"),
    ("primitives.send_word", "2 ns"),
    ("primitives.extract", "25 ns"),
    ("primitives.receive_word", "1 ns"),
    ("primitives.dispatch", "5 ns"),
    ("interface.loopback", "80 ns"),
    ("network.latency", "100 ns"),
];

fn run(program: &str, policy: &str, (nodes, processors): (u32, u32)) -> BTreeMap<&'static str, f64> {
    let can = ("can", "poll, dedicated-processors, sender-injects, transfer, deposit");
    let host = machine("ideal", &[&PRICES[..], &[can]].concat());
    let policy: tempest::Policy = policy.parse().expect("a policy");
    let computing = policy.split(processors).expect("enough processors").computing;
    let job = job(program, Mechanism::Messages, Shape { nodes, threads: computing }, &[("rounds", "8")]);
    let launch = Launch { nodes, processors, ..Launch::new(job, policy) };
    let outcome = Model::new(host).run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
    figures(&outcome)
}

/// A send, a look that finds, and a receive of 25 + 5, there and back; a word out and in.
const LONE: f64 = 2.0 * (20.0 + 8.0 + 30.0) + 2.0 + 1.0;

/// Between polls the thread looks for 3 ns and polls for 4: a message is noticed so much later at most, and looked for once more.
const LOOP: f64 = 7.0;

#[test]
fn a_price_is_what_measuring_it_finds() {
    let figures = run("message-costs", "single", (2, 1));
    let of = |name: &str| figures[name];
    assert_eq!((of("poll"), of("hold"), of("send"), of("send.long")), (4.0, 5.0, 20.0, 20.0 + 12.0 * 2.0));
    // One look finds all 32.
    let receive = of("receive");
    assert!((30.0..30.0 + (8.0 + 2.0 * LOOP) / 32.0).contains(&receive), "{receive}");
    assert_eq!(of("receive.long") - receive, 12.0);
    let polling = of("polling") - LONE - 2.0 * 100.0;
    assert!((0.0..2.0 * LOOP).contains(&polling), "{polling}");
    assert_eq!(of("waiting"), LONE + 2.0 * 100.0 + 40.0);
}

#[test]
fn a_sender_that_injects_itself_leaves_the_protocol_processor_the_handlers() {
    let figures = run("message-costs", "fixed:1", (1, 2));
    let of = |name: &str| figures[name];
    // Handing the message over would take the stores of its words, and the other processor would pay for the send.
    assert_eq!(of("send"), 20.0);
    // The request is on its way to another processor; its reply is at hand there.
    assert_eq!(of("waiting"), LONE + 80.0 + 40.0);
    // Where another processor hands keys out, getting one is an event.
    assert_eq!(of("hold"), 5.0);
}
