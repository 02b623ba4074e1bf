//! The handle of a running handler.
//!
//! [`Actions`] has the operations that a handler may perform at any moment: resume, signal and charge, and in `sending`
//! the operations that name a message. [`Handler`] adds the held key, and with it the access to keyed state. A handler
//! must never block, and no operation here can block. This module must never know how a world runs handlers.

use std::ops::RangeInclusive;

use units::Time;

use super::parts::NodeParts;
use crate::data::clocked::Sealed;
use crate::data::word;
use crate::data::{Clocked, IntegerWord, Word};
use crate::memory::Downgrade;
use crate::plain::Work;
use crate::plain::key::{DispatchKey, Proof};
use crate::processor::{Accounting, Processor};
use crate::{Access, Block, Event, Key, Keyed, Memory, NodeId, Primitive, Right, Segment, Tag, Waiter};

/// The operations that a handler may perform at any moment, even while it borrows a table entry: all but reaching
/// another entry.
pub struct Actions<'a> {
    pub(crate) node: &'a NodeParts,
    source: NodeId,
    pub(super) processor: &'a dyn Processor,
    pub(crate) accounting: Option<&'a dyn Accounting>,
    may_change: MayChange,
    /// The reduction of a right that the handler has asked for. It is boxed, because few handlers ask for a reduction,
    /// and a reduction is as large as a message.
    pub(super) lowering: Option<Box<Downgrade>>,
}

/// The blocks of shared memory whose rights an event may change under the key that it holds. It is derived from the key
/// once, and is smaller than the key.
#[derive(Clone, Copy, Debug)]
enum MayChange {
    None,
    Only(Block),
    All,
}

impl MayChange {
    #[inline]
    fn under(key: DispatchKey) -> Self {
        match key {
            DispatchKey::User(name) => name.block().map_or(Self::None, Self::Only),
            DispatchKey::Sequential => Self::All,
            DispatchKey::NoSync => Self::None,
        }
    }
}

impl Clocked for Actions<'_> {}

impl Sealed for Actions<'_> {
    #[inline]
    fn settle(&self) {
        if let Some(accounting) = self.accounting {
            accounting.synchronize();
        }
    }
}

