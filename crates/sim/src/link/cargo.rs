//! The cargo that nodes send each other, and its manifest: the sizes that a sender pays for and counts.
//!
//! This module must never know how cargo gets to its destination, nor its purpose.

use hardware::Mover;
use machine::Class;
use tempest::data::Piece;
use tempest::outcome::Counters;
use tempest::world::{DispatchKey, Node, Packet, PacketFacts, Transfer};
use tempest::{Block, NodeId, Place, Volume};

use crate::prices::WORD_BYTES;

/// The cargo of one send, in the memory of its sender.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cargo<'a> {
    /// A message.
    Message(&'a Packet),
    /// Words for places in the destination's memory, and the message that is handled when all of them are in place.
    Transfer(Transfer<'a>, &'a Packet),
    /// A few words for a place in the destination's memory.
    Deposit(Place, &'a [u64]),
    /// A block of shared memory with its words, and the message that is handled when the words are in place.
    Block(Block, &'a [u64], &'a Packet),
}

impl<'a> Cargo<'a> {
    /// The cargo's message, if a handler runs for it.
    pub(crate) fn packet(&self) -> Option<&'a Packet> {
        match *self {
            Cargo::Message(packet) | Cargo::Transfer(_, packet) | Cargo::Block(_, _, packet) => Some(packet),
            Cargo::Deposit(..) => None,
        }
    }

    /// The part of the machine that moves the cargo through an interface, where memory has lines of `line` bytes.
    pub(crate) fn mover(&self, line: u64) -> Mover {
        match self {
            Cargo::Message(_) | Cargo::Block(..) => Mover::Processors,
            Cargo::Transfer(..) => Mover::Engine,
            Cargo::Deposit(_, words) => {
                Mover::Deposit { lines: (words.len() as u64 * WORD_BYTES).div_ceil(line) }
            }
        }
    }

    /// The bytes on the wire of words for places, including the places where they are not in the header. A piece of the sender's
    /// memory that begins within a word of 8 bytes takes one more: an interface moves whole ones.
    fn placed(&self, waist: &Node) -> u64 {
        let words = match self {
            Cargo::Message(_) => 0,
            Cargo::Block(_, words, _) => words.len(),
            Cargo::Transfer(Transfer { words, from, into }, _) => {
                let pads = |piece: &&Piece| !is_aligned(waist, piece);
                into.len() + words.len() + from.iter().filter(pads).count()
            }
            Cargo::Deposit(_, words) => 1 + words.len(),
        };
        words as u64 * WORD_BYTES
    }

    /// The number of words that a transfer's lists have beyond those of a single block: the address and the length of
    /// each further piece that is gathered.
    fn listed(&self) -> u16 {
        match self {
            Cargo::Transfer(transfer, _) => 2 * transfer.from.len().saturating_sub(1) as u16,
            _ => 0,
        }
    }
}

/// The facts about cargo that a sender pays for and counts, and that a processor goes by that receives it. They are read from the
/// cargo once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Manifest {
    pub(crate) to: NodeId,
    /// The number of the cargo's message. Cargo for which no handler runs has a number of its own.
    pub(crate) kind: u16,
    /// The class of the cargo's message.
    pub(crate) class: Class,
    pub(crate) volume: Volume,
    /// The key of the cargo's message, which keeps it in order.
    pub(crate) key: DispatchKey,
    /// The number of words that the sending processor writes into the interface behind the header, and the receiving one reads.
    /// The place of a deposit is one word. The device reads the words of a block itself.
    pub(crate) words: u16,
    /// Whether the interface's engine moves words from memory to memory.
    pub(crate) transfers: bool,
    /// The words of a transfer's lists beyond those of a single block. The sending processor writes them into the
    /// interface too.
    pub(crate) listed: u16,
    /// The bytes of the message on the wire behind its header.
    pub(crate) bytes_of_message: u64,
    /// The bytes on the wire of words for a place, including the place where that is not in the header.
    pub(crate) placed: u64,
}

/// The number that stands for a message where no handler runs for cargo.
const NO_MESSAGE: u16 = u16::MAX;

impl Manifest {
    /// The manifest of cargo that a node sends.
    #[inline(always)]
    pub(crate) fn of(cargo: &Cargo<'_>, waist: &Node, to: NodeId) -> Self {
        if let Cargo::Message(packet) = cargo {
            return Self::of_message(packet, waist, to);
        }
        Self::of_words(cargo, waist, to)
    }

    /// The manifest of a message that a node sends.
    #[inline(always)]
    fn of_message(packet: &Packet, waist: &Node, to: NodeId) -> Self {
        let PacketFacts { key, class: purpose, volume, bytes } =
            waist.facts(packet).expect("packets of this world are never damaged");
        let mut manifest = Self {
            to,
            kind: packet.id().0,
            class: class(purpose),
            volume,
            key,
            words: packet.length() as u16,
            transfers: false,
            listed: 0,
            bytes_of_message: bytes,
            placed: 0,
        };
        // The first word of a message about a block of shared memory names the block and is in the header.
        if waist.memory().is_some() && names_block(key) {
            manifest.words = manifest.words.saturating_sub(1);
            manifest.bytes_of_message = bytes.saturating_sub(WORD_BYTES);
        }
        manifest
    }

