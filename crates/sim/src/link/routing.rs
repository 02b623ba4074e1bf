//! The network between the interfaces, and the queues at its ends.
//!
//! Over a constant network a passage is one addition. In a routed network the fabric says which event comes next, and
//! the agenda says when. A node whose interface has no room leaves arriving messages in the network. This module must
//! never know the purpose of a message, nor which links exist.

use hardware::{Event, Interface, Network, Parcel, Passage};
use machine::Machine;
use units::Time;

use super::flights::Flight;
use crate::agenda::Agenda;
use crate::happening::{Happening, Packed};

/// The network and the limits of the interfaces' queues.
pub(crate) struct Routing {
    network: Network,
    /// The largest number of messages that wait in an interface for a routed network.
    send_queue: usize,
    /// The largest number of messages that wait in an interface for the node; `None` for any number.
    receive_queue: Option<usize>,
    /// The time after which a processor looks again for room that no event announces.
    look: Time,
}

impl Routing {
    /// An idle network of a machine of `nodes` nodes.
    pub(crate) fn new(machine: &Machine, nodes: u32) -> Self {
        let (interface, processor) = (&machine.interface, &machine.processor);
        Self {
            network: Network::new(&machine.network, interface.gap, nodes),
            send_queue: interface.send_queue,
            receive_queue: interface.receive_queue,
            look: processor.poll.max(processor.clock.cycles_to_time(1)),
        }
    }

    /// The network.
    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// Whether messages come to a port in with their last byte. Otherwise they come with their first.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self.network, Network::Constant(_))
    }

    /// Starts the cross traffic of the network, if there is any.
    pub(crate) fn start(&mut self, agenda: &mut Agenda) {
        if let Network::Routed(fabric) = &mut self.network {
            fabric.start(later(agenda));
        }
    }

    /// Sends the flight at `place` from the interface of its source to another node.
    #[inline(always)]
    pub(crate) fn leave(
        &mut self,
        place: u32,
        flight: &Flight,
        passage: Passage,
        interface: &mut Interface,
        agenda: &mut Agenda,
    ) {
        let now = agenda.now();
        match &mut self.network {
            Network::Constant(network) => {
                let first = network.arrival(interface.inject(now, passage.time));
                let at = first + flight.mover().behind(passage.time);
                agenda.push(flight.to(), at, Happening::Arrive { flight: place });
            }
            Network::Routed(fabric) => {
                let parcel = Parcel {
                    cargo: place,
                    tie: agenda.rank(flight.to()),
                    from: flight.from() as u32,
                    to: flight.to() as u32,
                    bytes: flight.bytes() + passage.headers,
                    passage: passage.time,
                };
                fabric.launch(now, parcel, later(agenda));
            }
        }
    }

    /// Handles an event inside the network. Returns the flight that has come to the port in of its node, if one has.
    pub(crate) fn step(&mut self, event: Event, agenda: &mut Agenda) -> Option<u32> {
        let Network::Routed(fabric) = &mut self.network else { return None };
        fabric.step(agenda.now(), event, later(agenda))
    }

    /// Prefetches the message that an event is about, ahead of its step.
    pub(crate) fn ask_for_message(&self, event: Event) {
        if let Network::Routed(fabric) = &self.network {
            fabric.message_of(event).into_iter().for_each(fiber::prefetch_value);
        }
    }

    /// Prefetches the channels that an event's step touches, ahead of it. Returns the flight that the event probably
    /// brings to the port in of its node, and that node.
    pub(crate) fn ask_for_channels(&self, event: Event) -> Option<(u32, usize)> {
        let Network::Routed(fabric) = &self.network else { return None };
        fabric.channels_of(event).for_each(fiber::prefetch_value);
        fabric.arrival_of(event).map(|(flight, node)| (flight, node as usize))
    }

    /// Lets in the flight that waits at the port in of a node, if there is one.
    pub(crate) fn accept(&mut self, node: usize, agenda: &mut Agenda) -> Option<u32> {
        let Network::Routed(fabric) = &mut self.network else { return None };
        fabric.accept(agenda.now(), node as u32, later(agenda))
    }

    /// The flight that waits at the port in of a node and was not let in.
    pub(crate) fn blocked_at(&self, node: usize) -> Option<u32> {
        self.network.blocked_at(node as u32)
    }

    /// Whether all events to come are cross traffic: `next`, which has been taken from the agenda, and all that the agenda
    /// holds.
    #[inline]
    pub(crate) fn is_over(&self, next: Packed, agenda: &Agenda) -> bool {
        next.inside().is_some() && self.is_quiet(|| agenda.waiting() + 1)
    }

    /// Whether all of `events` events to come are cross traffic.
    pub(crate) fn is_quiet(&self, events: impl FnOnce() -> usize) -> bool {
        match &self.network {
            Network::Constant(_) => false,
            Network::Routed(fabric) => fabric.is_quiet(events),
        }
    }

    /// Whether an interface in which `waiting` messages wait for the node lets another message in.
    pub(crate) fn admits(&self, waiting: usize) -> bool {
        self.receive_queue.is_none_or(|room| waiting < room)
    }

    /// Whether a processor of a node may put a message into its interface at `at`, if no other is put in before.
    pub(crate) fn has_room(&self, node: usize, interface: &Interface, at: Time) -> bool {
        match &self.network {
            Network::Constant(_) => interface.has_room(at),
            Network::Routed(fabric) => fabric.leaving(node as u32) < self.send_queue,
        }
    }

    /// The time to look for room again, if nothing else happens. A routed network may hold messages back in the interface for
    /// an unknown time. The look is then after the next poll, or after a `rest`.
    pub(crate) fn room_at(&self, interface: &Interface, at: Time, rest: Time) -> Time {
        match &self.network {
            Network::Constant(_) => interface.room_at(at),
            Network::Routed(_) => self.look_after(at).max(at + rest),
        }
    }

    /// The time to look again for room that no event announces: after the next poll.
    pub(crate) fn look_after(&self, at: Time) -> Time {
        at + self.look
    }
}

