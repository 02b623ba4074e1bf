//! The threads of one processor: the running one, the ready ones, and the number that may run before the processor serves; and the
//! processor's present activity, to which a panic is attributed.
//!
//! Only the processor accesses them. This module must never know messages, the effect of a handler, or why a thread waits.

use std::cell::Cell;

use tempest::NodeId;
use tempest::world::MessageId;

use crate::parts::gauge::Awaited;
use crate::parts::ready::Ready;
use crate::parts::stack_prefetch::StackPrefetch;
use crate::parts::threads::Local;

/// The threads of one processor.
pub(crate) struct OwnThreads {
    /// Present activity of the processor.
    pub(crate) occupation: Occupation,
    /// State of each thread, by its number here.
    locals: Vec<Local>,
    /// Index on the node of the first thread.
    first: u32,
    /// Number of threads of each computing processor.
    each: u32,
    /// The running thread, by its index on the node.
    current: Cell<u32>,
    /// The ready threads, by their number here.
    ready: Ready,
    stack_prefetch: StackPrefetch,
    /// Number of threads that may still run before the processor serves.
    turns: Cell<u32>,
    /// Whether a waiting thread passes its turn directly to the next: if nothing has to be done between two turns.
    pass_turns: bool,
    /// Number of threads that have not returned.
    live: Cell<u32>,
    /// Number of threads that wait for a block of shared memory.
    awaiting_blocks: Cell<u32>,
    /// Number of threads that have found no room and wait for some.
    lacking: Cell<u32>,
}

impl OwnThreads {
    /// Makes the threads of processor `number` of a node whose computing processors have `each`. `threads` is `each` or 0.
    pub(crate) fn new(number: usize, threads: u32, each: u32, pass_turns: bool) -> Self {
        Self {
            occupation: Occupation::default(),
            locals: (0..threads).map(|_| Local::default()).collect(),
            first: number as u32 * threads,
            each,
            current: Cell::new(0),
            ready: Ready::new(threads),
            stack_prefetch: StackPrefetch::new(threads),
            turns: Cell::new(0),
            pass_turns,
            live: Cell::new(threads),
            awaiting_blocks: Cell::new(0),
            lacking: Cell::new(0),
        }
    }

    /// Number of threads.
    pub(crate) fn count(&self) -> usize {
        self.locals.len()
    }

    /// Number of threads of each computing processor.
    pub(crate) fn each(&self) -> u32 {
        self.each
    }

    /// Index on the node of the thread with this number here.
    #[inline]
    pub(crate) fn index_of(&self, number: u32) -> u32 {
        self.first + number
    }

    /// Number here of the thread with this index on the node, if it belongs to this processor.
    #[inline]
    pub(crate) fn number_of(&self, thread: u32) -> Option<u32> {
        let number = thread.wrapping_sub(self.first);
        ((number as usize) < self.locals.len()).then_some(number)
    }

    /// The state of each thread, with its index on the node.
    pub(crate) fn with_index(&self) -> impl Iterator<Item = (&Local, u32)> {
        self.locals.iter().zip(self.first..)
    }

    /// The state of the running thread.
    #[inline]
    pub(crate) fn local(&self) -> &Local {
        &self.locals[(self.current.get() - self.first) as usize]
    }

    /// The state of the thread with this number here.
    pub(crate) fn local_of(&self, number: u32) -> &Local {
        &self.locals[number as usize]
    }

    /// The running thread, by its index on the node.
    #[inline]
    pub(crate) fn current(&self) -> u32 {
        self.current.get()
    }

    /// Sets the running thread, by its index on the node.
    #[inline]
    pub(crate) fn set_current(&self, thread: u32) {
        self.current.set(thread);
    }

    /// Makes the thread with this number here ready.
    #[inline]
    pub(crate) fn push(&self, number: u32) {
        self.ready.push(number);
    }

    /// Makes the thread of this processor with this index on the node ready.
    pub(crate) fn push_index(&self, thread: u32) {
        self.ready.push(thread - self.first);
    }

