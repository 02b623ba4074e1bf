//! What a program thread sees: straight-line blocking code.
//!
//! A thread is never preempted by another thread. It gives its processor away where it says so: when it waits,
//! when it polls, when a send finds no room.

use std::cell::Cell;

use pdq::Key;
use units::Time;

use crate::{
    Access, Event, Handler, MAX_WORDS, MemoryEvents, Message, Node, NodeId, Place, Processor, ThreadId, Wait,
    Waiter, Work,
};

/// A message that found no room, handed back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy<M>(pub M);

/// A program thread's handle on the world. It stays on its processor.
pub struct Thread<'a> {
    node: &'a Node,
    index: u32,
    processor: &'a dyn Processor,
    accounts: bool,
    poll_every: u32,
    until_poll: Cell<u32>,
    /// Inside the body of a hold, which must not give the processor away.
    holding: Cell<bool>,
}

impl<'a> Thread<'a> {
    /// For worlds: thread `index` of `node`, run by `processor`, that polls at every `poll_every`-th back-edge
    /// (0: never).
    pub fn new(node: &'a Node, index: u32, processor: &'a dyn Processor, poll_every: u32) -> Self {
        let accounts = processor.accounts();
        let (until_poll, holding) = (Cell::new(poll_every), Cell::new(false));
        Self { node, index, processor, accounts, poll_every, until_poll, holding }
    }

    /// The node the thread lives on.
    pub fn node(&self) -> NodeId {
        self.node.id()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.node.shape().nodes
    }

    /// This thread's index among the [`threads`](Self::threads) of its node.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// How many program threads each node has.
    pub fn threads(&self) -> u32 {
        self.node.shape().threads
    }

    /// Node and index.
    pub fn id(&self) -> ThreadId {
        ThreadId { node: self.node(), index: self.index }
    }

    /// Sends a message if there is room for it now.
    ///
    /// # Errors
    /// [`Busy`] hands the message back when there is none.
    ///
    /// # Panics
    /// If the message was not registered, is longer than a message may be, or the node does not exist.
    #[inline]
    pub fn try_send<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) -> Result<(), Busy<M>> {
        if self.processor.offer(to, &self.node.encode(to, &message, payload)) {
            Ok(())
        } else {
            Err(Busy(message))
        }
    }

    /// Sends a message, receiving while there is no room for it.
    ///
    /// # Panics
    /// As [`try_send`](Self::try_send).
    #[inline]
    pub fn send<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
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

    #[cold]
    fn block_on(&self, event: &Event, at_least: u64) {
        self.expect_no_hold("a wait");
        if event.enlist(at_least, self.processor.waiter()) {
            self.processor.block(Wait::Event { name: event.name(), at_least, had: event.count() });
        }
    }

    /// The right to resume this thread, once, from its next [`block`](Self::block). Leave it where a handler will find
    /// it, then block.
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
    pub fn signal(&self, event: &Event, amount: u64) {
        if self.accounts {
            self.processor.synchronize();
        }
        event.add(amount, |waiter| {
            self.processor.resume(waiter);
        });
    }

    /// A loop back-edge. What it costs and does is the policy's: mostly one decrement.
    #[inline]
    pub fn poll(&self) {
        let left = self.until_poll.get();
        if left > 1 {
            self.until_poll.set(left - 1);
        } else if left == 1 {
            self.until_poll.set(self.poll_every);
            self.expect_no_hold("a poll");
            self.processor.poll();
        }
    }

    /// Runs `f` here as an event of `key`: alone among the events of that key, after the older ones. The way to
    /// keyed state from a thread; free where handlers run only at this processor's polls.
    ///
    /// # Panics
    /// If `f` gives the processor away through this thread: polls, waits, sends without room, or holds again.
    pub fn hold<R>(&self, key: Key, f: impl FnOnce(&mut Handler<'_>) -> R) -> R {
        self.expect_no_hold("a hold");
        let mut f = Some(f);
        let mut result = None;
        self.processor.hold(key, &mut |proof| {
            let f = f.take().expect("a world runs the body of a hold once");
            self.holding.set(true);
            result = Some(f(&mut Handler::new(self.node, self.node(), proof, self.processor)));
            self.holding.set(false);
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

    /// Handlers of the key that is held could never run while this thread waits for them.
    fn expect_no_hold(&self, what: &str) {
        assert!(
            !self.holding.get(),
            "{what} inside a hold on {}: a hold must not give the processor away",
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