    /// The manifest of cargo with words for a place.
    #[inline(never)]
    fn of_words(cargo: &Cargo<'_>, waist: &Node, to: NodeId) -> Self {
        let placed = cargo.placed(waist);
        match cargo.packet() {
            Some(packet) => {
                let transfers = matches!(cargo, Cargo::Transfer(..));
                let listed = cargo.listed();
                Self { transfers, listed, placed, ..Self::of_message(packet, waist, to) }
            }
            None => Self { words: (placed / WORD_BYTES) as u16, ..Self::of_bytes(placed, to) },
        }
    }

    /// The manifest of `placed` bytes of cargo for which no handler runs.
    pub(crate) fn of_bytes(placed: u64, to: NodeId) -> Self {
        Self {
            to,
            kind: NO_MESSAGE,
            class: Class::Write,
            volume: Volume::Data,
            key: DispatchKey::NoSync,
            words: 0,
            transfers: false,
            listed: 0,
            bytes_of_message: 0,
            placed,
        }
    }

    /// The number of the cargo's message; `None` if no handler runs for the cargo.
    #[inline]
    pub(crate) fn message(&self) -> Option<u16> {
        (self.kind != NO_MESSAGE).then_some(self.kind)
    }

    /// Counts the send of the cargo from a node. It travels with `headers` bytes of headers.
    #[inline]
    pub(crate) fn count(&self, counters: &mut Counters, headers: u64, from: usize) {
        if self.kind == NO_MESSAGE {
            counters.deposits += 1;
        } else {
            counters.messages += 1;
            counters.transfers += u64::from(self.transfers);
        }
        if self.to.0 as usize != from {
            counters.volume.count(self.volume, self.bytes_of_message, headers);
            counters.volume.data += self.placed;
        }
    }

    /// The bytes of the cargo, without headers.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes_of_message + self.placed
    }

    /// The stream of the cargo.
    pub(crate) fn stream(&self) -> Stream {
        Stream { to: self.to, key: self.key, places: self.transfers || self.kind == NO_MESSAGE }
    }

    /// The number of words that a processor writes to hand the cargo over: the words of an injection, and for the
    /// engine the place, the address and the length of the moved data.
    pub(crate) fn words_to_hand_over(&self) -> usize {
        usize::from(self.words + self.listed) + if self.transfers { 3 } else { 0 }
    }
}

/// Whether a piece of a node's memory begins with a word of 8 bytes. A missing piece is reported elsewhere.
fn is_aligned(waist: &Node, piece: &Piece) -> bool {
    let first = waist.address(piece.place, piece.words as usize);
    first.map_or(true, |first| first.is_multiple_of(WORD_BYTES))
}

/// Whether a key is that of a block of shared memory.
fn names_block(key: DispatchKey) -> bool {
    matches!(key, DispatchKey::User(name) if name.block().is_some())
}

/// The class of a message, as machine files name it.
pub(crate) fn class(class: tempest::Class) -> Class {
    match class {
        tempest::Class::Read => Class::Read,
        tempest::Class::Write => Class::Write,
        tempest::Class::Reply => Class::Reply,
        tempest::Class::Acknowledge => Class::Acknowledge,
        tempest::Class::System => Class::System,
        tempest::Class::User => Class::User,
        tempest::Class::Atomic => Class::Atomic,
        tempest::Class::Bulk => Class::Bulk,
    }
}

/// The class of messages that machine files name so.
pub(crate) fn named(class: Class) -> tempest::Class {
    tempest::Class::ALL[class as usize]
}

/// The route of cargo into the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    /// The sending processor injects the cargo.
    Inject,
    /// The sending processor hands the cargo over to a protocol processor, which injects it.
    HandOver,
}

/// The facts by which cargo of a node stays in order with other cargo of the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stream {
    pub(crate) to: NodeId,
    pub(crate) key: DispatchKey,
    /// Whether the cargo has words for a place in memory.
    pub(crate) places: bool,
}

impl Stream {
    /// Whether cargo of this stream stays in order with cargo of another one: messages to one node under one key do, and words for a
    /// place do with everything to their node.
    pub(crate) fn keeps_order_with(self, other: Self) -> bool {
        let keyed = self.key != DispatchKey::NoSync && self.key == other.key;
        self.to == other.to && (keyed || self.places || other.places)
    }

    /// Whether the cargo's message has a key.
    pub(crate) fn has_key(self) -> bool {
        self.key != DispatchKey::NoSync
    }
}

/// Cargo that a thread has handed over to the protocol processor for injection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HandedOver {
    pub(crate) stream: Stream,
    /// The cargo's place among the flights.
    pub(crate) flight: u32,
}
