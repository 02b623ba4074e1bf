//! The cargo that nodes send each other.
//!
//! This module must never know how cargo gets to its destination, nor what it is for.

use hardware::Mover;
use machine::Class;
use tempest::world::{DispatchKey, Node, Packet};
use tempest::{Block, NodeId, Place};

use crate::prices::WORD_BYTES;

/// The cargo of one send.
#[derive(Clone, Debug)]
pub(crate) enum Cargo {
    /// A message.
    Message(Packet),
    /// A block of words for a place in the destination's memory, the message that is handled when the block is in place, and
    /// the block's place at the sender if it lies in a segment.
    Transfer(Place, Box<[u64]>, Packet, Option<Place>),
    /// A few words for a place in the destination's memory.
    Deposit(Place, Box<[u64]>),
    /// A block of shared memory with its words, and the message that is handled when the words are in place.
    Block(Block, Box<[u64]>, Packet),
    /// A packet of a transfer through staging buffers, by the packet's number.
    Packet(u32),
}

impl Cargo {
    /// The part of the machine that moves the cargo through an interface, where memory has lines of `line` bytes.
    pub(crate) fn mover(&self, line: u64) -> Mover {
        match self {
            Cargo::Message(_) | Cargo::Block(..) => Mover::Processors,
            Cargo::Packet(_) => Mover::Staging,
            Cargo::Transfer(..) => Mover::Engine,
            Cargo::Deposit(_, words) => {
                Mover::Deposit { lines: (words.len() as u64 * WORD_BYTES).div_ceil(line) }
            }
        }
    }

    /// The class of the cargo's message.
    pub(crate) fn class(&self, waist: &Node) -> Class {
        self.packet().map_or(Class::Write, |packet| class(waist.class(packet)))
    }

    /// Whether the cargo's message has a key, which keeps it in order.
    pub(crate) fn has_key(&self, waist: &Node) -> bool {
        self.packet().is_some_and(|packet| key_of(waist, packet) != DispatchKey::NoSync)
    }

    /// The number of the cargo's message. Cargo for which no handler runs has a number of its own.
    pub(crate) fn kind(&self) -> u16 {
        self.packet().map_or(u16::MAX, |packet| packet.id().0)
    }

    /// The cargo's message, if a handler runs for it.
    pub(crate) fn packet(&self) -> Option<&Packet> {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                Some(packet)
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => None,
        }
    }

    /// The number of words that the sending processor writes into the interface behind the header. The place of a deposit is
    /// one word. The device reads the words of a block itself.
    pub(crate) fn written(&self, waist: &Node) -> usize {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                words_behind_header(waist, packet)
            }
            Cargo::Deposit(_, words) => 1 + words.len(),
            Cargo::Packet(_) => 0,
        }
    }

    /// The bytes of a message on the wire behind its header.
    pub(crate) fn bytes_behind_header(&self, waist: &Node) -> u64 {
        let in_header = |packet| if is_about_block(waist, packet) { WORD_BYTES } else { 0 };
        self.packet().map_or(0, |packet| waist.bytes(packet).saturating_sub(in_header(packet)))
    }

    /// The words that tell the engine what to move: the place, the address and the length.
    pub(crate) fn descriptor(&self) -> usize {
        if let Cargo::Transfer(..) = self { 3 } else { 0 }
    }

    /// The bytes on the wire of words for a place, including the place where that is not in the header.
    pub(crate) fn placed(&self) -> u64 {
        match self {
            Cargo::Message(_) | Cargo::Packet(_) => 0,
            Cargo::Block(_, words, _) => words.len() as u64 * WORD_BYTES,
            Cargo::Transfer(_, words, ..) | Cargo::Deposit(_, words) => (1 + words.len() as u64) * WORD_BYTES,
        }
    }
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
    }
}

/// The words of a message that processors write and read behind the header. If the message is about a block of shared memory,
/// its first word names the block and is in the header.
pub(crate) fn words_behind_header(waist: &Node, packet: &Packet) -> usize {
    packet.words().len().saturating_sub(usize::from(is_about_block(waist, packet)))
}

/// The dispatch key of a packet, as the destination computes it.
pub(crate) fn key_of(waist: &Node, packet: &Packet) -> DispatchKey {
    waist.key(packet).expect("packets of this world are never damaged")
}

/// Whether the key of a message is that of a block of shared memory.
fn is_about_block(waist: &Node, packet: &Packet) -> bool {
    waist.memory().is_some()
        && matches!(key_of(waist, packet), DispatchKey::User(name) if name.block().is_some())
}

/// The route of cargo into the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    /// The sending processor injects the cargo.
    Inject,
    /// The sending processor hands the cargo over to a protocol processor, which injects it.
    HandOver,
}

/// Cargo that a thread has handed over to the protocol processor for injection.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub(crate) to: NodeId,
    pub(crate) cargo: Cargo,
}
