//! A node after installation: its parts, the kinds of messages that it knows, the states of its protocols.
//!
//! [`Setup`](crate::Setup) builds a node before anything runs; a node does not change afterwards. This module must
//! never know how messages travel.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::handler::Handler;
use super::kinds::{Entry, Kind, Kinds};
use super::parts::NodeParts;
use crate::memory::Downgrade;
use crate::outcome::Refusal;
use crate::outcome::disposal::{Disposal, State, States};
use crate::plain::fingerprint::Fingerprint;
use crate::plain::identity::MessageId;
use crate::plain::key::{DispatchKey, Serial};
use crate::plain::packet::Packet;
use crate::processor::Processor;
use crate::{Class, NodeId, Volume};

/// The error of a received packet for which no handler can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadPacket {
    /// The node has no handler with the packet's message number.
    Unknown {
        /// The message number that the packet states.
        handler: u16,
        /// The sender that the packet states.
        source: NodeId,
        /// The number of handlers that the node has.
        handlers: usize,
    },
    /// The packet has fewer words than the fields of its message.
    Short {
        /// The name of the message.
        message: &'static str,
        /// The sender that the packet states.
        source: NodeId,
        /// The number of words of the packet.
        words: usize,
        /// The number of words that the message's fields take.
        expected: usize,
    },
}

impl fmt::Display for BadPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { handler, source, handlers } => {
                write!(f, "handler {handler} of a message from {source}: there are {handlers}")
            }
            Self::Short { message, source, words, expected } => {
                write!(f, "{words} words for {message} from {source}: expected at least {expected}")
            }
        }
    }
}

impl std::error::Error for BadPacket {}

/// The key, the class, the kind of traffic and the size of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketFacts {
    /// The key of the packet's handler, which is the same on every node.
    pub key: DispatchKey,
    /// The class of the packet's message, which decides which processors may run the handler.
    pub class: Class,
    /// The kind of traffic under which a world counts the packet's bytes.
    pub volume: Volume,
    /// The size in bytes at which the packet is counted, without the header.
    pub bytes: u64,
}

/// A node on which a program is installed: its number, its kinds of messages, its segments and tables, and the states
/// of its protocols.
pub struct Node {
    pub(crate) parts: NodeParts,
    pub(crate) kinds: Kinds,
    /// Whether any kind of message has a prefetch hint.
    pub(crate) has_prefetch_hints: bool,
    /// The states of the node's protocols. This is the last field, so that all other holders of a state are dropped
    /// before.
    pub(crate) states: States,
}

impl Deref for Node {
    type Target = NodeParts;

    #[inline]
    fn deref(&self) -> &NodeParts {
        &self.parts
    }
}

impl Node {
    /// Makes a node of these parts, on which no protocol is installed yet. All nodes of a run share one `disposal`.
    pub(crate) fn bare(parts: NodeParts, disposal: Disposal) -> Self {
        let states = States::of(parts.id, disposal);
        Self { parts, kinds: Kinds::default(), has_prefetch_hints: false, states }
    }

    /// The record of panics in destructors of the program's state, which all nodes of a run share.
    pub fn disposal(&self) -> &Disposal {
        self.states.disposal()
    }

    /// The memory of the node's list of message kinds, for a simulator that prefetches it into the host's caches.
    pub fn kinds_memory(&self) -> &[impl Sized] {
        self.kinds.entries()
    }

    /// The memory of the handlers of the node's message kinds, for a simulator that prefetches it into the host's
    /// caches. The call itself reads the [list of kinds](Self::kinds_memory).
    pub fn handlers_memory(&self) -> impl Iterator<Item = &(impl ?Sized + '_)> {
        self.kinds.entries().iter().map(|entry| &*entry.deliver)
    }

    /// The state of the protocol of the first message kind, for a simulator that prefetches it into the host's caches;
    /// `None` if the node has no kind of message. The call itself reads the [first handler](Self::handlers_memory).
    pub fn state_memory(&self) -> Option<&dyn Any> {
        self.kinds.entries().first()?.deliver.state()
    }

    /// Binds the handlers of the protocol with number `protocol` to its state, and keeps the state until the node is
    /// dropped.
    pub(crate) fn bind(&mut self, protocol: usize, state: State) {
        self.kinds.bind(protocol, &state);
        self.states.add(state);
    }

