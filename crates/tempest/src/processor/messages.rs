//! The methods by which a world moves messages and data for the thread or handler that runs now.
//!
//! This module must never know how a world moves them.

use crate::data::segment::Segments;
use crate::data::transfer::Transfer;
use crate::plain::packet::Packet;
use crate::{Block, NodeId, Place};

/// The messages and data that the thread or handler running now on a processor sends.
pub trait Messages {
    /// Sends a handler's message. Never refuses, never waits. The message takes its place in the node's order
    /// before the handler's key is released.
    fn post(&self, to: NodeId, packet: &Packet);

    /// Sends a handler's transfer. Never refuses, never waits. The words are in place on `to` when the packet's
    /// handler runs there.
    fn post_transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet);

    /// Sends a handler's message together with the words of a block of shared memory. Never refuses, never
    /// waits. The words are the block's in the memory of `to` when the packet's handler runs there.
    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet);

    /// Sends a thread's message. Returns false if there is no room now.
    fn offer(&self, to: NodeId, packet: &Packet) -> bool;

    /// Sends a thread's transfer: moves its words to their places on `to`; then the packet's handler runs there.
    /// Returns false, perhaps with some of the words in place, if there is no room now.
    fn transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) -> bool;

    /// Sends a thread's deposit: puts `words` in place on `to` and counts them there. Returns false if there
    /// is no room now.
    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool;

    /// The segments of a node, if loads and stores of this processor reach their memory; `None` otherwise.
    fn mapped(&self, node: NodeId) -> Option<&Segments> {
        let _ = node;
        None
    }

    /// Gives the processor away until there may be room towards `to`; receives meanwhile. For a thread that a panic
    /// unwinds, the world receives without a switch, or [ends](super::Scheduling::end_by_unwinding) the run; in a run
    /// that is over such a thread's next send is dropped.
    fn make_room(&self, to: NodeId);
}
