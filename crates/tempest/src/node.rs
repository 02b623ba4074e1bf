//! A node as its handlers and threads share it: its number, the messages it knows, the state of its
//! protocols.
//!
//! [`Setup`](crate::Setup) builds it before anything runs; it does not change afterwards. This module must
//! never know how messages travel.

use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use pdq::DispatcherId;

use crate::charge::Charge;
use crate::disposal::{Disposal, States};
use crate::identity::MessageId;
use crate::key::{DispatchKey, Serial};
use crate::kinds::{Entry, Ids, Kind, Kinds, State};
use crate::memory::Lowering;
use crate::message::Packet;
use crate::private::Plots;
use crate::processor::Processor;
use crate::segment::BadPlace;
use crate::segment::Segments;
use crate::tables::Tables;
use crate::{Class, Fault, Flow, Handler, Memory, Message, NodeId, Place, Refusal, Shape, Volume, Waiter};

/// Number of kinds of messages whose handlers are [prefetched](Node::prefetch_handlers): most programs have few.
const FORESEEN: usize = 4;

/// The error of a received packet that no handler can be run for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadPacket {
    /// No handler has this number.
    Unknown {
        /// The number that the packet names.
        handler: u16,
        /// The node that the packet says it comes from.
        source: NodeId,
        /// The number of handlers on the node.
        handlers: usize,
    },
    /// The packet has fewer words than its message.
    Short {
        /// The name of the message.
        message: &'static str,
        /// The node that the packet says it comes from.
        source: NodeId,
        /// The words that the packet has.
        words: usize,
        /// The words that the message has at least.
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

/// The facts about a packet that follow from its kind and its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketFacts {
    /// The key of its handler, on any node.
    pub key: DispatchKey,
    /// The class, which decides which processors may run the handler.
    pub class: Class,
    /// The volume class of its bytes.
    pub volume: Volume,
    /// The modelled number of its bytes, without its header.
    pub bytes: u64,
}

/// Turns a fault into the packet of the message by which the protocol receives it.
pub(crate) type FaultPacket = fn(&Node, Fault) -> Packet;

/// A node with everything installed.
pub struct Node {
    pub(crate) id: NodeId,
    pub(crate) shape: Shape,
    pub(crate) flow: Flow,
    pub(crate) dispatcher: DispatcherId,
    pub(crate) kinds: Kinds,
    pub(crate) ids: Ids,
    /// Whether some kind of message has a prefetch hint.
    pub(crate) foresees: bool,
    /// The number of protocols whose installation has begun.
    pub(crate) protocols: usize,
    /// The primitives that the installed protocols may charge, each once.
    pub(crate) charges: Vec<Charge>,
    /// Whether some protocol sends messages under every mechanism.
    pub(crate) needs_handlers: bool,
    pub(crate) segments: Segments,
    pub(crate) tables: Tables,
    /// The addresses of the private arrays of its threads.
    pub(crate) plots: Plots,
    /// The node's copy of shared memory, and the conversion of its faults into messages.
    pub(crate) memory: Option<(Arc<Memory>, FaultPacket)>,
    /// The states of its protocols. The last field: everything that holds a state is dropped before.
    pub(crate) states: States,
}

impl Node {
    /// The node's number.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The number of nodes of the world, and of threads on each.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The primitives that the installed protocols may charge, each once for each part that does.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// Whether some protocol sends messages under every mechanism, so that some processor has to handle them.
    pub fn needs_handlers(&self) -> bool {
        self.needs_handlers
    }

    /// The dispatcher that the node's keyed tables belong to.
    pub fn dispatcher(&self) -> DispatcherId {
        self.dispatcher
    }

    /// Asks the host's memory for the kinds of messages, ahead of their use. The node itself is at hand.
    pub fn prefetch_kinds(&self) {
        pdq::prefetch(self.kinds.entries());
    }

    /// Asks the host's memory for the first handlers, ahead of their use. The kinds of messages are at hand.
    pub fn prefetch_handlers(&self) {
        self.kinds.entries().iter().take(FORESEEN).for_each(|entry| pdq::prefetch(&*entry.deliver));
    }

