//! The kinds of messages that a node knows: for each its number, its sizes, and its handler with the protocol state
//! that the handler receives.
//!
//! A kind is registered while its protocol installs itself, before the protocol's state exists. It is *bound* to the
//! state once the installation is complete. From then on a message costs one indirect call, without a look-up or a
//! test of types. Data that are the same on all nodes stand in memory that they share. This module must never know
//! how messages travel.

use std::any::{Any, TypeId};
use std::hash::Hash;
use std::sync::Arc;

use super::handler::Handler;
use super::parts::NodeParts;
use crate::memory::Downgrade;
use crate::outcome::disposal::State;
use crate::plain::key::{DispatchKey, Serial, Space};
use crate::plain::packet::Packet;
use crate::processor::Processor;
use crate::{Class, Volume};

/// A prefetch hint: prefetches the cache lines that the handler of a packet will access.
pub(super) type Prefetch = Box<dyn Fn(&Packet) + Send + Sync>;

/// A function that makes a prefetch hint from the protocol's state.
pub(super) type BindPrefetch = Box<dyn Fn(&State) -> Prefetch + Send + Sync>;

/// The properties of a kind of message that are the same on all nodes.
pub(crate) struct Kind {
    /// The Rust type of the message.
    pub(super) of: TypeId,
    pub(crate) name: &'static str,
    pub(crate) body_words: usize,
    pub(crate) bytes: usize,
    pub(crate) payload_word_bytes: usize,
    pub(crate) class: Class,
    pub(crate) volume: Volume,
    /// The number of the protocol whose state the handler receives.
    pub(super) protocol: usize,
    pub(super) bind: fn(&State, Space) -> Box<dyn Deliver>,
    pub(super) bind_prefetch: Option<BindPrefetch>,
}

impl Kind {
    /// Returns the Rust type of the message and the number of its protocol.
    pub(crate) fn identity(&self) -> (TypeId, usize) {
        (self.of, self.protocol)
    }

    /// The facts about the kind that are equal in all processes of one executable: its name, its sizes, its class and its
    /// kind of traffic, and the number of its protocol.
    pub(super) fn facts(&self) -> impl Hash {
        let sizes = [self.body_words, self.bytes, self.payload_word_bytes];
        (self.name, sizes, self.class, self.volume, self.protocol)
    }
}

/// A kind of message on one node: the handler and the prefetch hint, bound to the state of their protocol on that node.
pub(crate) struct Entry {
    pub(crate) deliver: Box<dyn Deliver>,
    /// The prefetch hint, if the protocol registered one.
    pub(super) prefetch: Option<Prefetch>,
    /// The number of words of a message without its payload.
    pub(crate) body_words: usize,
}

impl Entry {
    /// Calls the prefetch hint, if any, for a packet of this kind, which must have all words of the message's fields.
    #[inline]
    pub(crate) fn prefetch(&self, packet: &Packet) {
        if let Some(prefetch) = &self.prefetch {
            prefetch(packet);
        }
    }
}

/// All kinds of messages that a node knows, indexed by message number.
#[derive(Default)]
pub(crate) struct Kinds {
    /// The kinds, which all nodes of a run share.
    all: Arc<Vec<Kind>>,
    pub(super) entries: Vec<Entry>,
}

impl Kinds {
    /// All kinds, indexed by message number.
    #[inline]
    pub(crate) fn all(&self) -> &[Kind] {
        &self.all
    }

    /// The node's entries, indexed by message number.
    #[inline]
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Binds the handlers and prefetch hints of the protocol with number `protocol` to its state.
    pub(crate) fn bind(&mut self, protocol: usize, state: &State) {
        let kinds = self.all.iter().zip(&mut self.entries);
        for (kind, entry) in kinds.filter(|(kind, _)| kind.protocol == protocol) {
            entry.deliver = (kind.bind)(state, Space::of_protocol(protocol));
            entry.prefetch = kind.bind_prefetch.as_ref().map(|bind| bind(state));
        }
    }

    /// Replaces the list of kinds by the list of another node, to save memory, if the lists are equal.
    pub(crate) fn share(&mut self, others: &Self) {
        if self.all.iter().map(Kind::identity).eq(others.all.iter().map(Kind::identity)) {
            self.all = Arc::clone(&others.all);
        }
    }

    /// Lends the list of kinds for change, on a node that is still installing its protocols.
    ///
    /// # Panics
    /// If another node shares the list already.
    pub(super) fn own(&mut self) -> &mut Vec<Kind> {
        Arc::get_mut(&mut self.all).expect("a node shares its kinds when it knows all messages")
    }
}

/// A handler bound to the state of its protocol. Callers pass only packets of the handler's kind, with all words of the
/// message's fields.
pub(crate) trait Deliver: Send + Sync {
    /// Returns the key of a packet.
    fn key(&self, packet: &Packet) -> DispatchKey;

    /// The state of the handler's protocol; `None` before the protocol is installed.
    fn state(&self) -> Option<&dyn Any>;

    /// Runs the handler for a packet. `cx` is the handle that the handler receives.
    fn handle(&self, packet: &Packet, cx: &mut Handler<'_>);

    /// Runs the handler under its key, which the serial dispatcher `serial` grants at once, on a processor of a world
    /// that does not charge time. If the handler ended by reducing a right, `lowering` receives the reduction.
    fn handle_serially(
        &self,
        node: &NodeParts,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Downgrade>>,
    );
}

/// The placeholder for a handler whose protocol is still being installed. No message is delivered before the
/// installation is complete.
pub(super) struct Unbound;

impl Deliver for Unbound {
    fn key(&self, _: &Packet) -> DispatchKey {
        unreachable!("a message before its protocol was installed")
    }

    fn state(&self) -> Option<&dyn Any> {
        None
    }

    fn handle(&self, packet: &Packet, _: &mut Handler<'_>) {
        self.key(packet);
    }

    fn handle_serially(
        &self,
        _: &NodeParts,
        packet: &Packet,
        _: &mut Serial,
        _: &dyn Processor,
        _: &mut Option<Box<Downgrade>>,
    ) {
        self.key(packet);
    }
}
