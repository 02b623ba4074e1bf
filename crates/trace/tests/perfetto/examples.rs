//! Examples: names, edges, mistakes of worlds, and mistakes in traces that the check must find.

use crate::check::{self, Slice};
use tradewind_trace::{Cast, Counter, Event, Recorder, Sample};
use units::Time;

use crate::{Bytes, traced};

fn cast() -> Cast {
    Cast {
        machine: "model".into(),
        nodes: 1,
        computing: 1,
        dedicated: 1,
        threads: 2,
        messages: vec!["p::q::Add"],
        counters: Vec::new(),
    }
}

fn at(nanoseconds: u64, event: Event) -> (Time, Event) {
    (Time::from_nanoseconds(nanoseconds), event)
}

/// The slices of a track, without its name.
fn on(slices: &[Slice], track: &str) -> Vec<(u64, u64, usize, String)> {
    let mut found: Vec<_> = slices
        .iter()
        .filter(|slice| &*slice.track == track)
        .map(|slice| (slice.start, slice.end, slice.depth, slice.name.to_string()))
        .collect();
    found.sort();
    found
}

fn slice(start: u64, end: u64, depth: usize, name: &str) -> (u64, u64, usize, String) {
    (start, end, depth, name.into())
}

const RUN: Event = Event::Run { node: 0, processor: 0, thread: 1 };
const LEAVE: Event = Event::Leave { node: 0, processor: 0, thread: 1 };
const HANDLE: Event = Event::HandlerStart { node: 0, processor: 0, message: 0, source: 0, flow: 5 };
const HANDLED: Event = Event::HandlerEnd { node: 0, processor: 0 };
const SEND: Event = Event::Send { node: 0, processor: 0, to: 0, message: 0, bytes: 8, flow: 5 };
const BLOCK: Event = Event::Block { node: 0, thread: 1, what: "reply" };
const RESUME: Event = Event::Resume { node: 0, thread: 1 };

#[test]
fn tracks_stand_in_order_and_are_called_what_they_are() {
    let (bytes, _) = traced(&cast(), &[]);
    let tracks = check::read(&bytes).unwrap().tracks;
    let names: Vec<_> = tracks.iter().map(|track| &**track).collect();
    let expected = [
        "model",
        "model/phases",
        "node 0",
        "node 0/processor 0",
        "node 0/protocol processor 1",
        "node 0/network interface",
        "node 0/thread 0",
        "node 0/thread 1",
    ];
    assert_eq!(names, expected);
}

#[test]
fn an_interrupted_thread_holds_the_handler_and_an_idle_processor_does_not() {
    let (bytes, _) = traced(
        &cast(),
        &[
            at(0, SEND),
            at(1, RUN),
            at(2, HANDLE),
            at(3, HANDLED),
            at(4, LEAVE),
            at(4, Event::HandlerStart { node: 0, processor: 0, message: 9, source: 0, flow: 6 }),
            at(5, HANDLED),
        ],
    );
    let slices = check::slices(&bytes).unwrap().slices;
    assert_eq!(
        on(&slices, "node 0/processor 0"),
        [slice(1, 4, 0, "thread 1"), slice(2, 3, 1, "Add"), slice(4, 5, 0, "unknown message")]
    );
}

#[test]
fn rounding_keeps_the_order_within_a_nanosecond() {
    let within = |femtoseconds: u64, event| (Time::from_femtoseconds(7_000_000 + femtoseconds), event);
    let (bytes, summary) = traced(
        &cast(),
        &[
            within(0, SEND),
            within(1, RUN),
            within(300_000, HANDLE),
            within(999_999, HANDLED),
            within(999_999, LEAVE),
        ],
    );
    let slices = check::read(&bytes).unwrap().slices;
    assert_eq!(on(&slices, "node 0/processor 0"), [slice(7, 7, 0, "thread 1"), slice(7, 7, 1, "Add")]);
    assert_eq!(summary.moved, 0);
}

