//! Collective operations of all threads of all nodes, through shared memory: barrier, reduction, broadcast, scan.
//!
//! The threads of a node contribute words under a key of the node; the last of them acts for the node. Nodes meet along a tree of
//! [flags](super::SharedBarrier). Words stand in *slots*, whose home is the node that writes them:
//!
//! - A reduction goes up the tree in one slot of each node and down in another.
//! - All nodes read the words of a broadcast in a slot of its node. Broadcasts alternate between two slots: a node may reach the next
//!   one while others still read the words of this one, but the one after that only when they have finished.
//! - A scan goes in rounds of doubling distance (W. D. Hillis and G. L. Steele, *Data parallel algorithms*, Communications of the
//!   ACM 29, 1986), each with a slot of its own. It ends with a barrier, so that no slot is written while it is read.
//!
//! This module must never know how a block comes to a node.

use std::num::NonZeroU32;
use std::sync::Arc;

use tempest::data::{BadLayout, Word};
use tempest::{
    Array, Cells, Event, Homes, Keyed, Layout, Memory, NodeId, Operations, Setup, Shape, Shared, Thread,
    ThreadId,
};

use super::flag_tree::FlagTree;
use super::flags::{self, Flags};
use super::reduction::{Fold, Number, Operation, Reduction};
use super::rounds::Rounds;
use super::tree::Place;

/// Key of a node's only entry.
const KEY: u64 = 4;

/// Cost of counting one arrival and testing whether it is the last.
const STEP: Operations = Operations::NONE.loads(1).integers(2).stores(1);

/// Index of the slot for a node's words on their way up the tree.
const UP: usize = 0;

/// Index of the slot for a node's words on their way down the tree.
const DOWN: usize = 1;

/// Index of the first of the two slots for the words of broadcasts.
const BROADCAST: usize = 2;

/// Index of the slot for the words of round 0 of a scan; later rounds follow.
const FIRST_ROUND: usize = 4;

/// The memory of collectives: their part of the address space, reserved by [`SharedCollectives::room`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectiveRoom {
    /// Number of words of each slot.
    words: usize,
    slots: Array<u64>,
    tree: Array<u64>,
    rounds: Array<u64>,
}

/// Barriers, reductions, broadcasts and running reductions of all threads of all nodes, through shared memory, any number of times.
/// All threads must call the same operations in the same order. A mismatch between threads of one node is detected and ends the run
/// with an error.
///
/// It sends no messages and needs no installation: [`room`](Self::room) reserves its memory, and [`new`](Self::new) makes it on each node.
#[derive(Debug)]
pub struct SharedCollectives {
    shape: Shape,
    node: NodeId,
    words: usize,
    tree: FlagTree,
    rounds: Rounds,
    /// Flags by node and round: the number of the last scan whose words of this round are in place.
    told: Flags,
    slots: Shared<u64>,
    meeting: Keyed<Meeting>,
    /// Result words of each thread's last scan, indexed by thread. Results of other collectives stand at thread 0.
    results: Cells<u64>,
    /// Event that counts the collectives that are over on this node.
    over: Event,
}

/// Threads of a node that have arrived at the current collective, with their contributions.
#[derive(Debug, Default)]
struct Meeting {
    /// Code of the operation, and the number of words of a contribution; `None` before the first arrival.
    what: Option<(u64, usize)>,
    /// Words that each thread has contributed, indexed by thread.
    brought: Vec<Vec<u64>>,
    come: u32,
}

impl SharedCollectives {
    /// Reserves the memory of collectives that handle up to `words` words in a round. More words take several rounds.
    ///
    /// # Errors [`BadLayout`] if the address space has no room for the collectives.
    pub fn room(layout: &mut Layout, words: usize) -> Result<CollectiveRoom, BadLayout> {
        let words = words.max(1).next_multiple_of(layout.block_words());
        let rounds = Rounds::of(NodeId(0), layout.nodes()).count();
        Ok(CollectiveRoom {
            words,
            slots: layout.array("collectives.slots", words * (FIRST_ROUND + rounds), Homes::Parts)?,
            tree: FlagTree::room(layout, "collectives.tree")?,
            rounds: flags::room(layout, "collectives.rounds", rounds.max(1), Homes::Parts)?,
        })
    }

    /// Makes the collectives on the node that `setup` sets up. At most `fan_in` nodes report to one node.
    ///
    /// # Panics
    /// If the room is in another address space.
    pub fn new(
        setup: &mut Setup<'_>,
        memory: &Arc<Memory>,
        room: CollectiveRoom,
        fan_in: NonZeroU32,
    ) -> Self {
        let (space, shape, node) = (setup.fresh_space(), setup.shape(), setup.node());
        let place = Place::of(node, shape.nodes, fan_in);
        Self {
            shape,
            node,
            words: room.words,
            tree: FlagTree::new(setup, memory, room.tree, place),
            rounds: Rounds::of(node, shape.nodes),
            told: Flags::at(memory, room.rounds),
            slots: memory.bind(room.slots),
            meeting: setup.keyed_sparse_in(space, move |_| Meeting {
                brought: vec![Vec::new(); shape.threads as usize],
                ..Meeting::default()
            }),
            results: Cells::new(shape.threads as usize * room.words, 0),
            over: Event::new("collective"),
        }
    }

