//! Segments of other nodes as plain loads and stores, where their memory is mapped: natively within one process, in a
//! simulation never.
//!
//! A thread [maps](Thread::map) a node's part of a segment once, and then reads and writes its words through the
//! handle. No world intervenes: an access is one comparison and the load or store itself. The comparison checks the
//! bound and the [right](crate::Rights) at once, because a handle shows all words to a node that has the right and none
//! to a node that lacks it. A refused access panics at the caller and changes nothing.
//!
//! # Order of accesses
//!
//! [`put`](Mapped::put), [`get`](Mapped::get) and the copies are relaxed: each word arrives whole, but
//! another processor may see two of them in either order. [`fetch_add`](Mapped::fetch_add) and
//! [`compare_exchange`](Mapped::compare_exchange) acquire and release.
//!
//! - Words that a thread put *before* it sends a message, transfers, deposits, signals, ends a hold, enters a phase or
//!   changes a word atomically are visible to the receiver: to the message's handler, after the wait that the deposit's
//!   count or the signal ended, and to a thread whose own atomic operation reads the changed word.
//! - Hence a thread that gets words after receiving in one such way finds the words that were put before it.
//! - A thread sees its own accesses in order. Words of its own node are the same memory as
//!   [`Segment::cells`].
//!
//! # Counts
//!
//! Accesses through a handle are not counted. These are loads and stores of the thread, like accesses to its own
//! memory, and no messages, deposits or volume. Counting them would take longer than the accesses.
//!
//! A program that needs puts and gets in every world uses the split-phase protocol, which uses mapped memory if it is
//! asked to and the world maps memory. This module must never know how memory came to be mapped.

use std::sync::atomic::Ordering;

use super::segment::{Part, RemoteAccess, SegmentId, Segments, range};
use super::word;
use crate::data::{IntegerWord, Word};
use crate::{Cells, NodeId, Place};

/// A node's part of a segment, mapped into the address space of this process, so that a thread of another node loads
/// and stores its words directly. [`Thread::map`](crate::Thread::map) makes it.
pub struct Mapped<'a, T: Word> {
    /// The words that node `by` may read: all words of the part, or none.
    readable: &'a [T::Atomic],
    /// The words that node `by` may write: all words of the part, or none.
    writable: &'a [T::Atomic],
    /// The words that node `by` may change atomically: all words of the part, or none.
    changeable: &'a [T::Atomic],
    /// The node whose threads use this handle.
    by: NodeId,
    /// The node that owns the part.
    of: NodeId,
    /// The segments of the owning node.
    there: &'a Segments,
    segment: SegmentId,
}

impl<T: Word> Clone for Mapped<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Word> Copy for Mapped<'_, T> {}

impl<'a, T: Word> Mapped<'a, T> {
    /// Makes the handle through which node `by` accesses `segment` of node `of`, whose segments are `there`.
    ///
    /// # Panics
    /// If node `of` has no such segment, or the segment's words have another size than a `T`.
    pub(crate) fn new(by: NodeId, of: NodeId, there: &'a Segments, segment: SegmentId) -> Self {
        let part = there.part(segment);
        let part: &Part = part.unwrap_or_else(|| panic!("{of} has no segment {}", segment.0));
        let open = |access| part.open((by, of), access);
        Self {
            readable: open(RemoteAccess::Read),
            writable: open(RemoteAccess::Write),
            changeable: open(RemoteAccess::Change),
            by,
            of,
            there,
            segment,
        }
    }

    /// Reads the word at `offset`, counted in words from the beginning of the mapped part of the segment.
    ///
    /// # Panics
    /// If there is no such word, or this node has no right to read it.
    #[inline]
    pub fn get(&self, offset: usize) -> T {
        match self.readable.get(offset) {
            Some(word) => word::load(word),
            None => self.refuse(RemoteAccess::Read, offset, 1),
        }
    }

    /// Writes `value` to the word at `offset`, counted in words from the beginning of the mapped part of the segment.
    ///
    /// # Panics
    /// If there is no such word, or this node has no right to write it.
    #[inline]
    pub fn put(&self, offset: usize, value: T) {
        match self.writable.get(offset) {
            Some(word) => word::store(word, value),
            None => self.refuse(RemoteAccess::Write, offset, 1),
        }
    }

