//! Typed handles on shared memory: arrays, records, and runs of words whose tag has been tested.
//!
//! A handle knows where its elements are. The accessing thread finds out whether the node's rights allow the access.
//! This module must never know protocols or messages.

use std::ops::Range;
use std::sync::Arc;

use ::segment::{Column, Stride};

use super::layout::WORD_BYTES;
use super::store::{Memory, TAG_SHIFT};
use crate::data::Word;
use crate::data::word;
use crate::{Array, Block, Element, NodeId, Right};

/// The largest number of elements of a run. It bounds the time for which a thread uses a right after the test of the
/// right.
const LONGEST_RUN: usize = 512;

/// An array of shared memory, as one node sees it. A clone refers to the same memory.
#[derive(Debug)]
pub struct Shared<T: Word> {
    /// The words of the field that this handle names.
    column: Column<T::Atomic>,
    memory: Arc<Memory>,
    region: u32,
    /// The offset in the address space of the first byte of the field that this handle names, in element 0.
    base: usize,
    part: usize,
    /// The binary logarithm of the size of a block in bytes: the byte at `place` is in block `place >> block`.
    block: u32,
}

impl<T: Word> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { column: self.column.clone(), memory: Arc::clone(&self.memory), ..*self }
    }
}

impl Memory {
    /// Makes a handle to the elements of an array in this node's copy of shared memory.
    ///
    /// # Panics
    /// If the array is of another address space.
    pub fn bind<T: Word>(self: &Arc<Self>, array: Array<T>) -> Shared<T> {
        Shared::new(Arc::clone(self), array, 0).unwrap_or_else(|| {
            panic!("shared array {} has no words of {} bytes", array.region, size_of::<T>())
        })
    }

    /// Makes a handle to the field called `field` of the records of an array. Element `i` of the handle is the field of
    /// record `i`.
    ///
    /// # Panics
    /// If the array is of another address space, or its records have no such field of this size.
    pub fn bind_field<R: Element, T: Word>(self: &Arc<Self>, array: Array<R>, field: &str) -> Shared<T> {
        let declared = R::LAYOUT.fields.iter().find(|declared| declared.name == field);
        let sized = declared.filter(|declared| declared.bytes as usize == size_of::<T>());
        let shared = sized.and_then(|sized| Shared::new(Arc::clone(self), array, sized.at as usize));
        shared.unwrap_or_else(|| {
            let fields = R::LAYOUT.fields.iter().map(|field| format!("`{}` of {}", field.name, field.bytes));
            panic!(
                "`{}` has no field `{field}` of {} bytes: expected {}",
                R::LAYOUT.name,
                size_of::<T>(),
                fields.collect::<Vec<_>>().join(", ")
            )
        })
    }
}

impl<T: Word> Shared<T> {
    /// Makes a handle to the words at byte `offset` of each element of an array. Returns `None` if no words of this
    /// width lie there.
    ///
    /// # Panics
    /// If the array is of another address space.
    pub(super) fn new<R>(memory: Arc<Memory>, array: Array<R>, offset: usize) -> Option<Self> {
        let number = array.region;
        let region = memory.layout().region_in(array);
        let region =
            region.unwrap_or_else(|| panic!("a shared array of another space (its number there: {number})"));
        let (base, len, part) = (region.base + offset, region.len, region.part);
        let block = memory.layout().block_shift();
        let column = memory.mapping.column(number as usize, offset).ok()?.first(len);
        Some(Self { column, memory, region: number, base, part, block })
    }

    /// Makes a handle to the word with index `word` of each record. A word has 8 bytes; indices begin at 0.
    ///
    /// # Panics
    /// If a record has no such word.
    pub fn field<U: Word>(&self, word: u32) -> Shared<U> {
        let offset = word as usize * WORD_BYTES as usize;
        let column = self.memory.mapping.column(self.region as usize, offset).unwrap_or_else(|_| {
            let words = (1_u32 << self.column.shift()) / WORD_BYTES;
            panic!("word {word} of {} bytes of records of {words} in `{}`", size_of::<U>(), self.name())
        });
        let Self { region, base, part, block, .. } = *self;
        let (column, memory) = (column.first(self.len()), Arc::clone(&self.memory));
        Shared { column, memory, region, base: base + offset, part, block }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.column.len()
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.column.is_empty()
    }

