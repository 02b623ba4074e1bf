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
    /// The right to load and store.
    Write,
}

impl Right {
    /// The lowest tag that gives this right.
    pub const fn tag(self) -> Tag {
        match self {
            Right::Read => Tag::ReadOnly,
            Right::Write => Tag::Writable,
        }
    }

    /// The kind of access that needs this right.
    pub(crate) fn access(self) -> Access {
        match self {
            Right::Read => Access::Load,
            Right::Write => Access::Store,
        }
    }
}

/// An access to shared memory that the block's tag forbids, as the protocol receives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The block that the thread accesses.
    pub block: Block,
    /// The right that the access needs.
    pub wants: Right,
    /// Whether the block's page is mapped on this node. If not, the protocol must first find a frame for the page, or
    /// give a page that it has unmapped its rights back.
    pub mapped: bool,
}

/// The reduction of a node's right to one or more blocks, as a handler asks for it, and the message that is handled
/// afterwards.
///
/// A world carries it out: it lowers the tags of the blocks to `tag` when no granted access to them is outstanding.
/// When every computing processor of the node has acknowledged that, it handles `then` under the key that has been held
/// since.
#[derive(Clone, Debug)]
pub struct Lowering {
    /// The first block.
    pub first: Block,
    /// The number of consecutive blocks.
    pub count: u32,
    /// The tag to which the blocks' tags are lowered.
    pub tag: Tag,
    /// The message that is handled on this node afterwards.
    pub then: Packet,
}

impl Lowering {
    /// The blocks whose tags are lowered.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        (self.first.0..self.first.0 + self.count).map(Block)
    }
}
