//! Rights to blocks: the tag that a node has, the right that an access needs, the fault of an access without it, and the
//! lowering of a tag.
//!
//! This module must never know words or threads.

use crate::plain::packet::Packet;
use crate::{Access, Block};

/// A node's right to a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Tag {
    /// The node may not access the block: it has no copy.
    Invalid = 0,
    /// The node may load words of the block.
    ReadOnly = 1,
    /// The node may load and store words of the block: no other node has a copy.
    Writable = 2,
}

/// The right that an access needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Right {
    /// The right to load.
    Read,
    /// The right to store.
    Write,
}

impl Right {
    /// The least tag that gives this right.
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

/// An access that a tag forbids, as the protocol receives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The block that the thread accessed.
    pub block: Block,
    /// The right that the access needs.
    pub wants: Right,
    /// Whether the block's page is mapped on this node. If not, the protocol first has to find room for the page, or to
    /// restore the page's rights.
    pub mapped: bool,
}

/// A right that a handler takes away from its own node, and the continuation that follows.
///
/// A world lowers the tags of the blocks to `tag` when no granted access to the blocks is outstanding. When every
/// computing processor of the node has acknowledged this, the world has `then` handled. The handler's key stays held
/// all the time.
#[derive(Clone, Debug)]
pub struct Downgrade {
    /// The first of the blocks whose tags are lowered.
    pub first: Block,
    /// The number of consecutive blocks whose tags are lowered.
    pub count: u32,
    /// The tag to which the blocks' tags are lowered.
    pub tag: Tag,
    /// The message that this node handles when no processor uses the old right any more.
    pub then: Packet,
}

impl Downgrade {
    /// The blocks whose tags are lowered.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        (self.first.0..self.first.0 + self.count).map(Block)
    }
}