    /// Fills `values` with consecutive words of the mapped segment, from the word at `offset` on.
    ///
    /// # Panics
    /// If the segment has fewer words there, or this node has no right to read them.
    pub fn read(&self, offset: usize, values: &mut [T]) {
        bulk::load(
            self.stretch(self.readable, RemoteAccess::Read, offset, values.len()),
            word::values_mut(values),
        );
    }

    /// Copies `len` words of the mapped segment, from the word at `offset` on, into `cells` of this node, from cell
    /// `cell` on. There is no argument for a clock: a world that maps memory has no modelled clocks.
    ///
    /// # Panics
    /// If the segment or `cells` ends before the last of these words, or this node has no right to read them.
    pub fn read_into(&self, offset: usize, cells: &Cells<T>, cell: usize, len: usize) {
        bulk::copy(self.stretch(self.readable, RemoteAccess::Read, offset, len), cells.stretch(cell, len));
    }

    /// Writes `values` to consecutive words of the mapped segment, from the word at `offset` on.
    ///
    /// # Panics
    /// If the segment has fewer words there, or this node has no right to write them.
    pub fn write(&self, offset: usize, values: &[T]) {
        bulk::store(
            self.stretch(self.writable, RemoteAccess::Write, offset, values.len()),
            word::values(values),
        );
    }

    #[inline]
    fn stretch(
        &self,
        open: &'a [T::Atomic],
        access: RemoteAccess,
        offset: usize,
        len: usize,
    ) -> &'a [T::Atomic] {
        match range(offset, len).and_then(|range| open.get(range)) {
            Some(words) => words,
            None => self.refuse(access, offset, len),
        }
    }

    /// Panics with a text that names the access and the reason why it is refused. Takes the handle by value, so that
    /// the fast path need not keep the handle in memory.
    #[cold]
    #[inline(never)]
    fn refuse(self, access: RemoteAccess, offset: usize, words: usize) -> ! {
        let place = Place { segment: self.segment, offset: u32::try_from(offset).unwrap_or(u32::MAX) };
        panic!("{}", self.there.refuse((self.by, self.of), access, place, words))
    }
}

