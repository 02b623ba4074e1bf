//! Memory and file size of a trace.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tradewind_trace::{Batch, Cast, Event, Recorder};
use units::Time;

/// Counts the bytes written to it: the total, and the largest single write.
#[derive(Clone, Default)]
struct Counter {
    bytes: Arc<AtomicU64>,
    most: Arc<AtomicU64>,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.fetch_add(bytes.len() as u64, Relaxed);
        self.most.fetch_max(bytes.len() as u64, Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes this many bytes and no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const NODES: u32 = 64;
const BLOCK: u64 = 64 << 10;
const PACKET: u64 = 1 << 10;

fn cast() -> Cast {
    Cast {
        machine: "m".into(),
        nodes: NODES,
        computing: 1,
        threads: 1,
        messages: vec!["Add"],
        ..Cast::default()
    }
}

/// The life of a message, whose handler wakes and puts to sleep the thread of its node: eight events.
fn message(index: u32, mut record: impl FnMut(u64, Event)) {
    let at = u64::from(index) * 170;
    let (from, to, flow) = (index % NODES, (index * 7 + 1) % NODES, index.into());
    let (processor, message, thread) = (0, 0, 0);
    record(at, Event::Send { node: from, processor, to, message, bytes: 48, flow });
    record(at + 90, Event::Arrive { node: to, from, message, flow });
    record(at + 120, Event::HandlerStart { node: to, processor, message, source: from, flow });
    record(at + 130, Event::Resume { node: to, thread });
    record(at + 140, Event::HandlerEnd { node: to, processor });
    record(at + 150, Event::Run { node: to, processor, thread });
    record(at + 160, Event::Block { node: to, thread, what: "reply" });
    record(at + 160, Event::Leave { node: to, processor, thread });
}

#[test]
fn a_million_events_pass_through_one_buffer() {
    let counter = Counter::default();
    let recorder = Recorder::perfetto(counter.clone());
    recorder.begin(cast());
    for node in 0..NODES {
        recorder.record(&[(Time::ZERO, Event::Block { node, thread: 0, what: "start" })]);
    }
    let mut batch = Batch::new(recorder.clone());
    let mut events = 0;
    for index in 0..125_000 {
        message(index, |at, event| batch.record(Time::from_nanoseconds(at), event));
        events += 8;
        // An event is at least 15 bytes and leaves the buffer when that is full: all has been written but the contents
        // of a batch and the buffer.
        let told = events - events % 1024;
        assert!(counter.bytes.load(Relaxed) + BLOCK >= told * 15, "after {events} events");
    }
    drop(batch);
    let summary = recorder.finish().unwrap();
    assert_eq!((summary.events, summary.lost, summary.moved), (1_000_000 + u64::from(NODES), 0, 0));
    assert_eq!(summary.bytes, counter.bytes.load(Relaxed));
    assert!(counter.most.load(Relaxed) < BLOCK + PACKET, "{} bytes at once", counter.most.load(Relaxed));
    let each = summary.bytes as f64 / summary.events as f64;
    assert!(each <= 40.0, "{each} bytes an event");
}

#[test]
fn the_first_error_of_the_writer_is_told_once_and_disturbs_nobody() {
    let recorder = Recorder::perfetto(Full(100_000));
    recorder.begin(cast());
    for index in 0..10_000 {
        message(index, |at, event| recorder.record(&[(Time::from_nanoseconds(at), event)]));
    }
    assert_eq!(recorder.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
}
