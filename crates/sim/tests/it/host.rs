//! Parts of a machine that is a host: the costs that its processors pay because no device does the work, as
//! `message-costs` measures them.

use std::collections::BTreeMap;

use machine::Machine;
use tempest::world::{Launch, World};
use tempest::{
    Cells, Event, FinalState, Handler, Job, Mechanism, Merge, Protocol, Report, Rights, Segment, Setup,
    Shape, Thread, handlers,
};
use tradewind_sim::Model;

use crate::setup::{figures, job, machine};

/// The ideal machine, but with these prices, in nanoseconds.
const PRICES: [(&str, &str); 14] = [
    ("processor.poll", "4 ns"),
    ("processor.fetch", "90 ns"),
    ("processor.hold", "5 ns"),
    ("processor.signal", "3 ns"),
    ("processor.wake", "40 ns"),
    ("primitives.send_header", "20 ns"),
    ("primitives.send_own", "12 ns"),
    ("primitives.send_word", "2 ns"),
    ("primitives.extract", "25 ns"),
    ("primitives.extract_own", "6 ns"),
    ("primitives.receive_word", "1 ns"),
    ("primitives.dispatch", "5 ns"),
    ("interface.loopback", "80 ns"),
    ("network.latency", "100 ns"),
];

/// A host with these prices, and with more.
fn host(more: &[(&str, &str)]) -> Machine {
    let can = ("can", "poll, dedicated-processors, sender-injects, transfer, deposit");
    machine("ideal", &[&PRICES[..], &[can], more].concat())
}

fn run(
    program: &str,
    policy: &str,
    (nodes, processors): (u32, u32),
    more: &[(&str, &str)],
) -> BTreeMap<&'static str, f64> {
    let host = host(more);
    let policy: tempest::Policy = policy.parse().expect("a policy");
    let computing = policy.split(processors).expect("enough processors").computing;
    let job = job(program, Mechanism::Messages, Shape { nodes, threads: computing }, &[("rounds", "8")]);
    let launch = Launch { nodes, processors, ..Launch::new(job, policy) };
    let outcome = Model::new(host).run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
    figures(&outcome)
}

/// Two messages, a word out and in, and the reply is counted, beside sending and receiving.
const REST: f64 = 2.0 + 1.0 + 3.0;

/// A send, a message fetched, and a receive of 25 + 5, there and back.
const LONE: f64 = 2.0 * (20.0 + 90.0 + 30.0) + REST;

/// A task beside its two holds: 14 operations and a signal.
const TASK: f64 = 14.0 + 3.0;

/// Between polls the thread looks for 3 ns, polls for 4 and counts nothing in an event for 3.
const LOOP: f64 = 10.0;

#[test]
fn a_price_is_what_measuring_it_finds() {
    let figures = run("message-costs", "single", (2, 1), &[]);
    let of = |name: &str| figures[name];
    assert_eq!((of("poll"), of("signal")), (4.0, 3.0));
    assert_eq!(of("task"), 2.0 * 5.0 + TASK);
    assert_eq!((of("send"), of("send.long")), (20.0, 20.0 + 12.0 * 2.0));
    assert_eq!(of("found"), LOOP + 90.0 + 30.0 + 3.0);
    // All 32 are there: the first one's way is that of the others.
    assert_eq!(of("receive"), 30.0 + 3.0 + (LOOP + 90.0) / 32.0);
    assert_eq!(of("receive.long") - of("receive"), 12.0);
    let polling = of("polling") - LONE - 2.0 * 100.0;
    assert!((0.0..2.0 * LOOP).contains(&polling), "{polling}");
    // The bytes of both messages take a femtosecond each.
    assert!((of("waiting") - (LONE + 2.0 * 100.0 + 40.0)).abs() < 1e-4, "{}", of("waiting"));
}

#[test]
fn messages_to_the_own_node_have_prices_of_their_own_and_no_way() {
    let figures = run("message-costs", "single", (1, 1), &[]);
    let of = |name: &str| figures[name];
    assert_eq!(of("send"), 12.0);
    assert_eq!(of("receive"), 6.0 + 5.0 + 3.0 + LOOP / 32.0);
    assert_eq!(of("waiting"), 2.0 * (12.0 + 6.0 + 5.0) + REST + 40.0);
}

#[test]
fn polls_are_passed_by_until_it_is_time_for_a_look() {
    let paced = [("processor.pace", "1 us"), ("processor.pass", "1 ns")];
    let figures = run("message-costs", "single", (2, 1), &paced);
    // 512 polls that find nothing: of 256 in a row one looks, for 4 ns, because looks are less than half of 1 us apart.
    assert_eq!(figures["poll"], (510.0 + 2.0 * 4.0) / 512.0);
    let always = run("message-costs", "single+every=1", (2, 1), &paced);
    assert_eq!(always["poll"], 4.0);
}

#[test]
fn a_sender_that_injects_itself_leaves_the_protocol_processor_the_handlers() {
    let own = [("primitives.send_own", "20 ns"), ("primitives.extract_own", "25 ns")];
    let figures = run("message-costs", "fixed:1", (1, 2), &own);
    let of = |name: &str| figures[name];
    // Handing the message over would take the stores of its words, and the other processor would pay for the send.
    assert_eq!(of("send"), 20.0);
    // The request is on its way to another processor; its reply is at hand there.
    assert_eq!(of("waiting"), 2.0 * (20.0 + 30.0) + REST + 80.0 + 40.0);
    // Where another processor hands keys out, getting one is an event.
    assert_eq!(of("task"), 2.0 * 5.0 + TASK);
}

/// A thread transfers a word to its own node, then three separate words, and reports the time of each transfer.
struct Copies {
    words: Segment<u64>,
    copied: Event,
    took: Cells<f64>,
}

impl Protocol for Copies {
    type Config = ();

    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let words = node.segment_for(Rights::WRITE, "words", 8, 0);
        Self { words, copied: Event::new("copied"), took: Cells::new(2, 0.0) }
    }
}

#[handlers]
impl Copies {
    #[message]
    fn copied(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.copied, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let start = thread.now();
        thread.transfer(thread.node(), self.words.place(0), &[1], Self::copied());
        self.took.set(thread, 0, (thread.now() - start).as_nanoseconds());
        thread.wait(&self.copied, 1);
        let apart = [2, 4, 6].map(|offset| self.words.piece(offset, 1));
        let start = thread.now();
        thread.transfer(thread.node(), self.words.place(0), &apart, Self::copied());
        self.took.set(thread, 1, (thread.now() - start).as_nanoseconds());
        thread.wait(&self.copied, 2);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let report = Report::default().measured("transfer", self.took.get(end, 0), "ns", Merge::Max);
        report.measured("gather", self.took.get(end, 1), "ns", Merge::Max)
    }
}

#[test]
fn a_transfer_to_the_own_node_is_described_to_the_device_like_any() {
    let host = host(&[("primitives.start_transfer", "7 ns")]);
    let launch = Launch::new(Job::new::<Copies>(()), "single".parse().expect("a policy"));
    let outcome = Model::new(host).run(&launch).expect("the run ends well");
    assert_eq!(figures(&outcome)["transfer"], 7.0 + 12.0);
    // The address and the length of each piece but one.
    assert_eq!(figures(&outcome)["gather"], 7.0 + 12.0 + 4.0 * 2.0);
}