#[test]
fn phases_follow_one_another_however_they_are_told() {
    let phase = |index, name| Event::Phase { index, name };
    let (bytes, _) = traced(&cast(), &[at(20, phase(1, "solve")), at(10, phase(0, "read")), at(30, SEND)]);
    let slices = check::read(&bytes).unwrap().slices;
    assert_eq!(
        on(&slices, "model/phases"),
        [slice(0, 10, 0, "before the first phase"), slice(10, 20, 0, "read"), slice(20, 30, 0, "solve")]
    );
}

#[test]
fn what_is_open_at_the_end_ends_with_the_last_event() {
    let (bytes, summary) = traced(
        &cast(),
        &[
            at(1, RUN),
            at(1, Event::ThreadStart { node: 0, thread: 1 }),
            at(2, BLOCK),
            at(9, Event::Interrupt { node: 0, processor: 1 }),
        ],
    );
    let slices = check::read(&bytes).unwrap().slices;
    assert_eq!(on(&slices, "node 0/processor 0"), [slice(1, 9, 0, "thread 1")]);
    assert_eq!(on(&slices, "node 0/thread 1"), [slice(1, 9, 0, "thread runs"), slice(2, 9, 1, "reply")]);
    assert_eq!((summary.events, summary.lost, summary.moved), (4, 0, 0));
}

#[test]
fn resumptions_find_their_waits_in_any_order() {
    let waits = |events: &[_]| {
        let (bytes, summary) = traced(&cast(), events);
        assert_eq!((summary.lost, summary.moved), (0, 0));
        on(&check::read(&bytes).unwrap().slices, "node 0/thread 1")
    };
    assert_eq!(
        waits(&[at(40, RESUME), at(10, BLOCK), at(30, BLOCK), at(20, RESUME)]),
        [slice(10, 20, 0, "reply"), slice(30, 40, 0, "reply")]
    );
    // A wait without duration: its end could be taken for that of the wait before.
    assert_eq!(
        waits(&[at(10, BLOCK), at(30, BLOCK), at(30, RESUME), at(20, RESUME)]),
        [slice(10, 20, 0, "reply"), slice(30, 30, 0, "reply")]
    );
}

#[test]
fn a_resumption_that_never_comes_is_not_waited_for() {
    let mut events: Vec<_> =
        (1..6000).flat_map(|round| [at(10 * round, BLOCK), at(10 * round + 5, RESUME)]).collect();
    // The first comes last, when its wait has been given up.
    let late = events.remove(1);
    events.push(late);
    let (bytes, summary) = traced(&cast(), &events);
    let waits = on(&check::read(&bytes).unwrap().slices, "node 0/thread 1");
    let expected = (2..6000).map(|round| slice(10 * round, 10 * round + 5, 0, "reply"));
    assert_eq!(waits, [slice(10, 20, 0, "reply")].into_iter().chain(expected).collect::<Vec<_>>());
    assert_eq!((summary.lost, summary.moved), (1, 0));
}

#[test]
fn what_has_no_place_is_counted() {
    let nowhere = Event::Interrupt { node: 1, processor: 0 };
    let (bytes, summary) = traced(
        &cast(),
        &[
            at(1, nowhere),
            at(2, HANDLED),
            at(3, LEAVE),
            at(4, RESUME),
            at(5, BLOCK),
            at(6, Event::ThreadEnd { node: 0, thread: 1 }),
            at(7, RUN),
            at(6, LEAVE),
        ],
    );
    assert_eq!((summary.events, summary.lost, summary.moved), (3, 5, 1));
    let slices = check::read(&bytes).unwrap().slices;
    assert_eq!(on(&slices, "node 0/processor 0"), [slice(7, 7, 0, "thread 1")]);
    assert_eq!(on(&slices, "node 0/thread 1"), [slice(5, 7, 0, "reply")]);
}

