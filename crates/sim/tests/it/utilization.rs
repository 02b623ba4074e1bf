//! Utilization of the parts of a machine in whole runs, and the states reported for processors without work.

use tempest::outcome::{Outcome, Resource, Utilization};
use tempest::world::{Launch, World};
use tempest::{Event, FinalState, Handler, Job, NodeId, Protocol, Report, Setup, Thread, handlers};
use trace::{Recorder, Sample};
use tradewind_sim::Model;
use units::Time;

use crate::setup::machine;

const MESSAGES: u64 = 500;
const POLLS: u64 = 40;

/// Node 1 sends to node 2, whose first thread waits for all messages; node 3 polls in vain; all other threads return at once.
struct Stream {
    received: Event,
}

impl Protocol for Stream {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { received: Event::new("messages") }
    }
}

#[handlers]
impl Stream {
    #[message]
    fn take(&self, words: [u64; 8], cx: &mut Handler<'_>) {
        cx.signal(&self.received, words[0]);
    }

    fn main(&self, thread: &Thread<'_>) {
        match (thread.node().0, thread.index()) {
            (1, 0) => (0..MESSAGES).for_each(|_| thread.send(NodeId(2), Self::take([1; 8]))),
            (2, 0) => thread.wait(&self.received, MESSAGES),
            (3, 0) => (0..POLLS).for_each(|_| thread.poll()),
            _ => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

fn stream(policy: &str, processors: u32, set: &[(&str, &str)]) -> Outcome {
    traced(None, policy, processors, set)
}

fn traced(trace: Option<Recorder>, policy: &str, processors: u32, set: &[(&str, &str)]) -> Outcome {
    let policy = policy.parse().expect("a policy");
    let launch = Launch { nodes: 4, processors, trace, ..Launch::new(Job::new::<Stream>(()), policy) };
    Model::new(machine("hurricane-1", set)).run(&launch).expect("it runs")
}

/// A ring whose links are slow.
const RING: [(&str, &str); 4] = [
    ("network.topology", "ring"),
    ("network.link", "20 MB/s"),
    ("network.buffer", "1 KiB"),
    ("network.hop", "40 ns"),
];

fn find(outcome: &Outcome, resource: Resource) -> &Utilization {
    Utilization::find(&outcome.utilization, resource).expect("the machine has such parts")
}

#[test]
fn the_link_that_all_messages_share_is_the_busiest_part() {
    let outcome = stream("fixed:1", 2, &RING);
    let link = find(&outcome, Resource::Link);
    // A single link out of eight carries everything, and all other links wait for it.
    assert_eq!((link.count, &*link.busiest), (8, "1→2"));
    assert!(link.most > 0.95 && (link.mean - link.most / 8.0).abs() < 1e-9, "{link:?}");
    let (out, into) = (find(&outcome, Resource::PortOut), find(&outcome, Resource::PortIn));
    assert_eq!((&*out.busiest, &*into.busiest), ("node 1", "node 2"));
    let dedicated = find(&outcome, Resource::DedicatedProcessor);
    assert_eq!((dedicated.count, &*dedicated.busiest), (4, "node 2"));
}

#[test]
fn a_slow_port_is_the_busiest_part_of_a_network_of_constant_latency() {
    let outcome = stream("fixed:1", 2, &[("interface.bandwidth", "20 MB/s")]);
    let out = find(&outcome, Resource::PortOut);
    assert!(out.most > 0.95 && &*out.busiest == "node 1", "{out:?}");
    assert_eq!(Utilization::find(&outcome.utilization, Resource::Link), None, "it has no links");
    assert!(
        outcome.utilization.iter().all(|entry| (0.0..=1.0).contains(&entry.most) && entry.mean <= entry.most)
    );
}

#[test]
fn a_processor_whose_threads_have_returned_is_idle_and_one_whose_thread_waits_synchronizes() {
    let outcome = stream("fixed:1", 2, &[]);
    let spent = outcome.breakdown;
    // The threads of nodes 0 and 3 return at once or nearly so; that of node 2 waits nearly to the end.
    assert!(spent.synchronization > Time::ZERO && spent.synchronization <= outcome.time, "{spent:?}");
    assert!(spent.idle > outcome.time && spent.idle <= outcome.time * 3, "{spent:?}");
    assert_eq!(spent.total(), outcome.time * 4);
    let alone = stream("single", 1, &[]).breakdown;
    assert!(alone.idle > Time::ZERO && alone.synchronization > Time::ZERO, "{alone:?}");
}

#[test]
fn polls_that_find_nothing_are_counted() {
    let polls = |policy: &str| stream(policy, 1, &[]).counters.empty_polls;
    assert_eq!(polls("single+every=1"), Some(POLLS));
    // Under a policy of interrupts a poll does not look.
    assert_eq!(polls("single+interrupt"), Some(0));
}

#[test]
fn sampling_changes_nothing_and_sees_the_link_that_is_always_busy() {
    let interval = Time::from_microseconds(100);
    let recorder = Recorder::memory(usize::MAX).sampling(interval);
    let outcome = traced(Some(recorder.clone()), "fixed:1", 2, &RING);
    assert_eq!(outcome, stream("fixed:1", 2, &RING));
    let samples = recorder.samples();
    let shares = samples.iter().filter(|sample| sample.value > 0.0 && sample.value < 100.0).count();
    assert!(samples.len() > 20 && shares > 5, "{} samples", samples.len());
    // One counter is full in the second interval: the link. Its port out is, too.
    let full = |sample: &&Sample| sample.value > 99.0 && sample.at >= interval && sample.at < interval * 2;
    assert!(samples.iter().filter(full).count() >= 1);
    let plain = Recorder::memory(usize::MAX);
    traced(Some(plain.clone()), "fixed:1", 2, &RING);
    assert_eq!((plain.samples().len(), plain.events()), (0, recorder.events()));
}