    /// The index, in the whole array, of element `index` of the part that belongs to `node`.
    ///
    /// # Panics
    /// If `node`'s part has no such element.
    pub fn at(&self, node: NodeId, index: usize) -> usize {
        assert!(index < self.part, "element {index} of a part of `{}`, which has {}", self.name(), self.part);
        node.0 as usize * self.part + index
    }

    /// The block of shared memory in which element `index` begins.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn block(&self, index: usize) -> Block {
        self.block_of(self.place(index))
    }

    /// The node's copy of the shared address space, which holds this array.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    pub(crate) fn region(&self) -> u32 {
        self.region
    }

    fn name(&self) -> &'static str {
        self.memory.layout().region(self.region).map_or("?", |region| region.name)
    }

    /// The place of an element: the offset of its first byte in the address space.
    #[inline]
    pub(crate) fn place(&self, index: usize) -> usize {
        if index >= self.column.len() {
            self.refuse(index);
        }
        self.base + (index << self.column.shift())
    }

    #[cold]
    fn refuse(&self, index: usize) -> ! {
        panic!("index {index} of shared array `{}`, which has {}", self.name(), self.len())
    }

    #[inline]
    pub(crate) fn block_of(&self, place: usize) -> Block {
        Block((place >> self.block) as u32)
    }

    /// Whether the node's right allows an access to the element whose first byte is `place`.
    #[inline]
    pub(crate) fn allows(&self, place: usize, right: Right) -> bool {
        self.memory.tags.allows(place >> TAG_SHIFT, right)
    }

    /// The atomic word of an element in this node's copy.
    #[inline]
    pub(crate) fn cell(&self, index: usize) -> &T::Atomic {
        self.column.get(index).unwrap_or_else(|| self.refuse(index))
    }

    /// The elements from `from` on, up to `end` at most, that begin in the block in which `from` begins.
    #[inline]
    pub(crate) fn run(&self, from: usize, end: usize) -> Range<usize> {
        let (place, shift) = (self.place(from), self.column.shift());
        let next_block = ((place >> self.block) + 1) << self.block;
        let elements = (next_block - place + (1 << shift) - 1) >> shift;
        from..end.min(from + elements)
    }

    /// The index of the element that lies `blocks` blocks behind element `from`; `from + 1` where an element is longer
    /// than that.
    #[inline]
    pub(crate) fn blocks_on(&self, from: usize, blocks: usize) -> usize {
        from + ((blocks << self.block) >> self.column.shift()).max(1)
    }

    /// Extends `run` by the following elements whose tags give `right` too, up to `end` and to [`LONGEST_RUN`] elements
    /// in all.
    #[inline]
    pub(crate) fn extended(&self, run: Range<usize>, end: usize, right: Right) -> Range<usize> {
        let (last, shift) = (end.min(run.start + LONGEST_RUN), self.column.shift());
        if run.end >= last || shift > self.block {
            return run;
        }
        // Records that are no longer than a block fill blocks, so the others begin where one does.
        let (first, end) = (self.place(run.end), self.place(last - 1) + 1);
        let tags = first >> TAG_SHIFT..end.div_ceil(1 << TAG_SHIFT);
        let blocks = self.memory.tags.allowed(tags, 1 << (self.block - TAG_SHIFT), right);
        run.start..last.min(run.end + (blocks << (self.block - shift)))
    }

    #[inline]
    pub(crate) fn cells(&self, range: &Range<usize>) -> Run<'_, T> {
        Run { cells: self.column.stride(range.clone()) }
    }
}

