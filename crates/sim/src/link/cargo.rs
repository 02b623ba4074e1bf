//! What nodes send each other.
//!
//! Must never know how cargo gets to its destination, nor what it is for.

use hardware::Mover;
use machine::Class;
use tempest::world::{DispatchKey, Node, Packet};
use tempest::{Block, NodeId, Place};

use crate::prices::WORD_BYTES;

/// What a node sends.
#[derive(Clone, Debug)]
pub(crate) enum Cargo {
    /// A message.
    Message(Packet),
    /// A block for a place in the destination's memory, the message that is handled when it is there, and where the
    /// sender has it, if that is in a segment.
    Transfer(Place, Box<[u64]>, Packet, Option<Place>),
    /// A few words for a place in the destination's memory.
    Deposit(Place, Box<[u64]>),
    /// A block of shared memory with its words, and the message that is handled when they are its words there.
    Block(Block, Box<[u64]>, Packet),
    /// A packet of a transfer that goes through staging buffers, by its number.
    Packet(u32),
}

impl Cargo {
    /// Who moves it, where memory has lines of so many bytes.
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

    /// Its class.
    pub(crate) fn class(&self, waist: &Node) -> Class {
        self.packet().map_or(Class::Write, |packet| class(waist.class(packet)))
    }

    /// Whether its message has a key, which keeps it in order.
    pub(crate) fn has_key(&self, waist: &Node) -> bool {
        self.packet().is_some_and(|packet| key_of(waist, packet) != DispatchKey::NoSync)
    }

    /// The number of its message; that of none where no handler is run for it.
    pub(crate) fn kind(&self) -> u16 {
        self.packet().map_or(u16::MAX, |packet| packet.id().0)
    }

    /// The message in it, if a handler is run for it.
    pub(crate) fn packet(&self) -> Option<&Packet> {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                Some(packet)
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => None,
        }
    }

    /// Words that the sending processor writes into the interface, the header aside. The place of a deposit is one; the words of
    /// a block the device reads itself.
    pub(crate) fn written(&self, waist: &Node) -> usize {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                words_behind_header(waist, packet)
            }
            Cargo::Deposit(_, words) => 1 + words.len(),
            Cargo::Packet(_) => 0,
        }
    }

    /// Bytes of a message on the wire beside its header.
    pub(crate) fn bytes_behind_header(&self, waist: &Node) -> u64 {
        let in_header = |packet| if is_about_block(waist, packet) { WORD_BYTES } else { 0 };
        self.packet().map_or(0, |packet| waist.bytes(packet).saturating_sub(in_header(packet)))
    }

    /// Words beside those that say what the engine is to move: the place, the address and the length.
    pub(crate) fn descriptor(&self) -> usize {
        if let Cargo::Transfer(..) = self { 3 } else { 0 }
    }

    /// Bytes on the wire of words for a place, the place among them where it is not in the header.
    pub(crate) fn placed(&self) -> u64 {
        match self {
            Cargo::Message(_) | Cargo::Packet(_) => 0,
            Cargo::Block(_, words, _) => words.len() as u64 * WORD_BYTES,
            Cargo::Transfer(_, words, ..) | Cargo::Deposit(_, words) => (1 + words.len() as u64) * WORD_BYTES,
        }
    }
}

/// A class of messages, as machine files name it.
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

/// Words of a message that processors write and read beside its header. The header of one about a block of shared memory says
/// which block, and so has the message's first word.
pub(crate) fn words_behind_header(waist: &Node, packet: &Packet) -> usize {
    packet.words().len().saturating_sub(usize::from(is_about_block(waist, packet)))
}

/// The key of a packet, as its destination finds it.
pub(crate) fn key_of(waist: &Node, packet: &Packet) -> DispatchKey {
    waist.key(packet).expect("packets of this world are never damaged")
}

/// Whether a message is about a block of shared memory, by its key.
fn is_about_block(waist: &Node, packet: &Packet) -> bool {
    waist.memory().is_some()
        && matches!(key_of(waist, packet), DispatchKey::User(name) if name.block().is_some())
}

/// How what is sent gets into the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    /// The sending processor puts it there.
    Inject,
    /// Through the queue of a protocol processor.
    HandOver,
}

/// What a thread has handed to the protocol processor for injection.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub(crate) to: NodeId,
    pub(crate) cargo: Cargo,
}
