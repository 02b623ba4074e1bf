//! The handle of a program thread: straight-line code that may block.
//!
//! A thread is never preempted by another thread. It yields its processor at known places: where it waits, where it
//! polls, where a send finds no room. This module must never know how a world runs threads.

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

/// The error of a send that found no room. It returns the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy<M>(pub M);

/// Number of loop back-edges that a thread passes between two calls of [`Scheduling::pass_by`](crate::world::Scheduling::pass_by), in a
/// world whose work takes real time and under a policy that never polls at back-edges. The number is chosen so that the calls cost
/// little.
const REAL_PASSES: u32 = 1 << 14;

/// Number of turns in [`Thread::poll_after`] that count as one back-edge where the processor chooses the polling interval. A turn of the
/// shortest loops takes a sixteenth of the time of a poll that does not look for messages.
const TURNS: u32 = 16;

/// The handle of a program thread, through which the thread uses its world. The handle stays on the thread's processor.
///
/// # Stack
///
/// A thread has a stack of [`Thread::STACK_BYTES`], 256 KiB, in every world. A handler that runs on the thread's processor meanwhile uses
/// none of the stack that the thread needs, and has [`Handler::STACK_BYTES`] itself. A stack overflow ends the process; before that a line
/// on the standard error names the node and the thread, or the handler. Programs should put large values on the heap (`Vec`, `Box`), and
/// turn a recursion whose depth grows with the input into a loop with a list.
///
/// # Panics and destructors
///
/// A panic that leaves a thread ends the run, and the failure has the panic's text. The same holds for the panic of a
/// handler or of the body of a [hold](Thread::hold), even if the thread around it catches the panic. The end of a run
/// unwinds a thread that still waits: its destructors run, and so does the code after a `catch_unwind`, up to its next
/// call that waits or looks for messages.
///
/// A destructor may call methods of this handle while its thread is unwound, but the thread no longer yields its
/// processor:
///
/// - In a run that is over, sends, signals, waits, polls and phases have no effect, and an access to shared memory
///   reads an arbitrary value.
/// - In a run that is not over, because the thread itself panics, a call that would yield the processor ends the run: a
///   wait, a phase, a poll or an access that faults, and in a simulation also a send without room and a hold of a key
///   that is not free. The call then returns at once. If the panic leaves the thread, the run fails with the panic's
///   text.
///
/// A thread may catch its own panics and go on. A destructor that must not end the run of such a thread tests `std::thread::panicking`
/// first.
///
/// # Thread-locals
///
/// Threads of one processor, and in a simulation all threads, run on one operating system thread and share its
/// thread-locals (`thread_local!`). That is harmless for values that are read and written between two calls. Across a
/// call that may yield the processor (a wait, a poll, a send, an access to shared memory) a program must hold nothing
/// that a thread-local leads to:
///
/// - no scoped thread-local may be set, such as a variable of the crate `scoped-tls`, of tracing subscribers and of runtimes that are
///   *entered*. Threads resume in another order than calls return, so the thread-local would be restored to a value that no longer
///   exists.
/// - nothing inside `LocalKey::with` may be lent to another operating system thread (`std::thread::scope`) by a thread that, when its run
///   is over, catches its own unwinding again and again. Such a thread is abandoned, and the thread-local is destroyed.
///
/// **The compiler detects neither, and with both safe code accesses freed memory.** A borrow of a `RefCell` in a thread-local is only a
/// nuisance: it lasts until the thread resumes, and other threads of the processor find it borrowed.
#[repr(align(64))]
pub struct Thread<'a> {
    pub(crate) node: &'a NodeParts,
    pub(crate) index: u32,
    pub(crate) processor: &'a dyn Processor,
    pub(crate) accounting: Option<&'a dyn Accounting>,
    interval: PollInterval,
    until_poll: Cell<u32>,
    /// Whether the thread is in the body of a hold or of a run of accesses to shared memory, which must not yield the
    /// processor.
    holding: Cell<bool>,
}

