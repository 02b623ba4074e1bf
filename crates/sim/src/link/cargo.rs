//! What nodes send each other, and all that is known of it on its way.
//!
//! Must never know how it gets there, nor what it is for.

use hardware::Mover;
use machine::Class;
use tempest::world::{DispatchKey, Node, Packet};
use tempest::{Block, NodeId, Place};
use units::Time;

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

    /// Its class, as machine files call it.
    pub(crate) fn class(&self, waist: &Node) -> Class {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                class(waist.class(packet))
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => Class::Write,
        }
    }

    /// Whether its message has a key, which keeps it in order.
    pub(crate) fn has_key(&self, waist: &Node) -> bool {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                key_of(waist, packet) != DispatchKey::NoSync
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => false,
        }
    }

    /// The number of its message; that of none where no handler is run for it.
    pub(crate) fn kind(&self) -> u16 {
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                packet.id().0
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => u16::MAX,
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
        match self {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => {
                let in_header = if is_about_block(waist, packet) { WORD_BYTES } else { 0 };
                waist.bytes(packet).saturating_sub(in_header)
            }
            Cargo::Deposit(..) | Cargo::Packet(_) => 0,
        }
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

/// Words of a message that processors write and read beside its header. The header of one about a block of shared memory says
/// which block, and so has the message's first word.
pub(crate) fn words_behind_header(waist: &Node, packet: &Packet) -> usize {
    packet.words().len().saturating_sub(usize::from(is_about_block(waist, packet)))
}

/// A class of messages, as machine files call it.
fn class(class: tempest::Class) -> Class {
    match class {
        tempest::Class::Read => Class::Read,
        tempest::Class::Write => Class::Write,
        tempest::Class::Reply => Class::Reply,
        tempest::Class::Acknowledge => Class::Acknowledge,
        tempest::Class::System => Class::System,
        tempest::Class::User => Class::User,
    }
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

/// Something on its way.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) bytes: u64,
    /// What it is for.
    pub(crate) class: Class,
    /// The network processor has handed it to the computing one.
    pub(crate) forwarded: bool,
    /// The number of its flow: different for any two of a run, and rising with time for those of one source.
    pub(crate) number: u64,
    /// How many flights had this one's place before it.
    pub(crate) uses: u32,
    /// What it is to the account of where time goes: the number of its message, or of the one that it ends.
    pub(crate) kind: u16,
    /// How it came about.
    pub(crate) origin: Origin,
    /// When it left for the network, or became an event.
    pub(crate) left: Time,
    /// When it came to its node.
    pub(crate) arrived: Time,
    pub(crate) cargo: Cargo,
}

/// How an event came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// Somebody sent it.
    Sent,
    /// An access of a thread of its node faulted.
    Fault,
    /// A right has been taken away, for which a handler had to wait.
    Lowered,
}

impl Flight {
    /// Its bytes, headers aside.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The node it is for.
    pub(crate) fn to(&self) -> usize {
        self.to
    }

    /// The source, the destination and the number.
    pub(crate) fn way(&self) -> (usize, usize, u64) {
        (self.from, self.to, self.number)
    }

    /// The message on its way to a handler.
    pub(crate) fn packet(&self) -> &Packet {
        match &self.cargo {
            Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) | Cargo::Block(_, _, packet) => packet,
            Cargo::Deposit(..) | Cargo::Packet(_) => unreachable!("no handler is run for it"),
        }
    }

    /// How long it was on its way through the network.
    pub(crate) fn travel(&self) -> Time {
        self.arrived - self.left
    }
}

/// What a thread has handed to the protocol processor for injection.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub(crate) to: NodeId,
    pub(crate) cargo: Cargo,
}
