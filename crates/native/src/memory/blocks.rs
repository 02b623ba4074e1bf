//! Shared memory: how a block travels with its message, and how a fault becomes an event of its own node.
//!
//! # A block and its message
//!
//! Where both fit into a message's words, the block travels in them, behind the message's own and before its number: one or
//! two lines of a ring, written and read once. Who takes the message out of the ring puts the words in place. A longer one the
//! sender writes into the receiver's copy. Either way that is before the handler runs, and earlier than need be: nobody looks at
//! the words, because the node has no right to the block and nobody else brings it.
//!
//! # Faults
//!
//! A thread's fault is handled at once, on the spot, where its processor runs handlers, nobody else does at the moment, nothing is on its
//! way from the node to itself (what was sent before the fault is older), and the thread's stack has room. Else it goes through the lane
//! from the node to itself. It is no message, and not counted as one.
//!
//! This module must never know tags or protocols.

use tempest::world::Packet;
use tempest::{Block, MAX_WORDS, NodeId};

use crate::apart::bump;
use crate::dispatch::dispatcher::{Dispatcher, Shared};
use crate::link::ring::{Origin, Received};
use crate::processor::core::Processor;

impl Processor {
    /// A handler's message that brings a block.
    pub(crate) fn send_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.count_message(to, packet);
        if to != self.node().id {
            self.gauge().count_copy(size_of_val(words) as u64);
        }
        if let Some(loaded) = load(packet, block, words) {
            return self.post_counted(to, &loaded, Origin::Bringer);
        }
        let memory = self.world.nodes[to.0 as usize].resident.node.memory();
        memory.expect("every node has the shared memory of one").place(block, words);
        self.post_counted(to, packet, Origin::Handler);
    }

    /// Puts the block that a message brings in place, if any. False, and the run is over, if it cannot be one.
    #[inline]
    pub(crate) fn unload(&self, message: &mut Received) -> bool {
        message.origin != Origin::Bringer || self.unload_block(message)
    }

    #[inline(never)]
    fn unload_block(&self, message: &mut Received) -> bool {
        let unloaded = self.put_in_place(&message.packet);
        match unloaded {
            Some(packet) => message.packet = packet,
            None => self.fail(format!("a block brought from {} cannot be one", message.packet.source())),
        }
        unloaded.is_some()
    }

    fn put_in_place(&self, packet: &Packet) -> Option<Packet> {
        let (block, words) = packet.words().split_last()?;
        let block = Block(u32::try_from(*block).ok()?);
        let memory =
            self.node().resident.node.memory().filter(|memory| block.0 < memory.layout().blocks())?;
        let own = words.len().checked_sub(memory.layout().block_words())?;
        let (own, words) = words.split_at(own);
        memory.place(block, words);
        Packet::from_parts(packet.id(), packet.source(), own)
    }

    /// An access of the running thread faulted.
    pub(crate) fn handle_fault(&self, packet: &Packet) {
        let may_handle = self.serves() && self.has_stack_for_handlers() && self.nothing_is_on_its_way_here();
        let handled = may_handle && self.run_handlers(|| self.handle_on_the_spot(packet));
        if !handled {
            self.post_counted(self.node().id, packet, Origin::Fault);
        }
    }

    fn nothing_is_on_its_way_here(&self) -> bool {
        let node = self.node();
        node.backlog.is_sent() && !self.world.lane(node.id, node.id).has_message()
    }

    fn handle_on_the_spot(&self, packet: &Packet) -> bool {
        match &self.node().dispatcher {
            Dispatcher::Own(_) => self.handle_now_serial(packet),
            Dispatcher::Serial(_) => self.try_receive().is_some_and(|_right| self.handle_now_serial(packet)),
            Dispatcher::Keyed(shared) => self.handle_now_keyed(shared, &fault(packet)),
        }
    }

    /// Needs the right to receive.
    fn handle_now_serial(&self, packet: &Packet) -> bool {
        if self.node().has_set_aside() {
            return false;
        }
        bump(&self.gauge().sent, 1);
        self.trace_own(packet);
        if let Some(pending) = self.handle_own(packet) {
            self.set_aside(pending, fault(packet), None);
        } else {
            self.gauge().count_handled(1);
        }
        true
    }

    fn handle_now_keyed(&self, shared: &Shared, message: &Received) -> bool {
        let Some(key) = self.key_of(message) else { return true };
        // Nobody else has received older messages that have no place in the queue yet.
        let Some(turn) = self.try_receive() else { return false };
        let Some(held) = shared.queue.try_hold(key) else { return false };
        drop(turn);
        bump(&self.gauge().sent, 1);
        self.trace_own(&message.packet);
        self.handle_keyed(shared, message, &message.packet, held);
        self.wake_idle_servers(shared);
        true
    }
}

/// A fault as an event that is dispatched.
fn fault(packet: &Packet) -> Received {
    Received { packet: *packet, origin: Origin::Fault, number: 0 }
}

/// A message with a block behind its own words and the block's number behind that, if all fit.
fn load(packet: &Packet, block: Block, contents: &[u64]) -> Option<Packet> {
    let own = packet.words();
    let mut words = [0; MAX_WORDS];
    let all = words.get_mut(..own.len() + contents.len() + 1)?;
    all[..own.len()].copy_from_slice(own);
    all[own.len()..own.len() + contents.len()].copy_from_slice(contents);
    all[own.len() + contents.len()] = block.0.into();
    Packet::from_parts(packet.id(), packet.source(), all)
}
