//! How fast the simulator is, beside the fastest loop that could be: a heap and a fiber switch per event.
//!
//! `cargo bench -p tradewind-sim` prints one table. Every run checks its answer. Times are wall time of one host
//! thread; the rows of one round are measured right after one another, and medians over the rounds are printed, with
//! ratios taken within a round, because the host's speed drifts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use tempest::{
    Event, Handler, Job, Key, Keyed, Launch, Merge, Message, NodeId, Operations, Outcome, Program, Protocol,
    Report, Setup, Thread, World,
};

const ROUNDS: usize = 7;
const NODES: u32 = 8;
const REQUESTS: u64 = 20_000;
const WINDOW: u64 = 16;
const WORDS: u64 = 64;

/// Every thread asks its neighbours to add to their words, with a window of requests on their way.
struct Adders {
    replies: Event,
    words: Keyed<u64>,
    expected: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Add {
    word: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Added {
    before: u64,
}

impl Message for Add {
    type Protocol = Adders;
    fn key(&self) -> Key {
        Key::User(self.word)
    }
    fn handle(self, adders: &Adders, _: &[u64], cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.charge(Operations::NONE.loads(1).stores(1));
        cx.with(&adders.words, |word, cx| {
            cx.send(back, Added { before: *word }, &[]);
            *word += 1;
        });
    }
}

impl Message for Added {
    type Protocol = Adders;
    fn key(&self) -> Key {
        Key::NoSync
    }
    fn handle(self, adders: &Adders, _: &[u64], cx: &mut Handler<'_>) {
        cx.signal(&adders.replies, 1);
    }
}

impl Protocol for Adders {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        node.message::<Add>();
        node.message::<Added>();
        Self {
            replies: Event::new("replies"),
            words: node.keyed(WORDS as usize, |_| 0),
            expected: REQUESTS * u64::from(node.shape().threads),
        }
    }
}

impl Program for Adders {
    fn main(&self, thread: &Thread<'_>) {
        for request in 0..REQUESTS {
            thread.wait(&self.replies, (request + 1).saturating_sub(WINDOW));
            let distance = 1 + request as u32 % (thread.nodes() - 1);
            let to = NodeId((thread.node().0 + distance) % thread.nodes());
            thread.send(to, Add { word: request % WORDS }, &[]);
            thread.poll();
        }
        thread.wait(&self.replies, self.expected);
    }
    fn report(&self) -> Report {
        let replies = self.replies.count();
        Report::checked(replies == self.expected, || format!("{replies} replies of {}", self.expected))
            .figure("replies", replies as f64, Merge::Sum)
    }
}

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
    let pending = u64::from(NODES) * WINDOW;
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

fn simulate(policy: &str, processors: u32) -> (Outcome, Duration) {
    let text = include_str!("../../../machines/hurricane-1.toml");
    let machine =
        machine::Machine::parse("machines/hurricane-1.toml", text).expect("the shipped file is valid");
    let launch = Launch {
        job: Job::new::<Adders>(()),
        nodes: NODES,
        processors,
        threads: 1,
        policy: policy.parse().expect("a policy of the table"),
        seed: 1,
        stall_limit: None,
    };
    let model = sim::Model::new(machine);
    let start = Instant::now();
    let outcome = model.run(&launch).expect("the run ends well");
    let elapsed = start.elapsed();
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    (outcome, elapsed)
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
        "{NODES} modelled nodes, {REQUESTS} requests and replies each, median of {ROUNDS} rounds, all answers checked"
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
