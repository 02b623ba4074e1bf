//! A message in the lines of a ring: its room there, its head, and its form on the receiving side.
//!
//! `ring` has the format and the protocol. This module must never know the ends of a ring; it uses only the atomics of `sync`, so that the
//! models run it as it is.

use tempest::MAX_WORDS;
use tempest::world::Packet;

use crate::sync::{Ordering, mutated};
use crate::words;

/// Maximum room of a message in a ring, in bytes.
pub(crate) const SLOT_BYTES: usize = LINES_OF_A_MESSAGE * words::LINE_WORDS * size_of::<u64>();

/// Lines of the longest message.
pub(super) const LINES_OF_A_MESSAGE: usize = 2;

/// Words of a message per line.
pub(crate) const LINE_WORDS: usize = 7;

/// Words of a message per half line.
pub(super) const HALF_WORDS: usize = 3;

/// Bit of a head: there is a message in this half of the line.
pub(crate) const HALF: u64 = 1 << 55;

/// Bit of a head: the message belongs to a stream.
pub(crate) const FOLLOWS: u64 = 1 << 56;

/// The origin of a message. Messages of threads count against the credits of their lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Handler = 0,
    Thread = 1,
    /// A faulting access of the own node.
    Fault = 2,
    /// A handler; the message ends with the words of a block of shared memory and the block's number.
    WithBlock = 3,
    /// The runtime of the sending node; no handler receives the message.
    Control = 4,
    /// No sender makes such a message.
    Nobody = 5,
}

/// Circumstances of a send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sent {
    pub(crate) origin: Origin,
    /// Whether the message follows right behind another one, so that more may come.
    pub(crate) follows: bool,
}

/// The result of draining a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Drained {
    /// Number of messages taken out.
    pub(crate) messages: usize,
    /// Whether the last one belongs to a stream.
    pub(crate) more: bool,
    /// The line in place of the next message, if no sender makes it.
    pub(crate) bad: Option<BadLine>,
}

impl Drained {
    /// The result after `messages` messages, the last of them with this head.
    #[inline]
    pub(super) fn ending(messages: usize, head: u64) -> Self {
        Self { messages, more: head & FOLLOWS != 0, bad: None }
    }
}

/// A message taken out of a ring.
#[derive(Clone, Copy)]
pub(crate) struct Received {
    pub(crate) packet: Packet,
    pub(crate) origin: Origin,
    /// Number of the message in its lane, from 0.
    pub(crate) number: u64,
}

impl Received {
    /// An empty message, to be filled.
    pub(crate) const fn blank() -> Self {
        Self { packet: Packet::blank(), origin: Origin::Handler, number: 0 }
    }
}

/// A line that no sender makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadLine {
    /// The head states more words than a message may have there.
    Length(usize),
    /// The head before the next message is neither the last of this line nor the next.
    Head(u64),
}

/// The ordering with which a message's head is stored.
#[inline]
pub(super) fn publish() -> Ordering {
    if mutated!("head-relaxed") { Ordering::Relaxed } else { Ordering::Release }
}

/// Number of the line that a place is in.
#[inline]
pub(super) fn line_of(place: u64) -> u64 {
    place / 2
}

/// Whether a place is the second half of its line.
#[inline]
pub(super) fn is_second(place: u64) -> bool {
    place % 2 == 1
}

/// The stamp of line `number`.
#[inline]
pub(super) fn stamp(number: u64) -> u32 {
    (number as u32).wrapping_add(1)
}

/// Head 4 of line `number` before there is a message in its second half: an older stamp, and a mark.
#[inline]
pub(super) fn cleared(number: u64) -> u64 {
    0x9e37_79b9 << 32 | u64::from(stamp(number).wrapping_sub(1))
}

/// The head of a message in line `number`.
#[inline]
pub(super) fn head(number: u64, packet: &Packet, sent: Sent) -> u64 {
    u64::from(stamp(number))
        | u64::from(packet.id().0) << 32
        | (packet.words().len() as u64) << 48
        | (sent.origin as u64) << 52
        | if sent.follows { FOLLOWS } else { 0 }
}

/// Decodes the origin in bits 52 to 54 of a head.
#[inline]
pub(crate) fn origin_of(head: u64) -> Origin {
    match head >> 52 & 7 {
        0 => Origin::Handler,
        1 => Origin::Thread,
        2 => Origin::Fault,
        3 => Origin::WithBlock,
        4 => Origin::Control,
        _ => Origin::Nobody,
    }
}

const _: () = assert!(
    MAX_WORDS == LINES_OF_A_MESSAGE * LINE_WORDS && MAX_WORDS < 15 && words::LINE_WORDS == 1 + LINE_WORDS
);
