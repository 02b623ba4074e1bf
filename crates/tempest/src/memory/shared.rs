//! Typed handles on shared memory: arrays, records, and runs of words whose tag has been tested.
//!
//! A handle knows where its elements are. Whether they may be accessed is asked through the accessing thread.
//! This module must never know protocols or messages.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::store::{Memory, Right, TAG_SHIFT};
use crate::{Array, Block, NodeId, Word};

/// The largest number of elements of a run: for so long a right may be used after its test.
const LONGEST_RUN: usize = 512;

/// An array of shared memory, as one node sees it. A clone refers to the same memory.
#[derive(Debug)]
pub struct Shared<T> {
    memory: Arc<Memory>,
    region: u32,
    /// The first word of the field that this handle names.
    base: usize,
    len: usize,
    stride: u32,
    part: usize,
    /// A word is in block `word >> block`.
    block: u32,
    word: PhantomData<T>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { memory: Arc::clone(&self.memory), word: PhantomData, ..*self }
    }
}

impl<T: Word> Shared<T> {
    pub(super) fn new(memory: Arc<Memory>, array: Array<T>) -> Self {
        let layout = memory.layout();
        let region = layout.region_in(array);
        let region = region.unwrap_or_else(|| {
            panic!("a shared array of another space (its number there: {})", array.region)
        });
        let (base, len, stride, part) = (region.base, region.len, region.stride, region.part);
        let block = layout.block_shift();
        Self { memory, region: array.region, base, len, stride, part, block, word: PhantomData }
    }

    /// A handle to word `word` of each record, from 0.
    ///
    /// # Panics
    /// If a record has no such word.
    pub fn field<U: Word>(&self, word: u32) -> Shared<U> {
        assert!(
            word < 1 << self.stride,
            "word {word} of records of {} in `{}`",
            1 << self.stride,
            self.name()
        );
        let Self { region, base, len, stride, part, block, .. } = *self;
        let (memory, base) = (Arc::clone(&self.memory), base + word as usize);
        Shared { memory, region, base, len, stride, part, block, word: PhantomData }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The index in the whole array of element `index` of a node's part.
    ///
    /// # Panics
    /// If a part has no such element.
    pub fn at(&self, node: NodeId, index: usize) -> usize {
        assert!(index < self.part, "element {index} of a part of `{}`, which has {}", self.name(), self.part);
        node.0 as usize * self.part + index
    }

    /// The block of an element.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn block(&self, index: usize) -> Block {
        self.block_of(self.word(index))
    }

    /// The node's copy of the address space, which holds this array.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    pub(crate) fn region(&self) -> u32 {
        self.region
    }

    fn name(&self) -> &'static str {
        self.memory.layout().region(self.region).map_or("?", |region| region.name)
    }

    /// The number of an element's word in the address space.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> usize {
        if index >= self.len {
            self.refuse(index);
        }
        self.base + (index << self.stride)
    }

    #[cold]
    fn refuse(&self, index: usize) -> ! {
        panic!("index {index} of shared array `{}`, which has {}", self.name(), self.len)
    }

    #[inline]
    pub(crate) fn block_of(&self, word: usize) -> Block {
        Block((word >> self.block) as u32)
    }

    /// Whether the node's right allows an access to a word.
    #[inline]
    pub(crate) fn allows(&self, word: usize, right: Right) -> bool {
        self.memory.tags.allows(word >> TAG_SHIFT, right)
    }

    #[inline]
    pub(crate) fn cell(&self, word: usize) -> &AtomicU64 {
        &self.memory.words[word]
    }

    /// The elements from `from` on that lie in one block, up to `end`.
    #[inline]
    pub(crate) fn run(&self, from: usize, end: usize) -> Range<usize> {
        let word = self.word(from);
        let next_block = ((word >> self.block) + 1) << self.block;
        let elements = (next_block - word + (1 << self.stride) - 1) >> self.stride;
        from..end.min(from + elements)
    }

    /// A run, extended by the following elements whose tags allow the access too, up to `end`.
    #[inline]
    pub(crate) fn extended(&self, run: Range<usize>, end: usize, right: Right) -> Range<usize> {
        let last = end.min(run.start + LONGEST_RUN);
        if run.end >= last || self.stride > self.block {
            return run;
        }
        // Records that are no longer than a block fill blocks, so the others begin where one does.
        let (first, end) = (self.word(run.end), self.word(last - 1) + 1);
        let places = first >> TAG_SHIFT..end.div_ceil(1 << TAG_SHIFT);
        let blocks = self.memory.tags.allowed(places, 1 << (self.block - TAG_SHIFT), right);
        run.start..last.min(run.end + (blocks << (self.block - self.stride)))
    }

    #[inline]
    pub(crate) fn cells(&self, range: &Range<usize>) -> Run<'_, T> {
        let first = self.word(range.start);
        let cells = &self.memory.words[first..=self.word(range.end - 1)];
        Run { cells, stride: self.stride, len: range.len(), word: PhantomData }
    }
}

