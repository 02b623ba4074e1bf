//! radix by bulk transfers: a thread sorts its own keys by the digit first. Then the keys for a node stand together, in runs that go to
//! consecutive positions, and one transfer scatters them there.
//!
//! A transfer moves two keys at a time. The last key of a run with an odd number travels in a message with others of its kind.
//!
//! # When a thread may write
//!
//! Each thread tells all nodes its counts before it moves keys. So when a thread knows all counts of a pass, every
//! thread has read its keys of the pass before for the last time, and the array that they stood in may be written. Two
//! arrays of counts take turns: a thread tells its counts of pass n + 2 when it knows all counts of pass n + 1, and
//! threads tell those only when they are done with the counts of pass n.
//!
//! This module must never know how a transfer carries words.

use std::ops::Range;
use std::sync::Arc;

use tempest::data::Piece;
use tempest::{
    Access, Event, FinalState, Handler, MAX_WORDS, NodeId, Protocol, Report, Segment, Setup, Shape, Thread,
    handlers,
};

use super::sorting::{Config, Run, positions};
use crate::kit::sorts::Digit;
use crate::kit::sorts::work::{MOVE, SUM};

/// The keys that one word of a transfer carries.
const PACKED: usize = 2;

/// The state of radix by bulk transfers on one node.
pub(super) struct BulkRadix {
    run: Run,
    /// The keys at the positions of this node, and room for as many.
    keys: [Segment<u32>; 2],
    /// Room in which each thread sorts its own keys.
    sorted: Segment<u32>,
    /// The keys that the room of one thread holds.
    room: usize,
    /// By pass, even or odd: the counts of every thread.
    counts: [Segment<u32>; 2],
    /// The number of threads' counts that have come to this node, in all passes together.
    counted: Event,
    /// The number of keys that have come to this node, in all passes together.
    arrived: Event,
}

/// Keys of one thread, sorted, that go to consecutive positions of one node.
struct Stretch {
    to: NodeId,
    /// The place of the first among the positions of that node.
    at: usize,
    /// The places of the keys in the room of the thread.
    keys: Range<usize>,
}

impl Stretch {
    /// The keys that travel two at a time.
    fn pairs(&self) -> Range<usize> {
        self.keys.start..self.keys.end - self.keys.len() % PACKED
    }
}

impl Protocol for BulkRadix {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { asked, problem, division } = &**config;
        let Shape { nodes, threads } = setup.shape();
        let most = division.most_of_a_node() as usize;
        let room = most.div_ceil(threads as usize);
        let counts = asked.radix as usize * (nodes * threads) as usize;
        Self {
            run: Run::new(*asked, problem, *division, setup.node()),
            keys: ["radix.keys", "radix.others"].map(|name| setup.segment(name, most, 0)),
            sorted: setup.segment("radix.sorted", room * threads as usize, 0),
            room,
            counts: ["radix.counts of even passes", "radix.counts of odd passes"]
                .map(|name| setup.segment(name, counts, 0)),
            counted: Event::new("radix.counted"),
            arrived: Event::new("radix.arrived"),
        }
    }
}

fn read(thread: &Thread<'_>, segment: &Segment<u32>, at: usize, keys: &mut [u32]) {
    thread.words(segment).read(at, keys);
}

fn write(thread: &Thread<'_>, segment: &Segment<u32>, at: usize, keys: &[u32]) {
    thread.words(segment).write(at, keys);
}

