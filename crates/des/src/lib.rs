//! Pieces of a deterministic discrete-event engine.
//!
//! [`EventQueue`] holds what is to come in an order fixed to the last tie, and [`Timetable`] what is to come of many actors that take
//! turns. [`DelayLines`] hold what comes a fixed delay after its push. [`Choice`] decides by a seed what a model leaves to chance,
//! and [`Server`] is a resource with occupancy. Time is an integer ([`units::Time`]), so nothing accumulates and two runs agree to
//! the bit.
//!
//! This room must never know machines, messages or wall time.

#![forbid(unsafe_code)]

mod bands;
mod choice;
mod delay_lines;
mod entry;
mod event_queue;
mod queue;
mod ring;
mod server;
mod timetable;

pub use choice::Choice;
pub use delay_lines::DelayLines;
pub use event_queue::EventQueue;
pub use server::Server;
pub use timetable::{Order, Timetable, Turn};
