//! The handle of a program thread: straight-line code that may block.
//!
//! A thread is never preempted by another thread. It gives its processor away at known places: where it
//! waits, where it polls, where a send finds no room. This module must never know how a world runs threads.

use std::borrow::Cow;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::panicking;

use units::Time;

use crate::data::clocked::Sealed;
use crate::data::{Clocked, Data, Target, Word};
use crate::message::parts::NodeParts;
use crate::plain::access::Touch;
use crate::plain::key::{Proof, Space};
use crate::plain::names::lasting;
use crate::plain::{MemoryEvents, Work};
use crate::processor::{Accounting, PollInterval, Processor, Wait};
use crate::{
    Access, Block, Element, Event, Handler, Key, MAX_WORDS, Mapped, Memory, Message, NodeId, Place, Private,
    Segment, Waiter,
};

/// The error of a send that found no room. It hands the message back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy<M>(pub M);

/// Number of back-edges that a thread passes before it tells its world of them, in a world whose work takes real
/// time, where its policy polls at none. It is chosen, large beside the price of a look.
const REAL_PASSES: u32 = 1 << 14;

/// The turns of a stretch that count as one back-edge where the processor chooses the polling interval. A turn of the shortest loops
/// takes a sixteenth of the time of a poll that does not look.
const TURNS: u32 = 16;

/// A program thread's handle on the world. It stays on its processor, and fits one cache line.
///
/// # Stack
///
/// A thread has a stack of [`Thread::STACK_BYTES`], 256 KiB, in every world. A handler that runs meanwhile takes
/// nothing of it that the thread needs, and has [`Handler::STACK_BYTES`] itself. A stack overflow ends the process;
/// before that a line on the standard error names the node and the thread, or the handler. So large values live on
/// the heap (`Vec`, `Box`), and a recursion whose depth grows with the input becomes a loop with a list.
///
/// # Panics and destructors
///
/// A panic that leaves a thread ends the run with its words. So does the panic of a handler or of the body of a
/// [hold](Thread::hold), whatever the thread around it catches. A thread that waits at the end of its run is unwound:
/// its destructors run, and so does the code after a `catch_unwind`, up to its next call that waits or looks for
/// messages.
///
/// A destructor may use the world while its thread is unwound, but the thread gives its processor away no more:
///
/// - In a run that is over, sends, signals, waits, polls and phases have no effect, and an access to shared memory finds any value.
/// - In a run that goes on, because the thread itself panics, a call that would give the processor away ends the run:
///   a wait, a phase, a poll or an access that faults, and in a model also a send without room and a hold of a key
///   that is not free. It then returns at once. If the panic leaves the thread, the run fails with the panic's words.
///
/// A destructor that must not end the run of a thread that catches its panics asks `std::thread::panicking` first.
///
/// # Thread-locals
///
/// Threads of one processor, and in a model all threads, run on one operating system thread and share its
/// thread-locals (`thread_local!`). That is harmless for values that are read and written between two calls. Across a
/// call that may give the processor away (a wait, a poll, a send, an access to shared memory) a program must hold
/// nothing that a thread-local leads to:
///
/// - no scoped thread-local may be set, such as those of the crate `scoped-tls`, of tracing subscribers and of
///   runtimes that are *entered*. Threads go on in another order than calls return, so it would be set back to a
///   value that is gone.
/// - nothing inside `LocalKey::with` may be lent to another operating system thread (`std::thread::scope`) by a thread that, when its
///   run is over, catches its own unwinding again and again. Such a thread is left where it is, and the thread-local is destroyed.
///
/// **The compiler sees neither, and both reach memory that is gone from safe code.** A borrow of a `RefCell` in a thread-local is
/// only a nuisance: it lasts until the thread goes on, and other threads of the processor find it borrowed.
#[repr(align(64))]
pub struct Thread<'a> {
    pub(crate) node: &'a NodeParts,
    pub(crate) index: u32,
    pub(crate) processor: &'a dyn Processor,
    pub(crate) accounting: Option<&'a dyn Accounting>,
    interval: PollInterval,
    until_poll: Cell<u32>,
    /// Whether the thread is in the body of a hold or of a run, which must not give the processor away.
    holding: Cell<bool>,
}

