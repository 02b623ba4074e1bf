//! The program `dispatch` on machines for which queueing theory, or the code of its handlers, predicts the result.
//!
//! The machine is `ideal`, on which communication costs nothing and an access takes a cycle of 1 ns.

use std::collections::BTreeMap;

use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_sim::Model;

use crate::setup::{figures, job, machine};

type Pairs<'s> = &'s [(&'s str, &'s str)];

/// The nodes, of which the first serves, and its processors, of which all but one run handlers.
const NODES: u32 = 13;
const PROCESSORS: u32 = 5;

/// The mean length of a handler in operations, each of a nanosecond. Its two accesses take two more.
const LENGTH: f64 = 1000.0;
const SERVICE: f64 = LENGTH + 2.0;

fn run(set: Pairs<'_>, policy: &str, inputs: Pairs<'_>) -> Outcome {
    run_on(NODES, set, policy, inputs)
}

fn run_on(nodes: u32, set: Pairs<'_>, policy: &str, inputs: Pairs<'_>) -> Outcome {
    let policy: tempest::Policy = policy.parse().expect("a policy");
    let threads = policy.split(PROCESSORS).expect("processors that compute").computing;
    let job = job("dispatch", Mechanism::Messages, Shape { nodes, threads }, inputs);
    let launch = Launch { nodes, processors: PROCESSORS, ..Launch::new(job, policy) };
    Model::new(machine("ideal", set)).run(&launch).expect("it runs")
}

fn found(set: Pairs<'_>, policy: &str, inputs: Pairs<'_>) -> BTreeMap<&'static str, f64> {
    let outcome = run(set, policy, inputs);
    assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
    figures(&outcome)
}

/// The mean wait in a queue of Poisson arrivals for `servers` servers with exponential times (A. K. Erlang's formula C).
fn erlang(load: f64, servers: u32, service: f64) -> f64 {
    let terms = (0..servers).scan(1.0, |term, number| {
        let now = *term;
        *term *= load / f64::from(number + 1);
        Some(now)
    });
    let all: f64 = terms.sum();
    let factorial: f64 = (1..=servers).map(f64::from).product();
    let free = f64::from(servers) - load;
    let last = load.powi(servers as i32) / factorial * f64::from(servers) / free;
    last / (all + last) * service / free
}

