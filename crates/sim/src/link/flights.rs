//! The flights: all cargo on its way between nodes, and all messages that wait as events of a node.
//!
//! This module must never know how cargo gets to its destination, nor its purpose.

use std::ops::{Index, IndexMut};

use hardware::Mover;
use machine::Class;
use tempest::data::Piece;
use tempest::world::{DispatchKey, MessageId, Packet, Transfer};
use tempest::{Block, MAX_WORDS, NodeId, Place};
use units::Time;

use super::cargo::{Cargo, Manifest};
use crate::happening::LIMIT;
use crate::memory::at_work::Reaching;
use crate::prices::Receipt;

/// The cause of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A node has sent a message.
    Sent,
    /// An access of a thread of its node faulted.
    Fault,
    /// A right has been taken away for which a handler had to wait.
    Lowered,
}

/// The load of a flight besides the words of its message.
#[derive(Debug)]
enum Load {
    None,
    Transfer(Box<Moved>),
    /// The words are for a place in memory.
    Deposit(Place),
    /// A block of shared memory.
    Block(Block, Box<[u64]>),
    /// A packet of a transfer through staging buffers, by the packet's number.
    Packet(u32),
}

/// The words of a transfer, and the lists of their pieces.
#[derive(Debug)]
struct Moved {
    words: Box<[u64]>,
    from: Box<[Piece]>,
    into: Box<[Piece]>,
}

impl Moved {
    fn transfer(&self) -> Transfer<'_> {
        Transfer { words: &self.words, from: &self.from, into: &self.into }
    }
}

/// The most words of a message that stand in the flight itself. Most messages have one or two.
const FEW: usize = 3;

/// The rare parts of a flight. Their room stays with the place of a flight, and a later flight there uses it again.
#[derive(Debug)]
struct Rest {
    /// The words of a long message or deposit.
    many: [u64; MAX_WORDS],
    /// The part of the machine that moves the load through an interface.
    mover: Mover,
    load: Load,
}

impl Rest {
    fn blank() -> Self {
        Self { many: [0; MAX_WORDS], mover: Mover::Processors, load: Load::None }
    }
}

/// Cargo on its way, or an event that a node raised by itself. It is two lines of a host's cache.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Flight {
    manifest: Manifest,
    from: NodeId,
    /// The number of earlier flights at this place, which begins anew at [`LIMIT`].
    uses: u32,
    /// The number of the flow. It is unique in a run, and rises with time among the flows of one source.
    number: u64,
    /// The time at which the cargo left for the network, or became an event.
    left: Time,
    /// The time at which the cargo came to its node.
    arrived: Time,
    /// The words of a short message or deposit.
    few: [u64; FEW],
    rest: Option<Box<Rest>>,
    /// The kind in the account of costs: the number of the flight's message, or of the message that the flight completes.
    kind: u16,
    /// The number of words of the message or deposit.
    length: u8,
    origin: Origin,
    /// Whether a network processor has handed the message over to a computing processor.
    forwarded: bool,
    /// Whether the rest has a load.
    carries: bool,
}

impl Flight {
    /// An empty flight.
    fn blank() -> Self {
        Self {
            manifest: Manifest::of_bytes(0, NodeId(0)),
            from: NodeId(0),
            uses: 0,
            number: 0,
            left: Time::ZERO,
            arrived: Time::ZERO,
            few: [0; FEW],
            rest: None,
            kind: u16::MAX,
            length: 0,
            origin: Origin::Sent,
            forwarded: false,
            carries: false,
        }
    }

    /// Takes the first `length` words of the room of a packet. Whole arrays are copied, because that takes no loop.
    #[inline]
    fn set_words(&mut self, length: usize, room: &[u64; MAX_WORDS]) {
        self.length = length as u8;
        match room.first_chunk() {
            Some(few) if length <= FEW => self.few = *few,
            _ => self.rest().many = *room,
        }
    }

