//! First destination of a processor's events.
//!
//! A closed enum rather than a trait: recording is inlined into the engine's inner loop, and a run without a trace
//! pays one predictable branch. An event costs 0.4 ns without a sink and 2 ns with a digest; traced as well, 25 ns
//! into memory and 77 ns as bytes for Perfetto that go nowhere (`cargo bench -p tradewind-trace` on two shared
//! cores of a cloud Xeon). This module must never know how the events of a traced run are kept.

use units::Time;

use crate::{Batch, Digest, Digests, Event};

/// Destination of a processor's events.
// Its tag is a byte of its own: every event asks for it, and a tag inside the digests takes five instructions to read.
#[derive(Debug, Default)]
#[repr(u8)]
pub enum Sink {
    /// Events are dropped.
    #[default]
    None,
    /// A fingerprint of each node is kept.
    Digest(Digests),
    /// A fingerprint of each node is kept, and the events go to a recorder.
    Traced(Digests, Batch),
}

impl Sink {
    /// Takes an event and the instant it happened at.
    // Left to itself the compiler makes this a call, which must tell the kinds of events apart again; where it is
    // inlined the kind is known. That more than halves the cost of a digest.
    #[inline(always)]
    pub fn record(&mut self, at: Time, event: Event) {
        // Nearly all runs are digested and not traced.
        if let Sink::Digest(digests) = self {
            digests.record(at, event);
        } else if let Sink::Traced(digests, batch) = self {
            // A copy, because the event passed on must stand in memory: without it the event itself would be put there
            // also when it is only digested, which doubles the cost of a digest.
            let copy = event;
            record_traced(digests, batch, at, &copy);
        }
    }

    /// The fingerprint of a node, where it is kept and the node has had an event.
    pub fn digest_of(&self, node: usize) -> Option<&Digest> {
        match self {
            Sink::Digest(digests) | Sink::Traced(digests, _) => digests.of(node),
            Sink::None => None,
        }
    }

    /// The [fold](Digests::fold) of the fingerprints of all nodes, where fingerprints are kept.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Sink::Digest(digests) | Sink::Traced(digests, _) => Some(digests.fold()),
            Sink::None => None,
        }
    }
}

/// Kept out of line, so that untraced runs pay nothing for it.
#[cold]
#[inline(never)]
fn record_traced(digests: &mut Digests, batch: &mut Batch, at: Time, event: &Event) {
    digests.record(at, *event);
    batch.record(at, *event);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn filled(mut sink: Sink) -> Option<Digest> {
        for index in 0..5 {
            sink.record(Time::from_nanoseconds(index), Event::Phase { index: index as u32, name: "" });
        }
        sink.digest()
    }

    #[test]
    fn nothing_keeps_nothing() {
        assert_eq!(filled(Sink::None), None);
    }

    #[test]
    fn a_trace_does_not_change_the_digest() {
        let recorder = Recorder::memory(2);
        let traced = filled(Sink::Traced(Digests::new(), Batch::new(recorder.clone())));
        assert_eq!(traced, filled(Sink::Digest(Digests::new())));
        assert_ne!(traced, Some(Digests::new().fold()));
        let times: Vec<_> = recorder.events().iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [Time::ZERO, Time::from_nanoseconds(1)]);
    }
}