/// Consecutive elements of shared memory that a thread may access, because it has tested the node's right to them.
pub struct Run<'a, T: Word> {
    cells: Stride<'a, T::Atomic>,
}

impl<T: Word> Run<'_, T> {
    /// The number of elements, at least one.
    #[allow(clippy::len_without_is_empty, reason = "a run is never empty")]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The value of element `index` of the run.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        word::load(self.cell(index))
    }

    /// Iterates over the values of the run's elements.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.cells.iter().map(word::load)
    }

    /// Fills `values` with the values of the run's elements.
    ///
    /// # Panics
    /// If the run has another number of elements than `values`.
    #[inline]
    pub fn read(&self, values: &mut [T]) {
        match self.cells.dense() {
            Some(cells) => bulk::load(cells, word::values_mut(values)),
            None => {
                assert_eq!(values.len(), self.len(), "values of a run");
                self.iter().zip(values).for_each(|(word, value)| *value = word);
            }
        }
    }

    #[inline]
    fn cell(&self, index: usize) -> &T::Atomic {
        self.cells.get(index).unwrap_or_else(|| panic!("element {index} of a run of {}", self.len()))
    }
}

/// Consecutive elements of shared memory, as a [`Run`], that the thread may also write.
pub struct RunMut<'a, T: Word>(pub(crate) Run<'a, T>);

impl<'a, T: Word> std::ops::Deref for RunMut<'a, T> {
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
        word::store(self.0.cell(index), value);
    }

    /// Sets the run's elements to `values`.
    ///
    /// # Panics
    /// If the run has another number of elements than `values`.
    #[inline]
    pub fn write(&self, values: &[T]) {
        match self.0.cells.dense() {
            Some(cells) => bulk::store(cells, word::values(values)),
            None => {
                assert_eq!(values.len(), self.0.len(), "values of a run");
                self.0.cells.iter().zip(values).for_each(|(cell, value)| word::store(cell, *value));
            }
        }
    }

    /// Replaces every element of the run by the value that `f` returns for it.
    #[inline]
    pub fn update(&self, mut f: impl FnMut(T) -> T) {
        let mut each = |cell: &T::Atomic| word::store(cell, f(word::load(cell)));
        // A loop over a slice is unrolled, one over records is not.
        match self.0.cells.dense() {
            Some(cells) => cells.iter().for_each(each),
            None => self.0.cells.iter().for_each(&mut each),
        }
    }
}

#[cfg(test)]
mod tests {
    use ::segment::MemorySource;

    use super::*;
    use crate::data::{ElementField, ElementLayout};
    use crate::{Element, Homes, Layout, Tag};

