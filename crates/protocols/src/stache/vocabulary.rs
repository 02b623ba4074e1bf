//! The vocabulary of the protocol: the messages between nodes about one block. Plain data, shared by both sides.
//!
//! In brackets stand the names in the literature on directory protocols. This module must never know how a message
//! travels.

use std::fmt;

use tempest::Right;

/// Order of messages that the channels between two nodes guarantee; it selects the protocol's variant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Messages between two nodes about one block arrive in the order in which handlers sent them, as [`tempest`] promises. The
    /// messages that have already arrived then decide every race.
    #[default]
    Ordered,
    /// Messages may overtake each other. So every recall and every replacement is answered, and a message that has overtaken an
    /// earlier one waits until the earlier one has arrived.
    Robust,
}

/// Message from a node to the home of a block. In brackets: its name in the literature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToHome {
    /// Requests a copy of the block to read (GET_RO).
    GetRead,
    /// Requests the only copy of the block, to write (GET_RW).
    GetWrite,
    /// Requests to write the copy that the sender reads (UPG).
    Upgrade,
    /// Returns the only copy, because the sender needs its frame for another page (PUT); carries the words.
    Put,
    /// Acknowledges that the sender's copy is destroyed (INV_ACK).
    Invalidated,
    /// Answers a recall for reading: the sender keeps a copy to read (WB_KEEP); carries the words.
    Kept,
    /// Answers a recall for writing: the sender keeps no copy (WB_FLUSH); carries the words.
    Flushed,
    /// Answers a recall: the sender has returned the words already (GONE). Robust variant only.
    Gone,
}

/// Message from the home of a block to a node that caches it. In brackets: its name in the literature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToCache {
    /// Grants a copy of the block to read (DATA_RO); carries the words.
    DataRead,
    /// Grants the only copy of the block, to write (DATA_RW); carries the words.
    DataWrite,
    /// Allows writing of the copy that the receiver has (UPG_ACK).
    Upgraded,
    /// Asks the receiver to destroy its copy and to acknowledge that (INV).
    Invalidate,
    /// Asks the receiver to return the words; it may go on reading (RECALL_RO).
    RecallRead,
    /// Asks the receiver to return the words and to keep no copy (RECALL_RW).
    RecallWrite,
    /// Acknowledges the arrival of words that the receiver has returned (PUT_ACK). Robust variant only.
    PutDone,
    /// Redirects the receiver to another node, because the sender is no longer the home. Only if homes move.
    Moved,
}

impl ToHome {
    /// Every message to a home, in the order of its number on the wire.
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

    /// Returns the purpose for which the message requests a right; `None` if it is no request.
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
    /// Every message from a home, in the order of its number on the wire.
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

/// Purpose of a request for a right to a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Want {
    /// To read the block.
    Read,
    /// To write the block.
    Write,
    /// To write the block, of which the requester has a copy to read.
    Upgrade,
    /// To reclaim all copies of the block, because the home of its page moves. Only the home itself asks for this.
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

/// Error: the tables have no rule for an event in the block's state. The channels have broken their promise, or the message came
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