#[test]
fn before_the_beginning_and_after_the_end_nothing_is_kept() {
    let bytes = Bytes::default();
    let recorder = Recorder::perfetto(bytes.clone());
    recorder.record(&[at(1, SEND)]);
    recorder.begin(cast());
    let first = recorder.finish().unwrap();
    recorder.record(&[at(2, SEND)]);
    let second = recorder.finish().unwrap();
    assert_eq!((first.events, first.lost, second.lost, second.bytes), (0, 1, 2, first.bytes));
    assert!(check::read(&bytes.0.lock().unwrap()).unwrap().instants.is_empty());
}

/// The error of the check for these events, which no writer could make right.
fn complaint(events: &[(Time, Event)]) -> String {
    check::read(&traced(&cast(), events).0).expect_err("this is no trace")
}

#[test]
fn the_check_finds_flows_that_do_not_lead_from_sending_to_handling() {
    assert_eq!(complaint(&[at(1, HANDLE)]), "flow 5 begins 0 times");
    assert_eq!(complaint(&[at(1, SEND), at(2, SEND)]), "flow 5 begins 2 times");
    assert_eq!(complaint(&[at(1, SEND), at(2, HANDLE), at(3, HANDLE)]), "flow 5 ends 2 times");
    assert!(complaint(&[at(2, SEND), at(1, HANDLE)]).starts_with("flow 5 goes back in time"));
}

#[test]
fn the_check_finds_what_is_missing_or_twice() {
    let (bytes, _) = traced(&cast(), &[at(1, SEND), at(1, RUN), at(2, HANDLE), at(3, HANDLED), at(4, LEAVE)]);
    let starts = packets(&bytes);
    let mut complaints = Vec::new();
    for pair in starts.windows(2) {
        let without = [&bytes[..pair[0]], &bytes[pair[1]..]].concat();
        let twice = [&bytes[..pair[1]], &bytes[pair[0]..]].concat();
        complaints.extend([check::read(&without), check::read(&twice)].map(Result::err));
    }
    // Of all packets only the tracks on which nothing happens can be left out.
    let unused = ["node 0/protocol processor 1", "network interface", "thread 0", "thread 1"].len();
    assert_eq!(complaints.iter().filter(|complaint| complaint.is_none()).count(), unused, "{complaints:#?}");
    assert!(check::read(&bytes[..bytes.len() - 1]).is_err());
}

/// Offsets of the packets, and the end.
fn packets(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut rest = bytes;
    while let Some((_, mut body)) = rest.split_first() {
        let length = prost::decode_length_delimiter(&mut body).expect("a packet says how long it is");
        rest = &body[length..];
        starts.push(bytes.len() - rest.len());
    }
    starts
}

#[test]
fn samples_of_counters_have_tracks_of_their_own() {
    let bytes = Bytes::default();
    let recorder = Recorder::perfetto(bytes.clone());
    let counters = vec![
        Counter { node: Some(0), name: "port out busy".into(), unit: "%" },
        Counter { node: None, name: "link 0→1 busy".into(), unit: "%" },
    ];
    recorder.begin(Cast { counters, ..cast() });
    let sample = |at, counter, value| Sample { at: Time::from_nanoseconds(at), counter, value };
    // A share is known at the end of the time that it is a share of.
    recorder.sample(&[sample(20, 1, 97.5), sample(10, 0, 25.0), sample(30, 0, 0.0), sample(30, 2, 1.0)]);
    let summary = recorder.finish().unwrap();
    assert_eq!((summary.samples, summary.lost), (3, 1), "there are two counters");
    let bytes = bytes.0.lock().unwrap().clone();
    let reading = check::read(&bytes).unwrap();
    let values: Vec<_> = reading.values.iter().map(|value| (&*value.track, value.at, value.value)).collect();
    let (port, link) = ("node 0/port out busy", "model/link 0→1 busy");
    assert_eq!(values, [(port, 10, 25.0), (link, 20, 97.5), (port, 30, 0.0)]);
    assert!(reading.tracks.iter().any(|track| &**track == link));
}