    /// Fills the room of a packet with the words, and with the stale words behind them.
    #[inline]
    fn fill_words(&self, room: &mut [u64; MAX_WORDS]) {
        match (&self.rest, room.first_chunk_mut()) {
            (_, Some(few)) if self.length() <= FEW => *few = self.few,
            (Some(rest), _) => *room = rest.many,
            _ => {}
        }
    }

    /// The words of the message or deposit.
    fn words(&self) -> &[u64] {
        let many = || self.rest.as_ref().map_or(&[][..], |rest| &rest.many[..self.length()]);
        self.few.get(..self.length()).unwrap_or_else(many)
    }

    fn length(&self) -> usize {
        self.length.into()
    }

    /// Room for the rare parts of a flight.
    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_with(|| Box::new(Rest::blank()))
    }

    /// The load of the flight besides the words of its message.
    fn load(&self) -> &Load {
        self.rest.as_deref().filter(|_| self.carries).map_or(&Load::None, |rest| &rest.load)
    }

    /// Takes a load, which a part of the machine moves through an interface.
    fn carry(&mut self, mover: Mover, load: Load) {
        self.carries = true;
        let rest = self.rest();
        (rest.mover, rest.load) = (mover, load);
    }

    /// Loads cargo with words for a place. Memory has lines of `line` bytes.
    #[inline(never)]
    fn load_words(&mut self, cargo: &Cargo<'_>, line: u64) {
        if let Some(packet) = cargo.packet() {
            self.set_words(packet.length(), packet.room());
        }
        let load = match *cargo {
            Cargo::Message(_) => return,
            Cargo::Transfer(Transfer { words, from, into }, _) => {
                Load::Transfer(Box::new(Moved { words: words.into(), from: from.into(), into: into.into() }))
            }
            Cargo::Block(block, words, _) => Load::Block(block, words.into()),
            Cargo::Deposit(to, words) => {
                let mut room = [0; MAX_WORDS];
                room[..words.len()].copy_from_slice(words);
                self.set_words(words.len(), &room);
                Load::Deposit(to)
            }
        };
        self.carry(cargo.mover(line), load);
    }

    /// Records that the cargo leaves its node, or becomes an event, under the number of a flow.
    #[inline]
    pub(crate) fn leave(&mut self, number: u64, now: Time) {
        self.number = number;
        (self.left, self.arrived) = (now, now);
    }

    /// Makes this an event that a node raises by itself. An event that continues another one is of that one's kind and class.
    pub(crate) fn raise(&mut self, origin: Origin, like: Option<(u16, Class)>) {
        self.origin = origin;
        if let Some((kind, class)) = like {
            (self.kind, self.manifest.class) = (kind, class);
        }
    }

    /// The facts about the cargo.
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The source node.
    pub(crate) fn from(&self) -> usize {
        self.from.0 as usize
    }

    /// The destination node.
    pub(crate) fn to(&self) -> usize {
        self.manifest.to.0 as usize
    }

    /// The bytes of the cargo, without headers.
    pub(crate) fn bytes(&self) -> u64 {
        self.manifest.bytes()
    }

    /// The part of the machine that moves the cargo through an interface.
    #[inline]
    pub(crate) fn mover(&self) -> Mover {
        self.rest.as_deref().filter(|_| self.carries).map_or(Mover::Processors, |rest| rest.mover)
    }

    /// The class of the flight's message.
    pub(crate) fn class(&self) -> Class {
        self.manifest.class
    }

    /// The key of the flight's message.
    pub(crate) fn key(&self) -> DispatchKey {
        self.manifest.key
    }

    /// The number of the flow.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The kind in the account of costs.
    pub(crate) fn kind(&self) -> u16 {
        self.kind
    }

    /// The number of earlier flights at this place.
    pub(crate) fn uses(&self) -> u32 {
        self.uses
    }

    /// The number of the packet of a transfer through staging buffers, if the flight is one.
    pub(crate) fn staged(&self) -> Option<u32> {
        if let Load::Packet(packet) = *self.load() { Some(packet) } else { None }
    }

    /// The transfer that the flight carries.
    pub(crate) fn transfer(&self) -> Option<Transfer<'_>> {
        if let Load::Transfer(moved) = self.load() { Some(moved.transfer()) } else { None }
    }

    /// The words of a deposit, and their place in the destination's memory.
    pub(crate) fn deposit(&self) -> Option<(Place, &[u64])> {
        if let Load::Deposit(place) = *self.load() { Some((place, self.words())) } else { None }
    }

    /// Words for places in the destination's memory.
    pub(crate) fn placed(&self) -> impl Iterator<Item = (Place, &[u64])> {
        self.transfer().into_iter().flat_map(|transfer| transfer.placed()).chain(self.deposit())
    }

    /// Whether a network processor has handed the message over to a computing processor.
    pub(crate) fn is_forwarded(&self) -> bool {
        self.forwarded
    }

    /// Records that a network processor has handed the message over to a computing processor.
    pub(crate) fn forward(&mut self) {
        self.forwarded = true;
    }

    /// The way in which a processor of the node receives the event, which may interrupt that processor.
    fn receipt(&self, interrupts: bool) -> Receipt {
        match self.origin {
            _ if self.forwarded => Receipt::Forwarded,
            Origin::Fault => Receipt::Fault,
            Origin::Lowered => Receipt::Resumed,
            Origin::Sent => Receipt::Message {
                own: self.from() == self.to(),
                words: self.manifest.words.into(),
                interrupts,
            },
        }
    }

    /// The event, as it reaches a processor of its node at `now`. `interrupts` says whether it interrupts that processor.
    #[inline]
    pub(crate) fn reaching(&self, now: Time, interrupts: bool) -> Reaching {
        Reaching {
            class: self.class(),
            kind: self.kind,
            receipt: self.receipt(interrupts),
            from: self.from(),
            arrived: self.arrived,
            travel: self.arrived - self.left,
            wait: now - self.arrived,
        }
    }

    /// Records the arrival at the node.
    pub(crate) fn arrive(&mut self, now: Time) {
        self.arrived = now;
    }

    /// Whether the flight carries more than the words of its message.
    #[inline]
    pub(crate) fn carries(&self) -> bool {
        self.carries
    }

    /// Fills a packet with the flight's message.
    #[inline]
    pub(crate) fn fill(&self, packet: &mut Packet) {
        let id = MessageId(self.manifest.kind);
        packet.fill(id, self.from, self.length(), |room| self.fill_words(room));
    }

    /// Removes the flight's load, and returns the block of shared memory in it.
    #[inline(never)]
    fn take_block(&mut self) -> Option<Brought> {
        self.carries = false;
        match std::mem::replace(&mut self.rest().load, Load::None) {
            Load::Block(block, words) => Some((block, words)),
            _ => None,
        }
    }

    /// Removes the words of a transfer, which are in place: the flight's place may stay unused for long, and should not
    /// keep a block of words until then.
    pub(crate) fn unload(&mut self) {
        if let Load::Transfer(moved) = &mut self.rest().load {
            (moved.words, moved.into) = Default::default();
        }
    }
}

