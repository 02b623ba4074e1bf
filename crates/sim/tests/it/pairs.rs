//! Queue pairs under whole programs: messages leave a pair in order at the rate of the pair, and pairs are apart from processors and
//! from endpoints.

use machine::Machine;
use tempest::world::{Launch, World};
use tempest::{Event, FinalState, Handler, Job, NodeId, Policy, Protocol, Report, Setup, Thread, handlers};
use tradewind_sim::Model;
use units::Time;

use crate::setup::{machine, unlocked, without_shared_memory};

/// The messages of all threads of the sender together.
const MESSAGES: u64 = 240;

/// The least time between two messages of a pair: longer than all else that a message costs.
const GAP: Time = Time::from_microseconds(40);

/// The threads of node 0 send to node 1: messages under many keys, or messages of one key for each thread.
struct Burst {
    received: Event,
    keys: u64,
}

impl Protocol for Burst {
    type Config = u64;
    fn install(keys: &u64, _: &mut Setup<'_>) -> Self {
        Self { received: Event::new("messages"), keys: *keys }
    }
}

#[handlers]
impl Burst {
    #[message(key = key)]
    fn take(&self, key: u64, cx: &mut Handler<'_>) {
        let _ = key;
        cx.signal(&self.received, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let each = MESSAGES / u64::from(thread.threads());
        match (thread.node().0, thread.index()) {
            (0, index) => {
                let key = |message| u64::from(index) * 1000 + message % self.keys;
                (0..each).for_each(|message| thread.send(NodeId(1), Self::take(key(message))));
            }
            (1, 0) => thread.wait(&self.received, MESSAGES),
            _ => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

/// The time of the messages of nodes of `processors` processors, as a multiple of the least time of these messages through one
/// pair.
fn time(machine: &Machine, policy: &str, processors: u32, keys: u64) -> f64 {
    let policy: Policy = policy.parse().expect("a policy");
    let launch = Launch { nodes: 2, processors, ..Launch::new(Job::new::<Burst>(keys), policy) };
    let outcome = Model::new(machine.clone()).run(&launch).expect("it runs");
    outcome.time.as_seconds() / (GAP * (MESSAGES - 1)).as_seconds()
}

/// A Hurricane-1 whose nodes have `count` queue pairs that keep order in a way.
fn with_pairs(count: &str, order: &str) -> Machine {
    let order = format!("\"{order}\"");
    machine(
        "hurricane-1",
        &[("queue_pairs.count", count), ("queue_pairs.gap", "40 us"), ("queue_pairs.order", &order)],
    )
}

fn expect(found: f64, expected: f64) {
    assert!(
        (expected..expected * 1.1 + 0.02).contains(&found),
        "{found}, expected {expected} or hardly more"
    );
}

#[test]
fn messages_leave_a_pair_at_its_rate_whatever_their_keys_and_their_senders() {
    for (policy, processors) in [("single", 1), ("floating", 4), ("fixed:2", 6)] {
        for order in ["pair", "wait"] {
            let machine = with_pairs("1", order);
            for keys in [1, 60] {
                expect(time(&machine, policy, processors, keys), 1.0);
            }
        }
    }
}

#[test]
fn pairs_work_side_by_side_for_many_streams_or_for_many_processors() {
    // The keys of a thread are spread over the pairs, and the fullest pair decides.
    let spread = time(&with_pairs("4", "pair"), "single", 1, 240);
    assert!((0.25..0.36).contains(&spread), "{spread}");
    expect(time(&with_pairs("4", "pair"), "single", 1, 1), 1.0);
    // A processor has one pair, and each of four processors sends a quarter.
    expect(time(&with_pairs("4", "wait"), "single", 1, 240), 1.0);
    let quarter = (MESSAGES / 4 - 1) as f64 / (MESSAGES - 1) as f64;
    expect(time(&with_pairs("4", "wait"), "floating", 4, 1), quarter);
    // The number of pairs is apart from that of processors.
    expect(time(&with_pairs("2", "wait"), "floating", 4, 1), quarter * 2.0);
}

#[test]
fn every_promise_holds_through_queue_pairs() {
    let pairs = [("queue_pairs.count", "3"), ("queue_pairs.gap", "3 us")];
    let endpoints = ("interface.endpoints", "\"processor\"");
    for order in [("queue_pairs.order", "\"pair\""), ("queue_pairs.order", "\"wait\"")] {
        let set = [&pairs[..], &[order]].concat();
        let locked = [&set[..], &[("queue_pairs.lock", "0.2 us")]].concat();
        let plain = Model::new(machine("hurricane-1", &[&set[..], &[endpoints]].concat()));
        conformance::run(&without_shared_memory(), &plain, &["floating", "fixed:2"], 3, 4);
        let network = Model::new(unlocked(&[&locked[..], &[("network_processor.count", "2")]].concat()));
        conformance::run(&without_shared_memory(), &network, &["np", "inject"], 3, 3);
    }
}
