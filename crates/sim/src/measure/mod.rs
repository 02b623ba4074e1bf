//! The measurements of a run: events, costs by kind and step, timed regions, changes of roles.
//!
//! This module must never know the meaning of a message.

pub(crate) mod anatomy;
pub(crate) mod phases;
pub(crate) mod sampler;
pub(crate) mod spending;
pub(crate) mod utilization;

use tempest::outcome::Adjustment;
use trace::{Batch, Digest, Digests, Event, Recorder, Sink};
use units::Time;

use anatomy::Anatomy;
use phases::Phases;
use sampler::Sampler;

/// The measurements of a run.
pub(crate) struct Measure {
    pub(crate) anatomy: Anatomy,
    pub(crate) phases: Phases,
    sink: Sink,
    /// The sampler of counters; `None` for a run without a trace of counters.
    pub(crate) sampler: Option<Sampler>,
    adjustments: Vec<Adjustment>,
}

impl Measure {
    /// Empty measurements of a program of `messages` messages. Events also go to `recorder`, if there is one.
    pub(crate) fn new(messages: usize, recorder: Option<&Recorder>) -> Self {
        let sink = match recorder {
            Some(recorder) => Sink::Traced(Digests::default(), Batch::new(recorder.clone())),
            None => Sink::Digest(Digests::default()),
        };
        let interval = recorder.and_then(|recorder| Some((recorder, recorder.interval()?)));
        Self {
            anatomy: Anatomy::new(messages),
            phases: Phases::default(),
            sink,
            sampler: interval.map(|(recorder, interval)| Sampler::new(recorder.clone(), interval)),
            adjustments: Vec::new(),
        }
    }

    /// Whether counters are sampled, which shows the instant of each event.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.sampler.is_some()
    }

    /// Records an event of an instant.
    #[inline(always)]
    pub(crate) fn record(&mut self, at: Time, event: Event) {
        self.sink.record(at, event);
    }

    /// The digest of a node, if the node has had an event.
    pub(crate) fn digest_of(&self, node: usize) -> Option<&Digest> {
        self.sink.digest_of(node)
    }

    /// The digest of all events.
    pub(crate) fn digest(&self) -> Option<Digest> {
        self.sink.digest()
    }

    /// Records that a node has changed the roles of its processors.
    pub(crate) fn note_adjustment(&mut self, adjustment: Adjustment) {
        self.adjustments.push(adjustment);
    }

    /// The changes of roles, in order.
    pub(crate) fn adjustments(&self) -> &[Adjustment] {
        &self.adjustments
    }
}
