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
    /// The block.
    pub block: Block,
    /// The right that the access needs.
    pub wants: Right,
    /// Whether the block's page is mapped on this node. If not, the protocol has to find room for it, or to give it back its
    /// rights, first.
    pub mapped: bool,
}

/// A right that a handler takes away from its own node, and the continuation that follows.
///
/// For worlds: the tags of the blocks are lowered to `tag` when no granted access to them is outstanding.
/// When every computing processor of the node has acknowledged, `then` is handled under the key that has been
/// held since.
#[derive(Clone, Debug)]
pub struct Downgrade {
    /// The first block.
    pub first: Block,
    /// The number of consecutive blocks.
    pub count: u32,
    /// The tag to which they are lowered.
    pub tag: Tag,
    /// The message that is handled afterwards.
    pub then: Packet,
}

impl Downgrade {
    /// The blocks whose tags are lowered.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        (self.first.0..self.first.0 + self.count).map(Block)
    }
}
