//! The kinds of messages that a node knows: for each its number, sizes, and handler with the state that the
//! handler is given.
//!
//! A kind is registered while its protocol installs itself, before the protocol's state exists. It is *bound* to the
//! state once the installation is complete. From then on a message costs one indirect call, without a look-up or a
//! test of types. Data that are the same on all nodes stand in memory that they share. This module must never know
//! how messages travel.

use std::any::{Any, TypeId};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::identity::MessageId;
use crate::key::{DispatchKey, Serial, Space};
use crate::memory::Lowering;
use crate::message::Packet;
use crate::message::body_words;
use crate::node::Node;
use crate::processor::Processor;
use crate::{Class, Handler, Message, Volume};

/// A protocol's state, of any type.
pub(crate) type State = Arc<dyn Any + Send + Sync>;

/// A prefetch hint: asks for the cache lines that the handler of a packet will touch.
type Prefetch = Box<dyn Fn(&Packet) + Send + Sync>;

/// Makes a prefetch hint from the protocol's state.
type BindPrefetch = Box<dyn Fn(&State) -> Prefetch + Send + Sync>;

/// A kind of message. It is the same on all nodes.
pub(crate) struct Kind {
    /// The type of the message.
    of: TypeId,
    pub(crate) name: &'static str,
    pub(crate) body_words: usize,
    pub(crate) bytes: usize,
    pub(crate) payload_word_bytes: usize,
    pub(crate) class: Class,
    pub(crate) volume: Volume,
    /// The number of the protocol whose state the handler is given.
    protocol: usize,
    bind: fn(&State, Space) -> Box<dyn Deliver>,
    bind_prefetch: Option<BindPrefetch>,
}

impl Kind {
    /// The kind of message `M` of protocol number `protocol`.
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

    /// The type of message and the number of its protocol.
    pub(crate) fn identity(&self) -> (TypeId, usize) {
        (self.of, self.protocol)
    }
}

/// A kind of message on one node: the state that its handler and its prefetch hint get there.
pub(crate) struct Entry {
    pub(crate) deliver: Box<dyn Deliver>,
    /// The prefetch hint, if the protocol registered one.
    prefetch: Option<Prefetch>,
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
    entries: Vec<Entry>,
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

    /// Adds message `M` of protocol number `protocol` under the next number.
    pub(crate) fn add<M: Message>(&mut self, protocol: usize) {
        let kind = Kind::of::<M>(protocol);
        // A protocol has few kinds, and a machine may have a million nodes.
        self.entries.reserve_exact(1);
        self.entries.push(Entry { deliver: Box::new(Unbound), prefetch: None, body_words: kind.body_words });
        self.own().push(kind);
    }

    /// Registers the prefetch hint of message `M`, whose kind has this number.
    pub(crate) fn foresee<M: Message>(&mut self, number: usize, prefetch: fn(&M, &M::Protocol)) {
        self.own()[number].bind_prefetch = Some(Box::new(move |state| {
            let state = own::<M::Protocol>(state);
            Box::new(move |packet| prefetch(&packet.message(), &state))
        }));
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
    fn own(&mut self) -> &mut Vec<Kind> {
        Arc::get_mut(&mut self.all).expect("a node shares its kinds when it knows all messages")
    }
}

/// A protocol's state as its own type.
fn own<P: Send + Sync + 'static>(state: &State) -> Arc<P> {
    Arc::clone(state).downcast().expect("states are filed by their type")
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
        node: &Node,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Lowering>>,
    );
}

struct Bound<M: Message> {
    state: Arc<M::Protocol>,
    /// The space of the protocol instance.
    space: Space,
}

impl<M: Message> Deliver for Bound<M> {
    fn key(&self, packet: &Packet) -> DispatchKey {
        packet.message::<M>().key().resolve(self.space)
    }

    fn prefetch_state(&self) {
        pdq::prefetch(&*self.state);
    }

    fn handle(&self, packet: &Packet, cx: &mut Handler<'_>) {
        packet.message::<M>().handle(&self.state, packet.payload::<M>(), cx);
    }

