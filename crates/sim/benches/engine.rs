//! How fast the simulator is, beside the fastest loop that could be: a heap and a fiber switch per event.
//!
//! `cargo bench -p tradewind-sim` prints one table. Every run checks its answer. Times are wall time of one host
//! thread; the rows of one round are measured right after one another, and medians over the rounds are printed, with
//! ratios taken within a round, because the host's speed drifts.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tempest::entry::Given;
use tempest::{Launch, Outcome, Shape, World};

const ROUNDS: usize = 7;
const NODES: u32 = 8;
const OPERATIONS: u32 = 20_000;
const WINDOW: u32 = 16;

/// `events` events through a heap that holds as many as the simulation has messages on their way, each resuming one of
/// `fibers` fibers: the bound.
fn bare_loop(fibers: usize, events: u64) -> Duration {
    let pool = fiber::Pool::new(64 * 1024);
    let mut fibers: Vec<_> = (0..fibers)
        .map(|_| {
            pool.spawn(|| {
                loop {
                    fiber::suspend();
                }
            })
            .expect("stacks for a few fibers")
        })
        .collect();
    let pending = u64::from(NODES * WINDOW);
    let mut heap: BinaryHeap<_> =
        (0..pending).map(|event| Reverse((event, event as usize % fibers.len()))).collect();
    let start = Instant::now();
    for _ in 0..events {
        let Reverse((at, index)) = heap.pop().expect("every event makes another");
        let _ = black_box(fibers[index].resume());
        // Not the same step for all, or the heap would be a queue.
        heap.push(Reverse((at + 100 + at * 7919 % 64, index)));
    }
    start.elapsed()
}

/// `fetch-add` on a modelled Hurricane-1: two messages for each operation.
fn simulate(policy: &str, processors: u32) -> (Outcome, Duration) {
    let text = include_str!("../../../machines/hurricane-1.toml");
    let machine =
        machine::Machine::parse("machines/hurricane-1.toml", text).expect("the shipped file is valid");
    let policy: tempest::Policy = policy.parse().expect("a policy of the table");
    let threads = policy.split(processors).expect("a processor is left to compute").computing;
    let launch = Launch {
        nodes: NODES,
        processors,
        ..Launch::new(fetch_add(Shape { nodes: NODES, threads }), policy)
    };
    let model = tradewind_sim::Model::new(machine);
    let start = Instant::now();
    let outcome = model.run(&launch).expect("the run ends well");
    let elapsed = start.elapsed();
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    (outcome, elapsed)
}

fn fetch_add(shape: Shape) -> tempest::Job {
    let mut given = Given::default();
    for (key, value) in [("operations", OPERATIONS * NODES), ("window", WINDOW), ("words", 512)] {
        given.values.insert(key.to_owned(), value.to_string());
    }
    let program = tempest::entry::find("fetch-add", apps::ALL).expect("the program is there");
    let instance = (program.load)(&given).expect("the inputs are good");
    instance
        .job(&tempest::entry::Plan::new(tempest::Mechanism::Messages, shape))
        .expect("the shape is possible")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn row(policy: &str, processors: u32) {
    let (mut rates, mut costs, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut events_per_message = 0.0;
    for _ in 0..ROUNDS {
        let (outcome, elapsed) = simulate(policy, processors);
        let (messages, events) = (outcome.counters.messages as f64, outcome.events.unwrap_or(0) as f64);
        let ours = elapsed.as_secs_f64();
        let bound = bare_loop((NODES * processors) as usize, events as u64).as_secs_f64();
        rates.push(messages / ours / 1e6);
        costs.push(ours / events * 1e9);
        bare.push(bound / events * 1e9);
        ratios.push(bound / ours);
        events_per_message = events / messages;
    }
    println!(
        "{policy:<12} {:>14.2} {:>15.2} {:>11.1} {:>11.1} {:>8.2}",
        median(rates),
        events_per_message,
        median(costs),
        median(bare),
        median(ratios)
    );
}

fn main() {
    println!(
        "fetch-add, {NODES} modelled nodes, {OPERATIONS} operations a node, window {WINDOW}, median of {ROUNDS} rounds, all answers checked"
    );
    println!("ratio: bare heap-and-fiber loop of as many events / the simulator, in the same round");
    println!(
        "{:<12} {:>14} {:>15} {:>11} {:>11} {:>8}",
        "policy", "M messages/s", "events/message", "ns/event", "bare ns", "ratio"
    );
    row("single", 1);
    row("fixed:1", 2);
    row("floating", 2);
    row("hurricane-1:2", 2);
}