    /// Number of ready threads.
    #[inline]
    pub(crate) fn ready(&self) -> u32 {
        self.ready.len()
    }

    /// Allows `turns` threads to run before the processor serves.
    pub(crate) fn allow_turns(&self, turns: u32) {
        self.turns.set(turns);
    }

    /// Allows no other thread to run before the processor serves.
    #[inline]
    pub(crate) fn end_turns(&self) {
        self.turns.set(0);
    }

    /// Whether a waiting thread passes its turn directly to the next.
    #[inline]
    pub(crate) fn pass_turns(&self) -> bool {
        self.pass_turns
    }

    /// Takes the next thread to run, by its number here, if another one may run before the processor serves.
    #[inline]
    pub(crate) fn next_turn(&self) -> Option<u32> {
        let left = self.turns.get().checked_sub(1)?;
        let number = self.ready.pop()?;
        self.turns.set(left);
        Some(number)
    }

    /// Makes the thread with this number here the running one. Returns the number of a thread that is likely to run soon.
    #[inline]
    pub(crate) fn begin_turn(&self, number: u32) -> Option<u32> {
        self.current.set(self.first + number);
        self.stack_prefetch.note(number)
    }

    /// Records that a thread has returned.
    pub(crate) fn note_return(&self) {
        self.live.set(self.live.get() - 1);
    }

    /// Adds `for_blocks`, 0 or 1, threads that wait for a block of shared memory.
    #[inline]
    pub(crate) fn begin_wait(&self, for_blocks: u32) {
        self.awaiting_blocks.set(self.awaiting_blocks.get() + for_blocks);
    }

    /// Subtracts `for_blocks`, 0 or 1, threads that wait for a block of shared memory.
    #[inline]
    pub(crate) fn end_wait(&self, for_blocks: u32) {
        self.awaiting_blocks.set(self.awaiting_blocks.get() - for_blocks);
    }

    /// The kind of wait of the threads, none of which is ready.
    pub(crate) fn awaited(&self) -> Awaited {
        match self.live.get() {
            0 => Awaited::Nothing,
            _ if self.awaiting_blocks.get() > 0 => Awaited::Block,
            _ => Awaited::Event,
        }
    }

    /// Records that the running thread has found no room towards a node. Returns true if it is the first time of this wait.
    pub(crate) fn lacks_room(&self, to: NodeId, now_ns: u64) -> bool {
        let is_first = self.local().lacks_room(to, now_ns);
        if is_first {
            self.lacking.set(self.lacking.get() + 1);
        }
        is_first
    }

    /// Whether any thread has found no room and waits for some.
    #[inline]
    pub(crate) fn lack_room(&self) -> bool {
        self.lacking.get() > 0
    }

    /// Records that the running thread has found room. Returns true if it had waited for some.
    pub(crate) fn has_room(&self) -> bool {
        let lacked = self.local().has_room();
        if lacked {
            self.lacking.set(self.lacking.get() - 1);
        }
        lacked
    }
}

/// A processor's activity.
#[derive(Clone, Copy)]
pub(crate) enum Doing {
    /// Running its current thread.
    Thread,
    /// Running a handler.
    Handler(MessageId),
}

/// A processor's activity, and the stack on which it runs.
pub(crate) struct Occupation {
    doing: Cell<Doing>,
    /// Whether the current thread's stack is in use, and not the loop's.
    runs_thread: Cell<bool>,
    /// Whether this processor has ended the run because of an action of a thread that a panic unwinds.
    abandoned: Cell<bool>,
}

impl Default for Occupation {
    fn default() -> Self {
        let (doing, not) = (Cell::new(Doing::Thread), || Cell::new(false));
        Self { doing, runs_thread: not(), abandoned: not() }
    }
}

impl Occupation {
    /// The present activity.
    #[inline]
    pub(crate) fn now(&self) -> Doing {
        self.doing.get()
    }

    /// Whether the present activity is a handler.
    pub(crate) fn is_handler(&self) -> bool {
        matches!(self.doing.get(), Doing::Handler(_))
    }

