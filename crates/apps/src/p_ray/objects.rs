//! The triangles as a thread has them: triangles of its own node in place, triangles of others in a cache of its own.
//!
//! Triangles travel and are kept by objects: a fixed number of consecutive triangles. The cache is direct mapped: an
//! object has one slot, which the next object of that slot takes. A thread waits for an object that it has not, and has
//! told the model all its work before.
//!
//! This module must never know which rays ask for triangles.

use protocols::split_phase::{LocalPtr, Memory, SplitPhase, SpreadArray};
use tempest::{Operations, Thread};

use super::surface::{SHAPE_WORDS, Shape, WORDS};
use super::trace::Objects;
use super::vector::Vector;
use super::work::ACCOUNT;

/// The slot of a cache that has no object yet.
const NOBODY: u32 = u32::MAX;

/// The requests of a thread.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub(super) rays: u64,
    /// Times that an object of another node was in the cache.
    pub(super) found: u64,
    /// Objects of other nodes that were read.
    pub(super) read: u64,
}

/// The triangles of all nodes, as a thread has them.
pub(super) struct Cached<'a> {
    thread: &'a Thread<'a>,
    memory: Memory<'a>,
    split: &'a SplitPhase,
    /// The objects, one after the other.
    spread: SpreadArray<u64>,
    /// The triangles of an object.
    object: u32,
    /// The first slot of the cache.
    slots: LocalPtr<u64>,
    /// By slot: the number of the object that it has.
    numbers: Vec<u32>,
    /// Work that the model has not been charged for.
    untold: Operations,
    pub(super) counts: Counts,
}

impl<'a> Cached<'a> {
    /// An empty cache of `slots` slots, the first of which stands at `at`, for objects of `object` triangles.
    pub(super) fn new(
        thread: &'a Thread<'a>,
        split: &'a SplitPhase,
        (spread, object): (SpreadArray<u64>, u32),
        (at, slots): (LocalPtr<u64>, u32),
    ) -> Self {
        Self {
            thread,
            memory: split.on(thread),
            split,
            spread,
            object,
            slots: at,
            numbers: vec![NOBODY; slots as usize],
            untold: Operations::NONE,
            counts: Counts::default(),
        }
    }

    /// Tells the model all work that has been done.
    pub(super) fn tell(&mut self) {
        self.thread.charge(std::mem::take(&mut self.untold));
    }

    /// Index of a triangle in the own arena, after its object has been read if need be.
    fn place(&mut self, number: u32) -> usize {
        let (object, within) = (number / self.object, (number % self.object) as usize * WORDS);
        let there = self.spread.at(object);
        if there.node() == self.thread.node() {
            return there.offset() as usize + within;
        }
        let (slot, words) = (object as usize % self.numbers.len(), self.object as usize * WORDS);
        let here = self.slots + (slot * words) as i64;
        if self.numbers[slot] == object {
            self.counts.found += 1;
        } else {
            self.counts.read += 1;
            self.untold = self.untold.and(ACCOUNT);
            self.tell();
            self.memory.bulk_read(there, here, words);
            self.numbers[slot] = object;
        }
        here.offset() as usize + within
    }

    /// Three vectors from a place of the own arena on.
    fn vectors(&self, at: usize) -> [Vector; 3] {
        let mut words = [0; SHAPE_WORDS];
        self.split.arena().read(self.thread, at, &mut words);
        let vector = |first: usize| [0, 1, 2].map(|axis| f64::from_bits(words[first + axis]));
        [vector(0), vector(3), vector(6)]
    }
}

impl Objects for Cached<'_> {
    fn shape(&mut self, number: u32) -> Shape {
        let at = self.place(number);
        self.vectors(at)
    }

    fn normals(&mut self, number: u32) -> [Vector; 3] {
        let at = self.place(number) + SHAPE_WORDS;
        self.vectors(at)
    }

    fn work(&mut self, done: Operations) {
        self.untold = self.untold.and(done);
    }

    fn ray(&mut self) {
        self.counts.rays += 1;
    }
}
