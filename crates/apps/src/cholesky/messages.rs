//! cholesky by messages and by bulk transfers: the thread that finishes a tile sends it to each node that needs it,
//! into memory that is kept for it there.
//!
//! Each node has room for its own tiles and for a copy of each tile of others that it needs. A tile goes to a node once, in one
//! transfer or in messages of a few words. Behind it goes the announcement, whose handler appends it to the task queues of the
//! threads that it concerns.
//!
//! This module must never know the values that are computed from a tile.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use protocols::Barrier;
use tempest::data::Piece;
use tempest::thread::SegmentWords;
use tempest::{
    Access, Event, FinalState, Handler, Key, Keyed, Mechanism, NodeId, Operations, Protocol, Report, Segment,
    Setup, Thread, handlers,
};

use super::config::{COLLECTOR, Divided};
use super::fanout::{Announcement, Tiles, Worker};
use super::tiling::ALIGNED;

/// The most values in one message.
const VALUES: usize = 12;

/// The work of sending or receiving one value, beside its load or store.
const MOVE: Operations = Operations::NONE.integers(1);

/// The part of a run that all nodes share.
pub(super) struct Config {
    divided: Divided,
    mechanism: Mechanism,
    /// By node and tile: the place of the node's copy of a tile of another node.
    copies: Vec<HashMap<u32, u32>>,
    /// The words of each node.
    words: Vec<u32>,
}

impl Config {
    pub(super) fn new(divided: Divided, mechanism: Mechanism) -> Self {
        let words = divided.tiling.words.clone();
        let mut config = Self { copies: vec![HashMap::new(); words.len()], words, divided, mechanism };
        for what in 0..config.announcements() {
            for node in config.nodes_of(what) {
                config.tiles_for(what, node).for_each(|tile| config.make_room(node, tile));
            }
        }
        let all: Vec<_> = config.divided.tiling.of_factor().collect();
        all.into_iter().for_each(|tile| config.make_room(COLLECTOR, tile as u32));
        config
    }

    fn announcements(&self) -> u32 {
        (self.divided.tiling.blocks.len() + self.divided.tiling.domains.len()) as u32
    }

    /// The nodes other than the sender's that an announcement goes to.
    fn nodes_of(&self, what: Announcement) -> Vec<NodeId> {
        let Divided { tiling, audience, .. } = &self.divided;
        let sender = tiling.thread(tiling.finisher(what)).node;
        let mut nodes: Vec<_> =
            audience.receivers(what).iter().map(|&thread| tiling.thread(thread).node).collect();
        nodes.dedup();
        nodes.retain(|&node| node != sender);
        nodes
    }

    /// The tiles that a node needs with an announcement.
    fn tiles_for(&self, what: Announcement, node: NodeId) -> impl Iterator<Item = u32> + use<> {
        let tiling = &self.divided.tiling;
        let Some(domain) = tiling.domain(what) else { return vec![what].into_iter() };
        let is_there = |block: u32| tiling.thread(tiling.tiles[block as usize].owner).node == node;
        let tiles: Vec<_> =
            domain.updates.iter().filter(|update| is_there(update.block)).map(|update| update.tile).collect();
        tiles.into_iter()
    }

    /// Keeps room on a node for a copy of a tile, unless the tile is there.
    fn make_room(&mut self, node: NodeId, tile: u32) {
        let of_tile = &self.divided.tiling.tiles[tile as usize];
        if self.divided.tiling.thread(of_tile.owner).node == node {
            return;
        }
        let words = &mut self.words[node.0 as usize];
        self.copies[node.0 as usize].entry(tile).or_insert_with(|| {
            let at = *words;
            *words += (of_tile.len() as u32).next_multiple_of(ALIGNED);
            at
        });
    }

    /// Address of a tile on a node that has it or has room for a copy of it.
    fn place(&self, node: NodeId, tile: usize) -> u32 {
        let of_tile = &self.divided.tiling.tiles[tile];
        match self.divided.tiling.thread(of_tile.owner).node == node {
            true => of_tile.at,
            false => self.copies[node.0 as usize][&(tile as u32)],
        }
    }
}