    /// Asks the host's memory for the state of the protocol of the first kind of messages, ahead of its use. The first handler is at hand.
    pub fn prefetch_state(&self) {
        self.kinds.entries().first().into_iter().for_each(|entry| entry.deliver.prefetch_state());
    }

    /// The disposal of the program's state in this run, which is the same on all nodes.
    pub fn disposal(&self) -> &Disposal {
        self.states.disposal()
    }

    /// Gives the handlers of protocol number `protocol` their state, which the node keeps to its end.
    pub(crate) fn bind(&mut self, protocol: usize, state: State) {
        self.kinds.bind(protocol, &state);
        self.states.add(state);
    }

    /// Insists that the program has made the same of this node as of the first node of the run: kinds of messages,
    /// their numbers, their protocols, and segments. Every node takes these numbers for its own.
    ///
    /// # Errors
    /// [`Refusal::Nodes`] names the first difference.
    pub(crate) fn expect_like(&self, first: &Node) -> Result<(), Refusal> {
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

    /// Encodes a message from this node as a packet.
    #[inline]
    pub(crate) fn encode<M: Message>(&self, to: NodeId, message: &M, payload: &[u64]) -> Packet {
        assert!(to.0 < self.shape.nodes, "a message to {to}: there are {} nodes", self.shape.nodes);
        let id = self.ids.get(TypeId::of::<M>()).unwrap_or_else(|| {
            panic!(
                "{} was never registered: add it in its protocol's `Handlers::register`",
                std::any::type_name::<M>()
            )
        });
        Packet::encode(id, self.id, message, payload)
    }

    /// The key of a received packet.
    ///
    /// # Errors
    /// [`BadPacket`] if no handler may see it.
    #[inline]
    pub fn key(&self, packet: &Packet) -> Result<DispatchKey, BadPacket> {
        self.entry(packet).map(|entry| entry.deliver.key(packet))
    }

    /// The entry of a received packet's kind. The packet is long enough for it.
    #[inline]
    fn entry(&self, packet: &Packet) -> Result<&Entry, BadPacket> {
        match self.kinds.entries().get(usize::from(packet.id().0)) {
            Some(entry) if packet.length() >= entry.body_words => Ok(entry),
            _ => Err(self.refuse(packet)),
        }
    }

    /// Whether a packet of any kind is worth a [`prefetch`](Self::prefetch).
    #[inline]
    pub fn foresees(&self) -> bool {
        self.foresees
    }

    /// Calls the prefetch hint that a packet's protocol [registered](crate::Setup::prefetch), if any: the
    /// packet has arrived and will be handled soon. Does nothing for a packet that no handler may see.
    #[inline]
    pub fn prefetch(&self, packet: &Packet) {
        if let Some(entry) = self.kinds.entries().get(usize::from(packet.id().0))
            && packet.length() >= entry.body_words
        {
            entry.prefetch(packet);
        }
    }

    /// Runs the handler of a received packet under its key, which a serial dispatcher grants at once:
    /// [`key`](Self::key) and [`deliver`](Self::deliver) in one step, for a world without
    /// [accounts](crate::world::Accounting). The handler's lowering, if any, is left in `lowering`.
    ///
    /// # Errors
    /// [`BadPacket`] if no handler may see it.
    #[inline]
    pub fn deliver_serially(
        &self,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Lowering>>,
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

    /// Runs the handler of a packet whose [`key`](Self::key) has been read and is held. If the handler ended
    /// with a lowering, the key stays held until the lowering is done and its continuation is handled.
    #[inline]
    #[must_use]
    pub fn deliver(&self, packet: &Packet, cx: &mut Handler<'_>) -> Option<Box<Lowering>> {
        let entry = &self.kinds.entries()[usize::from(packet.id().0)];
        entry.deliver.handle(packet, cx);
        cx.take_lowering()
    }

    /// The modelled addresses of the tables that have all their entries from the start, in the order in which the installation has
    /// made them.
    pub fn tables(&self) -> &[Range<u64>] {
        self.tables.dense()
    }

    /// This node's copy of shared memory, if its program has one.
    #[inline]
    pub fn memory(&self) -> Option<&Arc<Memory>> {
        self.memory.as_ref().map(|(memory, _)| memory)
    }

    /// The packet by which the protocol receives a fault.
    pub(crate) fn fault(&self, fault: Fault) -> Packet {
        let (_, packet) = self.memory.as_ref().expect("an access faults where there is shared memory");
        packet(self, fault)
    }

    /// The facts about a packet of this node that its receivers go by.
    ///
    /// # Errors
    /// [`BadPacket`] if no handler may see it.
    #[inline]
    pub fn facts(&self, packet: &Packet) -> Result<PacketFacts, BadPacket> {
        let entry = self.entry(packet)?;
        let class = self.kinds.all()[usize::from(packet.id().0)].class;
        let (volume, bytes) = self.size(packet);
        Ok(PacketFacts { key: entry.deliver.key(packet), class, volume, bytes })
    }

    /// The volume class of a packet's bytes, and their modelled number without the header.
    #[inline]
    pub fn size(&self, packet: &Packet) -> (Volume, u64) {
        let kind = &self.kinds.all()[usize::from(packet.id().0)];
        let payload = packet.length() - kind.body_words;
        (kind.volume, (kind.bytes + payload * kind.payload_word_bytes) as u64)
    }

    /// The modelled bytes of a packet, without its header.
    pub fn bytes(&self, packet: &Packet) -> u64 {
        self.size(packet).1
    }

    /// Writes words that came from `source` into a segment of this node.
    ///
    /// # Errors
    /// [`BadPlace`], with nothing written, if the node has no such segment or the words do not fit there.
    pub fn write(&self, source: NodeId, place: Place, words: &[u64]) -> Result<(), BadPlace> {
        self.segments.write((source, self.id), place, words)
    }

    /// Checks that words which come from `source` may be written into a segment of this node. Writes nothing.
    ///
    /// # Errors
    /// [`BadPlace`] if [`write`](Self::write) would refuse them.
    pub fn check_write(&self, source: NodeId, place: Place, words: usize) -> Result<(), BadPlace> {
        self.segments.check_write((source, self.id), place, words)
    }

    /// The number of segments, which is the same on every node.
    pub fn segment_count(&self) -> usize {
        self.segments.count()
    }

    /// Reads words of a segment of this node, packed in 8 bytes each.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words.
    pub fn read(&self, place: Place, words: usize) -> Result<Vec<u64>, BadPlace> {
        self.segments.read(self.id, place, words)
    }

    /// The modelled address of words of a segment of this node, packed in 8 bytes each. Segments follow one another in the order of
    /// their numbers, each from the beginning of a page. No host address is ever used.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words.
    pub fn address(&self, place: Place, words: usize) -> Result<u64, BadPlace> {
        self.segments.address(self.id, place, words)
    }

    /// The modelled address of `len` words of a segment of this node, and the size of each in bytes.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words.
    pub fn elements(&self, place: Place, len: usize) -> Result<(u64, u64), BadPlace> {
        self.segments.elements(self.id, place, len)
    }

    /// Counts words that a deposit has written, and gives the threads that this satisfies to `resume`.
    pub fn count_deposit(&self, place: Place, words: usize, resume: impl FnMut(Waiter)) {
        self.segments.count_deposit(self.id, place, words, resume);
    }

    /// The names of all messages, by their number, for people.
    pub fn message_names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.all().iter().map(|kind| kind.name)
    }

    /// The name of a message, for people.
    pub fn message_name(&self, id: MessageId) -> &'static str {
        self.kinds.all()[usize::from(id.0)].name
    }

    /// A hash of the names and sizes of all messages and of the number of segments. Two nodes with different
    /// fingerprints disagree on them.
    pub fn fingerprint(&self) -> u64 {
        // FNV-1a: stable everywhere, and speed is no matter here.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut mix = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        for kind in self.kinds.all() {
            kind.name.bytes().for_each(&mut mix);
            kind.body_words.to_le_bytes().into_iter().for_each(&mut mix);
        }
        self.segments.count().to_le_bytes().into_iter().for_each(&mut mix);
        hash
    }
}
