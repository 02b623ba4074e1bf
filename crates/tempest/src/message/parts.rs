//! The state of a node that its threads and handlers use: its number, its message numbers, segments, tables and shared
//! memory.
//!
//! This module must never know the handlers of messages, nor how messages travel.

use std::any::TypeId;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ::segment::MemorySource;
use bytemuck::Pod;
use pdq::DispatcherId;

use super::charge::Charge;
use super::ids::Ids;
use crate::data::exports::Exports;
use crate::data::private::PrivateRanges;
use crate::data::segment::{BadPlace, SegmentId, Segments};
use crate::data::tables::Tables;
use crate::data::transfer::Transfer;
use crate::data::{Data, Piece, Target};
use crate::memory::Fault;
use crate::plain::Flow;
use crate::plain::packet::Packet;
use crate::{Event, Memory, NodeId, Place, Shape, Waiter};

/// A function that encodes an access fault as the message by which the protocol receives it.
pub(crate) type FaultPacket = fn(&NodeParts, Fault) -> Packet;

/// The state of a node that its handlers and threads use: identity, message numbers, segments, tables and shared
/// memory. It exists before any message is registered.
pub struct NodeParts {
    pub(crate) id: NodeId,
    pub(crate) shape: Shape,
    pub(crate) flow: Flow,
    pub(crate) dispatcher: DispatcherId,
    pub(crate) ids: Ids,
    /// The number of key spaces in use: one for each protocol whose installation has begun, and each [fresh
    /// space](crate::Setup::fresh_space) of a protocol.
    pub(crate) protocols: usize,
    /// The primitives that the installed protocols have declared that they charge.
    pub(crate) charges: Vec<Charge>,
    /// Whether an installed protocol has declared that it sends messages under every mechanism.
    pub(crate) needs_handlers: bool,
    pub(crate) segments: Segments,
    /// The events that count deposits into the segments, by segment number.
    pub(crate) deposits: Vec<Arc<Event>>,
    pub(crate) tables: Tables,
    /// The modelled addresses of the private arrays of the node's threads.
    pub(crate) private: PrivateRanges,
    /// The node's copy of shared memory, and the function that encodes the node's access faults as messages.
    pub(crate) memory: Option<(Arc<Memory>, FaultPacket)>,
}

impl NodeParts {
    /// Makes the state of node `id` that its handlers and threads use. No protocol is installed on the node yet. The memory
    /// that other nodes access will come from `source`.
    pub(crate) fn new(
        id: NodeId,
        shape: Shape,
        flow: Flow,
        dispatcher: DispatcherId,
        source: MemorySource,
    ) -> Self {
        Self {
            id,
            shape,
            flow,
            dispatcher,
            ids: Ids::default(),
            protocols: 0,
            charges: Vec::new(),
            needs_handlers: false,
            segments: Segments::within(source),
            deposits: Vec::new(),
            tables: Tables::default(),
            private: PrivateRanges::default(),
            memory: None,
        }
    }

    /// The node's number.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The number of nodes of the world, and of program threads on each.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The [`Primitive`](crate::Primitive)s that the installed protocols may charge, without duplicates, each with the
    /// threads or handlers that charge it.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// Whether an installed protocol has declared that it sends messages under every mechanism
    /// ([`Setup::needs_handlers`](crate::Setup::needs_handlers)). A world then refuses a policy without a processor to
    /// handle the messages.
    pub fn needs_handlers(&self) -> bool {
        self.needs_handlers
    }

    /// The dispatcher of the node's events, to which its keyed tables belong.
    pub fn dispatcher(&self) -> DispatcherId {
        self.dispatcher
    }

    /// Encodes a message from this node to node `to`, with its payload, as a packet.
    ///
    /// # Panics
    /// If there is no node `to`, the message was not registered, or it has more than 14 words with its payload.
    #[inline]
    pub(crate) fn encode<M: Pod>(&self, to: NodeId, message: &M, payload: &[u64]) -> Packet {
        assert!(to.0 < self.shape.nodes, "a message to {to}: there are {} nodes", self.shape.nodes);
        let id = self.ids.get(TypeId::of::<M>()).unwrap_or_else(|| {
            panic!(
                "{} was never registered: add it in its protocol's `Handlers::register`",
                std::any::type_name::<M>()
            )
        });
        Packet::encode(id, self.id, message, payload)
    }

    /// The address ranges, on the modelled machine, of keyed tables whose entries all exist from the start, in order of
    /// creation.
    pub fn tables(&self) -> &[Range<u64>] {
        self.tables.dense()
    }

    /// This node's copy of shared memory; `None` if the program has no shared memory.
    #[inline]
    pub fn memory(&self) -> Option<&Arc<Memory>> {
        self.memory.as_ref().map(|(memory, _)| memory)
    }

