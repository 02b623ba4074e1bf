//! Where events go.
//!
//! A closed enum rather than a trait: recording is inlined into the engine's inner loop, and a run without a trace
//! pays one predictable branch. An event costs 1 ns, 2.3 ns and 14 ns with no sink, a digest and the memory
//! (`cargo bench -p tradewind-trace` on two cores of a cloud Xeon). Must never write to a file; whoever owns the sink reads it afterwards.

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
    // Left to itself the compiler makes this a call, which must tell the kinds of events apart again; where it is inlined
    // the kind is known. That more than halves the cost of a digest.
    #[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(mut sink: Sink) -> Sink {
        for index in 0..5 {
            sink.record(Time::from_nanoseconds(index), Event::Phase { index: index as u32 });
        }
        sink
    }

    #[test]
    fn nothing_keeps_nothing() {
        let sink = filled(Sink::None);
        assert_eq!((sink.events(), sink.digest()), (&[][..], None));
    }

    #[test]
    fn memory_keeps_the_first_and_counts_the_rest() {
        let Sink::Memory(memory) = filled(Sink::Memory(Memory::new(2))) else {
            panic!("the sink changed kind")
        };
        let phase = |index: u32| (Time::from_nanoseconds(index.into()), Event::Phase { index });
        assert_eq!((memory.events(), memory.lost()), (&[phase(0), phase(1)][..], 3));
    }

    #[test]
    fn the_bound_of_memory_does_not_bind_the_digest() {
        let alone = filled(Sink::Digest(Digest::new()));
        let both = filled(Sink::Both(Memory::new(1), Digest::new()));
        assert_eq!((both.events().len(), both.digest()), (1, alone.digest()));
        assert_ne!(both.digest(), Some(Digest::new()));
    }

    #[test]
    fn an_event_in_memory_is_as_small_as_it_says() {
        assert_eq!(size_of::<(Time, Event)>(), 32);
    }
}
