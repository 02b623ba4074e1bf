//! What a program thread sees: straight-line blocking code.
//!
//! A thread is never preempted by another thread. It gives its processor away where it says so: when it waits,
//! when it polls, when a send finds no room.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use units::Time;

use crate::key::Space;
use crate::{
    Access, Block, Event, Handler, Key, MAX_WORDS, Memory, MemoryEvents, Message, Node, NodeId, Place,
    Primitive, Processor, Right, Run, RunMut, Shared, Wait, Waiter, Word, Work,
};

/// A message that found no room, handed back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy<M>(pub M);

/// A program thread's handle on the world. It stays on its processor, and lies in one line of the cache.
#[repr(align(64))]
pub struct Thread<'a> {
    pub(crate) node: &'a Node,
    pub(crate) index: u32,
    pub(crate) processor: &'a dyn Processor,
    accounts: bool,
    poll_every: u32,
    until_poll: Cell<u32>,
    /// Inside the body of a hold or of a run, which must not give the processor away.
    holding: Cell<bool>,
}

/// As long as this lives its thread must not give the processor away. It ends however the body ends, and one inside another
/// leaves the outer one as it was.
struct Holding<'t, 'a> {
    thread: &'t Thread<'a>,
    /// Whether one was going on already.
    outer: bool,
    /// An access that was granted, and is done when this ends.
    granted: Option<(&'t Memory, Block)>,
}

impl<'t, 'a> Holding<'t, 'a> {
    fn begin(thread: &'t Thread<'a>, granted: Option<(&'t Memory, Block)>) -> Self {
        Self { thread, outer: thread.holding.replace(true), granted }
    }
}

impl Drop for Holding<'_, '_> {
    fn drop(&mut self) {
        self.thread.holding.set(self.outer);
        if let Some((memory, block)) = self.granted {
            self.thread.done(memory, block);
        }
    }
}

impl<'a> Thread<'a> {
    /// For worlds: thread `index` of `node`, run by `processor`, that polls at every `poll_every`-th back-edge
    /// (0: never).
    pub fn new(node: &'a Node, index: u32, processor: &'a dyn Processor, poll_every: u32) -> Self {
        let accounts = processor.accounts();
        let (until_poll, holding) = (Cell::new(poll_every), Cell::new(false));
        Self { node, index, processor, accounts, poll_every, until_poll, holding }
    }

    /// Sends a message if there is room for it now.
    ///
    /// # Errors
    /// [`Busy`] hands the message back when there is no room.
    ///
    /// # Panics
    /// If the message was not registered, or the node does not exist.
    #[inline]
    pub fn try_send<M: Message>(&self, to: NodeId, message: M) -> Result<(), Busy<M>> {
        self.try_send_with(to, message, &[])
    }

    /// Sends a message with a payload, the words that its handler is given as a slice, if there is room for it now.
    ///
    /// # Errors
    /// [`Busy`] hands the message back when there is no room.
    ///
    /// # Panics
    /// If the message was not registered, fields and payload together exceed [`MAX_WORDS`] (14) words, or the node does not
    /// exist.
    #[inline]
    pub fn try_send_with<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) -> Result<(), Busy<M>> {
        if self.processor.offer(to, &self.node.encode(to, &message, payload)) {
            Ok(())
        } else {
            Err(Busy(message))
        }
    }

    /// Sends a message, receiving while there is no room for it.
    ///
    /// # Panics
    /// If the message was not registered, or the node does not exist.
    #[inline]
    pub fn send<M: Message>(&self, to: NodeId, message: M) {
        self.send_with(to, message, &[]);
    }

    /// Sends a message with a payload, the words that its handler is given as a slice, receiving while there is no room for
    /// it.
    ///
    /// # Panics
    /// If the message was not registered, fields and payload together exceed [`MAX_WORDS`] (14) words, or the node does not
    /// exist.
    #[inline]
    pub fn send_with<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
        let packet = self.node.encode(to, &message, payload);
        self.insist(to, || self.processor.offer(to, &packet));
    }