#[test]
fn the_formula_of_one_server_is_that_of_the_textbook() {
    assert!((erlang(0.8, 1, 1.0) - 4.0).abs() < 1e-12);
    // Two servers at half load: C = 1/3.
    assert!((erlang(1.0, 2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
}

/// The wait of 150,000 messages of very many keys, whose handlers have exponential lengths.
fn wait(policy: &str, load: &str) -> f64 {
    let inputs = [
        ("keys", "65536"),
        ("length", "1000"),
        ("spread", "exponential"),
        ("load", load),
        ("messages", "150000"),
    ];
    found(&[], policy, &inputs)["wait"]
}

/// Five standard errors of 150,000 waits at the higher load are about 10 %, three about 6 %.
#[test]
fn one_queue_and_a_queue_for_each_server_wait_as_theory_says() {
    for (load, number) in [("2", 2.0), ("2.8", 2.8)] {
        // The accesses are work besides the load that was asked for.
        let load_of_all = number * SERVICE / LENGTH;
        let (one, each) = (wait("fixed:4+keyed", load), wait("partitioned:4", load));
        let theory = (erlang(load_of_all, 4, SERVICE), erlang(load_of_all / 4.0, 1, SERVICE));
        assert!(
            (one / theory.0 - 1.0).abs() < 0.06,
            "load {load}: {one} in one queue, {} by theory",
            theory.0
        );
        assert!(
            (each / theory.1 - 1.0).abs() < 0.06,
            "load {load}: {each} in four queues, {} by theory",
            theory.1
        );
    }
}

#[test]
fn messages_of_one_key_wait_as_for_one_server() {
    let inputs =
        [("keys", "1"), ("length", "1000"), ("load", "0.7"), ("messages", "60000"), ("arrivals", "poisson")];
    let found = found(&[], "fixed:4+keyed", &inputs);
    // M/D/1: half the wait of exponential times.
    let theory = erlang(0.7 * SERVICE / LENGTH, 1, SERVICE) / 2.0;
    assert!((found["wait"] / theory - 1.0).abs() < 0.06, "{} and {theory}", found["wait"]);
    assert_eq!(found["parallel"], 1.0);
}

/// The nanoseconds for which a message keeps a processor busy, and its accesses.
fn alone(synchronization: &str) -> (f64, f64) {
    let inputs = [
        ("synchronization", synchronization),
        ("keys", "65536"),
        ("length", "100"),
        ("messages", "200"),
        ("load", "0.001"),
    ];
    let found = found(&[], "fixed:4+keyed", &inputs);
    (found["busy"] / found["rate"] * 1e3, found["accesses"])
}

#[test]
fn a_lock_takes_the_accesses_that_its_code_has() {
    let close = |found: (f64, f64), time: f64, accesses: f64| {
        assert!((found.0 - time).abs() < 1e-6 && found.1 == accesses, "{found:?}");
    };
    close(alone("keyed"), 102.0, 2.0);
    // One access sets the lock and one frees it.
    close(alone("lock"), 104.0, 4.0);
    close(alone("thread"), 104.0, 4.0);
    close(alone("none"), 102.0, 2.0);
}

#[test]
fn four_messages_of_three_keys_run_three_at_once() {
    let inputs =
        [("keys", "3"), ("draw", "turn"), ("messages", "4"), ("arrivals", "bursts:4"), ("length", "500")];
    let found = figures(&run_on(2, &[], "fixed:4+keyed", &inputs));
    assert_eq!((found["parallel"], found["overlaps"]), (3.0, 0.0));
}

const SYNCHRONIZATIONS: [&str; 3] = ["keyed", "lock", "thread"];

#[test]
fn whatever_keeps_them_apart_messages_of_a_key_are_apart_and_sequential_ones_alone() {
    for policy in ["fixed:4+keyed", "partitioned:3", "floating+keyed", "hurricane-1:2", "single"] {
        for synchronization in SYNCHRONIZATIONS {
            for arrivals in ["poisson", "bursts:5", "closed"] {
                let inputs = [
                    ("synchronization", synchronization),
                    ("keys", "3"),
                    ("skew", "1"),
                    ("sequential", "10"),
                    ("nosync", "20"),
                    ("arrivals", arrivals),
                    ("messages", "300"),
                    ("length", "100"),
                ];
                let outcome = run(&[], policy, &inputs);
                assert!(outcome.report.verified(), "{policy} {inputs:?}: {:?}", outcome.report.failures);
                assert_eq!(outcome, run(&[], policy, &inputs), "{policy} {inputs:?} twice");
            }
        }
    }
}

#[test]
fn without_exclusion_messages_of_a_key_are_found_to_overlap() {
    let inputs = [("synchronization", "none"), ("keys", "2"), ("load", "3"), ("messages", "500")];
    assert!(found(&[], "fixed:4+keyed", &inputs)["overlaps"] > 50.0);
}

#[test]
fn a_lock_under_contention_wastes_processors_and_a_queue_of_keys_none() {
    let inputs = |synchronization| {
        [
            ("synchronization", synchronization),
            ("keys", "8"),
            ("arrivals", "closed"),
            ("window", "50"),
            ("messages", "5000"),
        ]
    };
    let [keyed, lock] = ["keyed", "lock"].map(|each| found(&[], "fixed:4+keyed", &inputs(each)));
    assert!(keyed["wasted"].abs() < 1e-9 && lock["wasted"] > 0.1, "{} {}", keyed["wasted"], lock["wasted"]);
    assert!(lock["rate"] < 0.9 * keyed["rate"], "{} {}", lock["rate"], keyed["rate"]);
}

/// A crossbar between a fast sender and a slow server, whose queue has room for four.
const NARROW: Pairs<'static> = &[
    ("network.topology", "crossbar"),
    ("network.link", "1 GB/s"),
    ("network.buffer", "64 B"),
    ("interface.bandwidth", "1 GB/s"),
    ("interface.send_queue", "2"),
    ("queue.capacity", "4"),
    ("queue.window", "4"),
];

#[test]
fn a_full_queue_spills_or_backs_the_network_up() {
    let inputs = [("arrivals", "bursts:250"), ("length", "1000"), ("messages", "600"), ("load", "1000")];
    let sending = |backs_up| {
        let set = [NARROW, &[("queue.backs_up", backs_up)]].concat();
        found(&set, "hurricane-1:1", &inputs)["sending"]
    };
    let (spills, backs_up) = (sending("false"), sending("true"));
    // A port of 1 GB/s takes 24 ns for a message, and the server 1002 ns.
    assert!(spills < 600.0 * 0.03, "{spills} us");
    assert!((500.0..625.0).contains(&backs_up), "{backs_up} us");
}
