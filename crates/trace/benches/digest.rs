//! What recording costs. `cargo bench -p tradewind-trace` prints nanoseconds an event, each the best of several rounds.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::hint::black_box;
use std::time::Instant;

use trace::{Digest, Event, Memory, Sink};
use units::Time;

const ROUNDS: usize = 7;
const MESSAGES: u32 = 1_000_000;
const EVENTS: u32 = 4 * MESSAGES;

fn main() {
    println!("no sink: {:5.2} ns", best(|| Sink::None));
    println!("digest:  {:5.2} ns", best(|| Sink::Digest(Digest::new())));
    println!("memory:  {:5.2} ns", best(|| Sink::Memory(Memory::new(EVENTS as usize))));
}

/// The least of several measurements: noise only adds. All rounds must agree on the digest.
fn best(sink: impl Fn() -> Sink) -> f64 {
    let (times, digests): (Vec<f64>, Vec<_>) = (0..ROUNDS).map(|_| measure(sink())).unzip();
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// The events in the life of a message, each recorded where its kind is known, as an engine does.
fn measure(mut sink: Sink) -> (f64, Option<u64>) {
    let start = Instant::now();
    for index in 0..MESSAGES {
        let sink = black_box(&mut sink);
        let at = Time::from_picoseconds(u64::from(index) * 100);
        let (from, to, processor, message) =
            (index & 63, index >> 3 & 63, index as u16 & 1, index as u16 & 7);
        sink.record(at, Event::Send { node: from, processor, to, message, bytes: 48 });
        sink.record(at, Event::Arrive { node: to, from, message });
        sink.record(at, Event::HandlerStart { node: to, processor, message, source: from });
        sink.record(at, Event::HandlerEnd { node: to, processor });
    }
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / f64::from(EVENTS);
    (nanoseconds, sink.digest().map(|digest| digest.value()))
}
