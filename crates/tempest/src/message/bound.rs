//! A kind of message with its Rust type: its sizes, and its handler bound to the state of its protocol.
//!
//! This module must never know how messages travel.

use std::any::{Any, TypeId};
use std::sync::Arc;

use super::handler::Handler;
use super::kinds::{Deliver, Entry, Kind, Kinds, Unbound};
use super::parts::NodeParts;
use super::protocol::Message;
use crate::memory::Downgrade;
use crate::outcome::disposal::State;
use crate::plain::key::{DispatchKey, Serial, Space};
use crate::plain::packet::{Packet, body_words};
use crate::processor::Processor;

impl Kind {
    /// Describes message `M` of the protocol with number `protocol`.
    fn of<M: Message>(protocol: usize) -> Self {
        Self {
            of: TypeId::of::<M>(),
            name: std::any::type_name::<M>(),
            body_words: body_words::<M>(),
            bytes: M::BYTES,
            payload_word_bytes: M::PAYLOAD_WORD_BYTES,
            class: M::CLASS,
            volume: M::VOLUME,
            protocol,
            bind: |state, space| Box::new(Bound::<M> { state: own(state), space }),
            bind_prefetch: None,
        }
    }
}

impl Kinds {
    /// Adds message `M` of the protocol with number `protocol`, under the next message number.
    pub(crate) fn add<M: Message>(&mut self, protocol: usize) {
        let kind = Kind::of::<M>(protocol);
        // A protocol has few kinds, and a machine may have a million nodes.
        self.entries.reserve_exact(1);
        self.entries.push(Entry { deliver: Box::new(Unbound), prefetch: None, body_words: kind.body_words });
        self.own().push(kind);
    }

    /// Registers the prefetch hint of message `M`, whose message number is `number`.
    pub(crate) fn hint<M: Message>(&mut self, number: usize, prefetch: fn(&M, &M::Protocol)) {
        self.own()[number].bind_prefetch = Some(Box::new(move |state| {
            let state = own::<M::Protocol>(state);
            Box::new(move |packet| prefetch(&packet.message(), &state))
        }));
    }
}

/// Converts a protocol's state back to its type `P`.
fn own<P: Send + Sync + 'static>(state: &State) -> Arc<P> {
    Arc::clone(state).downcast().expect("states are filed by their type")
}

struct Bound<M: Message> {
    state: Arc<M::Protocol>,
    /// The key space of the protocol instance.
    space: Space,
}

impl<M: Message> Deliver for Bound<M> {
    fn key(&self, packet: &Packet) -> DispatchKey {
        packet.message::<M>().key().resolve(self.space)
    }

    fn state(&self) -> Option<&dyn Any> {
        Some(&*self.state)
    }

    fn handle(&self, packet: &Packet, cx: &mut Handler<'_>) {
        packet.message::<M>().handle(&self.state, packet.payload::<M>(), cx);
    }

    fn handle_serially(
        &self,
        node: &NodeParts,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Downgrade>>,
    ) {
        let message = packet.message::<M>();
        let proof = serial.hold(message.key().resolve(self.space));
        let mut cx = Handler::new(node, packet.source(), proof, processor, None);
        message.handle(&self.state, packet.payload::<M>(), &mut cx);
        if cx.lowers() {
            *lowering = cx.take_lowering();
        }
    }
}
