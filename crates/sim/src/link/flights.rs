//! The flights: all cargo on its way between nodes, and all messages that wait as events of a node.
//!
//! This module must never know how cargo gets to its destination, nor what it is for.

use std::ops::{Index, IndexMut};

use hardware::Mover;
use machine::Class;
use tempest::world::{Node, Packet};
use tempest::{Block, Place};
use units::Time;

use super::cargo::{Cargo, words_behind_header};
use crate::prices::Receipt;

/// The cause of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A node has sent a message.
    Sent,
    /// An access of a thread of its node faulted.
    Fault,
    /// A right has been taken away for which a handler had to wait.
    Lowered,
}

/// Cargo on its way, or an event that a node raised by itself.
#[derive(Debug)]
pub(crate) struct Flight {
    from: usize,
    to: usize,
    bytes: u64,
    mover: Mover,
    /// The class of the flight's message.
    class: Class,
    /// Whether a network processor has handed the message over to a computing processor.
    forwarded: bool,
    /// The number of the flow. It is unique in a run, and rises with time among the flows of one source.
    number: u64,
    /// The number of earlier flights at this place.
    uses: u32,
    /// The kind in the account of costs: the number of the flight's message, or of the message that the flight completes.
    kind: u16,
    origin: Origin,
    /// The time at which the cargo left for the network, or became an event.
    left: Time,
    /// The time at which the cargo came to its node.
    arrived: Time,
    cargo: Cargo,
}

impl Flight {
    /// A flight of cargo of `bytes` bytes, without headers, that leaves now. `way` holds the source and the destination.
    pub(crate) fn new(
        way: (usize, usize),
        number: u64,
        bytes: u64,
        (class, mover): (Class, Mover),
        now: Time,
        cargo: Cargo,
    ) -> Self {
        Self {
            from: way.0,
            to: way.1,
            bytes,
            mover,
            class,
            forwarded: false,
            number,
            uses: 0,
            kind: cargo.kind(),
            origin: Origin::Sent,
            left: now,
            arrived: now,
            cargo,
        }
    }

    /// An event that a node raises by itself, of a kind and class. `way` holds the node twice.
    pub(crate) fn local(
        way: (usize, usize),
        number: u64,
        origin: Origin,
        (kind, class): (u16, Class),
        now: Time,
        packet: Packet,
    ) -> Self {
        let message = Self::new(way, number, 0, (class, Mover::Processors), now, Cargo::Message(packet));
        Self { kind, origin, ..message }
    }

    /// The source node.
    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// The destination node.
    pub(crate) fn to(&self) -> usize {
        self.to
    }

    /// The bytes of the cargo, without headers.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The part of the machine that moves the cargo through an interface.
    pub(crate) fn mover(&self) -> Mover {
        self.mover
    }

    /// The class of the flight's message.
    pub(crate) fn class(&self) -> Class {
        self.class
    }

    /// The number of the flow.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The kind in the account of costs.
    pub(crate) fn kind(&self) -> u16 {
        self.kind
    }

    /// The number of earlier flights at this place.
    pub(crate) fn uses(&self) -> u32 {
        self.uses
    }

    /// The time at which the cargo came to its node.
    pub(crate) fn arrived(&self) -> Time {
        self.arrived
    }

    /// The time that the cargo took through the network.
    pub(crate) fn travel(&self) -> Time {
        self.arrived - self.left
    }

    /// The cargo.
    pub(crate) fn cargo(&self) -> &Cargo {
        &self.cargo
    }

    /// The message for a handler.
    ///
    /// # Panics
    /// If no handler runs for the cargo.
    pub(crate) fn packet(&self) -> &Packet {
        self.cargo.packet().expect("a message on its way to a handler")
    }

    /// Whether a network processor has handed the message over to a computing processor.
    pub(crate) fn is_forwarded(&self) -> bool {
        self.forwarded
    }

