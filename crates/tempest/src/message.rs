//! Messages: plain data plus what to do on arrival, and the packet that carries one.
//!
//! A message travels as at most [`MAX_WORDS`] eight-byte words: its own fields first, then an optional
//! payload. Nothing here knows how packets move.

use bytemuck::Pod;

use crate::{Handler, Key, MessageId, NodeId, Protocol};

/// The most words a message may carry, fields and payload together: with a head in front of every seven they fill two
/// 64-byte cache lines, the unit in which rings and interfaces move them. Larger transfers are bulk.
pub const MAX_WORDS: usize = 14;

/// Which processors may run a handler: a network processor, a shell or a state machine runs only some classes.
///
/// The first four are accesses to a node's memory by others, so small and fixed that hardware may do them: they read or
/// write words, count, and answer, and touch nothing that needs a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Class {
    /// Reads words, and answers with them.
    Read,
    /// Writes words, and acknowledges that.
    Write,
    /// Brings words that were asked for.
    Reply,
    /// Says that something has been done.
    Acknowledge,
    /// The runtime's own protocols: synchronization, collectives, stores that are counted where they arrive.
    System,
    /// The program's messages.
    #[default]
    User,
}

/// Which part of the volume breakdown a message's bytes belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Volume {
    /// Values the program asked to be moved. The header is counted apart.
    #[default]
    Data,
    /// Asking for something, header included.
    Request,
    /// Taking a copy away, and its acknowledgement, headers included.
    Invalidation,
}

/// A message: plain data, and the handler that runs where it arrives.
///
/// The handler is short, runs to completion and never blocks. It may touch what its [`key`](Self::key) names.
pub trait Message: Pod {
    /// Whose message it is: the handler gets that protocol's state of the receiving node.
    type Protocol: Protocol;

    /// Who may run the handler.
    const CLASS: Class = Class::User;

    /// What kind of volume the bytes are.
    const VOLUME: Volume = Volume::Data;

    /// Modelled size of the fields in bytes, without header and payload. State it where the machine of a study
    /// had narrower integers than the ones used here.
    const BYTES: usize = size_of::<Self>();

    /// Modelled size of one payload word in bytes.
    const PAYLOAD_WORD_BYTES: usize = 8;

    /// Which resources the handler touches. A pure function of the message: it is evaluated where the message
    /// arrives, so nothing about it need be trusted.
    fn key(&self) -> Key;

    /// What to do on arrival.
    fn handle(self, protocol: &Self::Protocol, payload: &[u64], cx: &mut Handler<'_>);
}

/// A message in flight: which handler, from where, and its words.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    id: MessageId,
    length: u8,
    source: NodeId,
    words: [u64; MAX_WORDS],
}

impl Packet {
    /// A packet from its parts, as a transport received them. Returns `None` if there are more than
    /// [`MAX_WORDS`] words; whether the handler exists is checked when it is opened.
    pub fn from_parts(id: MessageId, source: NodeId, words: &[u64]) -> Option<Self> {
        let mut packet = Self { id, length: 0, source, words: [0; MAX_WORDS] };
        packet.words.get_mut(..words.len())?.copy_from_slice(words);
        packet.length = words.len() as u8;
        Some(packet)
    }

    /// No packet yet: to be [filled](Self::fill) in place, again and again, by who takes packets out of a transport.
    pub const fn blank() -> Self {
        Self { id: MessageId(0), length: 0, source: NodeId(0), words: [0; MAX_WORDS] }
    }

    /// Makes this the packet of the first `length` words that `place` leaves in its room; what stands there before is
    /// that of packets before. False, and it is left without words, if a packet has no such length. Whether the handler
    /// exists is checked when it is opened.
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

    /// All room of the packet: its words, and whatever stands behind them. A transport may move more than there is, where
    /// that is simpler.
    #[inline]
    pub fn room(&self) -> &[u64; MAX_WORDS] {
        &self.words
    }

    /// The packet of a message and its payload.
    ///
    /// # Panics
    /// If fields and payload together exceed [`MAX_WORDS`] words.
    #[inline]
    pub(crate) fn encode<M: Message>(id: MessageId, source: NodeId, message: &M, payload: &[u64]) -> Self {
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

    /// The message of this packet. The caller has checked that it is at least as long as `M`.
    #[inline]
    pub(crate) fn message<M: Message>(&self) -> M {
        bytemuck::pod_read_unaligned(
            &bytemuck::cast_slice::<u64, u8>(&self.words[..body_words::<M>()])[..size_of::<M>()],
        )
    }

    /// The payload behind the message's fields.
    #[inline]
    pub(crate) fn payload<M: Message>(&self) -> &[u64] {
        &self.words()[body_words::<M>()..]
    }

    /// Which handler it is for.
    #[inline]
    pub fn id(&self) -> MessageId {
        self.id
    }

    /// The node that sent it.
    #[inline]
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// The words it carries.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words[..usize::from(self.length)]
    }
}

/// How many words the fields of `M` take.
pub(crate) const fn body_words<M: Message>() -> usize {
    size_of::<M>().div_ceil(size_of::<u64>())
}
