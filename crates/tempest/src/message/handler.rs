//! The handle of a running handler.
//!
//! [`Actions`] has the operations that a handler may do at any moment: resume, signal and charge, and in `sending`
//! the operations that name a message.
//! [`Handler`] adds the held key, and with it the access to keyed state. A handler must never block, and nothing here
//! can. This module must never know how a world runs handlers.

use std::ops::RangeInclusive;

use units::Time;

use super::parts::NodeParts;
use crate::data::clocked::Sealed;
use crate::data::word;
use crate::data::{Clocked, IntegerWord, Word};
use crate::memory::Lowering;
use crate::plain::Work;
use crate::plain::key::{DispatchKey, Proof};
use crate::processor::{Accounting, Processor};
use crate::{Access, Block, Event, Key, Keyed, Memory, NodeId, Primitive, Right, Segment, Tag, Waiter};

/// The actions that a handler may take at any moment, also while it borrows a table entry: everything except reaching
/// another entry.
pub struct Actions<'a> {
    pub(crate) node: &'a NodeParts,
    source: NodeId,
    pub(super) processor: &'a dyn Processor,
    pub(crate) accounting: Option<&'a dyn Accounting>,
    may_change: MayChange,
    /// The handler's lowering, if it has asked for one. Few handlers do, and a lowering is as large as a message.
    pub(super) lowering: Option<Box<Lowering>>,
}

/// The blocks whose rights an event may change under the key that it holds. It is worked out once, and smaller than the key.
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

    /// The node that sent the message.
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// The time since the run began, as a thread is told it ([`Thread::now`](crate::Thread::now)). It is for measuring.
    pub fn now(&self) -> Time {
        self.processor.now()
    }

    /// Resumes the thread of this node that took `waiter`. Returns false, and does nothing, if that wait is over already.
    ///
    /// # Panics
    /// If the node has no such thread.
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

    /// Adds to an event's count and resumes the threads that the new count satisfies.
    #[inline]
    pub fn signal(&mut self, event: &Event, amount: u64) {
        self.settle();
        self.processor.signal(event, amount);
    }

    /// Writes consecutive words into this node's part of a segment, from word `from` on. In a model each is a store through the cache
    /// of the processor that runs the handler.
    ///
    /// # Panics
    /// If the segment ends before the last of them.
    #[inline]
    pub fn write<T: Word>(&mut self, segment: &Segment<T>, from: usize, values: &[T]) {
        segment.cells().put(from, values);
        (from..from + values.len()).for_each(|at| self.touch_word(segment, at, Access::Store));
    }

    /// Reads a word of this node's part of a segment. In a model it is a load through the cache of the processor that
    /// runs the handler, and finds the earlier stores of other processors of the node.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn read<T: Word>(&mut self, segment: &Segment<T>, at: usize) -> T {
        let value = segment.cells().get(self, at);
        self.touch_word(segment, at, Access::Load);
        value
    }

    /// Puts a value into a word of this node's part of a segment, and returns the value that was there, in one atomic step that
    /// acquires and releases. In a model it is a store through the cache of the processor that runs the handler.
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

    /// Grants this node the right `tag` to a block. The block's words must be in this node's memory already.
    ///
    /// # Panics
    /// If the block's key is not held, or there is no such block.
    pub fn raise(&mut self, memory: &Memory, block: Block, tag: Tag) {
        self.expect_key_of(block..=block);
        self.expect_blocks(memory, &(block..=block));
        memory.set_tag(block, tag);
    }

    /// Reduces this node's right to a block to `tag` at once, if one processor runs all of the node and no thread has been granted
    /// an access that it has not done. The handler goes on. Returns false elsewhere, and changes nothing: the handler then has to
    /// [`lower`](Self::lower). A model always returns false.
    ///
    /// # Panics
    /// If the block's key is not held, or there is no such block.
    pub fn lower_at_once(&mut self, memory: &Memory, block: Block, tag: Tag) -> bool {
        self.expect_key_of(block..=block);
        self.expect_blocks(memory, &(block..=block));
        let lowered = self.processor.lower_at_once(memory, block, tag);
        if lowered && tag == Tag::Invalid {
            self.resume_watchers(memory, &(block..=block));
        }
        lowered
    }

    /// Resumes the threads that wait for any of the blocks to be taken away.
    pub(super) fn resume_watchers(&self, memory: &Memory, blocks: &RangeInclusive<Block>) {
        for waiter in memory.take_watchers(blocks) {
            self.processor.resume(waiter);
        }
    }

    /// Resumes the threads of this node that wait to access a block, if `right` is enough for their access. Each thread
    /// makes its access before the right can be taken away. Returns the number of threads.
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

    /// Accounts for work on a block: free natively, time in a model.
    #[inline]
    pub fn charge_block(&mut self, primitive: Primitive, block: Block) {
        self.charge(Work::Block(primitive, block));
    }

    /// Accounts for work done: free natively, time in a model.
    #[inline]
    pub fn charge(&mut self, work: impl Into<Work>) {
        if let Some(accounting) = self.accounting {
            accounting.charge(work.into());
        }
    }
}