impl Actions<'_> {
    /// The node that the handler runs on.
    pub fn node(&self) -> NodeId {
        self.node.id()
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.node.shape().nodes
    }

    /// The node that sent the message whose handler runs; this node in a [hold](crate::Thread::hold).
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// The time since the run began, on one clock for all nodes; see [`Thread::now`](crate::Thread::now).
    pub fn now(&self) -> Time {
        self.processor.now()
    }

    /// Resumes the thread of this node that made `waiter`. Returns false, and does nothing, if the thread's wait is
    /// over already.
    ///
    /// # Panics
    /// If the node has no thread with the index in `waiter`.
    #[inline]
    pub fn resume(&mut self, waiter: Waiter) -> bool {
        let threads = self.node.shape().threads;
        assert!(
            waiter.thread < threads,
            "a waiter of thread {} on {}, which has {threads} threads",
            waiter.thread,
            self.node.id()
        );
        self.processor.resume(waiter)
    }

    /// Adds `amount` to an event's count and resumes the threads whose awaited count it reaches.
    #[inline]
    pub fn signal(&mut self, event: &Event, amount: u64) {
        self.settle();
        self.processor.signal(event, amount);
    }

    /// Writes `values` to consecutive words of this node's part of a segment, from word `from` on. In a simulation each
    /// write is a store through the cache of the processor that runs the handler.
    ///
    /// # Panics
    /// If the part ends before the last of these words.
    #[inline]
    pub fn write<T: Word>(&mut self, segment: &Segment<T>, from: usize, values: &[T]) {
        segment.cells().put(from, values);
        (from..from + values.len()).for_each(|at| self.touch_word(segment, at, Access::Store));
    }

    /// Reads word `at` of this node's part of a segment. In a simulation this is a load through the cache of the
    /// processor that runs the handler. The load finds the earlier stores of other processors of the node.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn read<T: Word>(&mut self, segment: &Segment<T>, at: usize) -> T {
        let value = segment.cells().get(self, at);
        self.touch_word(segment, at, Access::Load);
        value
    }

    /// Stores `value` in word `at` of this node's part of a segment and returns the word's previous value: one atomic
    /// exchange with acquire and release order. In a simulation this is a store through the cache of the processor that
    /// runs the handler.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn swap<T: IntegerWord>(&mut self, segment: &Segment<T>, at: usize, value: T) -> T {
        let previous = segment.cells().swap(self, at, value);
        self.touch_word(segment, at, Access::Store);
        previous
    }

    fn touch_word<T: Word>(&self, segment: &Segment<T>, at: usize, access: Access) {
        if let Some(accounting) = self.accounting {
            accounting.touch_one(word::address::<T>(segment.first(), at), access);
        }
    }

    /// Raises this node's right to a block of shared memory to `tag`. The block's words must be in this node's memory
    /// already.
    ///
    /// # Panics
    /// If the handler does not hold the block's key, or there is no such block.
    pub fn raise(&mut self, memory: &Memory, block: Block, tag: Tag) {
        self.expect_key_of(block..=block);
        self.expect_blocks(memory, &(block..=block));
        memory.set_tag(block, tag);
    }

    /// Reduces this node's right to a block to `tag` at once, if one processor runs all threads and handlers of the
    /// node, and every granted access to the block is done. Otherwise returns false and changes nothing; the handler
    /// then has to call [`lower`](Self::lower). In a simulation this always returns false.
    ///
    /// # Panics
    /// If the handler does not hold the block's key, or there is no such block.
    pub fn lower_at_once(&mut self, memory: &Memory, block: Block, tag: Tag) -> bool {
        self.expect_key_of(block..=block);
        self.expect_blocks(memory, &(block..=block));
        let lowered = self.processor.lower_at_once(memory, block, tag);
        if lowered && tag == Tag::Invalid {
            self.resume_watchers(memory, &(block..=block));
        }
        lowered
    }

    /// Resumes the threads that wait until this node loses its right to any of `blocks`.
    pub(super) fn resume_watchers(&self, memory: &Memory, blocks: &RangeInclusive<Block>) {
        for waiter in memory.take_watchers(blocks) {
            self.processor.resume(waiter);
        }
    }

    /// Resumes the threads of this node that wait to access a block of shared memory, if `right` is enough for their
    /// access. Each thread makes its access before the right can be taken away. Returns the number of resumed threads.
    pub fn resume_block(&mut self, memory: &Memory, block: Block, right: Right) -> usize {
        let mut resumed = 0;
        while let Some(waiter) = memory.serve(block, right) {
            let waited = self.processor.resume(waiter);
            debug_assert!(waited, "who waits for a block waits for nothing else");
            resumed += 1;
        }
        resumed
    }

    pub(super) fn expect_blocks(&self, memory: &Memory, blocks: &RangeInclusive<Block>) {
        let (first, last, all) = (*blocks.start(), *blocks.end(), memory.layout().blocks());
        assert!(
            first <= last && last.0 < all,
            "rights to {first}..={last} of a space of {all} blocks: expected one or more of them, in order"
        );
    }

    pub(super) fn expect_key_of(&self, blocks: RangeInclusive<Block>) {
        let (first, last) = (*blocks.start(), *blocks.end());
        let held = match self.may_change {
            MayChange::All => true,
            MayChange::Only(block) => first == block && last == block,
            MayChange::None => false,
        };
        assert!(held, "rights to {first}..={last} are changed under a key that gives {:?}", self.may_change);
    }

    /// Charges this processor for one step `primitive` of a protocol on a block: time in a simulation, free natively.
    #[inline]
    pub fn charge_block(&mut self, primitive: Primitive, block: Block) {
        self.charge(Work::Block(primitive, block));
    }

    /// Charges this processor for work of the handler: time in a simulation, free natively.
    #[inline]
    pub fn charge(&mut self, work: impl Into<Work>) {
        if let Some(accounting) = self.accounting {
            accounting.charge(work.into());
        }
    }
}

/// The handle of a running handler: its [`Actions`], and the key that it holds.
///
/// A handler has at least [`Handler::STACK_BYTES`] of stack, 128 KiB, in every world. This holds even where it runs on
/// the processor of a thread that polls, faults or finds no room for a message with its own stack nearly full.
pub struct Handler<'a> {
    actions: Actions<'a>,
    proof: Proof<'a>,
}

impl Clocked for Handler<'_> {}

impl Sealed for Handler<'_> {
    #[inline]
    fn settle(&self) {
        self.actions.settle();
    }
}

impl<'a> Handler<'a> {
    /// Least number of bytes of stack of a handler, in every world: 128 KiB.
    pub const STACK_BYTES: usize = 128 * 1024;