/// The state of cholesky on one node.
pub(super) struct Cholesky {
    config: Arc<Config>,
    node: NodeId,
    barrier: Arc<Barrier>,
    /// The tiles of this node, and copies of others.
    tiles: Segment<f64>,
    /// The announcements that each thread has not taken yet. The key is the thread's index.
    tasks: Keyed<VecDeque<Announcement>>,
    /// The number of announcements that each thread has had, indexed by thread.
    told: Box<[Event]>,
}

impl Protocol for Cholesky {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let (node, threads) = (setup.node(), setup.shape().threads);
        let words = config.words[node.0 as usize] as usize;
        Self {
            config: Arc::clone(config),
            node,
            barrier: setup.install::<Barrier>(&()),
            // A value that never arrives stays NaN and fails the check.
            tiles: setup.segment("tiles", words, f64::NAN),
            tasks: setup.keyed(threads as usize, |_| VecDeque::new()),
            told: (0..threads).map(|_| Event::new("cholesky.told")).collect(),
        }
    }
}

/// The tiles as a thread of a node reaches them.
struct Reach<'r> {
    state: &'r Cholesky,
    thread: &'r Thread<'r>,
    words: SegmentWords<'r, f64>,
    /// The announcement, and the node, that this thread has sent a tile for last.
    sent: Cell<Option<(Announcement, NodeId)>>,
}

#[handlers]
impl Cholesky {
    /// Brings a few values of a tile. No two messages have the same values. The key equals the key of the following
    /// announcement, which is therefore handled after them.
    #[message(key = thread)]
    fn values(&self, thread: u32, at: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(MOVE.times(payload.len() as u32));
        cx.write(&self.tiles, at as usize, bytemuck::cast_slice(payload));
    }

    /// Announces a finished tile or domain, whose tiles are in place, to the threads of the receiver: this thread, and
    /// those behind it.
    #[message(key = thread)]
    fn finished(&self, thread: u32, what: u32, cx: &mut Handler<'_>) {
        self.append(thread, what, cx);
        let Divided { tiling, audience, .. } = &self.config.divided;
        let here = audience.receivers(what).iter().map(|&receiver| tiling.thread(receiver));
        for other in here.filter(|receiver| receiver.node == self.node && receiver.index > thread) {
            cx.send(self.node, Self::passed_on(other.index, what));
        }
    }

    /// Announces a finished tile or domain to one more thread of the node.
    #[message(key = thread)]
    fn passed_on(&self, thread: u32, what: u32, cx: &mut Handler<'_>) {
        self.append(thread, what, cx);
    }

