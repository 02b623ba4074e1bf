//! iccg by bulk transfers: a thread collects the updates of rows on another node, and one transfer moves a batch of them.
//!
//! Each update is sent once, so each has a place of its own where it arrives, and no message has to tell that a place
//! is free. The updates from one thread to another are a *stream*, whose places follow each other. A batch begins at a
//! line of its own ([`ALIGN`]): the receiver's cache has no line of it when it arrives.
//!
//! This module must never know how updates are made, or when a batch is sent.

use std::collections::BTreeMap;

use tempest::data::Piece;
use tempest::{Access, Handler, Message, NodeId, Operations, Segment, Setup, Shape, Thread, ThreadId};

use super::layout::Layout;

/// The words of an update: the place of its row, and its value. The index of 4 bytes is padded, since a transfer moves words of 8.
const WORDS: u32 = 2;

/// The updates in 64 bytes, the longest line of a machine.
const ALIGN: u32 = 4;

/// The work of appending an update to a batch: load the batch's length, store place, value and length; find them.
const APPEND: Operations = Operations::NONE.loads(1).stores(3).integers(3);

/// The work of taking an update out of a batch, beside applying it: load place and value, count and branch.
const TAKE: Operations = Operations::NONE.loads(2).integers(2);

/// The updates from one thread to a thread of another node.
#[derive(Debug)]
struct Stream {
    to: ThreadId,
    /// The index of the stream's first place, among all arrival places of that node.
    first: u32,
}

/// All streams of a world.
#[derive(Debug)]
pub(super) struct Streams {
    /// The streams of each thread, indexed by part, ascending by receiver.
    of: Vec<Vec<Stream>>,
    /// The number of places on each node.
    places: Vec<u32>,
    threads: u32,
    /// The most updates in one transfer.
    batch: u32,
}

impl Streams {
    pub(super) fn new(layout: &Layout, shape: Shape, batch: u32) -> Self {
        let Shape { nodes, threads } = shape;
        let mut streams = Self { of: Vec::new(), places: vec![0; nodes as usize], threads, batch };
        for part in 0..nodes * threads {
            let own = ThreadId { node: NodeId(part / threads), index: part % threads };
            let mut updates = BTreeMap::new();
            for edge in layout.part(own).edges().1.iter().filter(|edge| edge.thread.node != own.node) {
                *updates.entry(edge.thread).or_insert(0) += 1;
            }
            let of = updates.into_iter().map(|(to, updates)| streams.begin(to, updates)).collect();
            streams.of.push(of);
        }
        streams
    }

    /// Gives a stream of `updates` updates its places: enough for one update in each batch.
    fn begin(&mut self, to: ThreadId, updates: u32) -> Stream {
        let places = &mut self.places[to.node.0 as usize];
        let first = *places;
        *places += updates * ALIGN;
        Stream { to, first }
    }

    fn from(&self, thread: ThreadId) -> &[Stream] {
        &self.of[(thread.node.0 * self.threads + thread.index) as usize]
    }

    /// The words in which a thread collects batches.
    fn room(&self, thread: ThreadId) -> u32 {
        self.from(thread).len() as u32 * self.batch * WORDS
    }
}

/// The memory of a node for batches.
pub(super) struct Rooms {
    /// The batches that its threads collect.
    collected: Segment<u64>,
    /// The updates that have arrived.
    arrived: Segment<u64>,
}

impl Rooms {
    /// Room for the streams of a node, or none without streams.
    pub(super) fn new(streams: Option<&Streams>, setup: &mut Setup<'_>) -> Self {
        let (node, threads) = (setup.node(), setup.shape().threads);
        let collected =
            |streams: &Streams| (0..threads).map(|index| streams.room(ThreadId { node, index })).sum::<u32>();
        let arrived = |streams: &Streams| streams.places[node.0 as usize] * WORDS;
        Self {
            collected: setup.segment("iccg.collected", streams.map_or(0, collected) as usize, 0),
            arrived: setup.segment("iccg.arrived", streams.map_or(0, arrived) as usize, 0),
        }
    }

    /// The updates of a batch that has arrived: the place of a row, and a value.
    pub(super) fn read(&self, batch: Batch, cx: &mut Handler<'_>) -> Vec<(u32, f64)> {
        cx.charge(TAKE.times(batch.updates));
        let words = (batch.first..batch.first + batch.updates).map(|place| (place * WORDS) as usize);
        words
            .map(|at| (cx.read(&self.arrived, at) as u32, f64::from_bits(cx.read(&self.arrived, at + 1))))
            .collect()
    }
}