const _: () = assert!(size_of::<Thread<'_>>() == 64, "a thread's handle fits one cache line");

/// A guard that marks its thread as holding: while the guard lives, the thread must not yield its processor. Dropping
/// it restores the earlier mark, even when the body panics.
pub(super) struct Holding<'t, 'a> {
    thread: &'t Thread<'a>,
    /// Whether the thread was marked as holding before.
    outer: bool,
    /// The block of a granted access that is reported as done when this guard is dropped.
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
    /// Number of bytes of a thread's stack, in every world: 256 KiB.
    pub const STACK_BYTES: usize = 256 * 1024;

    /// Makes the handle of thread `index` of `node`, run by `processor`, whose polls look for messages at `interval`. A
    /// simulator charges the thread's work to `accounting`.
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
    /// [`Busy`] returns the message when there is no room. The thread has then received messages once, as [`send`](Self::send) does while
    /// it waits: handlers and other threads of the processor may have run. So a thread that repeats this call makes progress, even if it
    /// does nothing in between. In a [hold](Self::hold) the thread does not receive.
    ///
    /// # Panics
    /// If the message was not registered, or the node does not exist.
    #[inline]
    pub fn try_send<M: Message>(&self, to: NodeId, message: M) -> Result<(), Busy<M>> {
        self.try_send_with(to, message, &[])
    }

    /// Sends a message with a payload if there is room for it now. The message's handler receives the payload as a slice of words.
    ///
    /// # Errors
    /// [`Busy`] returns the message when there is no room. The thread has then received messages once, as [`send`](Self::send) does while
    /// it waits: handlers and other threads of the processor may have run. So a thread that repeats this call makes progress, even if it
    /// does nothing in between. In a [hold](Self::hold) the thread does not receive.
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

    /// Receives messages once, because there is no room for a message to `to`. Does nothing where the thread may not
    /// yield its processor: in a hold, and while a panic unwinds it.
    #[cold]
    fn receive_instead(&self, to: NodeId) {
        if !self.holding.get() && !panicking() {
            self.processor.make_room(to);
        }
    }

    /// Sends a message. While there is no room for it, the thread receives messages and runs their handlers.
    ///
    /// Messages sent by the node's handlers get room first, so that handlers never wait. Threads share the rest, which
    /// is little while handlers send without end. Natively, on two cores, with rings of 16 messages and 40 messages for
    /// each node that handlers forward without end, 15 (`fixed:2+interrupt`) to 700 (`floating+helper`) such messages
    /// were sent before each send of a thread. In a simulation whose nodes have one processor for threads and handlers,
    /// handlers may take all of the room: the send then waits until they stop.
    ///
    /// # Panics
    /// If the message was not registered, or the node does not exist.
    #[inline]
    pub fn send<M: Message>(&self, to: NodeId, message: M) {
        self.send_with(to, message, &[]);
    }

    /// Sends a message with a payload, which the message's handler receives as a slice of words. While there is no room for it, the
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

    /// Moves any number of words into [segments](crate::Segment) of another node. When all words are in place, `message` is handled on
    /// that node. While there is no room, the thread receives messages and runs their handlers.
    ///
    /// `data` is a slice of words in the caller's own memory, [packed](crate::data::Word::packed) into units of 8
    /// bytes, or a list of [pieces](crate::data::Piece) of this node's segments, whose words are sent in their order.
    /// `into` is the place of the first word on the other node, or a list of pieces there, which the words fill in
    /// their order. The caller may reuse `data` at once. A simulator knows which cache has the pieces, and does not
    /// charge for copying `data`.
    ///
    /// Before the handler runs, the words at the destination may be old, new or a mix: no thread may read them
    /// meanwhile.
    ///
    /// # Panics
    /// If the message was not registered, its fields exceed [`MAX_WORDS`] (14) words, the node does not exist, this node does not have
    /// the pieces of `data`, or `into` has room for more or fewer words than `data`. Data that does not fit a segment there ends the run
    /// with an error.
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

    /// Makes the array `name` of `len` elements that this thread alone accesses, with every byte zero. All arrays of a
    /// thread that exist at the same time have different names. In a simulation the array's address follows from its
    /// name and the thread's index.
    ///
    /// # Panics
    /// If the layout of an element [is not possible](crate::data::ElementLayout::check), or the thread has an array of this name.
    pub fn private<T: Element>(&self, name: impl Into<Cow<'static, str>>, len: usize) -> Private<T> {
        Private::new(&self.node.private, self.id(), lasting(name), len)
    }

    /// Makes a private array of elements that were in memory before the thread began, as if the program's loader had
    /// put them there. A simulator charges nothing for this, and has none of the elements in a cache at first.
    ///
    /// # Panics
    /// For the same reasons as [`private`](Self::private).
    pub fn private_of<T: Element>(&self, name: impl Into<Cow<'static, str>>, elements: Vec<T>) -> Private<T> {
        Private::holding(&self.node.private, self.id(), lasting(name), elements)
    }

    /// Whether the world charges time to the thread for its work.
    #[inline]
    pub(crate) fn is_charged(&self) -> bool {
        self.accounting.is_some()
    }

    /// Charges this thread for a run of accesses: time in a simulation, free natively.
    #[inline]
    pub(crate) fn charge_touch(&self, touch: Touch) {
        if let Some(accounting) = self.accounting {
            accounting.touch(touch);
        }
    }

    /// Charges this thread for one access to an element: time in a simulation, free natively.
    #[inline]
    pub(crate) fn charge_one(&self, address: u64, access: Access) {
        if let Some(accounting) = self.accounting {
            accounting.touch_one(address, access);
        }
    }

    /// Charges this thread for accessing `words` words of a segment of this node, from `place` on: time in a
    /// simulation, free natively. A word has the segment's word size: 1, 2, 4 or 8 bytes.
    ///
    /// # Panics
    /// In a simulation, if the segment has no such words.
    #[inline]
    pub fn touch(&self, place: Place, words: usize, access: Access) {
        if let Some(accounting) = self.accounting {
            let (first, bytes) = self.node.elements(place, words).unwrap_or_else(|bad| panic!("{bad}"));
            accounting.touch(Touch::dense(first, words, bytes, access));
        }
    }

    /// Waits until all words that this processor has [flushed](Access::Flush) are in memory. Natively this does
    /// nothing.
    #[inline]
    pub fn drain(&self) {
        if let Some(accounting) = self.accounting {
            accounting.drain();
        }
    }

    /// The strip length for a strip-mined loop over elements: `modelled` in a simulation, where accesses interleave
    /// with computation and with the accesses of other processors; natively as large as possible, so that the loop is
    /// not divided.
    pub fn strip(&self, modelled: usize) -> usize {
        if self.accounting.is_some() { modelled } else { usize::MAX }
    }

    /// Whether hardware keeps caches and network interfaces coherent. If not, a program must flush the words that it sends and purge the
    /// words that it receives.
    pub fn is_coherent(&self) -> bool {
        self.accounting.is_none_or(|accounting| accounting.is_coherent())
    }

    /// The counters of this node's memory system since the run began; all zero in a world that does not count.
    pub fn memory_events(&self) -> MemoryEvents {
        self.accounting.map_or_else(MemoryEvents::default, |accounting| accounting.memory_events())
    }

    /// Writes up to [`MAX_WORDS`] (14) units of 8 bytes, [packed](crate::data::Word::packed), into a
    /// [segment](crate::Segment) of another node, and adds their number to the count of that segment's event
    /// [`deposited`](crate::Segment::deposited). No handler runs. While there is no room, the thread receives messages
    /// and runs their handlers.
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

    /// Calls `went`, which tries to send to `to`, until `went` returns true. Between the attempts the thread receives messages; a thread
    /// that holds a key panics instead.
    #[inline]
    fn insist(&self, to: NodeId, went: impl Fn() -> bool) {
        while !went() {
            if self.holding.get() && !self.may_give_way("a send that finds no room") {
                return;
            }
            self.processor.make_room(to);
        }
    }

    /// Waits until the event's count is at least `at_least`, while other threads and handlers use the processor. The thread then sees
    /// everything that the signalling threads and handlers wrote before they signalled.
    #[inline]
    pub fn wait(&self, event: &Event, at_least: u64) {
        while event.counted() < at_least && self.block_on(event, at_least) {}
    }

    /// Blocks until the event's count may have reached `at_least`. Returns false, without blocking, if the thread may not wait, because a
    /// panic unwinds it.
    fn block_on(&self, event: &Event, at_least: u64) -> bool {
        let waits = self.may_give_way("a wait");
        if waits {
            self.processor.wait(event, at_least);
        }
        waits
    }

    /// Makes a waiter: the right to resume this thread, once, from its next [`block`](Self::block). The thread stores
    /// the waiter where a handler will find it, and then blocks. In between the thread must not wait in any other way,
    /// not even in an access to shared memory, because the handler would end that wait instead.
    pub fn waiter(&self) -> Waiter {
        self.processor.waiter()
    }

    /// Blocks until a handler or thread resumes the [`waiter`](Self::waiter) that this thread made last; returns at
    /// once if that has happened already. `what` is the name of the awaited thing in a deadlock report. The thread then
    /// sees everything that the resuming handler has written.
    pub fn block(&self, what: &'static str) {
        if self.may_give_way("a block") {
            self.processor.block(Wait::Resume { what });
        }
    }

    /// Adds `amount` to an event's count and resumes the threads whose awaited count it reaches.
    #[inline]
    pub fn signal(&self, event: &Event, amount: u64) {
        self.settle();
        self.processor.signal(event, amount);
    }

    /// Lets waiting messages be handled. A long computation calls this once in each iteration of its loop. The policy
    /// decides at which calls the processor really looks for messages; most calls only decrement a counter. Where the
    /// policy never looks and no other processor would handle messages, an occasional call looks nevertheless, so that
    /// a loop which polls until a count changes does end.
    #[inline]
    pub fn poll(&self) {
        let left = self.until_poll.get();
        if left > 1 {
            self.until_poll.set(left - 1);
        } else if left == 1 {
            self.look();
        }
    }

    /// Looks for messages; under a policy that never looks at polls, tells the world that the thread passes back-edges. The function is out
    /// of line, so that no loop keeps registers for the call.
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

    /// Lets waiting messages be handled, in one call for `turns` iterations of a loop. For the policy each iteration
    /// counts as one poll, but the processor looks for messages at most once. Where the processor chooses the polling
    /// interval, sixteen iterations count as one, because an iteration without a call takes less time.
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

    /// Tells the world that this thread passes loop back-edges, under a policy that never polls at back-edges. A
    /// simulator learns of each back-edge. A world whose work takes real time learns of [`REAL_PASSES`] back-edges at
    /// once.
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

    /// Performs one turn of a loop that waits by computing, until a handler, an [`Event`], a deposit or another
    /// thread's access to shared memory has changed something. The turn polls. If no other processor would handle
    /// messages, it looks for them even under a policy that never polls at back-edges. A simulation ends as a livelock
    /// when all threads spin or wait and nothing is in flight.
    pub fn spin(&self) {
        if !self.may_give_way("a spin") {
            return;
        }
        if self.interval != PollInterval::Never {
            self.poll();
        }
        self.processor.spin();
    }

    /// Runs `f` on this thread as an event of `key`: after all older events of that key, and while no other event of
    /// the key runs. In this way a thread accesses [`Keyed`](crate::Keyed) state. A hold costs nothing where handlers
    /// run only at this processor's polls.
    ///
    /// # Panics
    /// If `f` yields the processor through this thread (polls, waits, sends without room, faults, holds again), or if
    /// it reduces a right, which would outlast the hold. A panic of `f` ends the run before the key is released, even
    /// if the thread catches it.
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

    /// Runs the body `f` of a hold. A panic of `f` ends the run before the key is released.
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

    /// Begins the timed region `name` and ends the one before. The call is collective: every thread of every node
    /// enters the same regions in the same order, and the call returns when all threads have entered. The call sends
    /// none of the program's messages and charges nothing. A run has at most 131,072 regions.
    pub fn phase(&self, name: impl Into<Cow<'static, str>>) {
        if self.may_give_way("a phase") {
            self.processor.enter_phase(lasting(name));
        }
    }

    /// The time since the run began, on one clock for all nodes: modelled time in a simulation, natively this host's.
    /// It is for measuring: an answer that depends on it differs from run to run.
    pub fn now(&self) -> Time {
        self.processor.now()
    }

    /// Whether the thread may yield its processor, which it is about to do by `what`. While a panic unwinds the thread,
    /// it may not, because the world could not end a thread that waits in the middle of an unwinding; the world then
    /// ends the run.
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

    /// Panics if the thread is in a hold, because handlers of the held key could never run while this thread waits for them by `what`.
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

    /// Charges this thread for its work: time in a simulation, free natively.
    #[inline]
    pub fn charge(&self, work: impl Into<Work>) {
        if let Some(accounting) = self.accounting {
            account(accounting, work.into());
        }
    }

    /// Maps the part of a segment on node `node` for direct loads and stores. Returns `None` where these cannot reach
    /// the memory of `node`, as in a simulation. A world gives the same answer for all nodes and segments.
    ///
    /// # Panics
    /// If there is no such node, or the node has no such segment.
    pub fn map<T: Word>(&self, segment: &Segment<T>, node: NodeId) -> Option<Mapped<'a, T>> {
        assert!(node.0 < self.nodes(), "a segment of {node}: there are {} nodes", self.nodes());
        let there = self.processor.mapped(node)?;
        Some(Mapped::new(self.node(), node, there, segment.id()))
    }
}

/// Charges `work` to a thread. The function is cold and out of line, so that natively no loop keeps registers for the call.
#[cold]
fn account(accounting: &dyn Accounting, work: Work) {
    accounting.charge(work);
}
