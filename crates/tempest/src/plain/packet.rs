//! The packet that carries a message, as plain data: at most [`MAX_WORDS`] eight-byte words, the message's fields first, then an
//! optional payload.
//!
//! This module must never know handlers, nor how packets move.

use bytemuck::Pod;

use crate::NodeId;
use crate::plain::identity::MessageId;

/// The largest number of words of a message, fields and payload together. With a head in front of every seven
/// words they fill two 64-byte cache lines, the unit in which rings and interfaces move them. Larger
/// transfers are bulk.
pub const MAX_WORDS: usize = 14;

/// The purpose of a message, which decides which processors may run its handler: a network processor, a shell
/// or a state machine runs only some classes.
///
/// The first four classes are accesses of other nodes to a node's memory, so small and fixed that hardware
/// may serve them: they read or write words, count, and answer, and touch nothing that needs a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Class {
    /// Reads words and answers with them.
    Read,
    /// Writes words and acknowledges that.
    Write,
    /// Brings words that were asked for.
    Reply,
    /// Reports that writes or stores are done.
    Acknowledge,
    /// The runtime's own protocols: synchronization, collectives, stores that are counted where they arrive.
    System,
    /// Messages of the program.
    #[default]
    User,
}

/// The category under which a message's bytes are counted in the breakdown of the traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Volume {
    /// Values that the program asked to be moved. Their headers are counted apart.
    #[default]
    Data,
    /// Requests, including their headers.
    Request,
    /// Invalidations of copies and their acknowledgements, including headers.
    Invalidation,
}

/// A message in flight: the number of its kind, its source, and its words.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    id: MessageId,
    length: u8,
    source: NodeId,
    words: [u64; MAX_WORDS],
}

impl Packet {
    /// Makes a packet from the parts that a transport received. Returns `None` for more than [`MAX_WORDS`]
    /// words. Whether the handler exists is checked when the packet is opened.
    pub fn from_parts(id: MessageId, source: NodeId, words: &[u64]) -> Option<Self> {
        let mut packet = Self { id, length: 0, source, words: [0; MAX_WORDS] };
        packet.words.get_mut(..words.len())?.copy_from_slice(words);
        packet.length = words.len() as u8;
        Some(packet)
    }

    /// Makes an empty packet, for a transport to [fill](Self::fill) in place, again and again.
    pub const fn blank() -> Self {
        Self { id: MessageId(0), length: 0, source: NodeId(0), words: [0; MAX_WORDS] }
    }

    /// Fills this packet with the first `length` words that `place` leaves in its room. The room may hold
    /// words of earlier packets. Returns false, and leaves the packet without words, if `length` is too
    /// large. Whether the handler exists is checked when the packet is opened.
    #[inline]
    pub fn fill(
        &mut self,
        id: MessageId,
        source: NodeId,
        length: usize,
        place: impl FnOnce(&mut [u64; MAX_WORDS]),
    ) -> bool {
        let fits = length <= MAX_WORDS;
        self.id = id;
        self.source = source;
        self.length = if fits { length as u8 } else { 0 };
        place(&mut self.words);
        fits
    }

    /// The whole room of the packet: its words, and unused words behind them. A transport may move more words than
    /// there are, where that is simpler.
    #[inline]
    pub fn room(&self) -> &[u64; MAX_WORDS] {
        &self.words
    }

    /// Encodes a message and its payload.
    ///
    /// # Panics
    /// If fields and payload together exceed [`MAX_WORDS`] words.
    #[inline]
    pub(crate) fn encode<M: Pod>(id: MessageId, source: NodeId, message: &M, payload: &[u64]) -> Self {
        let body = body_words::<M>();
        let length = body + payload.len();
        assert!(
            length <= MAX_WORDS,
            "{} with a payload of {} words is {length} words long: at most {MAX_WORDS} travel in a message",
            std::any::type_name::<M>(),
            payload.len(),
        );
        let mut words = [0; MAX_WORDS];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words[..body])[..size_of::<M>()]
            .copy_from_slice(bytemuck::bytes_of(message));
        words[body..length].copy_from_slice(payload);
        Self { id, length: length as u8, source, words }
    }

    /// Decodes the message. The caller has checked that the packet is at least as long as `M`.
    #[inline]
    pub(crate) fn message<M: Pod>(&self) -> M {
        bytemuck::pod_read_unaligned(
            &bytemuck::cast_slice::<u64, u8>(&self.words[..body_words::<M>()])[..size_of::<M>()],
        )
    }

    /// The payload behind the message's fields.
    #[inline]
    pub(crate) fn payload<M>(&self) -> &[u64] {
        &self.words()[body_words::<M>()..]
    }

    /// The number of the message's kind.
    #[inline]
    pub fn id(&self) -> MessageId {
        self.id
    }

    /// The sending node.
    #[inline]
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// The number of words of the packet.
    #[inline]
    pub fn length(&self) -> usize {
        self.length.into()
    }

    /// The words of the packet.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words[..usize::from(self.length)]
    }
}

/// The number of words that the fields of `M` take.
pub(crate) const fn body_words<M>() -> usize {
    size_of::<M>().div_ceil(size_of::<u64>())
}