    /// Checks that the program has installed the same kinds of messages and the same segments on this node as on
    /// `first`, the first node of the run, with the same numbers and protocols. Nodes refer to each other's messages
    /// and segments by these numbers.
    ///
    /// # Errors
    /// [`Refusal::Nodes`] names the first difference.
    pub fn expect_like(&self, first: &Node) -> Result<(), Refusal> {
        let refuse = |what: &'static str, number: usize, there: Option<&str>, here: Option<&str>| {
            let [there, here] = [there, here].map(|name| name.map(str::to_owned));
            let (first, node) = ((first.id, there), (self.id, here));
            Err(Refusal::Nodes { what, number, first, node })
        };
        let kinds = self.kinds.all().len().max(first.kinds.all().len());
        for number in 0..kinds {
            let (here, there) = (self.kinds.all().get(number), first.kinds.all().get(number));
            if here.map(Kind::identity) != there.map(Kind::identity) {
                return refuse("message", number, there.map(|kind| kind.name), here.map(|kind| kind.name));
            }
        }
        let segments = self.segments.count().max(first.segments.count());
        for number in 0..segments {
            let (here, there) = (self.segments.name(number), first.segments.name(number));
            if here != there {
                return refuse("segment", number, there, here);
            }
        }
        Ok(())
    }

    /// Returns the key under which the handler of a received packet has to run.
    ///
    /// # Errors
    /// [`BadPacket`] if the node has no handler for the packet, or the packet is too short.
    #[inline]
    pub fn key(&self, packet: &Packet) -> Result<DispatchKey, BadPacket> {
        self.entry(packet).map(|entry| entry.deliver.key(packet))
    }

    /// Returns the entry of a received packet's kind, after checking that the packet has all words of its message's
    /// fields.
    ///
    /// # Errors
    /// [`BadPacket`] if the node has no handler for the packet, or the packet is too short.
    #[inline]
    fn entry(&self, packet: &Packet) -> Result<&Entry, BadPacket> {
        match self.kinds.entries().get(usize::from(packet.id().0)) {
            Some(entry) if packet.length() >= entry.body_words => Ok(entry),
            _ => Err(self.refuse(packet)),
        }
    }

    /// Whether any kind of message has a prefetch hint, so that calling [`prefetch`](Self::prefetch) is worthwhile.
    #[inline]
    pub fn has_prefetch_hints(&self) -> bool {
        self.has_prefetch_hints
    }

    /// Calls the prefetch hint that the packet's protocol [registered](crate::Setup::prefetch), if any, for a packet
    /// that has arrived and will be handled soon. Does nothing for a packet without a handler or with too few words.
    #[inline]
    pub fn prefetch(&self, packet: &Packet) {
        if let Some(entry) = self.kinds.entries().get(usize::from(packet.id().0))
            && packet.length() >= entry.body_words
        {
            entry.prefetch(packet);
        }
    }

    /// Runs the handler of a received packet under its key, on a node where one event runs at a time:
    /// [`key`](Self::key) and [`deliver`](Self::deliver) in one step, for a world without
    /// [`Accounting`](crate::world::Accounting). If the handler ended by reducing a right, `lowering` receives the
    /// reduction.
    ///
    /// # Errors
    /// [`BadPacket`] if the node has no handler for the packet, or the packet is too short.
    #[inline]
    pub fn deliver_serially(
        &self,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Downgrade>>,
    ) -> Result<(), BadPacket> {
        let entry = self.entry(packet)?;
        entry.deliver.handle_serially(self, packet, serial, processor, lowering);
        Ok(())
    }

    #[cold]
    fn refuse(&self, packet: &Packet) -> BadPacket {
        let (handler, source) = (packet.id().0, packet.source());
        match self.kinds.all().get(usize::from(handler)) {
            None => BadPacket::Unknown { handler, source, handlers: self.kinds.all().len() },
            Some(kind) => {
                let (words, expected) = (packet.length(), kind.body_words);
                BadPacket::Short { message: kind.name, source, words, expected }
            }
        }
    }

    /// Runs the handler of a packet. The caller has read the packet's [`key`](Self::key) and holds it. If the handler
    /// ended by reducing a right, returns that reduction. The caller then holds the key until the reduction is done and
    /// its continuation has been handled.
    #[inline]
    #[must_use]
    pub fn deliver(&self, packet: &Packet, cx: &mut Handler<'_>) -> Option<Box<Downgrade>> {
        let entry = &self.kinds.entries()[usize::from(packet.id().0)];
        entry.deliver.handle(packet, cx);
        cx.take_lowering()
    }

    /// Returns the key, the class, the kind of traffic and the size of a received packet.
    ///
    /// # Errors
    /// [`BadPacket`] if the node has no handler for the packet, or the packet is too short.
    #[inline]
    pub fn facts(&self, packet: &Packet) -> Result<PacketFacts, BadPacket> {
        let entry = self.entry(packet)?;
        let class = self.kinds.all()[usize::from(packet.id().0)].class;
        let (volume, bytes) = self.size(packet);
        Ok(PacketFacts { key: entry.deliver.key(packet), class, volume, bytes })
    }

    /// Returns the kind of traffic of a packet, and the size in bytes that the message declares for its fields and
    /// its payload words, without the header.
    #[inline]
    pub fn size(&self, packet: &Packet) -> (Volume, u64) {
        let kind = &self.kinds.all()[usize::from(packet.id().0)];
        let payload = packet.length() - kind.body_words;
        (kind.volume, (kind.bytes + payload * kind.payload_word_bytes) as u64)
    }

    /// Returns the size in bytes that the message of a packet declares for its fields and its payload words, without the
    /// header.
    pub fn bytes(&self, packet: &Packet) -> u64 {
        self.size(packet).1
    }

    /// The names of all kinds of messages, in the order of their numbers.
    pub fn message_names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.all().iter().map(|kind| kind.name)
    }

    /// The names of the segments, in order of their numbers.
    pub fn segment_names(&self) -> impl Iterator<Item = &'static str> {
        (0..self.segments.count()).filter_map(|number| self.segments.name(number))
    }

    /// The name of a kind of messages, also of a number that no kind has.
    pub fn message_name(&self, id: MessageId) -> &'static str {
        self.kinds.all().get(usize::from(id.0)).map_or("a message that is none", |kind| kind.name)
    }

    /// A hash of the names, sizes and protocols of all messages, the names, widths and rights of all segments, and the
    /// layout of shared memory. It is equal in all processes of one executable. Nodes whose fingerprints differ have
    /// installed different programs.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fingerprint::new();
        let kinds = self.kinds.all();
        kinds.len().hash(&mut hash);
        kinds.iter().for_each(|kind| kind.facts().hash(&mut hash));
        self.segments.count().hash(&mut hash);
        self.segments.identities().for_each(|segment| segment.hash(&mut hash));
        self.memory().map(|memory| memory.layout()).hash(&mut hash);
        hash.finish()
    }
}
