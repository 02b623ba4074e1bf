//! The operations of threads and handlers that a world implements, for the thread or handler that runs now on a
//! processor.
//!
//! Programs never see these operations; [`Thread`](crate::Thread) and [`Handler`](crate::Handler) call them. Every
//! method acts for the thread or handler that runs *now* on this processor. This module must never know any one world.

mod accounting;
mod messages;
mod pace;
mod scheduling;
mod wait;

pub use accounting::Accounting;
pub use messages::Messages;
pub use pace::{Pace, PollInterval};
pub use scheduling::Scheduling;
pub use wait::Wait;

/// A processor of a world, as the thread or handler that runs on it uses it: [`Messages`] and [`Scheduling`] behind one
/// pointer. Every type that implements these two traits is a processor.
pub trait Processor: Messages + Scheduling {}

impl<P: Messages + Scheduling> Processor for P {}
