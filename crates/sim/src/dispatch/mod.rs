//! Which protocol event a node handles next, and on which processor.
//!
//! Must never know what a message means.

pub(crate) mod network_processor;
pub(crate) mod pace;
pub(crate) mod roles;
pub(crate) mod routine;
pub(crate) mod turns;

use std::collections::VecDeque;

use hardware::EventQueue;
use tempest::world::Name;
use units::Time;

use crate::processor::core::{Event, Job};
use network_processor::Loop;
use roles::Roles;
use routine::Routine;

/// A message that arrived and has not been looked at.
pub(crate) struct Arrived {
    pub(crate) at: Time,
    pub(crate) flight: u32,
}

/// The events of a node that wait, and whose turn it is.
pub(crate) struct Desk {
    pub(crate) queue: EventQueue<Event, Name>,
    /// Where one processor runs all handlers between its threads, messages wait here until it looks: to the program
    /// they have not arrived yet, and `hold` is free.
    pub(crate) unseen: VecDeque<Arrived>,
    /// How many of those, the oldest, are in memory because the interface was full.
    pub(crate) spilled: usize,
    /// Where a network processor looks at the interface: the messages that have arrived there.
    pub(crate) incoming: VecDeque<Arrived>,
    /// The network processor.
    pub(crate) network: Option<Loop>,
    /// Handlers that go on, as the right has been taken away that they waited for: before all others.
    pub(crate) resumed: VecDeque<Job>,
    /// Where software dispatches: its routine.
    pub(crate) routine: Routine,
    /// Under floating: the core, by its number, whose back-edge polls count.
    pub(crate) poll_owner: usize,
    /// Which processors are dedicated to handlers, where that changes.
    pub(crate) roles: Option<Box<Roles>>,
    /// The core, by its number, that is interrupted next.
    pub(crate) next_interrupt: usize,
}
