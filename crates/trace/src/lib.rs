//! What happened in a run, event by event: a closed vocabulary and the places it can go.
//!
//! A world calls [`Sink::record`] with the instant and the [`Event`]; the sink keeps the events, or only a
//! [`Digest`] of them, or nothing. Events are small integers, so recording one never allocates more than its slot,
//! and two runs that did the same have the same events to the bit.
//!
//! This room must never know who emits an event or what the integers name: no machine, no handler, no file.

#![forbid(unsafe_code)]

mod digest;
mod event;
mod sink;

pub use digest::Digest;
pub use event::Event;
pub use sink::{Memory, Sink};