#[handlers]
impl BulkRadix {
    /// Tells that the counts of a thread have come.
    #[message]
    fn counted(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.counted, 1);
    }

    /// Tells that `keys` keys have come.
    #[message]
    fn arrived(&self, keys: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, keys.into());
    }

    /// Brings keys, each with its index on the node in the upper half of a word. No two messages have the same place.
    #[message]
    fn odd(&self, array: u32, payload: &[u64], cx: &mut Handler<'_>) {
        for &word in payload {
            cx.write(&self.keys[array as usize], (word >> 32) as usize, &[word as u32]);
        }
        cx.signal(&self.arrived, payload.len() as u64);
    }

    /// The first of a node's positions.
    fn first_of(&self, node: NodeId) -> usize {
        self.run.division.of_node(node).start as usize
    }

    /// Reads keys at positions of this node.
    fn read(&self, thread: &Thread<'_>, array: usize, first: usize, keys: &mut [u32]) {
        read(thread, &self.keys[array], first - self.first_of(self.run.node), keys);
    }

    /// Sorts by a digit, out of array `pass` modulo 2 into the other.
    fn pass(&self, thread: &Thread<'_>, pass: usize, digit: Digit) {
        let from = pass % 2;
        let read = |first, keys: &mut [u32]| self.read(thread, from, first, keys);
        let counts = self.run.count(thread, digit, read);
        self.tell(thread, pass, &counts);
        self.sort(thread, digit, &counts, read);
        self.forget(thread, from);
        let positions = self.positions(thread, pass);
        let stretches = self.stretches(thread, &counts, &positions);
        self.send(thread, 1 - from, &stretches);
        let own = self.run.division.of_node(self.run.node).len() as u64;
        thread.wait(&self.arrived, (pass as u64 + 1) * own);
    }

    /// Tells all nodes the counts of a thread.
    fn tell(&self, thread: &Thread<'_>, pass: usize, counts: &[u64]) {
        let Shape { nodes, .. } = self.run.division.shape();
        let segment = &self.counts[pass % 2];
        let at = self.run.division.number(thread.id()) as usize * counts.len();
        let counts: Vec<u32> = counts.iter().map(|&count| count as u32).collect();
        write(thread, segment, at, &counts);
        self.flush(thread, segment, at, counts.len());
        let piece = segment.piece(at as u32, (counts.len() / PACKED) as u32);
        for step in 1..nodes {
            let to = NodeId((thread.node().0 + step) % nodes);
            thread.transfer(to, piece.place, &[piece], Self::counted());
        }
        thread.signal(&self.counted, 1);
    }

    /// Waits for the counts of all threads, and returns the positions of the thread's first keys.
    fn positions(&self, thread: &Thread<'_>, pass: usize) -> Vec<usize> {
        let (radix, Shape { nodes, threads }) = (self.run.asked.radix as usize, self.run.division.shape());
        let (all, own) = (nodes * threads, self.run.division.number(thread.id()));
        thread.wait(&self.counted, (pass as u64 + 1) * u64::from(all));
        let (mut totals, mut before, mut counts) = (vec![0; radix], vec![0; radix], vec![0; radix]);
        for other in 0..all {
            if other == own {
                before.clone_from(&totals);
            }
            read(thread, &self.counts[pass % 2], other as usize * radix, &mut counts);
            totals.iter_mut().zip(&counts).for_each(|(total, &count)| *total += u64::from(count));
            thread.charge(SUM.times(radix as u32));
            thread.poll();
        }
        if !thread.is_coherent() {
            thread.touch(self.counts[pass % 2].place(0), radix * all as usize, Access::Purge);
            thread.drain();
        }
        positions(thread, &totals, &before)
    }

    /// Sorts the thread's own keys by the digit into its room.
    fn sort(&self, thread: &Thread<'_>, digit: Digit, counts: &[u64], read: impl Fn(usize, &mut [u32])) {
        let mut next = self.room * thread.index() as usize;
        let mut place = |&count: &u64| {
            let first = next;
            next += count as usize;
            first
        };
        let mut places: Vec<usize> = counts.iter().map(&mut place).collect();
        thread.charge(SUM.times(counts.len() as u32));
        let sorted = thread.words(&self.sorted);
        self.run.each_chunk(thread, read, |keys| {
            for &key in keys {
                thread.charge(MOVE);
                let place = &mut places[digit.of(key)];
                sorted.set(*place, key);
                *place += 1;
                thread.poll();
            }
        });
    }

    /// The stretches of the thread's sorted keys, by node, the nodes in their order.
    fn stretches(&self, thread: &Thread<'_>, counts: &[u64], positions: &[usize]) -> Vec<Stretch> {
        let (division, mut stretches) = (self.run.division, Vec::new());
        let mut next = self.room * thread.index() as usize;
        for (&count, &position) in counts.iter().zip(positions) {
            let (mut position, end) = (position, position + count as usize);
            while position < end {
                let to = division.node_of(position as u32);
                let of_node = division.of_node(to);
                let len = end.min(of_node.end as usize) - position;
                let at = position - of_node.start as usize;
                stretches.push(Stretch { to, at, keys: next..next + len });
                (position, next) = (position + len, next + len);
            }
        }
        stretches
    }

    /// Moves stretches to where they belong, beginning with the next node.
    fn send(&self, thread: &Thread<'_>, array: usize, stretches: &[Stretch]) {
        self.flush(thread, &self.sorted, self.room * thread.index() as usize, self.run.own(thread).len());
        let of_next = stretches.partition_point(|stretch| stretch.to <= self.run.node);
        let (before, behind) = stretches.split_at(of_next);
        for stretches in [behind, before].into_iter().flat_map(|some| some.chunk_by(|a, b| a.to == b.to)) {
            match stretches[0].to {
                to if to == self.run.node => self.keep(thread, array, stretches),
                to => self.transfer(thread, array, to, stretches),
            }
            thread.poll();
        }
    }

    /// Transfers stretches to another node.
    fn transfer(&self, thread: &Thread<'_>, array: usize, to: NodeId, stretches: &[Stretch]) {
        let there = &self.keys[array];
        let some = || stretches.iter().filter(|stretch| !stretch.pairs().is_empty());
        let words = |stretch: &Stretch| (stretch.pairs().len() / PACKED) as u32;
        let from: Vec<Piece> =
            some().map(|stretch| self.sorted.piece(stretch.keys.start as u32, words(stretch))).collect();
        let into: Vec<Piece> = some().map(|stretch| there.piece(stretch.at as u32, words(stretch))).collect();
        let keys: usize = some().map(|stretch| stretch.pairs().len()).sum();
        if keys > 0 {
            thread.transfer(to, &into, &from, Self::arrived(keys as u32));
        }
        let odd = stretches.iter().filter(|stretch| stretch.pairs().len() < stretch.keys.len());
        let sorted = thread.words(&self.sorted);
        let word = |stretch: &Stretch| {
            let key = sorted.get(stretch.keys.end - 1);
            ((stretch.at + stretch.keys.len() - 1) as u64) << 32 | u64::from(key)
        };
        let odd: Vec<u64> = odd.map(word).collect();
        for words in odd.chunks(MAX_WORDS - 1) {
            thread.send_with(to, Self::odd(array as u32), words);
        }
    }

    /// Moves stretches to positions of this node.
    fn keep(&self, thread: &Thread<'_>, array: usize, stretches: &[Stretch]) {
        let (mut keys, mut moved) = (Vec::new(), 0);
        for stretch in stretches {
            keys.resize(stretch.keys.len(), 0);
            read(thread, &self.sorted, stretch.keys.start, &mut keys);
            write(thread, &self.keys[array], stretch.at, &keys);
            self.flush(thread, &self.keys[array], stretch.at, keys.len());
            moved += keys.len() as u64;
        }
        thread.signal(&self.arrived, moved);
    }

    /// Puts words that an interface reads, or whose line it fills, into memory if it does not ask caches.
    fn flush(&self, thread: &Thread<'_>, segment: &Segment<u32>, at: usize, len: usize) {
        if !thread.is_coherent() {
            thread.touch(segment.place(at as u32), len, Access::Flush);
            thread.drain();
        }
    }

    /// Takes the thread's keys out of its processor's cache if an interface that does not do that will fill their places again.
    fn forget(&self, thread: &Thread<'_>, array: usize) {
        if !thread.is_coherent() {
            let own = self.run.own(thread);
            let at = own.start - self.first_of(self.run.node);
            thread.touch(self.keys[array].place(at as u32), own.len(), Access::Purge);
            thread.drain();
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let own = self.run.own(thread);
        let at = own.start - self.first_of(self.run.node);
        write(thread, &self.keys[0], at, &self.run.problem.keys[own.clone()]);
        thread.phase("sort");
        let mut passes = 0;
        for (pass, digit) in self.run.asked.digits().enumerate() {
            self.pass(thread, pass, digit);
            passes = pass + 1;
        }
        thread.phase("check");
        self.run.compare(thread, |first, keys| self.read(thread, passes % 2, first, keys));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.run.report(end)
    }
}
