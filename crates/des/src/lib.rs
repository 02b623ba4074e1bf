//! Pieces of a deterministic discrete-event engine.
//!
//! [`Timetable`] holds future events of many actors that take turns, in an order fixed to the last tie. [`DelayLines`] hold events that come a fixed delay after their pushes. [`Choice`] decides by a seed
//! everything that a model leaves to chance, and [`Server`] is a resource with occupancy. Time is an integer
//! ([`units::Time`]), so nothing accumulates and two runs agree to the bit.
//!
//! This room must never know machines, messages or wall time.

#![forbid(unsafe_code)]

mod bands;
mod choice;
mod delay_lines;
mod entry;
mod queue;
mod ring;
mod server;
mod timetable;

pub use choice::Choice;
pub use delay_lines::DelayLines;
pub use server::Server;
pub use timetable::{Order, Timetable, Turn};
