//! The words and the locks of the keys, in the memory of the node, and the count of all accesses to them. This module must never
//! know why a word is accessed.

use std::thread::yield_now;

use tempest::{Cells, FinalState, Handler, Operations, Segment, Setup};

use super::item::{Item, Tag};

/// The words from one key to the next: a line of the longest that machines have. No two keys share a line.
const EACH: usize = 8;

/// The place of the lock of a key behind its word.
const LOCK: usize = 1;

/// The words of a message that is left in memory.
const ITEM: usize = 3;

/// The number of messages that memory has places for. A later message takes the place of an earlier one, which has
/// mostly been read: the places are there for the time of accesses to them, and no message is made of their words.
const PLACES: u32 = 1024;

/// The work between two tests of a lock: a comparison and a branch.
const TEST: Operations = Operations::NONE.integers(2);

/// The number of tests of a lock after which the host may run another thread. The holder of the lock may want this
/// core.
const PATIENCE: u32 = 1 << 12;

/// The words, the locks, and places for messages.
pub(super) struct Memory {
    words: Segment<u64>,
    places: Segment<u64>,
    accesses: Cells<u64>,
}

impl Memory {
    /// The memory of a node that handles messages of `keys` keys.
    pub(super) fn new(setup: &mut Setup<'_>, keys: u32) -> Self {
        let places = if keys > 0 { PLACES as usize * EACH } else { 0 };
        Self {
            words: setup.segment("dispatch.words", keys as usize * EACH, 0),
            places: setup.segment("dispatch.places", places, 0),
            accesses: Cells::new(1, 0),
        }
    }

    /// The number of accesses since the start.
    pub(super) fn accesses(&self, end: &FinalState<'_>) -> u64 {
        self.accesses.get(end, 0)
    }

    /// The value of the word of a key at the end.
    pub(super) fn last(&self, end: &FinalState<'_>, key: u32) -> u64 {
        self.words.cells().get(end, key as usize * EACH)
    }

    pub(super) fn load(&self, tag: Tag, cx: &mut Handler<'_>) -> u64 {
        self.accesses.add(cx, 0, 1);
        cx.read(&self.words, place(tag))
    }

    pub(super) fn store(&self, tag: Tag, value: u64, cx: &mut Handler<'_>) {
        self.accesses.add(cx, 0, 1);
        cx.write(&self.words, place(tag), &[value]);
    }

    /// Sets the lock of a key in one access. Returns whether it was free.
    pub(super) fn set_lock(&self, tag: Tag, cx: &mut Handler<'_>) -> bool {
        self.accesses.add(cx, 0, 1);
        cx.swap(&self.words, place(tag) + LOCK, 1) == 0
    }

    /// Frees the lock of a key.
    pub(super) fn free_lock(&self, tag: Tag, cx: &mut Handler<'_>) {
        self.accesses.add(cx, 0, 1);
        cx.swap(&self.words, place(tag) + LOCK, 0);
    }

    /// Takes the lock of a key, and waits for it.
    pub(super) fn lock(&self, tag: Tag, cx: &mut Handler<'_>) {
        while !self.set_lock(tag, cx) {
            for tests in 1_u32.. {
                self.accesses.add(cx, 0, 1);
                cx.charge(TEST);
                if cx.read(&self.words, place(tag) + LOCK) == 0 {
                    break;
                }
                std::hint::spin_loop();
                if tests.is_multiple_of(PATIENCE) {
                    yield_now();
                }
            }
        }
    }

    /// Leaves a message in memory.
    pub(super) fn leave(&self, item: &Item, cx: &mut Handler<'_>) {
        self.accesses.add(cx, 0, ITEM as u64);
        let words = [item.tag.0, item.made, u64::from(item.number) << 32 | u64::from(item.length)];
        cx.write(&self.places, place_of(item), &words);
    }

    /// Reads a message that was left in memory.
    pub(super) fn fetch(&self, item: &Item, cx: &mut Handler<'_>) {
        self.accesses.add(cx, 0, ITEM as u64);
        for word in 0..ITEM {
            cx.read(&self.places, place_of(item) + word);
        }
    }
}

fn place(tag: Tag) -> usize {
    tag.number() as usize * EACH
}

fn place_of(item: &Item) -> usize {
    (item.number % PLACES) as usize * EACH
}
