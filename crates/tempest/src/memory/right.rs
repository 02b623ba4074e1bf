//! Rights to blocks: the tag that a node has, the right that an access needs, the fault of an access without it, and the
//! lowering of a tag.
//!
//! This module must never know words or threads.

use crate::plain::packet::Packet;
use crate::{Access, Block};

/// A node's right to access a block of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Tag {
    /// The node may not access the block: it has no copy.
    Invalid = 0,
    /// The node may load words of the block, but not store them.
    ReadOnly = 1,
    /// The node may load and store words of the block: no other node has a copy.
    Writable = 2,
}

/// The right that an access to shared memory needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Right {
    /// The right to load words of a block.
    Read,
    /// The right to store words of a block.
    Write,
}

impl Right {
    /// The least [`Tag`] that includes this right.
    pub const fn tag(self) -> Tag {
        match self {
            Right::Read => Tag::ReadOnly,
            Right::Write => Tag::Writable,
        }
    }

    /// The access of a thread that needs this right.
    pub(crate) fn access(self) -> Access {
        match self {
            Right::Read => Access::Load,
            Right::Write => Access::Store,
        }
    }
}

/// An access to shared memory for which the node lacks the right, as the coherence protocol receives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The block that the thread accessed.
    pub block: Block,
    /// The right that the access needed.
    pub wants: Right,
    /// Whether the block's page is mapped on this node. If not, the protocol first has to find memory for the page, or
    /// to restore the node's rights to it.
    pub mapped: bool,
}

/// A handler's request to reduce its node's right to some blocks, and the message that follows.
///
/// The world reduces the right once every access that a handler has granted to the blocks is done. When every computing
/// processor of the node has acknowledged this, the world handles `then`. The handler's key stays held all the time.
#[derive(Clone, Debug)]
pub struct Downgrade {
    /// The first of the blocks to which the node's right is reduced.
    pub first: Block,
    /// The number of consecutive blocks to which the node's right is reduced.
    pub count: u32,
    /// The node's right to the blocks afterwards, unless it was less before.
    pub tag: Tag,
    /// The message that this node handles when no processor uses the old right any more.
    pub then: Packet,
}

impl Downgrade {
    /// The blocks to which the node's right is reduced.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        (self.first.0..self.first.0 + self.count).map(Block)
    }
}