    /// Makes the handle of a handler on `node` for an event from `source`, running on `processor` while it holds the
    /// key of `proof`. A simulator charges the handler's work to `accounting`.
    #[inline]
    pub(crate) fn new(
        node: &'a NodeParts,
        source: NodeId,
        proof: Proof<'a>,
        processor: &'a dyn Processor,
        accounting: Option<&'a dyn Accounting>,
    ) -> Self {
        let may_change = MayChange::under(proof.key());
        Self { actions: Actions { node, source, processor, accounting, may_change, lowering: None }, proof }
    }

    /// Takes the reduction of a right with which the handler ended; `None` if it reduced none.
    #[inline]
    pub(crate) fn take_lowering(&mut self) -> Option<Box<Downgrade>> {
        self.actions.lowering.take()
    }

    /// Whether the handler has asked for the reduction of a right.
    #[inline]
    pub(crate) fn lowers(&self) -> bool {
        self.actions.lowering.is_some()
    }

    /// The key that this handler holds while it runs. A number comes with its [key space](crate::message::Space), even
    /// if the message stated only the number.
    pub fn key(&self) -> Key {
        Key::from_resolved(self.proof.key())
    }

    /// Lends `f` the entry of `table` whose key this handler holds. `f` may use all [`Actions`], but cannot reach
    /// another entry.
    ///
    /// # Panics
    /// If the held key has no entry in the table or belongs to another protocol instance, or the table belongs to
    /// another node.
    #[inline]
    pub fn with<T, R>(&mut self, table: &Keyed<T>, f: impl FnOnce(&mut T, &mut Actions<'_>) -> R) -> R {
        if let Some(accounting) = self.actions.accounting
            && let Some((first, bytes)) = table.place(self.proof.key())
        {
            accounting.reach(first, bytes);
        }
        f(table.get(&mut self.proof), &mut self.actions)
    }

    /// Lends `f` the entry `number` of `table`; in a table of blocks of shared memory, the entry of block `number`.
    /// Only a handler that holds [`Key::Sequential`], and so runs alone on its node, may call this.
    ///
    /// # Panics
    /// If the held key is not sequential, or the table has no such entry or belongs to another node.
    pub fn with_any<T, R>(
        &mut self,
        table: &Keyed<T>,
        number: u64,
        f: impl FnOnce(&mut T, &mut Actions<'_>) -> R,
    ) -> R {
        if let Some(accounting) = self.actions.accounting {
            let (first, bytes) = table.place_of(number);
            accounting.reach(first, bytes);
        }
        f(table.get_any(&mut self.proof, number), &mut self.actions)
    }
}

impl Handler<'_> {
    /// Whether `table` has an entry for the key that this handler holds. Only a table made by
    /// [`Setup::keyed_pages`](crate::Setup::keyed_pages) may have none.
    ///
    /// # Panics
    /// If the table belongs to another node.
    pub fn has_entry<T>(&self, table: &Keyed<T>) -> bool {
        table.has_entry(&self.proof)
    }

    /// Whether `table` has entries for the blocks of `page`. Only a handler that holds [`Key::Sequential`] may ask.
    ///
    /// # Panics
    /// If the held key is not sequential, there is no such page, or the table belongs to another node.
    pub fn has_page<T>(&self, table: &Keyed<T>, memory: &Memory, page: u32) -> bool {
        table.has_any(&self.proof, memory.layout().blocks_of(page).start.into())
    }

    /// Makes the entries for the blocks of `page` in a table made by [`Setup::keyed_pages`](crate::Setup::keyed_pages),
    /// if it does not have them yet. Only a handler that holds [`Key::Sequential`] may call this.
    ///
    /// # Panics
    /// If the held key is not sequential, there is no such page, or the table is of another kind or node.
    pub fn open_page<T>(&mut self, table: &Keyed<T>, memory: &Memory, page: u32) {
        table.set_open(&mut self.proof, memory.layout().blocks_of(page).start.into(), true);
    }

    /// Drops the entries for the blocks of `page`, if the table has them; [`open_page`](Self::open_page) makes new
    /// ones. Only a handler that holds [`Key::Sequential`] may call this.
    ///
    /// # Panics
    /// If the held key is not sequential, there is no such page, or the table is of another kind or node.
    pub fn close_page<T>(&mut self, table: &Keyed<T>, memory: &Memory, page: u32) {
        table.set_open(&mut self.proof, memory.layout().blocks_of(page).start.into(), false);
    }
}

impl<'a> std::ops::Deref for Handler<'a> {
    type Target = Actions<'a>;
    fn deref(&self) -> &Actions<'a> {
        &self.actions
    }
}

impl std::ops::DerefMut for Handler<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.actions
    }
}
