//! Traces for Perfetto, as a reader of them sees them.

mod bounds;
mod check;
mod examples;
mod properties;
mod schema;
mod world;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tradewind_trace::{Cast, Event, Recorder, Sample, Summary};
use units::Time;

/// A writer whose bytes stay at hand.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::ErrorKind::Other)?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The trace of a run whose events come in that order.
fn traced(cast: &Cast, events: &[(Time, Event)]) -> (Vec<u8>, Summary) {
    traced_with(cast, events, &[])
}

/// The trace of a run whose events come in that order, and then these samples of counters.
fn traced_with(cast: &Cast, events: &[(Time, Event)], samples: &[Sample]) -> (Vec<u8>, Summary) {
    let bytes = Bytes::default();
    let recorder = Recorder::perfetto(bytes.clone());
    recorder.begin(cast.clone());
    recorder.record(events);
    recorder.sample(samples);
    let summary = recorder.finish().expect("memory takes all");
    let bytes = bytes.0.lock().expect("nobody panicked").clone();
    assert_eq!(summary.bytes, bytes.len() as u64);
    assert_eq!(summary.events + summary.lost, events.len() as u64);
    (bytes, summary)
}