    /// Begins a handler of this kind of message.
    #[inline]
    pub(crate) fn begin(&self, handler: MessageId) {
        self.doing.set(Doing::Handler(handler));
    }

    /// Ends handlers: restores the activity before them.
    #[inline]
    pub(crate) fn go_back_to(&self, before: Doing) {
        self.doing.set(before);
    }

    /// Runs the current thread.
    #[inline]
    pub(crate) fn run_thread<R>(&self, run: impl FnOnce() -> R) -> R {
        self.runs_thread.set(true);
        let result = run();
        self.runs_thread.set(false);
        result
    }

    /// Whether the current thread's stack is in use, and not the loop's.
    pub(crate) fn runs_thread(&self) -> bool {
        self.runs_thread.get()
    }

    /// Records that the processor has ended the run because of an action of a thread that a panic unwinds.
    pub(crate) fn note_abandoned(&self) {
        self.abandoned.set(true);
    }

    /// Whether the processor has ended the run in this way and the failure has not been replaced yet; clears the flag.
    pub(crate) fn take_abandoned(&self) -> bool {
        self.abandoned.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads of the second processor of a node.
    fn three() -> OwnThreads {
        OwnThreads::new(1, 3, 3, true)
    }

    #[test]
    fn they_have_the_indices_behind_those_of_the_processors_before() {
        let threads = three();
        let indices: Vec<u32> = threads.with_index().map(|(_, index)| index).collect();
        assert_eq!((indices, threads.index_of(2)), (vec![3, 4, 5], 5));
        assert_eq!([2, 3, 5, 6].map(|index| threads.number_of(index)), [None, Some(0), Some(2), None]);
    }

    #[test]
    fn no_more_of_them_run_than_there_are_turns() {
        let threads = three();
        threads.allow_turns(2);
        [0, 1, 2].into_iter().for_each(|number| threads.push(number));
        let turns: Vec<u32> = std::iter::from_fn(|| threads.next_turn()).collect();
        assert_eq!((turns, threads.ready()), (vec![0, 1], 1));
        threads.allow_turns(2);
        threads.end_turns();
        assert_eq!(threads.next_turn(), None);
    }

    #[test]
    fn those_that_lack_room_are_counted_once_each() {
        let threads = three();
        for number in [0, 1] {
            threads.begin_turn(number);
            assert!(threads.lacks_room(NodeId(0), 7) && !threads.lacks_room(NodeId(0), 8));
        }
        assert!(threads.has_room() && !threads.has_room() && threads.lack_room());
        threads.begin_turn(0);
        assert!(threads.has_room() && !threads.lack_room());
    }

    #[test]
    fn a_block_is_what_they_wait_for_while_one_of_them_does() {
        let threads = three();
        threads.begin_wait(1);
        threads.begin_wait(0);
        assert_eq!(threads.awaited(), Awaited::Block);
        threads.end_wait(1);
        assert_eq!(threads.awaited(), Awaited::Event);
        (0..3).for_each(|_| threads.note_return());
        assert_eq!(threads.awaited(), Awaited::Nothing);
    }

    #[test]
    fn the_activity_before_a_handler_is_restored() {
        let occupation = Occupation::default();
        let before = occupation.now();
        occupation.begin(MessageId(3));
        assert!(occupation.is_handler() && matches!(occupation.now(), Doing::Handler(MessageId(3))));
        occupation.go_back_to(before);
        assert!(!occupation.is_handler());
    }

    #[test]
    fn a_thread_s_stack_is_in_use_while_it_runs() {
        let occupation = Occupation::default();
        assert!(occupation.run_thread(|| occupation.runs_thread()) && !occupation.runs_thread());
    }

    #[test]
    fn the_end_of_a_run_by_an_unwinding_thread_is_replaced_once() {
        let occupation = Occupation::default();
        assert!(!occupation.take_abandoned());
        occupation.note_abandoned();
        assert!(occupation.take_abandoned() && !occupation.take_abandoned());
    }
}
