//! The operations of a handler that name a message: sends, transfers, and the reduction of a right.
//!
//! This module must never know how a message travels.

use std::ops::RangeInclusive;

use super::handler::Actions;
use super::protocol::Message;
use crate::data::transfer::Transfer;
use crate::data::{Data, Target};
use crate::memory::Downgrade;
use crate::{Block, Memory, NodeId, Tag};

impl Actions<'_> {
    /// Sends a message. Never fails, never waits. Messages to one node with equal keys arrive in the order of these
    /// calls.
    ///
    /// # Panics
    /// If the message was not registered, or the node does not exist.
    #[inline]
    pub fn send<M: Message>(&mut self, to: NodeId, message: M) {
        self.send_with(to, message, &[]);
    }

    /// Sends a message with a payload: words that the message's handler receives as a slice. Never fails, never waits.
    /// Messages to one node with equal keys arrive in the order of these calls.
    ///
    /// # Panics
    /// If the message was not registered, fields and payload together exceed [`MAX_WORDS`](crate::MAX_WORDS) (14) words, or
    /// the node does not exist.
    #[inline]
    pub fn send_with<M: Message>(&mut self, to: NodeId, message: M, payload: &[u64]) {
        self.processor.post(to, &self.node.encode(to, &message, payload));
    }

    /// Moves any number of words into [segments](crate::Segment) of another node, as
    /// [`Thread::transfer`](crate::Thread::transfer) does. When all words are in place, `message` is handled on that
    /// node. Never fails, never waits.
    ///
    /// # Panics
    /// If the message was not registered, its fields exceed [`MAX_WORDS`](crate::MAX_WORDS) (14) words, the node does
    /// not exist, this node does not have the pieces of `data`, or `into` has room for more or fewer words than `data`.
    /// Data that does not fit a segment there ends the run with an error.
    pub fn transfer<'d, M: Message>(
        &mut self,
        to: NodeId,
        into: impl Into<Target<'d>>,
        data: impl Into<Data<'d>>,
        message: M,
    ) {
        let packet = self.node.encode(to, &message, &[]);
        let send = |transfer: Transfer<'_>| self.processor.post_transfer(to, transfer, &packet);
        self.node.gather(into.into(), data.into(), send);
    }

    /// Sends a message together with the present words of a block of shared memory. When the message's handler runs,
    /// these words are the contents of the block on the receiving node. Until then that node must have no right to the
    /// block.
    ///
    /// # Panics
    /// If the message was not registered, the node does not exist, or there is no such block.
    pub fn send_block<M: Message>(&mut self, to: NodeId, memory: &Memory, block: Block, message: M) {
        let packet = self.node.encode(to, &message, &[]);
        self.processor.post_block(to, block, &memory.contents(block), &packet);
    }

    /// Reduces this node's right to `block` to `tag`, as the last act of the handler. Processors of the node may still
    /// be using the old right. When the last of them has stopped, this node handles the message `then`. In between the
    /// block's key stays held, but it occupies no processor, and no other event of the key runs. The module
    /// [`memory`](crate::memory) describes the steps.
    ///
    /// # Panics
    /// If the handler does not hold the block's key, there is no such block, the handler has reduced a right before, or
    /// `then` was not registered.
    pub fn lower<M: Message>(&mut self, memory: &Memory, block: Block, tag: Tag, then: M) {
        self.lower_all(memory, block..=block, tag, then);
    }

    /// Reduces this node's right to each block in `blocks` to `tag`, as [`lower`](Self::lower) does for one block. For
    /// several blocks the handler must hold the sequential key.
    ///
    /// # Panics
    /// If the handler does not hold the blocks' key, there are no such blocks, the handler has reduced a right before,
    /// or `then` was not registered.
    pub fn lower_all<M: Message>(
        &mut self,
        memory: &Memory,
        blocks: RangeInclusive<Block>,
        tag: Tag,
        then: M,
    ) {
        self.expect_key_of(blocks.clone());
        self.expect_blocks(memory, &blocks);
        assert!(self.lowering.is_none(), "a handler lowers once, as its last act");
        if tag == Tag::Invalid {
            self.resume_watchers(memory, &blocks);
        }
        let (first, count) = (*blocks.start(), blocks.end().0 - blocks.start().0 + 1);
        let then = self.node.encode(memory.node(), &then, &[]);
        self.lowering = Some(Box::new(Downgrade { first, count, tag, then }));
    }
}