/// A running handler: its [`Actions`] and its held key.
///
/// A handler can count on [`Handler::STACK_BYTES`] of stack, 128 KiB, in every world and wherever it runs: on an idle processor, or
/// on top of a thread that polls, finds no room for a message or faults, however deep that thread is.
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
    /// Bytes of stack that a handler can count on, in every world: 128 KiB.
    pub const STACK_BYTES: usize = 128 * 1024;

    /// Makes the handle of a handler on `node` for an event from `source`, running on `processor` under `proof`. In a model its
    /// work is charged to `accounting`.
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

    /// The lowering that the handler ended with, if any.
    #[inline]
    pub(crate) fn take_lowering(&mut self) -> Option<Box<Lowering>> {
        self.actions.lowering.take()
    }

    /// Whether the handler asked for a lowering.
    #[inline]
    pub(crate) fn lowers(&self) -> bool {
        self.actions.lowering.is_some()
    }

    /// The key held while this handler runs. A number comes with its [space](crate::message::Space), whichever
    /// protocol stated it.
    pub fn key(&self) -> Key {
        Key::from_resolved(self.proof.key())
    }

    /// Lends `f` the entry of `table` that the held key names. The closure may take all [`Actions`], but cannot reach
    /// another entry.
    ///
    /// # Panics
    /// If the key held has no entry in the table, or is of another protocol instance, or the table belongs to another node.
    #[inline]
    pub fn with<T, R>(&mut self, table: &Keyed<T>, f: impl FnOnce(&mut T, &mut Actions<'_>) -> R) -> R {
        if let Some(accounting) = self.actions.accounting
            && let Some((first, bytes)) = table.place(self.proof.key())
        {
            accounting.reach(first, bytes);
        }
        f(table.get(&mut self.proof), &mut self.actions)
    }

    /// Lends `f` any entry of `table`, by its number or by the index of its block. Only a handler that holds
    /// [`Key::Sequential`] may call this, because it runs alone on its node.
    ///
    /// # Panics
    /// If the key held is not sequential, or the table has no such entry or belongs to another node.
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
    /// Whether a table has an entry for the held key. Only a table of
    /// [`Setup::keyed_pages`](crate::Setup::keyed_pages) may have none.
    ///
    /// # Panics
    /// If the table belongs to another node.
    pub fn has_entry<T>(&self, table: &Keyed<T>) -> bool {
        table.has_entry(&self.proof)
    }

    /// Whether a table has entries for the blocks of a page. Only a handler that holds [`Key::Sequential`] may ask.
    ///
    /// # Panics
    /// If the key held is not sequential, there is no such page, or the table belongs to another node.
    pub fn has_page<T>(&self, table: &Keyed<T>, memory: &Memory, page: u32) -> bool {
        table.has_any(&self.proof, memory.layout().blocks_of(page).start.into())
    }

    /// Makes the entries of a page's blocks in a table of [`Setup::keyed_pages`](crate::Setup::keyed_pages), if they are not there.
    /// Only a handler that holds [`Key::Sequential`] may call this.
    ///
    /// # Panics
    /// If the key held is not sequential, there is no such page, or the table is of another kind or node.
    pub fn open_page<T>(&mut self, table: &Keyed<T>, memory: &Memory, page: u32) {
        table.set_open(&mut self.proof, memory.layout().blocks_of(page).start.into(), true);
    }

    /// Drops the entries of a page's blocks, if they are there; [`open_page`](Self::open_page) makes new ones.
    ///
    /// # Panics
    /// If the key held is not sequential, there is no such page, or the table is of another kind or node.
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
