//! The words of the protocol: what nodes say to each other about one block. Plain data, shared by both sides.
//!
//! In brackets stand the names in the literature on directory protocols. This module must never know how a message
//! travels.

use std::fmt;

use tempest::Right;

/// What the channels between two nodes promise, and therefore which tables the nodes follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Messages between two nodes about one block arrive in the order in which handlers sent them, which is
    /// what the waist promises. Every race is then decided by what has already arrived.
    #[default]
    Ordered,
    /// Messages may overtake each other: every recall and every replacement is answered, and what overtook
    /// waits.
    Robust,
}

/// What is said to the home of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToHome {
    /// Wants to read (GET_RO).
    GetRead,
    /// Wants to write (GET_RW).
    GetWrite,
    /// Reads and wants to write (UPG).
    Upgrade,
    /// The only copy, replaced (PUT); brings the words.
    Put,
    /// The copy is no more (INV_ACK).
    Invalidated,
    /// Answers a recall for reading: the sender still reads (WB_KEEP); brings the words.
    Kept,
    /// Answers a recall for writing: the sender has nothing left (WB_FLUSH); brings the words.
    Flushed,
    /// Answers a recall of what has been put already (GONE). Robust variant only.
    Gone,
}

/// What the home of a block says to others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToCache {
    /// A copy to read (DATA_RO); brings the words.
    DataRead,
    /// The only copy, to write (DATA_RW); brings the words.
    DataWrite,
    /// The copy that is there may be written (UPG_ACK).
    Upgraded,
    /// Destroy the copy and say so (INV).
    Invalidate,
    /// Give the words back and go on reading (RECALL_RO).
    RecallRead,
    /// Give the words back and keep nothing (RECALL_RW).
    RecallWrite,
    /// What was put has arrived (PUT_ACK). Robust variant only.
    PutDone,
    /// The node that was asked is the home no more: ask the one that is now. Where homes move only.
    Moved,
}

impl ToHome {
    /// Every message to a home, in the order of their numbers on the wire.
    pub const ALL: [Self; 8] = [
        Self::GetRead,
        Self::GetWrite,
        Self::Upgrade,
        Self::Put,
        Self::Invalidated,
        Self::Kept,
        Self::Flushed,
        Self::Gone,
    ];

    /// Whether the words of the block travel with it.
    pub fn brings_words(self) -> bool {
        matches!(self, Self::Put | Self::Kept | Self::Flushed)
    }

    /// What it asks for, if it asks for something.
    pub fn wants(self) -> Option<Want> {
        match self {
            Self::GetRead => Some(Want::Read),
            Self::GetWrite => Some(Want::Write),
            Self::Upgrade => Some(Want::Upgrade),
            _ => None,
        }
    }
}

impl ToCache {
    /// Every message of a home, in the order of their numbers on the wire.
    pub const ALL: [Self; 8] = [
        Self::DataRead,
        Self::DataWrite,
        Self::Upgraded,
        Self::Invalidate,
        Self::RecallRead,
        Self::RecallWrite,
        Self::PutDone,
        Self::Moved,
    ];

    /// Whether the words of the block travel with it.
    pub fn brings_words(self) -> bool {
        matches!(self, Self::DataRead | Self::DataWrite)
    }
}

/// What a request is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Want {
    /// To read.
    Read,
    /// To write.
    Write,
    /// To write, having a copy to read.
    Upgrade,
    /// To have every copy called in, because the home of the page moves. Only the home itself wants that.
    Leave,
}

impl From<Right> for Want {
    fn from(right: Right) -> Self {
        match right {
            Right::Read => Self::Read,
            Right::Write => Self::Write,
        }
    }
}

/// An event that the tables have no entry for in the state the block is in: a broken promise of the channels,
/// or a message that nobody of this protocol sent. The state is as it was before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unspecified {
    pub(super) event: String,
    pub(super) state: String,
}

impl fmt::Display for Unspecified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no rule for {} in state {}", self.event, self.state)
    }
}