/// Adds events of the fabric to the agenda.
fn later(agenda: &mut Agenda) -> impl FnMut(Time, u32, Event) + '_ {
    |at, rank, event| agenda.push_inside(at, rank, event)
}

#[cfg(test)]
mod tests {
    use hardware::{Mover, Passages};

    use super::*;
    use crate::link::testing::interface;
    use crate::testing::ns;

    /// A network of 100 ns, interfaces with room for `receive` messages.
    fn routing(receive_queue: Option<usize>) -> Routing {
        let constant = machine::Network { latency: ns(100), routers: None };
        Routing { network: Network::new(&constant, Time::ZERO, 2), send_queue: 2, receive_queue, look: ns(7) }
    }

    #[test]
    fn an_interface_admits_until_it_is_full() {
        assert!(routing(None).admits(1_000_000));
        assert!(routing(Some(3)).admits(2));
        assert!(!routing(Some(3)).admits(3));
    }

    #[test]
    fn what_leaves_arrives_in_order_and_fills_the_queue_before_the_port() {
        let (mut routing, mut agenda) = (routing(None), Agenda::new([3, 5].into(), Time::ZERO, None));
        let mut port = Interface::new(interface().into());
        let flight = Flight::of_bytes(40);
        let passage = Passages::new(interface(), Time::ZERO).of(40, Mover::Processors);
        for place in 0..3 {
            assert!(routing.has_room(0, &port, ns(0)));
            routing.leave(place, &flight, passage, &mut port, &mut agenda);
        }
        // The third message waits behind the 40 bytes of the second, which waits behind the bytes of the first.
        assert!(!routing.has_room(0, &port, ns(0)));
        assert_eq!(routing.room_at(&port, ns(0), ns(90)), ns(40));
        let arrivals = std::iter::from_fn(|| agenda.take_next()).map(|(at, event)| match event.into() {
            Happening::Arrive { flight } => (flight, at),
            other => panic!("{other:?}"),
        });
        let arrivals: Vec<_> = arrivals.collect();
        assert_eq!(arrivals.iter().map(|&(place, _)| place).collect::<Vec<_>>(), [0, 1, 2]);
        let apart = |later: usize| arrivals[later].1 - arrivals[later - 1].1;
        assert!(arrivals[0].1 >= ns(100));
        assert_eq!((apart(1), apart(2)), (ns(40), ns(40)));
    }
}