    /// Records that a network processor has handed the message over to a computing processor.
    pub(crate) fn forward(&mut self) {
        self.forwarded = true;
    }

    /// The way in which a processor of the node `waist` receives the event, which may interrupt that processor.
    pub(crate) fn receipt(&self, waist: &Node, interrupts: bool) -> Receipt {
        match self.origin {
            _ if self.forwarded => Receipt::Forwarded,
            Origin::Fault => Receipt::Fault,
            Origin::Lowered => Receipt::Resumed,
            Origin::Sent => Receipt::Message {
                own: self.from == self.to,
                words: words_behind_header(waist, self.packet()) as u64,
                interrupts,
            },
        }
    }

    /// Records the arrival at the node. Removes and returns the words for a place in memory, if there are any: the flight's
    /// place may stay unused for long, and should not keep a block of words so long.
    pub(crate) fn arrive(&mut self, now: Time) -> Option<(Place, Box<[u64]>)> {
        self.arrived = now;
        match &mut self.cargo {
            Cargo::Transfer(place, words, ..) | Cargo::Deposit(place, words) => {
                Some((*place, std::mem::take(words)))
            }
            _ => None,
        }
    }
}

/// A block of shared memory that came with a message, and its words.
pub(crate) type Brought = (Block, Box<[u64]>);

/// All flights. Each has a place, which a later flight uses again.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    all: Vec<Flight>,
    free: Vec<u32>,
}

impl Flights {
    /// Adds a flight. Returns its place.
    pub(crate) fn take_off(&mut self, flight: Flight) -> u32 {
        match self.free.pop() {
            Some(place) => {
                let before = &mut self[place];
                *before = Flight { uses: before.uses.wrapping_add(1), ..flight };
                place
            }
            None => {
                self.all.push(flight);
                (self.all.len() - 1) as u32
            }
        }
    }

    /// Removes a flight that has ended.
    pub(crate) fn end(&mut self, place: u32) {
        self.free.push(place);
    }

    /// Removes a flight whose handler now has the message. Returns the message, and the block of shared memory that came with
    /// it.
    pub(crate) fn land(&mut self, place: u32) -> (Packet, Option<Brought>) {
        self.end(place);
        let flight = &mut self[place];
        let block = match &mut flight.cargo {
            Cargo::Block(block, words, _) => Some((*block, std::mem::take(words))),
            _ => None,
        };
        (*flight.packet(), block)
    }
}

impl Index<u32> for Flights {
    type Output = Flight;
    fn index(&self, place: u32) -> &Flight {
        &self.all[place as usize]
    }
}

impl IndexMut<u32> for Flights {
    fn index_mut(&mut self, place: u32) -> &mut Flight {
        &mut self.all[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempest::world::SegmentId;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    fn deposit(number: u64, words: &[u64]) -> Flight {
        let cargo = Cargo::Deposit(Place { segment: SegmentId(0), offset: 5 }, words.into());
        Flight::new((1, 2), number, 16, (Class::Write, Mover::Processors), ns(10), cargo)
    }

    #[test]
    fn a_place_is_used_again_and_says_how_often() {
        let mut flights = Flights::default();
        let first = flights.take_off(deposit(7, &[]));
        let second = flights.take_off(deposit(8, &[]));
        assert_ne!(first, second);
        flights.end(first);
        assert_eq!(flights.take_off(deposit(9, &[])), first);
        assert_eq!((flights[first].number(), flights[first].uses()), (9, 1));
        assert_eq!((flights[second].number(), flights[second].uses()), (8, 0));
    }

    #[test]
    fn words_go_to_their_place_once() {
        let mut flight = deposit(7, &[3, 4]);
        let (place, words) = flight.arrive(ns(25)).expect("a deposit brings words");
        assert_eq!((place.offset, &*words), (5, [3, 4].as_slice()));
        assert_eq!(flight.travel(), ns(15));
        assert!(flight.arrive(ns(25)).is_some_and(|(_, words)| words.is_empty()));
    }
}