/// A block of shared memory that came with a message, and its words.
pub(crate) type Brought = (Block, Box<[u64]>);

/// The most flights at a time: some 2 GB of this host's memory. A model lets nodes queue more than any machine has room for, so that
/// handlers need not wait, but not without end.
const MOST: usize = 1 << 23;

/// All flights. Each has a place, which a later flight uses again.
#[derive(Debug)]
pub(crate) struct Flights {
    all: Vec<Flight>,
    /// The most of them.
    most: usize,
    free: Vec<u32>,
    /// The bytes of a line of memory.
    line: u64,
}

impl Flights {
    /// An empty set of flights. Memory has lines of `line` bytes.
    pub(crate) fn new(line: u64) -> Self {
        Self { all: Vec::new(), most: MOST, free: Vec::new(), line }
    }

    /// Prefetches the place of the flight that is added next.
    pub(crate) fn ask_for_next(&self) {
        if let Some(&place) = self.free.last() {
            fiber::prefetch_value(&self[place]);
        }
    }

    /// Adds a flight of cargo from a node, which is yet to leave. Returns its place, and itself.
    #[inline(always)]
    pub(crate) fn load(
        &mut self,
        from: NodeId,
        manifest: &Manifest,
        cargo: &Cargo<'_>,
    ) -> (u32, &mut Flight) {
        let line = self.line;
        let (place, flight) = self.add(from, manifest);
        match cargo {
            Cargo::Message(packet) => flight.set_words(packet.length(), packet.room()),
            _ => flight.load_words(cargo, line),
        }
        (place, flight)
    }

