//! Shared memory: how a block travels with its message.
//!
//! # A block and its message
//!
//! If both fit into a message's words, the block travels in them, behind the message's own words and before its number: in one or two
//! lines of a ring, written and read once. The processor that takes the message out of the ring writes the words to their place. The
//! sender writes a longer block directly into the receiver's copy. Either way that is before the handler runs, and earlier than
//! necessary. No thread sees the words early, because the node has no right to the block and no other node brings it.
//!
//! This module must never know tags or protocols.

use tempest::world::Packet;
use tempest::{Block, MAX_WORDS, NodeId};

use crate::link::send;
use crate::parts::endpoint::Endpoint;
use crate::rings::message::{Origin, Received};

/// Makes a message with a block and the block's number behind its own words, if all fit.
fn load(packet: &Packet, block: Block, contents: &[u64]) -> Option<Packet> {
    let own = packet.words();
    let mut words = [0; MAX_WORDS];
    let all = words.get_mut(..own.len() + contents.len() + 1)?;
    all[..own.len()].copy_from_slice(own);
    all[own.len()..own.len() + contents.len()].copy_from_slice(contents);
    all[own.len() + contents.len()] = block.0.into();
    Packet::from_parts(packet.id(), packet.source(), all)
}

/// Sends a handler's message that brings a block.
pub(crate) fn send_block(endpoint: &Endpoint, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
    send::count_message(endpoint, to, packet);
    if to != endpoint.node().id {
        endpoint.gauge().count_copy(size_of_val(words) as u64);
    }
    if let Some(loaded) = load(packet, block, words) {
        return send::post_counted(endpoint, to, &loaded, Origin::WithBlock);
    }
    let there = endpoint.node().links.view_of(to).blocks.as_ref();
    there.expect("every node has the shared memory of one").place(block, words);
    send::post_counted(endpoint, to, packet, Origin::Handler);
}

/// Writes the block that a message brings to its place. If the block is invalid, ends the run and returns false.
#[inline(never)]
pub(crate) fn unload(endpoint: &Endpoint, message: &mut Received) -> bool {
    let unloaded = put_in_place(endpoint, &message.packet);
    match unloaded {
        Some(packet) => message.packet = packet,
        None => endpoint.fail(no_block(endpoint, message.packet.source())),
    }
    unloaded.is_some()
}

/// The error message for a message whose words are not a block and its number.
#[cold]
fn no_block(endpoint: &Endpoint, source: NodeId) -> String {
    let layout = endpoint.node().resident.node.memory().map(|memory| memory.layout());
    let expected = layout.map_or_else(
        || "none in a run without shared memory".to_owned(),
        |layout| format!("{} words and a number below {}", layout.block_words(), layout.blocks()),
    );
    format!("a message from {source} to {} brings a bad block: expected {expected}", endpoint.node().id)
}

fn put_in_place(endpoint: &Endpoint, packet: &Packet) -> Option<Packet> {
    let (block, words) = packet.words().split_last()?;
    let block = Block(u32::try_from(*block).ok()?);
    let memory =
        endpoint.node().resident.node.memory().filter(|memory| block.0 < memory.layout().blocks())?;
    let own = words.len().checked_sub(memory.layout().block_words())?;
    let (own, words) = words.split_at(own);
    memory.place(block, words);
    Packet::from_parts(packet.id(), packet.source(), own)
}