    #[test]
    fn runs_go_as_far_as_tags_allow() {
        // Blocks of 8 words.
        let mut layout = Layout::new(2, 64).unwrap();
        let words = layout.array::<u64>("words", 1000, Homes::At(NodeId(0))).unwrap();
        let pairs = layout.records::<u64>("pairs", 100, 2, Homes::At(NodeId(0))).unwrap();
        let long = layout.records::<u64>("long", 100, 16, Homes::At(NodeId(0))).unwrap();
        let memory = Arc::new(Memory::new(NodeId(0), &layout, true, &MemorySource::Private));
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

    /// A block of 64 bytes has 16 words of 4 bytes.
    #[test]
    fn a_block_holds_more_words_of_fewer_bytes() {
        let mut layout = Layout::new(2, 64).unwrap();
        layout.array::<u64>("before", 1, Homes::At(NodeId(0))).unwrap();
        let array = layout.array::<u32>("words", 1500, Homes::Parts).unwrap();
        let (here, there) = (
            Arc::new(Memory::new(NodeId(0), &layout, true, &MemorySource::Private)),
            Arc::new(Memory::new(NodeId(1), &layout, true, &MemorySource::Private)),
        );
        let words = here.bind(array);
        assert_eq!((words.len(), words.at(NodeId(1), 3)), (4096, 2051));
        assert_eq!((words.block(15), words.block(16), words.run(3, 100)), (Block(64), Block(65), 3..16));
        assert_eq!(here.address(words.place(5)) % 4096, 20);
        words.cells(&(3..5)).iter().for_each(|word| assert_eq!(word, 0));
        RunMut(words.cells(&(3..5))).update(|word| word + 7);
        there.place(Block(64), &here.contents(Block(64)));
        let copies = there.bind(array);
        assert_eq!(copies.cells(&(2..6)).iter().collect::<Vec<_>>(), [0, 7, 7, 0]);
    }

    #[test]
    fn a_record_of_words_begins_with_one_of_eight_bytes() {
        let mut layout = Layout::new(2, 64).unwrap();
        let error = layout.records::<u32>("short", 3, 2, Homes::Parts).unwrap_err().to_string();
        assert_eq!(error, "`short` begins with a word of 4 bytes: expected one of 8 bytes");
    }

    /// A record of 16 bytes with a sum, a count and a kind. Two of the bytes are in no field.
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Tally {
        sum: f64,
        count: u32,
        kind: u16,
        unused: u16,
    }

    impl Element for Tally {
        const LAYOUT: ElementLayout = ElementLayout {
            name: "tally",
            bytes: 16,
            fields: &[
                ElementField::new("sum", 0, 8),
                ElementField::new("count", 8, 4),
                ElementField::new("kind", 12, 2),
            ],
        };
    }

    #[test]
    fn fields_of_declared_records_are_words_of_their_own_width() {
        let mut layout = Layout::new(2, 32).unwrap();
        let tallies = layout.structs::<Tally>("tallies", 100, Homes::At(NodeId(0))).unwrap();
        let copy = |node| Arc::new(Memory::new(NodeId(node), &layout, true, &MemorySource::Private));
        let (here, there) = (copy(0), copy(1));
        let (sums, counts) =
            (here.bind_field::<_, f64>(tallies, "sum"), here.bind_field::<_, u32>(tallies, "count"));
        RunMut(sums.cells(&(0..100))).update(|_| 1.5);
        RunMut(counts.cells(&(3..4))).set(0, 7);
        assert_eq!((sums.block(3), counts.block(3), counts.run(2, 100)), (Block(1), Block(1), 2..4));
        there.place(Block(1), &here.contents(Block(1)));
        let [kinds, counts] =
            [there.bind_field::<_, u16>(tallies, "kind"), there.bind_field(tallies, "kind")];
        assert_eq!(
            (
                kinds.place(3) - counts.place(0),
                there.bind_field::<_, u32>(tallies, "count").cells(&(3..4)).get(0)
            ),
            (48, 7)
        );
        assert_eq!(there.bind_field::<_, f64>(tallies, "sum").cells(&(3..4)).get(0), 1.5);
    }

    #[test]
    #[should_panic(
        expected = "`tally` has no field `count` of 8 bytes: expected `sum` of 8, `count` of 4, `kind` of 2"
    )]
    fn a_field_is_seen_in_its_width_alone() {
        let mut layout = Layout::new(2, 32).unwrap();
        let tallies = layout.structs::<Tally>("tallies", 100, Homes::At(NodeId(0))).unwrap();
        Arc::new(Memory::new(NodeId(0), &layout, true, &MemorySource::Private))
            .bind_field::<_, u64>(tallies, "count");
    }

    /// A record of 12 bytes. In an array some of these records would lie in two blocks.
    #[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(transparent)]
    struct Odd([u32; 3]);

    impl Element for Odd {
        const LAYOUT: ElementLayout =
            ElementLayout { name: "odd", bytes: 12, fields: &[ElementField::new("first", 0, 4)] };
    }

    #[test]
    fn a_record_that_would_straddle_a_block_is_refused() {
        let mut layout = Layout::new(2, 32).unwrap();
        let error = layout.structs::<Odd>("records", 3, Homes::Parts).unwrap_err().to_string();
        assert_eq!(error, "`odd` in `records`: a record of 12 bytes: expected a power of two");
    }
}
