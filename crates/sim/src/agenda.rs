//! The present time, and what will happen when.
//!
//! Must never know what an event means to the part it is for.

use std::collections::VecDeque;

use des::EventQueue;
use units::Time;

/// What the engine's queue holds. Small: entries are copied at every sift.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
    /// The fiber at work on a core goes on, unless an interrupt has put it off since.
    Continue { core: u32, epoch: u32 },
    /// The first byte of something sent is at its destination.
    Arrive { flight: u32 },
    /// It has passed the port in.
    Pass { flight: u32 },
    /// What a node sends to itself is there.
    Deliver { flight: u32 },
    /// Something moves inside the network.
    Network { event: hardware::Event },
    /// A message that the network processor handed over can be seen by the computing processor.
    Forward { flight: u32 },
    /// The next step of a packet of a transfer.
    Packet { packet: u32, step: PacketStep },
    /// A message may have waited too long at a port in.
    Overflow { flight: u32, uses: u32 },
    /// The device of a node may ask for the bus to write the next line that has been placed.
    Post { node: u32 },
    /// Somebody of a node may find something to do that nobody could do before.
    Look { node: u32 },
}

impl Happening {
    /// Somebody looks, and may find nothing; or what nobody waits for goes on.
    pub(crate) fn is_a_look(self) -> bool {
        matches!(self, Self::Look { .. } | Self::Overflow { .. } | Self::Post { .. })
    }
}

/// What happens to a packet next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PacketStep {
    Stage,
    Leave,
    Wire,
    Gone,
    Look,
    Place,
    Placed,
}

/// The present time and all events to come.
pub(crate) struct Agenda {
    pub(crate) now: Time,
    /// When the last event before now was that had an effect, if nothing but looks without one came since.
    pub(crate) quiet_since: Option<Time>,
    pub(crate) events: EventQueue<Happening>,
    /// Cores whose fibers go on at the present time, in order, each with the epoch it was told in. They come before
    /// every queued event, and save most of them.
    pub(crate) due: VecDeque<(usize, u32)>,
    /// Events so far.
    pub(crate) happened: u64,
    /// How long nothing may happen.
    pub(crate) stall_limit: Option<Time>,
    /// When something last happened: a handler or a thread ended or went on.
    pub(crate) progress: Time,
}