/// Updates of one stream that travel together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// The index of the batch's first place, among all arrival places of the node.
    pub(super) first: u32,
    pub(super) updates: u32,
}

/// The batches that a thread collects.
pub(super) struct Outbox<'s> {
    streams: &'s Streams,
    own: &'s [Stream],
    /// The first of the thread's words in its node's room for collecting.
    begin: u32,
    /// The place of each stream's next batch, counted from the first of the stream.
    next: Vec<u32>,
    /// The updates of each stream that are collected and not sent.
    held: Vec<u32>,
}

impl<'s> Outbox<'s> {
    pub(super) fn new(streams: &'s Streams, thread: ThreadId) -> Self {
        let before = (0..thread.index).map(|index| streams.room(ThreadId { index, ..thread }));
        let own = streams.from(thread);
        Self { streams, own, begin: before.sum(), next: vec![0; own.len()], held: vec![0; own.len()] }
    }

    /// A stream of which updates are collected, if there is one.
    pub(super) fn waiting(&self) -> Option<usize> {
        self.held.iter().position(|&held| held > 0)
    }

    fn word(&self, stream: usize, update: u32) -> u32 {
        self.begin + (stream as u32 * self.streams.batch + update) * WORDS
    }

    /// Collects an update. Returns its stream if a batch is full.
    pub(super) fn append(
        &mut self,
        thread: &Thread<'_>,
        rooms: &Rooms,
        to: ThreadId,
        (place, value): (u32, f64),
    ) -> Option<usize> {
        let found = self.own.binary_search_by_key(&to, |stream| stream.to);
        let stream = found.expect("a stream for each thread that an edge goes to");
        let at = self.word(stream, self.held[stream]) as usize;
        let words = thread.words(&rooms.collected);
        words.set(at, place.into());
        words.set(at + 1, value.to_bits());
        thread.charge(APPEND);
        self.held[stream] += 1;
        (self.held[stream] == self.streams.batch).then_some(stream)
    }

    /// Sends the collected updates of a stream. `brought` makes the message that tells which thread's batch has
    /// arrived.
    pub(super) fn send<M: Message>(
        &mut self,
        thread: &Thread<'_>,
        rooms: &Rooms,
        stream: usize,
        brought: impl FnOnce(u32, Batch) -> M,
    ) {
        let Stream { to, first } = self.own[stream];
        let updates = std::mem::take(&mut self.held[stream]);
        let batch = Batch { first: first + self.next[stream], updates };
        self.next[stream] += updates.next_multiple_of(ALIGN);
        let piece = Piece { place: rooms.collected.place(self.word(stream, 0)), words: updates * WORDS };
        if !thread.is_coherent() {
            // The interface reads memory, not the cache.
            thread.touch(piece.place, piece.words as usize, Access::Flush);
            thread.drain();
        }
        thread.transfer(
            to.node,
            rooms.arrived.place(batch.first * WORDS),
            &[piece],
            brought(to.index, batch),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::partition::Partition;
    use super::super::problem::tests::problem;
    use super::*;
    use crate::kit::matrices::JAGMESH;

    const SHAPE: Shape = Shape { nodes: 3, threads: 2 };

    #[test]
    fn each_update_of_another_node_has_a_line_of_its_own() {
        let problem = Arc::new(problem(JAGMESH));
        let owner = Partition::Cyclic.assign(&problem, 6);
        let layout = Layout::new(problem, &owner, SHAPE, 0);
        let streams = Streams::new(&layout, SHAPE, 3);
        let updates = |from: ThreadId, to: ThreadId| {
            layout.part(from).edges().1.iter().filter(|edge| edge.thread == to).count() as u32
        };
        let mut taken = vec![0; 3];
        for (part, own) in (0..).zip(&streams.of) {
            let from = ThreadId { node: NodeId(part / 2), index: part % 2 };
            assert_eq!(streams.room(from), 4 * 3 * WORDS, "batches for four threads of other nodes");
            for Stream { to, first } in own {
                assert_ne!(to.node, from.node);
                let taken = &mut taken[to.node.0 as usize];
                assert_eq!(first, taken, "{from:?} to {to:?}");
                *taken += updates(from, *to) * ALIGN;
            }
        }
        assert_eq!(streams.places, taken);
    }
}