    /// Ends a transfer to the collector.
    #[message]
    fn gathered(&self, _cx: &mut Handler<'_>) {}

    /// Appends an announcement to the task queue of a thread, under the thread's key.
    fn append(&self, thread: u32, what: Announcement, cx: &mut Handler<'_>) {
        let told = &self.told[thread as usize];
        cx.with(&self.tasks, |tasks, cx| {
            tasks.push_back(what);
            cx.signal(told, 1);
        });
    }

    /// Sends tiles to another node, and `message` behind them. `key` is the key of the message, under which values that come in
    /// messages of their own are handled, too.
    fn ship<M: tempest::Message>(
        &self,
        thread: &Thread<'_>,
        to: NodeId,
        tiles: &[u32],
        key: u32,
        message: M,
    ) {
        let pieces = |node: NodeId| -> Vec<Piece> {
            let piece = |&tile: &u32| {
                let words = self.config.divided.tiling.tiles[tile as usize].len() as u32;
                self.tiles.piece(self.config.place(node, tile as usize), words)
            };
            tiles.iter().map(piece).collect()
        };
        let (from, into) = (pieces(self.node), pieces(to));
        if self.config.mechanism == Mechanism::Bulk {
            for piece in from.iter().filter(|_| !thread.is_coherent()) {
                thread.touch(piece.place, piece.words as usize, Access::Flush);
                thread.drain();
            }
            thread.transfer(to, &into, &from, message);
        } else {
            from.iter().zip(&into).for_each(|(from, into)| self.send_values(thread, to, *from, *into, key));
            thread.send(to, message);
        }
    }

    /// Sends the values of a tile in messages.
    fn send_values(&self, thread: &Thread<'_>, to: NodeId, from: Piece, into: Piece, key: u32) {
        let mut values = [0.0; VALUES];
        for first in (0..from.words).step_by(VALUES) {
            let count = VALUES.min((from.words - first) as usize);
            let place = from.place.offset + first;
            thread.words(&self.tiles).read(place as usize, &mut values[..count]);
            thread.charge(MOVE.times(count as u32));
            let at = into.place.offset + first;
            thread.send_with(to, Self::values(key, at), &values.map(f64::to_bits)[..count]);
            thread.poll();
        }
    }

    /// Takes the announcements of others until there are no more to come.
    fn take_all(&self, thread: &Thread<'_>, worker: &mut Worker<'_, Reach<'_>>) {
        let index = thread.index();
        let number = self.config.divided.tiling.number(thread.id());
        let expected = self.config.divided.audience.expected[number as usize];
        for taken in 1..=u64::from(expected) {
            thread.wait(&self.told[index as usize], taken);
            let what =
                thread.hold(Key::User(index.into()), |cx| cx.with(&self.tasks, |tasks, _| tasks.pop_front()));
            worker.take(what.expect("a task was counted as told"));
            thread.poll();
        }
    }

    /// Sends the collector the tiles of this thread that it does not have.
    fn gather(&self, thread: &Thread<'_>) {
        let Divided { tiling, audience, .. } = &self.config.divided;
        let me = tiling.number(thread.id());
        let has = |tile: usize| {
            tile < tiling.blocks.len()
                && audience.receivers(tile as u32).iter().any(|&other| tiling.thread(other).node == COLLECTOR)
        };
        for tile in tiling.of_factor().filter(|&tile| tiling.tiles[tile].owner == me && !has(tile)) {
            self.ship(thread, COLLECTOR, &[tile as u32], 0, Self::gathered());
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let Divided { problem, tiling, audience } = &self.config.divided;
        let reach = Reach { state: self, thread, words: thread.words(&self.tiles), sent: Cell::new(None) };
        let mut worker = Worker::new(tiling, audience, thread, &reach);
        worker.begin(problem);
        self.barrier.wait(thread);
        thread.phase("factor");
        worker.begin_factor();
        self.take_all(thread, &mut worker);
        thread.phase("gather");
        if self.node != COLLECTOR {
            self.gather(thread);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        if self.node != COLLECTOR {
            return Report::default();
        }
        self.config.divided.check(|tile, values, into| {
            into.resize(values.len(), 0.0);
            self.tiles.cells().read(end, self.config.place(COLLECTOR, tile) as usize + values.start, into);
        })
    }
}

impl Tiles for Reach<'_> {
    fn first(&self, tile: usize) -> usize {
        self.state.config.place(self.state.node, tile) as usize
    }

    fn read(&self, tile: usize, values: Range<usize>, into: &mut Vec<f64>) {
        let first = self.first(tile) + values.start;
        into.resize(values.len(), 0.0);
        self.words.read(first, into);
    }

    fn write(&self, tile: usize, first: usize, values: &[f64]) {
        let first = self.first(tile) + first;
        self.words.write(first, values);
    }

    fn add(&self, first: usize, places: &[u32], values: &[f64]) {
        let (Some(&least), Some(&greatest)) = (places.first(), places.last()) else { return };
        let range = first + least as usize..first + greatest as usize + 1;
        let changes = places.iter().zip(values);
        self.words.update(
            range,
            changes.map(|(&place, value)| (first + place as usize, move |before| before + value)),
        );
    }

    fn announce(&self, to: u32, what: Announcement) {
        let state = self.state;
        let to = state.config.divided.tiling.thread(to);
        if to.node == state.node {
            self.thread.hold(Key::User(to.index.into()), |cx| state.append(to.index, what, cx));
        } else if self.sent.replace(Some((what, to.node))) != Some((what, to.node)) {
            // The handler there tells the other threads.
            let tiles: Vec<_> = state.config.tiles_for(what, to.node).collect();
            state.ship(self.thread, to.node, &tiles, to.index, Cholesky::finished(to.index, what));
        }
    }
}