    /// Encodes an access fault as the message by which the protocol receives it.
    ///
    /// # Panics
    /// If the node has no shared memory.
    pub(crate) fn fault(&self, fault: Fault) -> Packet {
        let (_, packet) = self.memory.as_ref().expect("an access faults where there is shared memory");
        packet(self, fault)
    }

    /// Writes words from node `source`, in units of 8 bytes, into a segment of this node from `place` on.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words or `source` has no right to write them. Nothing is written then.
    pub fn write(&self, source: NodeId, place: Place, words: &[u64]) -> Result<(), BadPlace> {
        self.segments.write((source, self.id), place, words)
    }

    /// Checks that node `source` may write `words` units of 8 bytes into a segment of this node from `place` on. Writes
    /// nothing.
    ///
    /// # Errors
    /// [`BadPlace`] if [`write`](Self::write) would refuse the words.
    pub fn check_write(&self, source: NodeId, place: Place, words: usize) -> Result<(), BadPlace> {
        self.segments.check_write((source, self.id), place, words)
    }

    /// The places of all memory that other nodes access in the file of this node; `None` if that memory is private.
    pub fn exports(&self) -> Option<Exports> {
        let blocks = self.memory().and_then(|memory| memory.blocks().exports());
        Some(Exports { segments: self.segments.exports()?, blocks })
    }

    /// The segments of the node.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// The number of segments, which is the same on every node.
    pub fn segment_count(&self) -> usize {
        self.segments.count()
    }

    /// Reads `words` units of 8 bytes of a segment of this node, from `place` on.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words.
    pub fn read(&self, place: Place, words: usize) -> Result<Vec<u64>, BadPlace> {
        self.segments.read(self.id, place, words)
    }

    /// The address of `place` in this node's segments on the modelled machine. The segment must have `words` units of 8
    /// bytes from there on. Segments follow each other in the order of their numbers, each from the beginning of a
    /// page.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words.
    pub fn address(&self, place: Place, words: usize) -> Result<u64, BadPlace> {
        self.segments.address(self.id, place, words)
    }

    /// The address of `place` in this node's segments on the modelled machine, and the size of a word in bytes. The
    /// segment must have `len` words from there on.
    ///
    /// # Errors
    /// [`BadPlace`] if the node has no such words.
    pub fn elements(&self, place: Place, len: usize) -> Result<(u64, u64), BadPlace> {
        self.segments.elements(self.id, place, len)
    }

    /// Adds `words`, the number of units of 8 bytes that a deposit has written, to the count of the segment of `place`.
    /// Passes the waiters whose awaited count this reaches to `resume`.
    ///
    /// # Panics
    /// If the count would exceed 64 bits.
    pub fn count_deposit(&self, place: Place, words: usize, resume: impl FnMut(Waiter)) {
        match self.segments.count_deposit(place, words) {
            Ok(false) => {}
            Ok(true) => _ = self.end_waits_for(place.segment, resume),
            Err(full) => panic!("{full}, on {}", self.id),
        }
    }

    /// Passes the waiters whose awaited count of deposits into a segment has been reached to `resume`: another node has
    /// added to the count. Returns false if there is no such segment.
    pub fn end_waits_for(&self, segment: SegmentId, resume: impl FnMut(Waiter)) -> bool {
        let deposits = self.deposits.get(usize::from(segment.0));
        deposits.map(|deposits| deposits.end_waits(resume)).is_some()
    }
}

impl NodeParts {
    /// Gathers the words of a transfer that this node sends, and passes the transfer to `send`.
    ///
    /// # Panics
    /// If this node has no such words, or `into` has room for more or fewer words than `data`.
    pub(crate) fn gather(&self, into: Target<'_>, data: Data<'_>, send: impl FnOnce(Transfer<'_>)) {
        let (words, from) = match data {
            Data::Words(words) => (Cow::Borrowed(words), &[][..]),
            Data::Pieces(from) => (Cow::Owned(self.read_all(from)), from),
        };
        let one;
        let into = match into {
            Target::Place(place) => {
                let words = u32::try_from(words.len()).expect("a transfer has fewer than 2^32 words");
                one = [Piece { place, words }];
                &one[..]
            }
            Target::Pieces(into) => into,
        };
        let room: u64 = into.iter().map(|piece| u64::from(piece.words)).sum();
        assert!(
            room == words.len() as u64,
            "a transfer of {} words into {} pieces of {room} words in all: expected as many words there",
            words.len(),
            into.len()
        );
        send(Transfer { words: &words, from, into });
    }

    /// Reads the words of pieces of this node's segments, one piece after the other.
    ///
    /// # Panics
    /// If the node has no such words.
    fn read_all(&self, pieces: &[Piece]) -> Vec<u64> {
        let read = |piece: &Piece| {
            self.read(piece.place, piece.words as usize).unwrap_or_else(|bad| panic!("{bad}"))
        };
        match pieces {
            [piece] => read(piece),
            _ => pieces.iter().flat_map(read).collect(),
        }
    }
}