const _: () = assert!(size_of::<Thread<'_>>() == 64, "a thread's handle fits one cache line");

/// Marks its thread as holding: while this value lives, the thread must not give its processor away. Dropping
/// it restores the mark that was there before, also when the body panics.
pub(super) struct Holding<'t, 'a> {
    thread: &'t Thread<'a>,
    /// Whether the thread was holding before.
    outer: bool,
    /// A granted access that is done when this value is dropped.
    granted: Option<(&'t Memory, Block)>,
}

impl<'t, 'a> Holding<'t, 'a> {
    pub(super) fn begin(thread: &'t Thread<'a>, granted: Option<(&'t Memory, Block)>) -> Self {
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

impl Clocked for Thread<'_> {}

impl Sealed for Thread<'_> {
    #[inline]
    fn settle(&self) {
        if let Some(accounting) = self.accounting {
            accounting.synchronize();
        }
    }
}

impl<'a> Thread<'a> {
    /// Bytes of a thread's stack, in every world: 256 KiB.
    pub const STACK_BYTES: usize = 256 * 1024;

    /// Makes the handle of thread `index` of `node`, run by `processor`. In a model its work is charged to `accounting`.
    pub(crate) fn new(
        node: &'a NodeParts,
        index: u32,
        processor: &'a dyn Processor,
        accounting: Option<&'a dyn Accounting>,
        interval: PollInterval,
    ) -> Self {
        let until_poll = Cell::new(match interval {
            PollInterval::Never if accounting.is_none() => REAL_PASSES,
            PollInterval::Every(count) => count.get(),
            PollInterval::Never | PollInterval::Paced => 1,
        });
        let holding = Cell::new(false);
        Self { node, index, processor, accounting, interval, until_poll, holding }
    }

    /// Sends a message if there is room for it now.
    ///
    /// # Errors
    /// [`Busy`] hands the message back when there is no room. Before that the thread has received once, as a
    /// [`send`](Self::send) does while it waits: handlers may have run, and other threads of the processor. So a thread that
    /// tries again and again gets on, also if it does nothing in between. In a [hold](Self::hold) nothing is received.
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
    /// [`Busy`] hands the message back when there is no room. Before that the thread has received once, as a
    /// [`send`](Self::send) does while it waits: handlers may have run, and other threads of the processor. So a thread that
    /// tries again and again gets on, also if it does nothing in between. In a [hold](Self::hold) nothing is received.
    ///
    /// # Panics
    /// If the message was not registered, fields and payload together exceed [`MAX_WORDS`] (14) words, or the node does not
    /// exist.
    #[inline]
    pub fn try_send_with<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) -> Result<(), Busy<M>> {
        if self.processor.offer(to, &self.node.encode(to, &message, payload)) {
            Ok(())
        } else {
            self.receive_instead(to);
            Err(Busy(message))
        }
    }

    /// Receives once, because there is no room towards `to`. Does nothing where the thread may not give its processor away: in a
    /// hold, and while a panic unwinds it.
    #[cold]
    fn receive_instead(&self, to: NodeId) {
        if !self.holding.get() && !panicking() {
            self.processor.make_room(to);
        }
    }

    /// Sends a message. While there is no room for it, the thread receives messages and runs their handlers.
    ///
    /// Messages of the node's handlers have their room first, so that handlers never wait. Threads share the rest, which is little while
    /// handlers send without end. Natively, on two cores, with rings of 16 messages and 40 for each node that handlers pass on and on, 15
    /// (`fixed:2+interrupt`) to 700 (`floating+helper`) such messages came before each send of a thread. In a model whose
    /// nodes have one processor for both, handlers may take all of the room: the send then waits until they stop.
    ///
    /// # Panics
    /// If the message was not registered, or the node does not exist.
    #[inline]
    pub fn send<M: Message>(&self, to: NodeId, message: M) {
        self.send_with(to, message, &[]);
    }

    /// Sends a message with a payload, the words that its handler is given as a slice. While there is no room for it, the
    /// thread receives messages and runs their handlers.
    ///
    /// # Panics
    /// If the message was not registered, fields and payload together exceed [`MAX_WORDS`] (14) words, or the node does not
    /// exist.
    #[inline]
    pub fn send_with<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
        let packet = self.node.encode(to, &message, payload);
        self.insist(to, || self.processor.offer(to, &packet));
    }

    /// Moves words, any number of them, into [segments](crate::Segment) of another node. When all of them are in place, `message` is
    /// handled there. Receives while there is no room.
    ///
    /// `data` are words in memory of the caller's own, [packed](crate::data::Word::packed) in 8 bytes each, or a list of [pieces](crate::data::Piece) of
    /// this node's segments, which are gathered in their order. A model knows where pieces lie, and which cache has them. `into` is
    /// the place of all words on the other node, or a list of pieces there, into which the words are scattered. The caller may
    /// reuse `data` at once: a model does not charge for the copy that this may take.
    ///
    /// Until the handler runs, the words at those places may be the old ones, the new ones or a mix: sender and
    /// receiver have agreed that no thread reads them meanwhile.
    ///
    /// # Panics
    /// If the message was not registered, its fields exceed [`MAX_WORDS`] (14) words, the node does not exist, this node has no such
    /// pieces, or the pieces there have room for more words or fewer. Data that does not fit a segment ends the run with an error.
    pub fn transfer<'d, M: Message>(
        &self,
        to: NodeId,
        into: impl Into<Target<'d>>,
        data: impl Into<Data<'d>>,
        message: M,
    ) {
        let packet = self.node.encode(to, &message, &[]);
        self.node.gather(into.into(), data.into(), |transfer| {
            self.insist(to, || self.processor.transfer(to, transfer, &packet));
        });
    }

    /// Makes an array of `len` elements that this thread alone accesses, with every byte zero. No two arrays of a thread that exist
    /// at once have the same name. In a model the name decides, with the thread's index, where the array stands in caches.
    ///
    /// # Panics
    /// If the layout of an element [cannot be](crate::data::ElementLayout::check), or the thread has such an array.
    pub fn private<T: Element>(&self, name: impl Into<Cow<'static, str>>, len: usize) -> Private<T> {
        Private::new(&self.node.private, self.id(), lasting(name), len)
    }

    /// Makes a private array of elements that were in memory before the thread began, as the loader of a program puts them there.
    /// A model charges nothing for them, and has none of them in a cache.
    ///
    /// # Panics
    /// As [`private`](Self::private) does.
    pub fn private_of<T: Element>(&self, name: impl Into<Cow<'static, str>>, elements: Vec<T>) -> Private<T> {
        Private::holding(&self.node.private, self.id(), lasting(name), elements)
    }

    /// Whether the world charges the thread for its work.
    #[inline]
    pub(crate) fn is_charged(&self) -> bool {
        self.accounting.is_some()
    }

    /// Charges this thread for a run of accesses: free natively, time in a model.
    #[inline]
    pub(crate) fn charge_touch(&self, touch: Touch) {
        if let Some(accounting) = self.accounting {
            accounting.touch(touch);
        }
    }

    /// Charges this thread for one access to an element: free natively, time in a model.
    #[inline]
    pub(crate) fn charge_one(&self, address: u64, access: Access) {
        if let Some(accounting) = self.accounting {
            accounting.touch_one(address, access);
        }
    }

    /// Charges this thread for accessing `words` words of a segment of this node: free natively, time in a model.
    ///
    /// # Panics
    /// In a model, if there are no such words.
    #[inline]
    pub fn touch(&self, place: Place, words: usize, access: Access) {
        if let Some(accounting) = self.accounting {
            let (first, bytes) = self.node.elements(place, words).unwrap_or_else(|bad| panic!("{bad}"));
            accounting.touch(Touch::dense(first, words, bytes, access));
        }
    }

    /// Waits until all words that this processor has [flushed](Access::Flush) are in memory: free natively, time in a model.
    #[inline]
    pub fn drain(&self) {
        if let Some(accounting) = self.accounting {
            accounting.drain();
        }
    }

    /// The strip-mine length of a loop over elements: `modelled` turns in a model, where accesses interleave with
    /// computation and with the accesses of other processors; without end where work takes real time.
    pub fn strip(&self, modelled: usize) -> usize {
        if self.accounting.is_some() { modelled } else { usize::MAX }
    }

    /// Whether hardware keeps caches and interfaces coherent. If not, a program flushes the words that it sends and
    /// purges the words that it receives.
    pub fn is_coherent(&self) -> bool {
        self.accounting.is_none_or(|accounting| accounting.is_coherent())
    }

    /// The counters of this node's memory system, for measuring; all zero in a world that does not count.
    pub fn memory_events(&self) -> MemoryEvents {
        self.accounting.map_or_else(MemoryEvents::default, |accounting| accounting.memory_events())
    }

    /// Puts a few words, at most [`MAX_WORDS`] (14) [packed](crate::data::Word::packed) in 8 bytes each, into a [segment](crate::Segment) of
    /// another node, and counts them in that segment's [`deposited`](crate::Segment::deposited). No handler runs. Receives while there is
    /// no room.
    ///
    /// # Panics
    /// If there are more than [`MAX_WORDS`] words, or the node does not exist. Words that do not fit the
    /// segment end the run with an error.
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

    /// Repeats `went` until it succeeds, and receives in between while there is no room towards `to`.
    #[inline]
    fn insist(&self, to: NodeId, went: impl Fn() -> bool) {
        while !went() {
            if self.holding.get() && !self.may_give_way("a send that finds no room") {
                return;
            }
            self.processor.make_room(to);
        }
    }

    /// Waits until the event's count is at least `at_least`, giving the processor to other threads and to
    /// handlers meanwhile. The thread then sees everything that the signallers wrote before they signalled.
    #[inline]
    pub fn wait(&self, event: &Event, at_least: u64) {
        while event.counted() < at_least && self.block_on(event, at_least) {}
    }

    /// Blocks until the count may have been reached. Returns whether the thread may wait at all.
    fn block_on(&self, event: &Event, at_least: u64) -> bool {
        let waits = self.may_give_way("a wait");
        if waits {
            self.processor.wait(event, at_least);
        }
        waits
    }

    /// Makes a waiter: the right to resume this thread, once, from its next [`block`](Self::block). The thread leaves the waiter
    /// where a handler will find it, and then blocks. It must not wait for anything else in between, not even for an access
    /// to shared memory, because the resumption would end that wait instead.
    pub fn waiter(&self) -> Waiter {
        self.processor.waiter()
    }

    /// Blocks until the [`waiter`](Self::waiter) taken last is resumed; returns at once if that has happened
    /// already. A deadlock report names `what` as the thing that the thread waits for. The thread then sees everything that
    /// the resuming handler has written.
    pub fn block(&self, what: &'static str) {
        if self.may_give_way("a block") {
            self.processor.block(Wait::Resume { what });
        }
    }

    /// Adds to an event's count and resumes the threads that the new count satisfies.
    #[inline]
    pub fn signal(&self, event: &Event, amount: u64) {
        self.settle();
        self.processor.signal(event, amount);
    }

    /// Gives waiting messages a chance to be handled. A long computation calls it once in each iteration of its loop. The
    /// policy decides at which calls the processor really looks for messages. Most calls only decrement a counter. Where
    /// the policy never looks and no other processor would, a call in many looks, so that a loop that polls and tests a count or a
    /// cell ends.
    #[inline]
    pub fn poll(&self) {
        let left = self.until_poll.get();
        if left > 1 {
            self.until_poll.set(left - 1);
        } else if left == 1 {
            self.look();
        }
    }

    /// Looks for messages, or tells the world that it passes by. Out of line, so that no loop keeps registers for it.
    #[cold]
    fn look(&self) {
        if self.interval == PollInterval::Never {
            self.pass_by();
        } else if self.may_give_way("a poll") {
            self.processor.poll();
            self.until_poll.set(match self.interval {
                PollInterval::Every(count) => count.get(),
                _ => self.processor.next_poll(),
            });
        }
    }

    /// Gives waiting messages a chance to be handled, once for a stretch of `turns` turns of a loop. Each turn is a
    /// back-edge for the policy, as if the thread had polled in it, but the processor looks for messages at most
    /// once. Where the processor chooses the interval, sixteen turns count as one: a turn without a poll of its own
    /// takes less time.
    #[inline]
    pub fn poll_after(&self, turns: u32) {
        let turns = if self.interval == PollInterval::Paced { turns.div_ceil(TURNS) } else { turns };
        let left = self.until_poll.get();
        if left > turns {
            return self.until_poll.set(left - turns);
        }
        if left > 0 {
            self.until_poll.set(1);
            self.poll();
            let next = self.until_poll.get();
            self.until_poll.set(next.saturating_sub(turns - left).max(next.min(1)));
        }
    }

    /// Tells the world that this thread passes back-edges, under a policy that polls at none of them. A model is told of
    /// each one; a world whose work takes real time, of [`REAL_PASSES`] together.
    #[cold]
    fn pass_by(&self) {
        if self.accounting.is_none() {
            self.until_poll.set(REAL_PASSES);
        }
        if self.holding.get() || panicking() {
            return;
        }
        match self.accounting {
            Some(accounting) => accounting.pass_by(),
            None => self.processor.pass_by(),
        }
    }

    /// Waits by computing: the turn of a loop that ends only when a handler, an [`Event`], a deposit or an access of
    /// another thread to shared memory has changed something. The turn polls, and looks for messages even under a
    /// policy whose processors look at no back-edge, if no other processor would handle them. Modelled runs end when
    /// all threads spin or wait and nothing is in flight.
    pub fn spin(&self) {
        if !self.may_give_way("a spin") {
            return;
        }
        if self.interval != PollInterval::Never {
            self.poll();
        }
        self.processor.spin();
    }

    /// Runs `f` on this thread as an event of `key`: after all older events of that key, and with no other event of the key
    /// beside it. A thread reaches keyed state in this way. It is free where handlers run only at this processor's polls.
    ///
    /// # Panics
    /// If `f` gives the processor away through this thread (polls, waits, sends without room, faults, holds
    /// again), or if it takes a right away, which would outlast the hold. A panic of `f` ends the run before the key is released,
    /// also if the thread catches it.
    pub fn hold<R>(&self, key: Key, f: impl FnOnce(&mut Handler<'_>) -> R) -> R {
        self.expect_no_hold("a hold");
        let mut f = Some(f);
        let mut result = None;
        self.processor.hold(key.resolve(Space::PROGRAM), &mut |proof| {
            let f = f.take().expect("a world runs the body of a hold once");
            result = Some(self.run_held(proof, f));
        });
        result.expect("a world runs the body of a hold").unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Runs the body of a hold. A panic of it ends the run before the key is released.
    fn run_held<R>(&self, proof: Proof<'_>, f: impl FnOnce(&mut Handler<'_>) -> R) -> std::thread::Result<R> {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let _holding = Holding::begin(self, None);
            let mut cx = Handler::new(self.node, self.node(), proof, self.processor, self.accounting);
            let result = f(&mut cx);
            assert!(cx.take_lowering().is_none(), "a right is taken away inside a hold: handlers alone may");
            result
        }));
        if let Err(panic) = &result {
            self.processor.end_by_panic(&**panic);
        }
        result
    }

    /// Begins a timed region and ends the one before. The call is collective: every thread of every node enters the same
    /// regions in the same order, and the call returns when all have entered. A region is for measuring only: meeting
    /// here sends none of the program's messages and charges none of its costs. A run has at most 131,072 regions.
    pub fn phase(&self, name: impl Into<Cow<'static, str>>) {
        if self.may_give_way("a phase") {
            self.processor.enter_phase(lasting(name));
        }
    }

    /// The time since the run began: modelled time on a modelled machine, natively this host's, on one clock for all
    /// nodes. It is for measuring; a program whose answer depends on it gives a different answer every time.
    pub fn now(&self) -> Time {
        self.processor.now()
    }

    /// Whether the thread may give its processor away, which it is about to do by `what`. A thread that a panic
    /// unwinds may not: the world could not end it while it waits in the middle of that. The run is over then.
    ///
    /// # Panics
    /// If the thread holds a key.
    #[inline]
    pub(super) fn may_give_way(&self, what: &str) -> bool {
        if panicking() {
            self.processor.end_by_unwinding(what);
            return false;
        }
        self.expect_no_hold(what);
        true
    }

    /// Panics if the thread holds a key: handlers of that key could never run while this thread waits for
    /// them.
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

    /// Charges this thread for work that it has done: free natively, time in a model.
    #[inline]
    pub fn charge(&self, work: impl Into<Work>) {
        if let Some(accounting) = self.accounting {
            account(accounting, work.into());
        }
    }

    /// Maps a node's part of a segment for direct access. `None` where its memory is out of reach, as in a
    /// model. A world gives one answer for all nodes and segments.
    ///
    /// # Panics
    /// If there is no such node, or it has no such segment.
    pub fn map<T: Word>(&self, segment: &Segment<T>, node: NodeId) -> Option<Mapped<'a, T>> {
        assert!(node.0 < self.nodes(), "a segment of {node}: there are {} nodes", self.nodes());
        let there = self.processor.mapped(node)?;
        Some(Mapped::new(self.node(), node, there, segment.id()))
    }
}

/// Charges a thread for work. Out of line and cold, so that natively no loop keeps registers for it.
#[cold]
fn account(accounting: &dyn Accounting, work: Work) {
    accounting.charge(work);
}
