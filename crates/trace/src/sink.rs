//! Where events go.
//!
//! A closed enum rather than a trait: recording is inlined into the engine's inner loop, and a run without a trace
//! pays one predictable branch. Must never write to a file; whoever owns the sink reads it afterwards.

use units::Time;

use crate::{Digest, Event};

/// What becomes of the events of a run.
#[derive(Clone, Debug, Default)]
pub enum Sink {
    /// They are forgotten.
    #[default]
    None,
    /// They are kept, up to a bound.
    Memory(Memory),
    /// A fingerprint is kept.
    Digest(Digest),
    /// Both: the fingerprint covers also what the bound kept out.
    Both(Memory, Digest),
}

impl Sink {
    /// Takes an event and the instant it happened at.
    #[inline]
    pub fn record(&mut self, at: Time, event: Event) {
        match self {
            Sink::None => {}
            Sink::Memory(memory) => memory.record(at, event),
            Sink::Digest(digest) => digest.record(at, event),
            Sink::Both(memory, digest) => {
                memory.record(at, event);
                digest.record(at, event);
            }
        }
    }

    /// The events kept, in the order they were recorded; none where none are kept.
    pub fn events(&self) -> &[(Time, Event)] {
        match self {
            Sink::Memory(memory) | Sink::Both(memory, _) => memory.events(),
            Sink::None | Sink::Digest(_) => &[],
        }
    }

    /// The fingerprint, where one is kept.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Sink::Digest(digest) | Sink::Both(_, digest) => Some(*digest),
            Sink::None | Sink::Memory(_) => None,
        }
    }
}

/// The first events of a run, as many as the caller allowed; of the others, their number.
#[derive(Clone, Debug)]
pub struct Memory {
    events: Vec<(Time, Event)>,
    bound: usize,
    lost: u64,
}

impl Memory {
    /// Room for `bound` events of 32 bytes each, taken as they come.
    pub fn new(bound: usize) -> Memory {
        Memory { events: Vec::new(), bound, lost: 0 }
    }

    /// Keeps the event if there is room, and counts it as lost otherwise.
    #[inline]
    pub fn record(&mut self, at: Time, event: Event) {
        if self.events.len() < self.bound {
            self.events.push((at, event));
        } else {
            self.lost += 1;
        }
    }

    /// The events kept, in the order they were recorded.
    pub fn events(&self) -> &[(Time, Event)] {
        &self.events
    }

    /// How many events came when there was no room left.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}
