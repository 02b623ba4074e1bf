//! The kinds of messages that a node knows: for each its number, sizes, and handler with the state that the
//! handler is given.
//!
//! A kind is registered while its protocol installs itself, before the protocol's state exists. It is *bound* to the
//! state once the installation is complete. From then on a message costs one indirect call, without a look-up or a
//! test of types. Data that are the same on all nodes stand in memory that they share. This module must never know
//! how messages travel.

use std::any::TypeId;
use std::sync::Arc;

use super::handler::Handler;
use super::parts::NodeParts;
use crate::memory::Lowering;
use crate::outcome::disposal::State;
use crate::plain::key::{DispatchKey, Serial, Space};
use crate::plain::packet::Packet;
use crate::processor::Processor;
use crate::{Class, Volume};

/// A prefetch hint: asks for the cache lines that the handler of a packet will touch.
pub(super) type Prefetch = Box<dyn Fn(&Packet) + Send + Sync>;

/// Makes a prefetch hint from the protocol's state.
pub(super) type BindPrefetch = Box<dyn Fn(&State) -> Prefetch + Send + Sync>;

/// A kind of message. It is the same on all nodes.
pub(crate) struct Kind {
    /// The type of the message.
    pub(super) of: TypeId,
    pub(crate) name: &'static str,
    pub(crate) body_words: usize,
    pub(crate) bytes: usize,
    pub(crate) payload_word_bytes: usize,
    pub(crate) class: Class,
    pub(crate) volume: Volume,
    /// The number of the protocol whose state the handler is given.
    pub(super) protocol: usize,
    pub(super) bind: fn(&State, Space) -> Box<dyn Deliver>,
    pub(super) bind_prefetch: Option<BindPrefetch>,
}

impl Kind {
    /// The type of message and the number of its protocol.
    pub(crate) fn identity(&self) -> (TypeId, usize) {
        (self.of, self.protocol)
    }
}

/// A kind of message on one node: the state that its handler and its prefetch hint get there.
pub(crate) struct Entry {
    pub(crate) deliver: Box<dyn Deliver>,
    /// The prefetch hint, if the protocol registered one.
    pub(super) prefetch: Option<Prefetch>,
    /// The words of a message without its payload.
    pub(crate) body_words: usize,
}

impl Entry {
    /// Calls the prefetch hint, if any, for a packet of this kind that is long enough.
    #[inline]
    pub(crate) fn prefetch(&self, packet: &Packet) {
        if let Some(prefetch) = &self.prefetch {
            prefetch(packet);
        }
    }
}

/// All kinds of messages that a node knows, by their numbers.
#[derive(Default)]
pub(crate) struct Kinds {
    /// The kinds, which all nodes of a run share.
    all: Arc<Vec<Kind>>,
    pub(super) entries: Vec<Entry>,
}

impl Kinds {
    /// All kinds, by their numbers.
    #[inline]
    pub(crate) fn all(&self) -> &[Kind] {
        &self.all
    }

    /// The node's entries, by the numbers of their kinds.
    #[inline]
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Gives the handlers of protocol number `protocol` their state.
    pub(crate) fn bind(&mut self, protocol: usize, state: &State) {
        let kinds = self.all.iter().zip(&mut self.entries);
        for (kind, entry) in kinds.filter(|(kind, _)| kind.protocol == protocol) {
            entry.deliver = (kind.bind)(state, Space::of_protocol(protocol));
            entry.prefetch = kind.bind_prefetch.as_ref().map(|bind| bind(state));
        }
    }

    /// Shares the kinds of another node, which are the same.
    pub(crate) fn share(&mut self, others: &Self) {
        self.all = Arc::clone(&others.all);
    }

    /// The kinds of a node that is still installing its protocols.
    pub(super) fn own(&mut self) -> &mut Vec<Kind> {
        Arc::get_mut(&mut self.all).expect("a node shares its kinds when it knows all messages")
    }
}

/// A handler with its state. Its callers pass only packets of its kind that are long enough.
pub(crate) trait Deliver: Send + Sync {
    /// The key of a packet.
    fn key(&self, packet: &Packet) -> DispatchKey;

    /// Asks the host's memory for the protocol's state.
    fn prefetch_state(&self);

    /// Runs the handler.
    fn handle(&self, packet: &Packet, cx: &mut Handler<'_>);

    /// Runs the handler under its key, which a serial dispatcher grants at once, on a processor of a
    /// world without accounts. The handler's lowering, if any, is left in `lowering`.
    fn handle_serially(
        &self,
        node: &NodeParts,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Lowering>>,
    );
}

/// Stands for a handler whose protocol is still being installed. Nothing is delivered before that is
/// complete.
pub(super) struct Unbound;

impl Deliver for Unbound {
    fn key(&self, _: &Packet) -> DispatchKey {
        unreachable!("a message before its protocol was installed")
    }

    fn prefetch_state(&self) {}

    fn handle(&self, packet: &Packet, _: &mut Handler<'_>) {
        self.key(packet);
    }

    fn handle_serially(
        &self,
        _: &NodeParts,
        packet: &Packet,
        _: &mut Serial,
        _: &dyn Processor,
        _: &mut Option<Box<Lowering>>,
    ) {
        self.key(packet);
    }
}
