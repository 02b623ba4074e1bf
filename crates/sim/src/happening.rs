//! The events of a run, as the agenda keeps them.
//!
//! This module must never know when an event happens, nor what it means to the part that it is for.

/// One event of the engine's queue. It is small because the queue copies an entry at every sift.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
    /// The fiber at work on a core goes on, unless an interrupt has put off the continuation of this epoch.
    Continue { core: u32, epoch: u32 },
    /// A flight comes to the port in of its destination.
    Arrive { flight: u32 },
    /// A flight has passed the port in.
    Pass { flight: u32 },
    /// A message of a node to itself arrives.
    Deliver { flight: u32 },
    /// An event inside the network.
    Network { event: hardware::Event },
    /// A message that the network processor handed over can be seen by the computing processor.
    Forward { flight: u32 },
    /// The next step of a packet of a transfer.
    Packet { packet: u32, step: PacketStep },
    /// A message may have waited too long at a port in. `uses` tells it from a later flight at the same place.
    Overflow { flight: u32, uses: u32 },
    /// The device of a node may ask for the bus to write the next line that was placed in its memory.
    Post { node: u32 },
    /// The processors of a node may find something to do that was not there before.
    Look { node: u32 },
}

impl Happening {
    /// Whether the event only makes a part look, perhaps in vain, or is one that no thread waits for.
    pub(crate) fn is_a_look(self) -> bool {
        matches!(self, Self::Look { .. } | Self::Overflow { .. } | Self::Post { .. })
    }
}

/// The next step of a packet of a transfer.
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

/// The numbers of events to come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToCome {
    /// Continuations of processors.
    pub(crate) continuations: usize,
    pub(crate) looks: usize,
    /// All others.
    pub(crate) others: usize,
}

impl ToCome {
    /// The number that an event counts in.
    pub(crate) fn of(&mut self, happening: Happening) -> &mut usize {
        match happening {
            Happening::Continue { .. } => &mut self.continuations,
            happening if happening.is_a_look() => &mut self.looks,
            _ => &mut self.others,
        }
    }
}