    /// Moves a block of words to a [segment](crate::Segment) of another node, whatever its length, and has the message
    /// handled there when all of it is in place. Receives while there is no room. `data` has the bits of the segment's words
    /// ([`Word::to_bits`](crate::Word::to_bits)), 8 bytes each, and may be used again at once: a model does not charge for the
    /// copy that this may take.
    ///
    /// Until the handler runs the words at that place may be the old ones, the new ones or some of each: whoever
    /// transfers has agreed with the receiver that nobody reads them.
    ///
    /// # Panics
    /// As [`try_send`](Self::try_send). Data that does not fit there ends the run with an error.
    pub fn transfer<M: Message>(&self, to: NodeId, place: Place, data: &[u64], message: M) {
        let packet = self.node.encode(to, &message, &[]);
        self.insist(to, || self.processor.transfer(to, place, data, &packet));
    }

    /// As [`transfer`](Self::transfer), of words of a segment of the own node: a model knows where they are, and so which
    /// cache has them.
    ///
    /// # Panics
    /// As [`transfer`](Self::transfer), and if there are no such words.
    pub fn transfer_from<M: Message>(
        &self,
        source: Place,
        words: usize,
        to: NodeId,
        place: Place,
        message: M,
    ) {
        let data = self.node.read(source, words).unwrap_or_else(|bad| panic!("{bad}"));
        let packet = self.node.encode(to, &message, &[]);
        self.insist(to, || self.processor.transfer_from(source, to, place, &data, &packet));
    }

    /// Accounts for touching `words` words of a segment of the own node: free natively, time in a model.
    ///
    /// # Panics
    /// In a model, if there are no such words.
    #[inline]
    pub fn touch(&self, place: Place, words: usize, access: Access) {
        if self.accounts {
            self.processor.touch(place, words, access);
        }
    }

    /// Waits until all that was [flushed](Access::Flush) is in memory: free natively, time in a model.
    #[inline]
    pub fn drain(&self) {
        if self.accounts {
            self.processor.drain();
        }
    }

    /// Whether caches and interfaces keep each other up to date by themselves. Where not, a program flushes what it sends
    /// and purges what it receives into.
    pub fn is_coherent(&self) -> bool {
        self.processor.is_coherent()
    }

    /// What the memory system of the own node has counted, for measuring: all zero where nothing counts.
    pub fn memory_events(&self) -> MemoryEvents {
        self.processor.memory_events()
    }

    /// Puts a few words, at most [`MAX_WORDS`] (14) of 8 bytes, at a place of another node's [segment](crate::Segment), and
    /// counts them in that segment's [`deposited`](crate::Segment::deposited). No handler runs. Receives while there is no room.
    ///
    /// # Panics
    /// If there are more than [`MAX_WORDS`] of them, or the node does not exist. Words that do not fit there end the run
    /// with an error.
    #[inline]
    pub fn deposit(&self, to: NodeId, place: Place, words: &[u64]) {
        assert!(
            words.len() <= MAX_WORDS && to.0 < self.nodes(),
            "a deposit of {} words to {to}: at most {MAX_WORDS}, to one of {} nodes",
            words.len(),
            self.nodes(),
        );
        self.insist(to, || self.processor.deposit(to, place, words));
    }

    /// Tries until there was room towards `to`, receiving in between.
    #[inline]
    fn insist(&self, to: NodeId, went: impl Fn() -> bool) {
        while !went() {
            self.expect_no_hold("a send that finds no room");
            self.processor.make_room(to);
        }
    }

    /// Waits until the event has counted at least `at_least`, giving the processor to other threads and to
    /// handlers. What was signalled before happens before the return.
    #[inline]
    pub fn wait(&self, event: &Event, at_least: u64) {
        while event.count() < at_least {
            self.block_on(event, at_least);
        }
    }

