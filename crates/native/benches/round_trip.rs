//! The native world beside what the host can do at best.
//!
//! `cargo bench -p tradewind-native` prints two tables, every answer checked.
//!
//! 1. *Round trip*: a thread sends a request to another node, whose handler replies, and waits for the reply; beside a
//!    raw ping-pong over two cache lines between two OS threads pinned to the same cores. Both are measured in turn in
//!    each round; the ratio is taken within the round. On a host with a single core both mean nothing.
//! 2. *Oversubscription*: the same work by 2 and by 8 processors, on however many cores there are.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

mod common;

use bytemuck::{Pod, Zeroable};
use common::{median, raw_round_trip};
use native::Local;
use programs::Given;
use tempest::{
    Event, Handler, Job, Key, Launch, Message, NodeId, Outcome, Program, Protocol, Report, Setup, Shape,
    Thread, World,
};

const ROUNDS: usize = 9;
const TRIPS: u64 = 200_000;
const ADDITIONS: u32 = 400_000;

/// Thread 0 of node 0 counts as far as the other node echoes.
struct Echo {
    replies: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ping {
    number: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Pong {
    number: u64,
}

impl Message for Ping {
    type Protocol = Echo;
    fn key(&self) -> Key {
        Key::User(0)
    }
    fn handle(self, _: &Echo, _: &[u64], cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.send(back, Pong { number: self.number }, &[]);
    }
}

impl Message for Pong {
    type Protocol = Echo;
    fn key(&self) -> Key {
        Key::User(0)
    }
    fn handle(self, echo: &Echo, _: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(self.number, echo.replies.count(), "replies come in order");
        cx.signal(&echo.replies, 1);
    }
}

impl Protocol for Echo {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        node.message::<Ping>();
        node.message::<Pong>();
        Self { replies: Event::new("replies") }
    }
}

impl Program for Echo {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("echo");
        if thread.node() == NodeId(0) && thread.index() == 0 {
            for number in 0..TRIPS {
                thread.send(NodeId(1), Ping { number }, &[]);
                thread.wait(&self.replies, number + 1);
            }
        }
    }

    fn report(&self) -> Report {
        let count = self.replies.count();
        Report::checked(count == 0 || count == TRIPS, || format!("{count} replies of {TRIPS}"))
    }
}

/// `fetch-add` for this shape.
fn fetch_add(shape: Shape) -> Job {
    let mut given = Given::default();
    given.values.insert("operations".to_owned(), ADDITIONS.to_string());
    let program = programs::find("fetch-add").expect("the program is there");
    let instance = (program.load)(&given).expect("the inputs are good");
    instance.job(&programs::Plan::new(tempest::Mechanism::Messages, shape)).expect("the shape is possible")
}

fn run(job: Job, nodes: u32, processors: u32, policy: &str) -> Outcome {
    let policy = policy.parse().expect("a policy of the table");
    let launch = Launch { nodes, processors, ..Launch::new(job, policy) };
    let outcome = Local::new().run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome
}

fn round_trips(policy: &str, processors: u32) {
    let (mut ours, mut raw, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let trip = run(Job::new::<Echo>(()), 2, processors, policy).timed().as_nanoseconds() / TRIPS as f64;
        let bound = raw_round_trip(TRIPS);
        ours.push(trip);
        raw.push(bound);
        ratios.push(trip / bound);
    }
    println!("{policy:<12} {:>12.0} {:>12.0} {:>8.2}", median(ours), median(raw), median(ratios));
}

fn oversubscription(policy: &str) {
    let (mut few, mut many, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let two = run(fetch_add(Shape { nodes: 2, threads: 1 }), 2, 1, policy).timed().as_seconds();
        let eight = run(fetch_add(Shape { nodes: 2, threads: 4 }), 2, 4, policy).timed().as_seconds();
        few.push(two * 1e3);
        many.push(eight * 1e3);
        ratios.push(eight / two);
    }
    println!("{policy:<12} {:>12.2} {:>12.2} {:>8.2}", median(few), median(many), median(ratios));
}

fn main() {
    println!("round trip through handlers, 2 nodes, {TRIPS} trips, median of {ROUNDS} rounds");
    println!("{:<12} {:>12} {:>12} {:>8}", "policy", "ns", "raw ns", "ratio");
    round_trips("single", 1);
    println!(
        "\nfetch-add, {ADDITIONS} operations in all, 2 nodes, {} cores, median of {ROUNDS} rounds",
        Local::cores()
    );
    println!("{:<12} {:>12} {:>12} {:>8}", "policy", "2 proc. ms", "8 proc. ms", "ratio");
    oversubscription("floating");
    oversubscription("floating+keyed");
}
