//! The methods by which a world moves messages and data for the thread or handler that runs now.
//!
//! This module must never know how a world moves messages and data.

use crate::data::segment::Segments;
use crate::data::transfer::Transfer;
use crate::plain::packet::Packet;
use crate::{Block, NodeId, Place};

/// The operations that send messages and data for the thread or handler that runs now on a processor.
pub trait Messages {
    /// Sends a handler's message. Never refuses, never waits. The message gets its position in the order of the node's
    /// messages before the handler's key is released.
    fn post(&self, to: NodeId, packet: &Packet);

    /// Sends a handler's bulk transfer to node `to`. Never refuses, never waits. The words are in `to`'s memory when
    /// the handler of `packet` runs there.
    fn post_transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet);

    /// Sends a handler's message to node `to`, with the words of a block of shared memory. Never refuses, never waits.
    /// The words are the contents of `block` on `to` when the handler of `packet` runs there.
    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet);

    /// Sends a thread's message to node `to`. Returns false, and sends nothing, if there is no room now.
    fn offer(&self, to: NodeId, packet: &Packet) -> bool;

    /// Sends a thread's bulk transfer: moves its words into `to`'s memory and then runs the handler of `packet` there.
    /// Returns false if there is no room now; some of the words may have been moved all the same.
    fn transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) -> bool;

    /// Sends a thread's deposit: writes `words`, in units of 8 bytes, at `place` on node `to` and adds their number to
    /// the segment's count there. Returns false if there is no room now.
    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool;

    /// Returns the segments of `node` if loads and stores of this processor reach their memory; otherwise `None`.
    fn mapped(&self, node: NodeId) -> Option<&Segments> {
        let _ = node;
        None
    }

    /// Yields the processor to other threads and handlers until there may be room for a message to node `to`, and
    /// receives messages meanwhile. If a panic unwinds the thread, the world receives without switching threads, or
    /// [ends](super::Scheduling::end_by_unwinding) the run. After the end of the run the world drops the next send of
    /// such a thread.
    fn make_room(&self, to: NodeId);
}
