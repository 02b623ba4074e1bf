//! Costs of recording. `cargo bench -p tradewind-trace` prints nanoseconds an event, each the best of several rounds,
//! and the size of an event in a trace.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::hint::black_box;
use std::io;
use std::time::Instant;

use tradewind_bench::least;
use tradewind_trace::{Batch, Cast, Digests, Event, Recorder, Sink};
use units::Time;

const ROUNDS: usize = 7;
const MESSAGES: u32 = 1_000_000;
const EVENTS: u32 = 4 * MESSAGES;

fn main() {
    println!("no sink:  {:6.2} ns", best(|| Sink::None));
    println!("digest:   {:6.2} ns", best(|| Sink::Digest(Digests::new())));
    println!("memory:   {:6.2} ns", best(|| traced(&Recorder::memory(EVENTS as usize))));
    let recorder = || {
        let recorder = Recorder::perfetto(io::sink());
        recorder.begin(cast());
        recorder
    };
    println!("perfetto: {:6.2} ns", best(|| traced(&recorder())));
    let recorder = recorder();
    measure(traced(&recorder));
    let summary = recorder.finish().expect("nothing can go wrong where nothing goes");
    println!("perfetto: {:6.2} bytes", summary.bytes as f64 / summary.events as f64);
}

fn traced(recorder: &Recorder) -> Sink {
    Sink::Traced(Digests::new(), Batch::new(recorder.clone()))
}

fn cast() -> Cast {
    Cast { nodes: 64, computing: 2, messages: vec!["Add"; 8], ..Cast::default() }
}

/// The least of several measurements, which agree on the digest.
fn best(sink: impl Fn() -> Sink) -> f64 {
    least(ROUNDS, || measure(sink())).0
}

/// The events in the life of a message, each recorded where its kind is known, as an engine does.
fn measure(mut sink: Sink) -> (f64, Option<u64>) {
    let start = Instant::now();
    for index in 0..MESSAGES {
        let sink = black_box(&mut sink);
        let at = Time::from_picoseconds(u64::from(index) * 100);
        let (from, to, processor, message) =
            (index & 63, index >> 3 & 63, index as u16 & 1, index as u16 & 7);
        let flow = index.into();
        sink.record(at, Event::Send { node: from, processor, to, message, bytes: 48, flow });
        sink.record(at, Event::Arrive { node: to, from, message, flow });
        sink.record(at, Event::HandlerStart { node: to, processor, message, source: from, flow });
        sink.record(at, Event::HandlerEnd { node: to, processor });
    }
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / f64::from(EVENTS);
    (nanoseconds, sink.digest().map(|digest| digest.value()))
}