    fn block_on(&self, event: &Event, at_least: u64) {
        self.expect_no_hold("a wait");
        self.processor.wait(event, at_least);
    }

    /// The right to resume this thread, once, from its next [`block`](Self::block). Leave it where a handler will find
    /// it, then block. Nothing that may wait stands between the two, an access to shared memory neither: its wait would be
    /// the one that is resumed.
    pub fn waiter(&self) -> Waiter {
        self.processor.waiter()
    }

    /// Blocks until the [`waiter`](Self::waiter) taken last is resumed; returns at once if that has happened already.
    /// `what` is what a deadlock report will say the thread waits for. What the resuming handler did happens before.
    pub fn block(&self, what: &'static str) {
        self.expect_no_hold("a block");
        self.processor.block(Wait::Resume { what });
    }

    /// Adds to an event's count and resumes the threads this satisfies.
    #[inline]
    pub fn signal(&self, event: &Event, amount: u64) {
        if self.accounts {
            self.processor.synchronize();
        }
        self.processor.signal(event, amount);
    }

    /// A loop back-edge. What it costs and does is the policy's: mostly one decrement.
    #[inline]
    pub fn poll(&self) {
        let left = self.until_poll.get();
        if left > 1 {
            self.until_poll.set(left - 1);
        } else if left == 1 {
            self.expect_no_hold("a poll");
            self.processor.poll();
            self.until_poll.set(self.processor.next_poll(self.poll_every));
        }
    }

    /// Runs `f` here as an event of `key`: alone among the events of that key, after the older ones. The way to
    /// keyed state from a thread; free where handlers run only at this processor's polls.
    ///
    /// A [`Key::User`] is a number of the program. A protocol that holds for its callers states numbers of its own space:
    /// [`Keyed::key`](crate::Keyed::key), [`Space::key`].
    ///
    /// # Panics
    /// If `f` gives the processor away through this thread: polls, waits, sends without room, faults, or holds again. And if it
    /// takes a right away, which would outlast it.
    pub fn hold<R>(&self, key: Key, f: impl FnOnce(&mut Handler<'_>) -> R) -> R {
        self.expect_no_hold("a hold");
        let mut f = Some(f);
        let mut result = None;
        self.processor.hold(key.resolve(Space::PROGRAM), &mut |proof| {
            let f = f.take().expect("a world runs the body of a hold once");
            let _holding = Holding::begin(self, None);
            let mut cx = Handler::new(self.node, self.node(), proof, self.processor);
            result = Some(f(&mut cx));
            assert!(cx.take_lowering().is_none(), "a right is taken away inside a hold: handlers alone may");
        });
        result.expect("a world runs the body of a hold")
    }

    /// Enters a timed region. Every thread of every node enters the same regions in the same order; the call
    /// returns when all have come. It is a measuring device, outside the program's own messages and costs.
    pub fn phase(&self, name: &'static str) {
        self.expect_no_hold("a phase");
        self.processor.enter_phase(name);
    }

    /// The time since the run began: modelled on a modelled machine, else this host's, one clock for all nodes. For
    /// measuring; a program whose answer depends on it gives another one every time.
    pub fn now(&self) -> Time {
        self.processor.now()
    }

    /// Loads an element of shared memory. Where the node has no right to its block, the thread gives its processor away until
    /// the protocol has brought it.
    ///
    /// A thread that does nothing but load, and never polls, may keep its node's rights from being taken away: to wait for what
    /// another node stores is what [`wait_for`](Self::wait_for) is for.
    ///
    /// # Panics
    /// If there is no such element, or the array has been freed.
    #[inline]
    pub fn read<T: Word>(&self, array: &Shared<T>, index: usize) -> T {
        let word = array.word(index);
        self.access(array, word, Right::Read, |cell| T::from_bits(cell.load(Ordering::Relaxed)))
    }

    /// Stores an element of shared memory, as [`read`](Self::read) loads one.
    ///
    /// # Panics
    /// As [`read`](Self::read).
    #[inline]
    pub fn write<T: Word>(&self, array: &Shared<T>, index: usize, value: T) {
        let word = array.word(index);
        self.access(array, word, Right::Write, |cell| cell.store(value.to_bits(), Ordering::Relaxed));
    }

    /// Adds to an element of shared memory in one step, wrapping; returns what it held before.
    ///
    /// # Panics
    /// As [`read`](Self::read).
    #[inline]
    pub fn fetch_add(&self, array: &Shared<u64>, index: usize, amount: u64) -> u64 {
        let word = array.word(index);
        self.access(array, word, Right::Write, |cell| cell.fetch_add(amount, Ordering::AcqRel))
    }

    /// Replaces an element of shared memory by `new` in one step if it is `current`; returns what it held before, as an error
    /// if that was something else.
    ///
    /// # Errors
    /// What the element holds, if it is not `current`.
    ///
    /// # Panics
    /// As [`read`](Self::read).
    #[inline]
    pub fn compare_exchange(
        &self,
        array: &Shared<u64>,
        index: usize,
        current: u64,
        new: u64,
    ) -> Result<u64, u64> {
        let word = array.word(index);
        self.access(array, word, Right::Write, |cell| {
            cell.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire)
        })
    }

