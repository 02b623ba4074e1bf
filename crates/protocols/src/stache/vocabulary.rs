//! The vocabulary of the protocol: the messages between nodes about one block. Plain data, shared by both sides.
//!
//! In brackets stand the names in the literature on directory protocols. This module must never know how a message
//! travels.

use std::fmt;

use tempest::Right;

/// The ordering that the channels between two nodes guarantee; it selects the tables of the nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Messages between two nodes about one block arrive in the order in which handlers sent them, as the waist promises. The messages
    /// that have already arrived then decide every race.
    #[default]
    Ordered,
    /// Messages may overtake each other: every recall and every replacement is answered, and messages that overtook wait.
    Robust,
}

/// A message to the home of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToHome {
    /// Requests a copy to read (GET_RO).
    GetRead,
    /// Requests a copy to write (GET_RW).
    GetWrite,
    /// Requests to write the copy that the sender reads (UPG).
    Upgrade,
    /// Replaces the only copy (PUT); carries the words.
    Put,
    /// Acknowledges that the copy is destroyed (INV_ACK).
    Invalidated,
    /// Answers a recall for reading: the sender still reads (WB_KEEP); carries the words.
    Kept,
    /// Answers a recall for writing: the sender keeps no copy (WB_FLUSH); carries the words.
    Flushed,
    /// Answers a recall of words that have been put already (GONE). Robust variant only.
    Gone,
}

/// A message from the home of a block to a node that caches it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToCache {
    /// Delivers a copy to read (DATA_RO); carries the words.
    DataRead,
    /// Delivers the only copy, to write (DATA_RW); carries the words.
    DataWrite,
    /// Allows writing of the copy that the receiver has (UPG_ACK).
    Upgraded,
    /// Asks for the copy to be destroyed and for an acknowledgement (INV).
    Invalidate,
    /// Asks for the words; the receiver may go on reading (RECALL_RO).
    RecallRead,
    /// Asks for the words; the receiver keeps no copy (RECALL_RW).
    RecallWrite,
    /// Acknowledges the arrival of words that were put (PUT_ACK). Robust variant only.
    PutDone,
    /// Redirects the receiver to another node, as the sender is no longer the home. Only if homes move.
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

    /// Whether the message carries the words of the block.
    pub fn brings_words(self) -> bool {
        matches!(self, Self::Put | Self::Kept | Self::Flushed)
    }

    /// The right that the message requests; `None` if it is no request.
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

    /// Whether the message carries the words of the block.
    pub fn brings_words(self) -> bool {
        matches!(self, Self::DataRead | Self::DataWrite)
    }
}

/// The purpose of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Want {
    /// To read the block.
    Read,
    /// To write the block.
    Write,
    /// To write the block, with a copy to read in hand.
    Upgrade,
    /// To call in every copy, because the home of the page moves. Only the home itself asks for this.
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

/// An event that the tables do not cover in the state of the block: the channels have broken their promise, or the message came
/// from outside the protocol. The state is unchanged.
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
