//! Events of a run: a closed vocabulary, and the sinks that take them.
//!
//! A world calls [`Sink::record`] with the instant and the [`Event`]. A sink forgets the events, or keeps a
//! [`Digest`] of them for each node ([`Digests`]); of a traced run it also hands them in a [`Batch`] to the [`Recorder`]
//! that all processors share, which keeps the first of them or writes a trace for Perfetto. Events are small integers,
//! and two identical runs have the same events to the bit.
//!
//! This room must never know the emitter of an event, or the meaning of the integers beyond the [`Cast`] it is told: no
//! machine, no handler, no file.

#![forbid(unsafe_code)]

mod cast;
mod digest;
mod event;
mod perfetto;
mod recorder;
mod sink;
mod waiting;

pub use cast::{Cast, Counter, Sample, Summary};
pub use digest::{Digest, Digests};
pub use event::Event;
pub use recorder::{Batch, Recorder};
pub use sink::Sink;