    /// Waits until another node has stored a value in an element of shared memory that `is` what is waited for, and returns
    /// it. Nobody polls: the thread gives its processor away, reads again when this node's copy of the block is taken away,
    /// and so costs the others one transfer for each change of the block.
    ///
    /// Stores of this node's own threads are not noticed while the block stays here: those signal an [`Event`].
    ///
    /// # Panics
    /// As [`read`](Self::read).
    pub fn wait_for<T: Word>(&self, array: &Shared<T>, index: usize, is: impl Fn(T) -> bool) -> T {
        loop {
            let value = self.read(array, index);
            if is(value) {
                return value;
            }
            self.watch(array, index, &is);
        }
    }

    /// Blocks until the block may have changed, unless it has since it was read.
    fn watch<T: Word>(&self, array: &Shared<T>, index: usize, is: &dyn Fn(T) -> bool) {
        let (word, block) = (array.word(index), array.block(index));
        let waiter = self.processor.waiter();
        let waits = self.hold(block.key(), |_| {
            let unchanged = array.allows(word, Right::Read)
                && !is(T::from_bits(array.cell(word).load(Ordering::Relaxed)));
            if unchanged {
                array.memory().watch(block, waiter);
            }
            unchanged
        });
        if waits {
            self.processor.block(Wait::Resume { what: "a word of shared memory to change" });
        }
    }

