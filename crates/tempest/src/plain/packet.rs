//! The packet that carries a message, as plain data: at most [`MAX_WORDS`] words of 8 bytes, the message's fields
//! first, then an optional payload.
//!
//! This module must never know handlers, nor how packets move.

use bytemuck::Pod;

use crate::NodeId;
use crate::plain::identity::MessageId;

/// The largest number of words of a message, fields and payload together. With a header word in front of every seven
/// words, 14 words fill two 64-byte cache lines, the unit in which rings and interfaces move messages. More data
/// travels by bulk transfer.
pub const MAX_WORDS: usize = 14;

/// The purpose of a message, which decides which processors may run its handler: for example, a network processor or a
/// state machine runs only some classes.
///
/// The first four classes are accesses of other nodes to a node's memory, and their answers. Hardware may serve them,
/// because their handlers are small and fixed: they read or write words, count, and answer. Under shared memory they
/// also look up the state of one block, which is their key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Class {
    /// A request to read words and answer with them.
    Read,
    /// A request to write words and acknowledge it.
    Write,
    /// An answer with the requested words, or a request of a shared block's home to a node with a copy of the block.
    Reply,
    /// A report that writes or stores are done, or that a request of a home was met.
    Acknowledge,
    /// A message of the runtime's own protocols: synchronization, collectives, and stores that are counted where they
    /// arrive.
    System,
    /// A message of the program.
    #[default]
    User,
    /// A procedure on a node's memory that no other procedure may interrupt: a read, a change and a write. Such a
    /// procedure is too complex for most network processors.
    Atomic,
    /// A request to move a block of memory by a bulk transfer.
    Bulk,
}

impl Class {
    /// All classes, in the order of declaration.
    pub const ALL: [Self; 8] = [
        Self::Read,
        Self::Write,
        Self::Reply,
        Self::Acknowledge,
        Self::System,
        Self::User,
        Self::Atomic,
        Self::Bulk,
    ];

    /// The name of the class in the text of policies and in machine files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Reply => "reply",
            Self::Acknowledge => "acknowledge",
            Self::System => "system",
            Self::User => "user",
            Self::Atomic => "atomic",
            Self::Bulk => "bulk",
        }
    }
}

/// The kind of traffic under which a message's bytes are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Volume {
    /// Values that the program asked to move, without the headers of their messages.
    #[default]
    Data,
    /// Requests, including their headers.
    Request,
    /// Invalidations of copies and their acknowledgements, including headers.
    Invalidation,
}

/// A message on its way through the network: its message number, its source, and its words.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    id: MessageId,
    length: u8,
    source: NodeId,
    words: [u64; MAX_WORDS],
}

impl Packet {
    /// Makes a packet from the parts that a transport received. Returns `None` for more than [`MAX_WORDS`] words. Does
    /// not check that the node has a handler with the number `id`; the receiver checks that when it opens the packet.
    pub fn from_parts(id: MessageId, source: NodeId, words: &[u64]) -> Option<Self> {
        let mut packet = Self { id, length: 0, source, words: [0; MAX_WORDS] };
        packet.words.get_mut(..words.len())?.copy_from_slice(words);
        packet.length = words.len() as u8;
        Some(packet)
    }

    /// Makes an empty packet, which a transport [fills](Self::fill) in place, again and again.
    pub const fn blank() -> Self {
        Self { id: MessageId(0), length: 0, source: NodeId(0), words: [0; MAX_WORDS] }
    }

    /// Fills this packet with `length` words, which `place` writes to the beginning of the packet's buffer. Before
    /// `place` runs, the buffer may hold words of earlier packets. Returns false, and leaves the packet empty, if
    /// `length` exceeds [`MAX_WORDS`]. Does not check that the node has a handler with the number `id`; the receiver
    /// checks that when it opens the packet.
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

    /// The whole buffer of the packet: its words, and unused words behind them. A transport may move more than
    /// [`length`](Self::length) words, where that is simpler.
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

    /// Decodes the message's fields. The caller has checked that the packet has all of them.
    #[inline]
    pub(crate) fn message<M: Pod>(&self) -> M {
        bytemuck::pod_read_unaligned(
            &bytemuck::cast_slice::<u64, u8>(&self.words[..body_words::<M>()])[..size_of::<M>()],
        )
    }

    /// The words behind the fields of a message `M`.
    #[inline]
    pub(crate) fn payload<M>(&self) -> &[u64] {
        &self.words()[body_words::<M>()..]
    }

    /// The message number, which names the kind of message.
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

/// The number of words that the fields of a message `M` take.
pub(crate) const fn body_words<M>() -> usize {
    size_of::<M>().div_ceil(size_of::<u64>())
}
