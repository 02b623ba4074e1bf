//! A thread's accesses to words: of its node's segments, and of shared memory, where the test of a tag may fault before
//! the access.
//!
//! This module must never know a protocol.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::handle::{Holding, Thread};
use super::segment_words::SegmentWords;
use crate::data::word;
use crate::data::{IntegerWord, Word};
use crate::memory::{Run, RunMut};
use crate::processor::{Accounting, Wait};
use crate::{Block, Memory, Primitive, Right, Segment, Shared};

/// The largest number of blocks that a thread which accesses consecutive elements requests at once.
const AHEAD: usize = 32;

/// The text by which an error names an access to shared memory that faults, and so yields the thread's processor.
const FAULTS: &str = "an access to shared memory that faults";

impl Thread<'_> {
    /// Returns the words of this node's part of a segment, for loads and stores. Natively an access is the load or
    /// store alone. In a simulation each access goes through the processor's cache to the place that has the word: a
    /// cache, the memory, or the buffer of an interface that has received it.
    ///
    /// This is for data whose accesses are ordered: a thread sees the words of a handler, a transfer or a deposit after
    /// it has waited for the event, count or barrier that announces them. Without such an order, read the words by
    /// [`Segment::cells`], at the time of the thread's clock.
    #[inline]
    pub fn words<'s, T: Word>(&'s self, segment: &'s Segment<T>) -> SegmentWords<'s, T> {
        SegmentWords::new(segment, self.accounting)
    }

    /// Loads an element of shared memory. If the node has no right to the element's block, the thread yields its
    /// processor to other threads and handlers until the protocol has fetched the block.
    ///
    /// A thread that loads in a loop without polling may keep its node's rights from being taken away. To wait for a
    /// store of another node, use [`wait_for`](Self::wait_for).
    ///
    /// # Panics
    /// If there is no such element, or the array has been freed.
    #[inline]
    pub fn read<T: Word>(&self, array: &Shared<T>, index: usize) -> T {
        self.access(array, index, Right::Read, word::load)
    }

    /// Stores an element of shared memory. If the node has no right to write the element's block, the thread yields its
    /// processor to other threads and handlers until the protocol has fetched that right.
    ///
    /// # Panics
    /// If there is no such element, or the array has been freed.
    #[inline]
    pub fn write<T: Word>(&self, array: &Shared<T>, index: usize, value: T) {
        self.access(array, index, Right::Write, |cell| word::store(cell, value));
    }

    /// Stores an element of shared memory, as [`write`](Self::write) does, and resumes the threads of this node that
    /// [wait for](Self::wait_for) a word of the element's block. Threads of other nodes notice the store in any case,
    /// as they notice a [`write`](Self::write).
    ///
    /// # Panics
    /// If there is no such element, the array has been freed, or the thread holds a key.
    pub fn tell<T: Word>(&self, array: &Shared<T>, index: usize, value: T) {
        self.write(array, index, value);
        let block = array.block(index);
        // A thread that enlists itself later, under the same key, has read the new value.
        self.hold(block.key(), |cx| {
            for waiter in array.memory().take_watchers(&(block..=block)) {
                cx.resume(waiter);
            }
        });
    }

    /// Adds `amount` to an element of shared memory atomically, wrapping on overflow, and returns its previous value.
    ///
    /// # Panics
    /// If there is no such element, or the array has been freed.
    #[inline]
    pub fn fetch_add<T: IntegerWord>(&self, array: &Shared<T>, index: usize, amount: T) -> T {
        self.access(array, index, Right::Write, |cell| word::add(cell, amount, Ordering::AcqRel))
    }

    /// Replaces an element of shared memory by `new` atomically if it holds `current`, and returns its previous value,
    /// `current`.
    ///
    /// # Errors
    /// The element's value, if it is not `current`; the element is then unchanged.
    ///
    /// # Panics
    /// If there is no such element, or the array has been freed.
    #[inline]
    pub fn compare_exchange<T: IntegerWord>(
        &self,
        array: &Shared<T>,
        index: usize,
        current: T,
        new: T,
    ) -> Result<T, T> {
        self.access(array, index, Right::Write, |cell| word::exchange(cell, current, new))
    }

    /// Waits until an element of shared memory has a value for which `is` returns true, and returns that value. The
    /// thread does not poll: it yields its processor to other threads and handlers, and reads again when this node
    /// loses its copy of the element's block. Each change of the block thus costs one transfer of the block to this
    /// node.
    ///
    /// While the node keeps its copy of the block, a waiting thread notices a store by a thread of its own node only if
    /// that thread made the store by [`tell`](Self::tell).
    ///
    /// # Panics
    /// If there is no such element, the array has been freed, or the thread would wait while it holds a key.
    pub fn wait_for<T: Word>(&self, array: &Shared<T>, index: usize, is: impl Fn(T) -> bool) -> T {
        loop {
            let value = self.read(array, index);
            if is(value) || !self.may_give_way("a wait for a word of shared memory") {
                return value;
            }
            self.watch(array, index, &is);
        }
    }

    /// Blocks until this node's copy of the element's block may have changed. Returns at once if the node has lost the
    /// block, or the element has a value for which `is` returns true.
    fn watch<T: Word>(&self, array: &Shared<T>, index: usize, is: &dyn Fn(T) -> bool) {
        let (place, block) = (array.place(index), array.block(index));
        let waiter = self.processor.waiter();
        let waits = self.hold(block.key(), |_| {
            let unchanged = array.allows(place, Right::Read) && !is(word::load(array.cell(index)));
            if unchanged {
                array.memory().watch(block, waiter);
            }
            unchanged
        });
        if waits {
            self.processor.block(Wait::Resume { what: "a word of shared memory to change" });
        }
    }

    /// Loads the elements `range` of shared memory in runs, with one test of the node's right per run. `each` receives
    /// the index of a run's first element, and the run. `each` must not yield the processor. In a simulation a run lies
    /// in one block. Natively a run spans all following blocks to which the node has a right, up to 512 elements; a run
    /// that faults requests up to 32 blocks of `range` at once.
    ///
    /// # Panics
    /// If there is no such element, the array has been freed, or `each` waits, polls or faults.
    #[inline]
    pub fn read_runs<T: Word>(
        &self,
        array: &Shared<T>,
        range: Range<usize>,
        mut each: impl FnMut(usize, Run<'_, T>),
    ) {
        self.runs(array, range, Right::Read, |run| each(run.start, array.cells(&run)));
    }

    /// Stores the elements `range` of shared memory in runs, with one test of the node's right to write per run. `each`
    /// receives the index of a run's first element, and the run. `each` must not yield the processor. Runs have the
    /// lengths that [`read_runs`](Self::read_runs) states.
    ///
    /// # Panics
    /// If there is no such element, the array has been freed, or `each` waits, polls or faults.
    #[inline]
    pub fn write_runs<T: Word>(
        &self,
        array: &Shared<T>,
        range: Range<usize>,
        mut each: impl FnMut(usize, RunMut<'_, T>),
    ) {
        self.runs(array, range, Right::Write, |run| each(run.start, RunMut(array.cells(&run))));
    }

    /// Loads consecutive elements of shared memory, from element `from` on, into `values`, with one test of the right
    /// per run.
    ///
    /// # Panics
    /// If there are no such elements, or the array has been freed.
    #[inline]
    pub fn read_slice<T: Word>(&self, array: &Shared<T>, from: usize, values: &mut [T]) {
        self.read_runs(array, from..from + values.len(), |first, run| {
            run.read(&mut values[first - from..][..run.len()]);
        });
    }

    /// Stores `values` in consecutive elements of shared memory, from element `from` on, with one test of the right per
    /// run.
    ///
    /// # Panics
    /// If there are no such elements, or the array has been freed.
    #[inline]
    pub fn write_slice<T: Word>(&self, array: &Shared<T>, from: usize, values: &[T]) {
        self.write_runs(array, from..from + values.len(), |first, run| {
            run.write(&values[first - from..][..run.len()]);
        });
    }

    /// Requests the right `right` to the blocks of elements `range` of shared memory, for later accesses. The thread
    /// does not wait for it.
    ///
    /// The request is a hint. A prefetch is a fault for which no thread waits. An access that faults meanwhile joins
    /// it. The right may be lost again before the access. The node drops a prefetch of a right that it has or of a page
    /// for which it has no room. It also drops a prefetch when 256 are under way, or 4 of blocks whose numbers are
    /// equal modulo 64. A simulator drops every prefetch: its machines have no buffer for one.
    ///
    /// Where this processor runs handlers, this call looks for messages, as [`poll`](Self::poll) does.
    ///
    /// # Panics
    /// If there are no such elements, or the thread holds a key.
    pub fn prefetch<T: Word>(&self, array: &Shared<T>, range: Range<usize>, right: Right) {
        if range.is_empty() || !self.may_give_way("a prefetch") {
            return;
        }
        array.place(range.end - 1);
        if self.is_charged() {
            return;
        }
        self.ask_ahead(array, range, right);
    }

    /// Prefetches the blocks of elements `range` to which the node has no right `right`, as far as there is room for
    /// further prefetches.
    fn ask_ahead<T: Word>(&self, array: &Shared<T>, range: Range<usize>, right: Right) {
        let mut from = range.start;
        while from < range.end {
            let run = array.run(from, range.end);
            let place = array.place(from);
            if !array.allows(place, right)
                && let Some(fault) = array.memory().prefetch(array.region(), array.block_of(place), right)
            {
                self.processor.fault(&self.node.fault(fault));
            }
            from = run.end;
        }
    }

    /// Prefetches the blocks that follow the block of element `from`, whose access is about to fault, up to element
    /// `end` at most, so that the thread waits for many blocks at once. The caller has prefetched the elements before
    /// `asked` already. Returns the end of the elements that have been prefetched now.
    #[cold]
    fn read_ahead<T: Word>(
        &self,
        array: &Shared<T>,
        (from, asked, end): (usize, usize, usize),
        right: Right,
    ) -> usize {
        let reach = array.blocks_on(from, AHEAD).min(end);
        let has_more = array.run(from, reach).end < reach;
        if has_more && self.may_give_way(FAULTS) {
            self.ask_ahead(array, asked.max(from)..reach, right);
        }
        reach
    }

    #[inline]
    fn runs<T: Word>(
        &self,
        array: &Shared<T>,
        range: Range<usize>,
        right: Right,
        mut each: impl FnMut(Range<usize>),
    ) {
        let (mut from, mut asked) = (range.start, range.start);
        while from < range.end {
            let block = array.run(from, range.end);
            let place = array.place(from);
            if let Some(accounting) = self.accounting {
                accounting.approach(array.memory().address(place), right.access());
            } else if !array.allows(place, right) {
                asked = self.read_ahead(array, (from, asked, range.end), right);
            }
            let faulted = self.test(array, place, right);
            let run = if self.accounting.is_some() { block } else { array.extended(block, range.end, right) };
            from = run.end;
            let granted = faulted.then(|| (&**array.memory(), array.block_of(place)));
            let holding = Holding::begin(self, granted);
            each(run.clone());
            drop(holding);
            if let Some(accounting) = self.accounting {
                account(accounting, array, place, right);
                for place in run.skip(1).map(|index| array.place(index)) {
                    accounting.approach(array.memory().address(place), right.access());
                    account(accounting, array, place, right);
                }
            }
        }
    }

    /// Tests whether the tag of the element's block gives `right`, faulting if it does not, and then performs `access`.
    /// The thread does nothing else between the test and the access.
    #[inline]
    fn access<T: Word, R>(
        &self,
        array: &Shared<T>,
        index: usize,
        right: Right,
        access: impl FnOnce(&T::Atomic) -> R,
    ) -> R {
        if let Some(accounting) = self.accounting {
            return self.access_and_account(accounting, array, index, right, access);
        }
        self.test_and_access(array, index, right, access)
    }

    #[inline]
    fn test_and_access<T: Word, R>(
        &self,
        array: &Shared<T>,
        index: usize,
        right: Right,
        access: impl FnOnce(&T::Atomic) -> R,
    ) -> R {
        let place = array.place(index);
        let faulted = self.test(array, place, right);
        let result = access(array.cell(index));
        if faulted {
            self.done(array.memory(), array.block_of(place));
        }
        result
    }

    /// Performs an access in a world that charges time. The function is out of line, so that `access` stays small
    /// enough to inline.
    #[inline(never)]
    fn access_and_account<T: Word, R>(
        &self,
        accounting: &dyn Accounting,
        array: &Shared<T>,
        index: usize,
        right: Right,
        access: impl FnOnce(&T::Atomic) -> R,
    ) -> R {
        let place = array.place(index);
        accounting.approach(array.memory().address(place), right.access());
        let result = self.test_and_access(array, index, right, access);
        account(accounting, array, place, right);
        result
    }

    /// Ensures that the node has `right` to the block of the byte `place`. Returns whether the thread had to fault for
    /// the right. The caller performs the access next.
    #[inline]
    fn test<T: Word>(&self, array: &Shared<T>, place: usize, right: Right) -> bool {
        !array.allows(place, right) && self.fault(array, place, right)
    }

    /// Waits until the node has `right` to the block of the byte `place`. The right is not taken away before the caller
    /// reports the access as [`done`](Self::done). Returns false, possibly without the right, if a panic unwinds the
    /// thread: the run is over then, and the result of the access does not matter.
    #[cold]
    fn fault<T: Word>(&self, array: &Shared<T>, place: usize, right: Right) -> bool {
        if !self.may_give_way(FAULTS) {
            return false;
        }
        let (memory, block) = (array.memory(), array.block_of(place));
        assert!(
            memory.node() == self.node(),
            "shared memory of {} is used by {}, which has a copy of its own",
            memory.node(),
            self.id()
        );
        loop {
            memory.expect_in_use(array.region());
            self.charge(Primitive::DetectMiss);
            let waiter = self.processor.waiter();
            if let Some(fault) = memory.enlist(block, right, waiter) {
                self.processor.fault(&self.node.fault(fault));
            }
            self.processor.block(Wait::Block);
            if array.allows(place, right) {
                return true;
            }
            // The protocol served the fault without giving the right, as for a page that has been given back. Try once
            // more.
            self.done(memory, block);
        }
    }

    /// Reports that the access to `block` that faulted has been done, so that the right may be taken away.
    #[cold]
    pub(super) fn done(&self, memory: &Memory, block: Block) {
        if memory.done(block, self.index) {
            self.processor.accessed();
        }
    }
}

/// Charges for the access to one word, at the byte `place` of the address space.
fn account<T: Word>(accounting: &dyn Accounting, array: &Shared<T>, place: usize, right: Right) {
    accounting.access(array.memory().address(place), right.access());
}