impl<T: IntegerWord> Mapped<'_, T> {
    /// Adds `amount` to the mapped word at `offset` atomically, wrapping on overflow, and returns the word's previous
    /// value.
    ///
    /// # Panics
    /// If there is no such word, or this node has no right to change it atomically.
    #[inline]
    pub fn fetch_add(&self, offset: usize, amount: T) -> T {
        word::add(self.changeable(offset), amount, Ordering::AcqRel)
    }

    /// Replaces the mapped word at `offset` by `new` atomically if it holds `current`. Returns its previous value,
    /// `current`.
    ///
    /// # Errors
    /// The word's value, if it is not `current`. The word is then unchanged.
    ///
    /// # Panics
    /// If there is no such word, or this node has no right to change it atomically.
    #[inline]
    pub fn compare_exchange(&self, offset: usize, current: T, new: T) -> Result<T, T> {
        word::exchange(self.changeable(offset), current, new)
    }

    #[inline]
    fn changeable(&self, offset: usize) -> &T::Atomic {
        match self.changeable.get(offset) {
            Some(word) => word,
            None => self.refuse(RemoteAccess::Change, offset, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use ::segment::MemorySource;
    use pdq::DispatcherId;

    use super::*;
    use crate::plain::Flow;
    use crate::run::job::Resident;
    use crate::world::Node;
    use crate::{FinalState, Job, Protocol, Report, Rights, Setup, Shape};

    /// A program with a segment of the 4 words 0 to 3. The configuration is the rights of other nodes to the segment.
    struct Four;

    impl Protocol for Four {
        type Config = Rights;
        fn install(rights: &Rights, setup: &mut Setup<'_>) -> Self {
            let segment = setup.segment_for(*rights, "four", 4, 0_u64);
            segment.cells().write(setup, 0, &[0, 1, 2, 3]);
            Self
        }
    }

    #[crate::handlers]
    impl Four {
        fn main(&self, _: &crate::Thread<'_>) {}
        fn report(&self, _: &mut FinalState<'_>) -> Report {
            Report::default()
        }
    }

    fn node(rights: Rights) -> Arc<Node> {
        let (shape, flow) = (Shape { nodes: 2, threads: 1 }, Flow { window: 1, acknowledge_every: None });
        let Resident { node, .. } = Job::new::<Four>(rights)
            .settle(NodeId(1), shape, flow, DispatcherId::fresh().id(), &MemorySource::Private, None)
            .expect("nothing is refused");
        node
    }

    fn mapped(node: &Node, by: u32) -> Mapped<'_, u64> {
        Mapped::new(NodeId(by), node.id(), node.segments(), SegmentId(0))
    }

    /// Makes an access that panics, and returns the text of the panic.
    fn refused<R>(access: impl FnOnce() -> R) -> String {
        let panic = catch_unwind(AssertUnwindSafe(|| drop(access()))).expect_err("the access is refused");
        panic.downcast_ref::<String>().expect("it says why").clone()
    }

    #[test]
    fn words_are_reached_one_by_one_together_and_in_one_step() {
        let node = node(Rights::ALL);
        let there = mapped(&node, 0);
        there.put(3, 30);
        there.write(1, &[10, 20]);
        assert_eq!((there.fetch_add(0, 5), there.compare_exchange(0, 5, 6)), (0, Ok(5)));
        assert_eq!(there.compare_exchange(0, 5, 7), Err(6));
        let (mut words, cells) = ([0; 3], Cells::new(3, 9));
        there.read(0, &mut words);
        there.read_into(2, &cells, 1, 2);
        assert_eq!((words, there.get(3)), ([6, 10, 20], 30));
        assert_eq!([0, 1, 2].map(|cell| cells.held(cell)), [9, 20, 30]);
    }

    #[test]
    fn what_is_not_there_is_refused_and_nothing_of_it_done() {
        let node = node(Rights::ALL);
        let there = mapped(&node, 0);
        let place = "segment 0 of node 1, which has 4";
        assert_eq!(refused(|| there.get(4)), format!("1 words for node 0 at offset 4 of {place}"));
        assert_eq!(refused(|| there.put(4, 1)), format!("1 words from node 0 at offset 4 of {place}"));
        assert_eq!(
            refused(|| there.fetch_add(9, 1)),
            format!("1 words changed by node 0 at offset 9 of {place}")
        );
        assert_eq!(
            refused(|| there.write(3, &[7, 8])),
            format!("2 words from node 0 at offset 3 of {place}")
        );
        assert!(refused(|| there.read(usize::MAX, &mut [0; 2])).contains("2 words for node 0"));
        assert_eq!(there.get(3), 3);
        let missing = || Mapped::<u64>::new(NodeId(0), node.id(), node.segments(), SegmentId(1));
        assert_eq!(refused(missing), "node 1 has no segment 1");
    }

    #[test]
    fn others_may_do_what_the_segment_is_for_and_its_own_node_anything() {
        let does = |rights, by| {
            let node = node(rights);
            let there = mapped(&node, by);
            let allows = |access: &dyn Fn()| catch_unwind(AssertUnwindSafe(access)).is_ok();
            [allows(&|| _ = there.get(0)), allows(&|| there.put(0, 1)), allows(&|| _ = there.fetch_add(0, 1))]
        };
        let others = [Rights::NOTHING, Rights::READ, Rights::WRITE, Rights::READ_WRITE, Rights::ALL];
        let expected = [
            [false, false, false],
            [true, false, false],
            [false, true, false],
            [true, true, false],
            [true, true, true],
        ];
        assert_eq!(others.map(|rights| does(rights, 0)), expected);
        assert_eq!(does(Rights::NOTHING, 1), [true; 3]);
        let node = node(Rights::WRITE);
        let says = "1 words for node 0 at offset 2 of segment 0 of node 1, which no other node may read";
        assert_eq!(refused(|| mapped(&node, 0).get(2)), says);
    }
}
