//! The events of a run, as the agenda keeps them.
//!
//! This module must never know when an event happens, nor its meaning to the part that handles it.

/// An event of the engine's queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Happening {
    /// The fiber at work on a core goes on, unless an interrupt has put off the continuation of this epoch. Cores have numbers
    /// below [`LIMIT`].
    Continue { core: u32, epoch: u32 },
    /// A flight comes to the port in of its destination.
    Arrive { flight: u32 },
    /// A flight leaves the queue pair to which its sender posted it.
    LeavePair { flight: u32 },
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
    /// A message may have waited too long at a port in. `uses` tells it from a later flight at the same place, and is less than
    /// [`LIMIT`].
    Overflow { flight: u32, uses: u32 },
    /// The device of a node may ask for the bus to write the next line that was placed in its memory.
    Post { node: u32 },
    /// The processors of a node may find something to do that was not there before.
    Look { node: u32 },
    /// A network processor of a node begins or ends a step out of several joined ones, and another part waits for that.
    Reach { node: u32 },
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

impl PacketStep {
    /// All steps, by their numbers.
    const ALL: [Self; 7] =
        [Self::Stage, Self::Leave, Self::Wire, Self::Gone, Self::Look, Self::Place, Self::Placed];
}

/// The numbers of cores, and the numbers of uses of a flight's place, are less than this.
pub(crate) const LIMIT: u32 = 1 << 28;

/// An event in one word, as the queue keeps it: four bits for its kind, 28 bits for a core or another small number, and 32 bits for
/// the number of a flight, a node or an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed(u64);

/// The kinds of events by their numbers.
const CONTINUE: u32 = 0;
const ARRIVE: u32 = 1;
const PASS: u32 = 2;
const DELIVER: u32 = 3;
const NETWORK: u32 = 4;
const FORWARD: u32 = 5;
const PACKET: u32 = 6;
const OVERFLOW: u32 = 7;
const POST: u32 = 8;
const LOOK: u32 = 9;
const REACH: u32 = 10;
const LEAVE_PAIR: u32 = 11;

/// The kinds of events that only make a part look, perhaps in vain, or that no thread waits for, a bit each.
const LOOKS: u32 = 1 << LOOK | 1 << OVERFLOW | 1 << POST;

impl Packed {
    #[inline]
    fn kind(self) -> u32 {
        (self.0 >> 32) as u32 / LIMIT
    }

    /// Whether the event only makes a part look, perhaps in vain, or no thread waits for it.
    #[inline]
    pub(crate) fn is_a_look(self) -> bool {
        LOOKS >> self.kind() & 1 != 0
    }

    /// Whether the event lets the fiber at work on a core go on.
    #[inline]
    pub(crate) fn is_a_continuation(self) -> bool {
        self.kind() == CONTINUE
    }

    /// The core and the epoch of a continuation, if the event is one.
    #[inline]
    pub(crate) fn continuation(self) -> Option<(u32, u32)> {
        self.is_a_continuation().then_some(((self.0 >> 32) as u32 % LIMIT, self.0 as u32))
    }

    /// The event, if it is inside the network.
    #[inline]
    pub(crate) fn inside(self) -> Option<hardware::Event> {
        (self.kind() == NETWORK).then(|| hardware::Event::of_number(self.0 as u32))
    }
}

impl From<Happening> for Packed {
    #[inline]
    fn from(happening: Happening) -> Self {
        let (kind, small, number) = match happening {
            Happening::Continue { core, epoch } => (CONTINUE, core, epoch),
            Happening::Arrive { flight } => (ARRIVE, 0, flight),
            Happening::LeavePair { flight } => (LEAVE_PAIR, 0, flight),
            Happening::Pass { flight } => (PASS, 0, flight),
            Happening::Deliver { flight } => (DELIVER, 0, flight),
            Happening::Network { event } => (NETWORK, 0, event.number()),
            Happening::Forward { flight } => (FORWARD, 0, flight),
            Happening::Packet { packet, step } => (PACKET, step as u32, packet),
            Happening::Overflow { flight, uses } => (OVERFLOW, uses, flight),
            Happening::Post { node } => (POST, 0, node),
            Happening::Look { node } => (LOOK, 0, node),
            Happening::Reach { node } => (REACH, 0, node),
        };
        debug_assert!(small < LIMIT, "{happening:?} does not fit");
        Self(u64::from(kind << LIMIT.trailing_zeros() | small) << 32 | u64::from(number))
    }
}

impl From<Packed> for Happening {
    #[inline]
    fn from(event: Packed) -> Self {
        let number = event.0 as u32;
        let small = (event.0 >> 32) as u32 % LIMIT;
        match event.kind() {
            CONTINUE => Self::Continue { core: small, epoch: number },
            ARRIVE => Self::Arrive { flight: number },
            LEAVE_PAIR => Self::LeavePair { flight: number },
            PASS => Self::Pass { flight: number },
            DELIVER => Self::Deliver { flight: number },
            NETWORK => Self::Network { event: hardware::Event::of_number(number) },
            FORWARD => Self::Forward { flight: number },
            PACKET => Self::Packet { packet: number, step: PacketStep::ALL[small as usize] },
            OVERFLOW => Self::Overflow { flight: number, uses: small },
            POST => Self::Post { node: number },
            REACH => Self::Reach { node: number },
            _ => Self::Look { node: number },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_in_a_word_is_that_event() {
        let number = u32::MAX - 5;
        let events = [
            Happening::Continue { core: LIMIT - 1, epoch: number },
            Happening::Arrive { flight: number },
            Happening::LeavePair { flight: number },
            Happening::Pass { flight: number },
            Happening::Deliver { flight: number },
            Happening::Network { event: hardware::Event::of_number(number) },
            Happening::Forward { flight: number },
            Happening::Overflow { flight: number, uses: LIMIT - 1 },
            Happening::Post { node: number },
            Happening::Look { node: number },
            Happening::Reach { node: number },
        ];
        let packets = PacketStep::ALL.map(|step| Happening::Packet { packet: number, step });
        for event in events.into_iter().chain(packets) {
            let packed = Packed::from(event);
            assert_eq!(Happening::from(packed), event);
            assert_eq!(packed.is_a_continuation(), matches!(event, Happening::Continue { .. }));
            let continued = packed.continuation().map(|(core, epoch)| Happening::Continue { core, epoch });
            assert_eq!(continued, Some(event).filter(|_| packed.is_a_continuation()));
            let looks =
                matches!(event, Happening::Look { .. } | Happening::Overflow { .. } | Happening::Post { .. });
            assert_eq!(packed.is_a_look(), looks);
            let inside = packed.inside().map(|event| Happening::Network { event });
            assert_eq!(inside, Some(event).filter(|event| matches!(event, Happening::Network { .. })));
        }
    }
}