    /// Waits until every thread of every node has called `barrier` as many times as this thread. A thread that returns sees the stores
    /// to shared memory that any thread made before that call. Of threads of its own node it sees everything that they did before.
    pub fn barrier(&self, thread: &Thread<'_>) {
        self.join::<u64>(thread, Operation::Barrier, &[]);
    }

    /// Reduces one number of each thread, this thread's `value`, to one number by the operation `by`. Returns the result to every
    /// thread. Acts as a barrier too.
    ///
    /// The order of reduction is fixed: the threads of a node by index, then the nodes below it in the tree, in the order of their
    /// numbers.
    pub fn all_reduce<T: Number>(&self, thread: &Thread<'_>, by: Reduction, value: T) -> T {
        let mut values = [value];
        self.all_reduce_each(thread, by, &mut values);
        values[0]
    }

    /// Reduces the numbers of all threads at each index of `values`. Every thread passes equally many values, and finds the
    /// results in `values` afterwards. The order of reduction is that of [`all_reduce`](Self::all_reduce).
    pub fn all_reduce_each<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        for values in values.chunks_mut(self.words) {
            self.join(thread, Operation::Reduce(by, Fold::of::<T>()), values);
            self.take(thread, 0, values);
        }
    }

    /// Copies the words of thread `from` to all threads. Acts as a barrier too. Every thread passes a buffer of the same length;
    /// it holds the words of `from` afterwards.
    ///
    /// # Panics
    /// If there is no thread `from`.
    pub fn broadcast<T: Word>(&self, thread: &Thread<'_>, from: ThreadId, words: &mut [T]) {
        let Shape { nodes, threads } = self.shape;
        assert!(
            from.node.0 < nodes && from.index < threads,
            "a broadcast from {from}: there are {nodes} nodes of {threads} threads"
        );
        for words in words.chunks_mut(self.words) {
            self.join(thread, Operation::Broadcast(from), words);
            self.take(thread, 0, words);
        }
    }

    /// Reduces the numbers of this thread and of all threads before it to one number by the operation `by`, and returns it. Threads
    /// are ordered by node, then by index. Acts as a barrier too. A sum without the thread's own number is the result minus
    /// `value`.
    pub fn inclusive<T: Number>(&self, thread: &Thread<'_>, by: Reduction, value: T) -> T {
        let mut values = [value];
        self.inclusive_each(thread, by, &mut values);
        values[0]
    }

    /// Reduces the numbers of this thread and of all threads before it to one number, for each index of `values`. Every thread
    /// passes equally many values, and finds its results in `values` afterwards.
    pub fn inclusive_each<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        for values in values.chunks_mut(self.words) {
            self.join_by(thread, SCAN + by as u64, values, |number, brought| {
                self.scan(thread, number, (by, Fold::of::<T>()), brought);
            });
            self.take(thread, thread.index() as usize, values);
        }
    }

    /// Copies the result words of the thread with index `index` to `values`.
    fn take<T: Word>(&self, thread: &Thread<'_>, index: usize, values: &mut [T]) {
        for (place, value) in (index * self.words..).zip(values) {
            *value = T::from_bits(self.results.get(thread, place));
        }
    }

    /// Stores `words` as the result of the thread with index `index`.
    fn give(&self, thread: &Thread<'_>, index: usize, words: &[u64]) {
        for (place, word) in (index * self.words..).zip(words) {
            self.results.set(thread, place, *word);
        }
    }

    fn join<T: Word>(&self, thread: &Thread<'_>, operation: Operation, mine: &[T]) {
        self.join_by(thread, operation.code(), mine, |number, brought| match operation {
            Operation::Barrier => self.tree.meet(thread, number, || (), || ()),
            Operation::Broadcast(from) => self.spread(thread, number, from, brought),
            Operation::Reduce(by, fold) => self.reduce(thread, number, (by, fold), brought),
        });
    }

    /// Contributes this thread's words, `mine`. The last thread of the node calls `go` with the number of the collective and the
    /// contributions of the node's threads; the other threads wait.
    fn join_by<T: Word>(
        &self,
        thread: &Thread<'_>,
        code: u64,
        mine: &[T],
        go: impl FnOnce(u64, &[Vec<u64>]),
    ) {
        // The collective cannot be over before this thread has arrived.
        let number = self.over.count(thread) + 1;
        let mine: Vec<u64> = mine.iter().map(|word| word.to_bits()).collect();
        let brought = thread.hold(self.meeting.key(KEY), |cx| {
            cx.charge(STEP);
            cx.with(&self.meeting, |meeting, _| meeting.join(code, thread.index() as usize, mine))
        });
        if let Some(brought) = brought {
            go(number, &brought);
            thread.signal(&self.over, 1);
        } else {
            thread.wait(&self.over, number);
        }
    }

    /// Returns the index of the first word of a slot of `node`.
    fn slot(&self, node: NodeId, slot: usize) -> usize {
        self.slots.at(node, slot * self.words)
    }

    fn store(&self, thread: &Thread<'_>, slot: usize, words: &[u64]) {
        thread.write_slice(&self.slots, self.slot(self.node, slot), words);
    }

    fn load(&self, thread: &Thread<'_>, node: NodeId, slot: usize, words: &mut [u64]) {
        thread.read_slice(&self.slots, self.slot(node, slot), words);
    }

    /// Reduces the contributions of this node's threads.
    fn own(thread: &Thread<'_>, (by, fold): (Reduction, Fold), brought: &[Vec<u64>]) -> Vec<u64> {
        let mut all = brought[0].clone();
        brought[1..].iter().for_each(|next| fold.each(by, &mut all, next));
        thread.charge(fold.cost(all.len() * (brought.len() - 1)));
        all
    }

    fn reduce(&self, thread: &Thread<'_>, number: u64, with: (Reduction, Fold), brought: &[Vec<u64>]) {
        let place = &self.tree.place;
        let mut own = Self::own(thread, with, brought);
        let mut next = vec![0; own.len()];
        let gather = || {
            for &child in &place.children {
                self.load(thread, child, UP, &mut next);
                with.1.each(with.0, &mut own, &next);
                thread.charge(with.1.cost(next.len()));
            }
            if place.parent.is_some() {
                self.store(thread, UP, &own);
            } else {
                self.give(thread, 0, &own);
                self.store_for_children(thread, &own);
            }
        };
        let spread = || {
            if let Some(parent) = place.parent {
                let mut all = vec![0; brought[0].len()];
                self.load(thread, parent, DOWN, &mut all);
                self.give(thread, 0, &all);
                self.store_for_children(thread, &all);
            }
        };
        self.tree.meet(thread, number, gather, spread);
    }

    fn store_for_children(&self, thread: &Thread<'_>, words: &[u64]) {
        if !self.tree.place.children.is_empty() {
            self.store(thread, DOWN, words);
        }
    }

    fn spread(&self, thread: &Thread<'_>, number: u64, from: ThreadId, brought: &[Vec<u64>]) {
        let slot = BROADCAST + (number % 2) as usize;
        let gather = || {
            if from.node == self.node {
                let words = &brought[from.index as usize];
                self.store(thread, slot, words);
                self.give(thread, 0, words);
            }
        };
        let spread = || {
            if from.node != self.node {
                let mut words = vec![0; brought[0].len()];
                self.load(thread, from.node, slot, &mut words);
                self.give(thread, 0, &words);
            }
        };
        self.tree.meet(thread, number, gather, spread);
    }

    fn scan(&self, thread: &Thread<'_>, number: u64, with: (Reduction, Fold), brought: &[Vec<u64>]) {
        let (by, fold) = with;
        let combined = |first: &[u64], next: &[u64]| {
            let mut all = first.to_vec();
            fold.each(by, &mut all, next);
            thread.charge(fold.cost(all.len()));
            all
        };
        let mut all = Self::own(thread, with, brought);
        let mut before: Option<Vec<u64>> = None;
        for round in 0..self.rounds.count() {
            if let Some(to) = self.rounds.target(round) {
                self.store(thread, FIRST_ROUND + round, &all);
                self.told.raise(thread, self.told.of(to, round), number);
            }
            if let Some(source) = self.rounds.source(round) {
                self.told.wait(thread, self.told.of(self.node, round), number);
                let mut heard = vec![0; all.len()];
                self.load(thread, source, FIRST_ROUND + round, &mut heard);
                all = combined(&heard, &all);
                before = Some(before.map_or_else(|| heard.clone(), |before| combined(&heard, &before)));
            }
        }
        for (index, next) in brought.iter().enumerate() {
            let result = before.map_or_else(|| next.clone(), |before| combined(&before, next));
            self.give(thread, index, &result);
            before = Some(result);
        }
        self.tree.meet(thread, number, || (), || ());
    }
}

/// Offset from the code of a reduction to the code of the scan with the same operation.
const SCAN: u64 = 16;

impl Meeting {
    /// Takes the contribution `mine` of the thread with index `index`. After the last, returns the contributions of all threads
    /// of the node.
    fn join(&mut self, code: u64, index: usize, mine: Vec<u64>) -> Option<Vec<Vec<u64>>> {
        let what = (code, mine.len());
        assert!(
            *self.what.get_or_insert(what) == what,
            "threads of a node do different collectives at once, or bring different numbers of words"
        );
        self.brought[index] = mine;
        self.come += 1;
        if (self.come as usize) < self.brought.len() {
            return None;
        }
        (self.what, self.come) = (None, 0);
        Some(self.brought.iter_mut().map(std::mem::take).collect())
    }
}