    /// Adds a flight of a packet of `bytes` bytes in a transfer through staging buffers. Returns its place.
    pub(crate) fn load_packet(&mut self, packet: u32, (from, to): (NodeId, NodeId), bytes: u64) -> u32 {
        let (place, flight) = self.add(from, &Manifest::of_bytes(bytes, to));
        flight.carry(Mover::Staging, Load::Packet(packet));
        place
    }

    /// Adds a flight without words, which processors move.
    #[inline(always)]
    fn add(&mut self, from: NodeId, manifest: &Manifest) -> (u32, &mut Flight) {
        let place = self.free.pop().unwrap_or_else(|| self.add_place());
        let flight = &mut self.all[place as usize];
        flight.manifest = *manifest;
        flight.from = from;
        flight.kind = manifest.kind;
        flight.origin = Origin::Sent;
        flight.forwarded = false;
        (place, flight)
    }

    /// # Panics
    /// If there are too many flights: the program is at fault.
    #[cold]
    #[inline(never)]
    fn add_place(&mut self) -> u32 {
        assert!(
            self.all.len() < self.most,
            "{} messages are under way or wait for their handlers at once, and a model keeps no more; expected a protocol whose \
             messages come to an end, and handlers that send no more at once than memory holds",
            self.most
        );
        self.all.push(Flight::blank());
        (self.all.len() - 1) as u32
    }

    /// Removes a flight that has ended. Returns it as it stands until another one has its place, and the block of shared memory
    /// that came with it.
    #[inline]
    pub(crate) fn end(&mut self, place: u32) -> (&Flight, Option<Brought>) {
        let flight = &mut self.all[place as usize];
        flight.uses = (flight.uses + 1) % LIMIT;
        self.free.push(place);
        let brought = if flight.carries() { flight.take_block() } else { None };
        (flight, brought)
    }
}

impl Index<u32> for Flights {
    type Output = Flight;
    fn index(&self, place: u32) -> &Flight {
        &self.all[place as usize]
    }
}

