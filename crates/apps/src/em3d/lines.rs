//! The lines that the memory of a machine node has moved in the timed region, in a world that counts them.
//!
//! This module must never know the cause of a transfer.

use tempest::outcome::MemoryEvents;
use tempest::{Cells, FinalState, Merge, Report, Thread};

/// A figure: its name, and the counter that it reports.
type Count = (&'static str, fn(&MemoryEvents) -> u64);

/// The figures, which count lines of all nodes. The last four belong to an interface with a staging buffer.
const COUNTS: [Count; 10] = [
    ("cache misses", |events| events.misses),
    ("lines from the interface's buffer", |events| events.buffer_supplies),
    ("lines read from memory", |events| events.memory_reads),
    ("lines written to memory", |events| events.memory_writes),
    ("lines written back by caches", |events| events.write_backs),
    ("lines evicted from the interface's buffer", |events| events.evictions),
    ("lines pushed into caches", |events| events.pushes),
    ("lines that left caches for pushed ones", |events| events.displaced),
    ("look-ups of receive slots", |events| events.slot_lookups),
    ("receive slots read from memory", |events| events.slot_misses),
];

/// The number of figures that every machine with caches has.
const OF_CACHES: usize = 6;

/// The counts of one machine node.
pub(super) struct Lines(Cells<u64>);

impl Lines {
    /// Counts that are all zero.
    pub(super) fn new() -> Self {
        Self(Cells::new(COUNTS.len(), 0))
    }

    /// Keeps the counts since `before`.
    pub(super) fn keep(&self, thread: &Thread<'_>, before: MemoryEvents) {
        let events = thread.memory_events().since(before);
        for (place, (_, count)) in COUNTS.iter().enumerate() {
            self.0.set(thread, place, count(&events));
        }
    }

    /// Adds the figures to a report, if the world counts lines.
    pub(super) fn report(&self, end: &FinalState<'_>, report: Report) -> Report {
        let counts: Vec<u64> = (0..COUNTS.len()).map(|place| self.0.get(end, place)).collect();
        if counts.iter().all(|&count| count == 0) {
            return report;
        }
        // An interface with a staging buffer has looked up slots.
        let shown =
            if counts[OF_CACHES..].iter().all(|&count| count == 0) { OF_CACHES } else { COUNTS.len() };
        COUNTS[..shown]
            .iter()
            .zip(counts)
            .fold(report, |report, ((name, _), count)| report.figure(name, count as f64, Merge::Sum))
    }
}