    fn handle_serially(
        &self,
        node: &Node,
        packet: &Packet,
        serial: &mut Serial,
        processor: &dyn Processor,
        lowering: &mut Option<Box<Lowering>>,
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

/// Stands for a handler whose protocol is still being installed. Nothing is delivered before that is
/// complete.
struct Unbound;

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
        _: &Node,
        packet: &Packet,
        _: &mut Serial,
        _: &dyn Processor,
        _: &mut Option<Box<Lowering>>,
    ) {
        self.key(packet);
    }
}

/// The number of each kind of message, by its type: open addressing in a table that is at least half empty. A
/// `TypeId` is a hash already, and known when a send is compiled.
#[derive(Clone, Default)]
pub(crate) struct Ids {
    slots: Arc<[Option<(TypeId, MessageId)>]>,
    count: usize,
}

impl Ids {
    /// These numbers, in the memory of `others` if those are the same. All nodes of a program number its messages alike, and a
    /// million nodes need no more than one table.
    pub(crate) fn shared_with(self, others: &Self) -> Self {
        if self.slots == others.slots { others.clone() } else { self }
    }

    /// The number of a kind, if it is registered.
    #[inline]
    pub(crate) fn get(&self, kind: TypeId) -> Option<MessageId> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = place(kind) & mask;
        while let Some(Some((other, id))) = self.slots.get(at) {
            if *other == kind {
                return Some(*id);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Gives a kind its number. Returns false if it has one already.
    pub(crate) fn insert(&mut self, kind: TypeId, id: MessageId) -> bool {
        if self.get(kind).is_some() {
            return false;
        }
        self.count += 1;
        if 2 * self.count > self.slots.len() {
            let all = std::mem::take(&mut self.slots);
            self.slots = vec![None; (2 * all.len()).max(16)].into();
            all.iter().flatten().for_each(|&(kind, id)| self.put(kind, id));
        }
        self.put(kind, id);
        true
    }

    fn put(&mut self, kind: TypeId, id: MessageId) {
        let mask = self.slots.len() - 1;
        let mut at = place(kind) & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        let slots =
            Arc::get_mut(&mut self.slots).expect("a node shares its numbers when it knows all messages");
        slots[at] = Some((kind, id));
    }
}

/// The slot where the search for a type begins.
#[inline]
fn place(kind: TypeId) -> usize {
    let mut words = Words(0);
    kind.hash(&mut words);
    words.0 as usize
}

/// A hasher for values that are hashes already: it takes their words as they are.
struct Words(u64);

impl Hasher for Words {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_number_and_others_have_none() {
        let kinds = [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<i8>(),
            TypeId::of::<i16>(),
            TypeId::of::<i32>(),
            TypeId::of::<i64>(),
            TypeId::of::<f32>(),
            TypeId::of::<f64>(),
        ];
        let mut ids = Ids::default();
        assert_eq!(ids.get(kinds[0]), None);
        for (kind, id) in kinds.into_iter().zip(0..) {
            assert!(ids.insert(kind, MessageId(id)));
            assert!(!ids.insert(kind, MessageId(100)));
        }
        for (kind, id) in kinds.into_iter().zip(0..) {
            assert_eq!(ids.get(kind), Some(MessageId(id)));
        }
        assert_eq!(ids.get(TypeId::of::<char>()), None);
    }

    #[test]
    fn numbers_are_shared_among_nodes_that_agree() {
        let numbered = |kinds: [TypeId; 2]| {
            let mut ids = Ids::default();
            kinds.into_iter().zip(0..).for_each(|(kind, id)| assert!(ids.insert(kind, MessageId(id))));
            ids
        };
        let (first, second) = (TypeId::of::<u8>(), TypeId::of::<u16>());
        let one = numbered([first, second]);
        assert!(Arc::ptr_eq(&numbered([first, second]).shared_with(&one).slots, &one.slots));
        let other = numbered([second, first]).shared_with(&one);
        assert_eq!(other.get(second), Some(MessageId(0)));
    }
}