impl IndexMut<u32> for Flights {
    fn index_mut(&mut self, place: u32) -> &mut Flight {
        &mut self.all[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ns;
    use tempest::world::SegmentId;

    impl Flight {
        /// A flight of `bytes` bytes from node 0 to node 1, which processors move.
        pub(crate) fn of_bytes(bytes: u64) -> Self {
            Self { manifest: Manifest::of_bytes(bytes, NodeId(1)), ..Self::blank() }
        }
    }

    const PLACE: Place = Place { segment: SegmentId(0), offset: 5 };

    /// Adds a flight of cargo of 16 bytes from node 1 to node 2 that leaves under a number.
    fn leave(flights: &mut Flights, number: u64, cargo: &Cargo<'_>) -> u32 {
        let (place, flight) = flights.load(NodeId(1), &Manifest::of_bytes(16, NodeId(2)), cargo);
        flight.leave(number, ns(10));
        place
    }

    #[test]
    fn a_flight_is_two_lines_of_a_cache() {
        assert_eq!(size_of::<Flight>(), 128);
    }

    #[test]
    #[should_panic(expected = "3 messages are under way or wait for their handlers at once")]
    fn flights_are_bounded() {
        let mut flights = Flights { most: 3, ..Flights::new(32) };
        let manifest = Manifest::of_bytes(8, NodeId(1));
        let places: Vec<_> = (0..3).map(|_| flights.add(NodeId(0), &manifest).0).collect();
        flights.end(places[1]);
        assert_eq!(flights.add(NodeId(0), &manifest).0, places[1], "one that has ended leaves room");
        flights.add(NodeId(0), &manifest);
    }

    #[test]
    fn a_place_is_used_again_and_says_how_often() {
        let mut flights = Flights::new(32);
        let mut fly = |number, words: &[u64]| leave(&mut flights, number, &Cargo::Deposit(PLACE, words));
        let [first, second] = [7, 8].map(|number| fly(number, &[]));
        assert_ne!(first, second);
        flights.end(first);
        assert_eq!(leave(&mut flights, 9, &Cargo::Deposit(PLACE, &[])), first);
        assert_eq!((flights[first].number(), flights[first].uses()), (9, 1));
        assert_eq!((flights[second].number(), flights[second].uses()), (8, 0));
    }

    #[test]
    fn words_of_a_deposit_stand_in_the_flight_and_those_of_a_transfer_until_they_are_unloaded() {
        let mut flights = Flights::new(32);
        let place = leave(&mut flights, 7, &Cargo::Deposit(PLACE, &[3, 4]));
        let flight = &mut flights[place];
        flight.arrive(ns(25));
        let reaching = flight.reaching(ns(31), false);
        assert_eq!(
            (reaching.travel, reaching.wait, flight.deposit()),
            (ns(15), ns(6), Some((PLACE, &[3, 4][..])))
        );
        let packet = Packet::blank();
        let into = [Piece { place: PLACE, words: 30 }, Piece { place: PLACE, words: 10 }];
        let transfer = Transfer { words: &[5; 40], from: &[], into: &into };
        let place = leave(&mut flights, 8, &Cargo::Transfer(transfer, &packet));
        let placed: Vec<_> = flights[place].placed().collect();
        assert_eq!(placed, [(PLACE, &[5; 30][..]), (PLACE, &[5; 10])]);
        flights[place].unload();
        assert!(flights[place].placed().next().is_none() && flights[place].carries());
    }

    #[test]
    fn a_message_of_any_length_lands_as_it_left() {
        let mut flights = Flights::new(32);
        let all: Vec<u64> = (1..=MAX_WORDS as u64).collect();
        for length in [2, 3, 4, MAX_WORDS, 1, 7, 0] {
            let words = &all[..length];
            let packet = Packet::from_parts(MessageId(6), NodeId(1), words).expect("it is not too long");
            let manifest = Manifest { kind: 6, ..Manifest::of_bytes(0, NodeId(2)) };
            let (place, flight) = flights.load(NodeId(1), &manifest, &Cargo::Message(&packet));
            assert_eq!((flight.from(), flight.to()), (1, 2));
            let mut landed = Packet::blank();
            flight.fill(&mut landed);
            let (_, brought) = flights.end(place);
            assert_eq!((landed.id(), landed.source(), landed.words()), (MessageId(6), NodeId(1), words));
            assert!(brought.is_none());
        }
    }

    #[test]
    fn a_block_lands_once_with_its_message() {
        let mut flights = Flights::new(32);
        let packet = Packet::blank();
        let place = leave(&mut flights, 7, &Cargo::Block(Block(4), &[1, 2], &packet));
        let (_, brought) = flights.end(place);
        assert_eq!(brought, Some((Block(4), [1, 2].into())));
        assert_eq!(leave(&mut flights, 8, &Cargo::Message(&packet)), place);
        assert!(flights.end(place).1.is_none());
    }
}