    /// Loads elements of shared memory in runs whose tags are tested before: in a model the elements of one block, natively of
    /// as many blocks as the node has a right to, up to 512 elements. `each` gets the index of a run's first element, and the
    /// run. It must not give the processor away.
    ///
    /// # Panics
    /// As [`read`](Self::read), and if `each` waits, polls or faults.
    #[inline]
    pub fn read_runs<T: Word>(
        &self,
        array: &Shared<T>,
        range: Range<usize>,
        mut each: impl FnMut(usize, Run<'_, T>),
    ) {
        self.runs(array, range, Right::Read, |run| each(run.start, array.cells(&run)));
    }

    /// As [`read_runs`](Self::read_runs), with the right to store.
    ///
    /// # Panics
    /// As [`read_runs`](Self::read_runs).
    #[inline]
    pub fn write_runs<T: Word>(
        &self,
        array: &Shared<T>,
        range: Range<usize>,
        mut each: impl FnMut(usize, RunMut<'_, T>),
    ) {
        self.runs(array, range, Right::Write, |run| each(run.start, RunMut(array.cells(&run))));
    }

    #[inline]
    fn runs<T: Word>(
        &self,
        array: &Shared<T>,
        range: Range<usize>,
        right: Right,
        mut each: impl FnMut(Range<usize>),
    ) {
        let mut from = range.start;
        while from < range.end {
            let block = array.run(from, range.end);
            let word = array.word(from);
            if self.accounts {
                self.processor.approach();
            }
            let faulted = self.test(array, word, right);
            let run = if self.accounts { block } else { array.extended(block, range.end, right) };
            from = run.end;
            let granted = faulted.then(|| (&**array.memory(), array.block_of(word)));
            let holding = Holding::begin(self, granted);
            each(run.clone());
            drop(holding);
            if self.accounts {
                run.for_each(|index| self.account(array, array.word(index), right));
            }
        }
    }

    /// The test of a tag and the access behind it, which nothing comes between.
    #[inline]
    fn access<T: Word, R>(
        &self,
        array: &Shared<T>,
        word: usize,
        right: Right,
        access: impl FnOnce(&AtomicU64) -> R,
    ) -> R {
        if self.accounts {
            return self.access_and_account(array, word, right, access);
        }
        self.test_and_access(array, word, right, access)
    }

    #[inline]
    fn test_and_access<T: Word, R>(
        &self,
        array: &Shared<T>,
        word: usize,
        right: Right,
        access: impl FnOnce(&AtomicU64) -> R,
    ) -> R {
        let faulted = self.test(array, word, right);
        let result = access(array.cell(word));
        if faulted {
            self.done(array.memory(), array.block_of(word));
        }
        result
    }

    /// Apart from the other, which is to be short.
    #[inline(never)]
    fn access_and_account<T: Word, R>(
        &self,
        array: &Shared<T>,
        word: usize,
        right: Right,
        access: impl FnOnce(&AtomicU64) -> R,
    ) -> R {
        self.processor.approach();
        let result = self.test_and_access(array, word, right, access);
        self.account(array, word, right);
        result
    }

    /// Sees to it that the node has the right; whether it had to fault for that. The access comes next.
    #[inline]
    fn test<T: Word>(&self, array: &Shared<T>, word: usize, right: Right) -> bool {
        let faults = !array.allows(word, right);
        if faults {
            self.fault(array, word, right);
        }
        faults
    }

    /// Waits until the node has the right, which nobody takes away before the access is [`done`](Self::done).
    #[cold]
    fn fault<T: Word>(&self, array: &Shared<T>, word: usize, right: Right) {
        self.expect_no_hold("an access to shared memory that faults");
        let (memory, block) = (array.memory(), array.block_of(word));
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
            if array.allows(word, right) {
                return;
            }
            // The protocol served it and gave no right, as to what has been given back: once more.
            self.done(memory, block);
        }
    }

    /// The access that faulted has been done.
    #[cold]
    fn done(&self, memory: &Memory, block: Block) {
        if memory.done(block, self.index) {
            self.processor.accessed();
        }
    }

    /// Accounts for one word that was loaded or stored.
    fn account<T: Word>(&self, array: &Shared<T>, word: usize, right: Right) {
        let access = match right {
            Right::Read => Access::Load,
            Right::Write => Access::Store,
        };
        self.processor.access(array.memory().address(word), access);
    }

    /// Handlers of the key that is held could never run while this thread waits for them.
    #[inline]
    fn expect_no_hold(&self, what: &str) {
        if self.holding.get() {
            self.refuse_in_hold(what);
        }
    }

    #[cold]
    fn refuse_in_hold(&self, what: &str) -> ! {
        panic!(
            "{what} inside a hold on {}: neither a hold nor a run of shared memory may give the processor away",
            self.id()
        );
    }

    /// Accounts for work done: free natively, time in a model.
    #[inline]
    pub fn charge(&self, work: impl Into<Work>) {
        if self.accounts {
            self.processor.charge(work.into());
        }
    }
}