/// Consecutive elements whose tags have been tested.
pub struct Run<'a, T> {
    cells: &'a [AtomicU64],
    stride: u32,
    len: usize,
    word: PhantomData<T>,
}

impl<T: Word> Run<'_, T> {
    /// The number of elements, at least one.
    #[allow(clippy::len_without_is_empty, reason = "a run is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The value of element `index` of the run.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        T::from_bits(self.cells[index << self.stride].load(Ordering::Relaxed))
    }

    /// Iterates over all values.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = T> {
        let others = (1 << self.stride) - 1;
        let mut cells = self.cells.iter();
        std::iter::from_fn(move || {
            let cell = cells.next()?;
            if others > 0 {
                cells.nth(others - 1);
            }
            Some(T::from_bits(cell.load(Ordering::Relaxed)))
        })
    }

    #[inline]
    fn each_cell(&self, f: impl FnMut(&AtomicU64)) {
        if self.stride == 0 {
            self.cells.iter().for_each(f);
        } else {
            self.cells.iter().step_by(1 << self.stride).for_each(f);
        }
    }

    #[inline]
    fn store(&self, index: usize, value: T) {
        self.cells[index << self.stride].store(value.to_bits(), Ordering::Relaxed);
    }
}

/// A [`Run`] that may be written.
pub struct RunMut<'a, T>(pub(crate) Run<'a, T>);

impl<'a, T> std::ops::Deref for RunMut<'a, T> {
    type Target = Run<'a, T>;
    fn deref(&self) -> &Run<'a, T> {
        &self.0
    }
}

impl<T: Word> RunMut<'_, T> {
    /// Sets element `index` of the run.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline]
    pub fn set(&self, index: usize, value: T) {
        self.0.store(index, value);
    }

    /// Replaces every element by `f` of it.
    #[inline]
    pub fn update(&self, mut f: impl FnMut(T) -> T) {
        self.0.each_cell(|cell| {
            let value = T::from_bits(cell.load(Ordering::Relaxed));
            cell.store(f(value).to_bits(), Ordering::Relaxed);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Homes, Layout, Tag};

    #[test]
    fn runs_go_as_far_as_tags_allow() {
        // Blocks of 8 words.
        let mut layout = Layout::new(2, 64).unwrap();
        let words = layout.array::<u64>("words", 1000, Homes::At(NodeId(0))).unwrap();
        let pairs = layout.records::<u64>("pairs", 100, 2, Homes::At(NodeId(0))).unwrap();
        let long = layout.records::<u64>("long", 100, 16, Homes::At(NodeId(0))).unwrap();
        let memory = Arc::new(Memory::new(NodeId(0), &layout, true));
        let run = |array: &Shared<u64>, from, end, right| array.extended(array.run(from, end), end, right);
        let words = memory.bind(words);
        assert_eq!(words.run(3, 1000), 3..8);
        assert_eq!(run(&words, 3, 1000, Right::Write), 3..3 + LONGEST_RUN);
        assert_eq!(run(&words, 3, 21, Right::Write), 3..21);
        memory.set_tag(Block(2), Tag::ReadOnly);
        assert_eq!(run(&words, 3, 1000, Right::Write), 3..16);
        assert_eq!(run(&words, 3, 30, Right::Read), 3..30);
        let seconds = memory.bind(pairs).field::<u64>(1);
        memory.set_tag(seconds.block(8), Tag::Invalid);
        assert_eq!((seconds.run(1, 100), run(&seconds, 1, 100, Right::Read)), (1..4, 1..8));
        let long = memory.bind(long);
        assert_eq!(run(&long, 5, 100, Right::Read), 5..6, "no block has two of them");
    }
}
