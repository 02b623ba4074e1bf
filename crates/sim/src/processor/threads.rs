//! The program threads of a node: the reason of each wait, and the processor that runs each ready thread.
//!
//! Threads may be bound to processors: each then waits for its own processor. Otherwise the processors of the node share one
//! ready queue, and each takes the oldest thread.
//!
//! This module must never know an instant that it is not told, nor the work of a thread.

use std::collections::VecDeque;

use tempest::Waiter;
use tempest::outcome::Attempt;
use tempest::world::{DispatchKey, Held, Wait};
use units::Time;

use crate::progress::{Attempts, Progress};

/// The state of a thread.
#[derive(Debug)]
pub(crate) enum ThreadState {
    /// The thread is in a ready queue, runs, or is put off by a handler.
    Going,
    /// The thread waits until it is resumed.
    Blocked {
        /// The reason of the wait.
        reason: Reason,
        /// The time at which the wait began.
        since: Time,
    },
    /// The thread has returned.
    Finished,
}

/// The reason for which a thread is blocked.
#[derive(Debug)]
pub(crate) enum Reason {
    Wait(Wait),
    Key(DispatchKey),
    Phase { name: &'static str },
}

impl Reason {
    /// Whether the thread waits for a block of shared memory.
    pub(crate) fn is_block(&self) -> bool {
        matches!(self, Reason::Wait(Wait::Block))
    }

    /// The awaited object, in the program's words where the program names it.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Reason::Wait(wait) => wait.what(),
            Reason::Key(_) => "key",
            Reason::Phase { name } => name,
        }
    }
}

/// A program thread. Processors are named by their numbers on the node.
#[derive(Debug)]
struct Thread {
    /// The processor that the thread is bound to now.
    place: usize,
    /// The processor that the thread is bound to whenever that processor computes.
    home: usize,
    /// Whether the thread has been bound to another processor and has not run there yet.
    moved: bool,
    state: ThreadState,
    /// The number of the thread's next wait.
    generation: u32,
    /// The number of the wait whose waiter the thread took last.
    awaited: u32,
    /// Whether the thread's last send found no room, and the thread waits for some.
    awaits_room: bool,
    /// Whether a deposit has ended the last wait, and the thread has not noticed it yet.
    noticing: bool,
    /// The key that the thread asked for and was given.
    granted: Option<Held>,
    /// The failed attempts of the thread.
    attempts: Attempts,
}

impl Thread {
    fn at(home: usize) -> Self {
        Self {
            place: home,
            home,
            moved: false,
            state: ThreadState::Going,
            generation: 0,
            awaited: 0,
            awaits_room: false,
            noticing: false,
            granted: None,
            attempts: Attempts::default(),
        }
    }

    fn waits_for_block(&self) -> bool {
        matches!(&self.state, ThreadState::Blocked { reason, .. } if reason.is_block())
    }
}

/// The ready queues.
#[derive(Debug)]
enum Ready {
    /// A single queue for the node.
    Shared(VecDeque<u32>),
    /// A queue for each processor.
    Bound(Vec<VecDeque<u32>>),
}

/// The processor's previous thread, when the processor goes on with a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    /// No thread has run there before.
    First,
    /// The thread was also the last to run there.
    Same,
    /// Another thread was the last to run there, or the thread comes from another processor.
    Other,
}

/// The program threads of a node.
#[derive(Debug)]
pub(crate) struct Threads {
    all: Vec<Thread>,
    ready: Ready,
    /// The thread that ran last on each processor.
    last: Vec<Option<u32>>,
}

impl Threads {
    /// The threads of a node, spread over the first `computing` of the processors that may run threads. `shared` says
    /// whether the processors share one ready queue.
    pub(crate) fn new(threads: usize, computing: usize, processors: usize, shared: bool) -> Self {
        let each = threads / computing;
        let bound = || Ready::Bound(vec![VecDeque::new(); processors]);
        Self {
            all: (0..threads).map(|thread| Thread::at(thread / each)).collect(),
            ready: if shared { Ready::Shared(VecDeque::new()) } else { bound() },
            last: vec![None; processors],
        }
    }

    /// Prefetches the state of the first thread.
    pub(crate) fn prefetch(&self) {
        self.all.first().into_iter().for_each(fiber::prefetch_value);
        fiber::prefetch_value(&self.last[..]);
    }

    /// The number of threads.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Every blocked thread: its index, the reason of its wait, and the time at which the wait began.
    pub(crate) fn blocked(&self) -> impl Iterator<Item = (u32, &Reason, Time)> {
        self.all.iter().zip(0..).filter_map(|(thread, index)| match &thread.state {
            ThreadState::Blocked { reason, since } => Some((index, reason, *since)),
            _ => None,
        })
    }

    /// Blocks a thread for `reason` from `since` on.
    pub(crate) fn block(&mut self, thread: u32, reason: Reason, since: Time) {
        self.of(thread).state = ThreadState::Blocked { reason, since };
    }

    /// Unblocks a thread. Returns whether it waited for a block of shared memory.
    pub(crate) fn unblock(&mut self, thread: u32) -> bool {
        let thread = self.of(thread);
        let waited = thread.waits_for_block();
        thread.state = ThreadState::Going;
        waited
    }

    /// Records that a thread has returned.
    pub(crate) fn finish(&mut self, thread: u32) {
        self.of(thread).state = ThreadState::Finished;
    }

    /// The threads that have not returned.
    pub(crate) fn left(&self) -> Vec<u32> {
        let all = self.all.iter().zip(0..);
        all.filter(|(thread, _)| !matches!(thread.state, ThreadState::Finished))
            .map(|(_, index)| index)
            .collect()
    }

    /// A waiter for a thread's next wait.
    pub(crate) fn take_waiter(&mut self, thread: u32) -> Waiter {
        let place = self.of(thread);
        place.awaited = place.generation;
        Waiter { thread, generation: place.generation }
    }

    /// Whether the wait whose waiter the thread took last has not ended.
    pub(crate) fn still_awaits(&self, thread: u32) -> bool {
        let thread = &self.all[thread as usize];
        thread.awaited == thread.generation
    }

    /// Whether the wait of a waiter has not ended.
    pub(crate) fn waits(&self, waiter: Waiter) -> bool {
        self.all[waiter.thread as usize].generation == waiter.generation
    }

    /// Ends the wait of a waiter. Returns whether the waiter's thread is blocked; `None` if the wait had ended before.
    pub(crate) fn end_wait(&mut self, waiter: Waiter) -> Option<bool> {
        if !self.waits(waiter) {
            return None;
        }
        let thread = self.of(waiter.thread);
        thread.generation = thread.generation.wrapping_add(1);
        Some(matches!(thread.state, ThreadState::Blocked { .. }))
    }

    /// Records that a deposit ends the wait of a waiter. A thread that is blocked then has to notice the deposit. A thread that has not
    /// blocked yet sees the new count before it would block.
    pub(crate) fn note_deposit(&mut self, waiter: Waiter) {
        let waits = self.waits(waiter);
        let thread = self.of(waiter.thread);
        thread.noticing |= waits && matches!(thread.state, ThreadState::Blocked { .. });
    }

    /// Whether a thread has to notice a deposit. The thread does so now.
    pub(crate) fn take_notice(&mut self, thread: u32) -> bool {
        std::mem::take(&mut self.of(thread).noticing)
    }

    /// Sets whether a thread waits for room for its send. Returns whether it did before.
    pub(crate) fn await_room(&mut self, thread: u32, awaits: bool) -> bool {
        std::mem::replace(&mut self.of(thread).awaits_room, awaits)
    }

    /// Whether a thread waits for room for its send.
    pub(crate) fn awaits_room(&self, thread: u32) -> bool {
        self.all[thread as usize].awaits_room
    }

    /// The failed attempts of a thread.
    pub(crate) fn attempts(&mut self, thread: u32) -> &mut Attempts {
        &mut self.of(thread).attempts
    }

    /// A thread's attempt, the number of failures since the last progress, and the time of the first; `None` if the thread may
    /// get further.
    pub(crate) fn in_vain(&self, thread: u32, progress: &Progress) -> Option<(Attempt, u64, Time)> {
        self.all[thread as usize].attempts.in_vain(progress)
    }

    /// Every thread that is neither blocked nor has returned.
    pub(crate) fn going(&self) -> impl Iterator<Item = u32> {
        let going = self.all.iter().zip(0..).filter(|(thread, _)| matches!(thread.state, ThreadState::Going));
        going.map(|(_, index)| index)
    }

    /// Gives a thread the key that it asked for.
    pub(crate) fn grant(&mut self, thread: u32, held: Held) {
        self.of(thread).granted = Some(held);
    }

    /// Removes and returns the key that a thread was given.
    pub(crate) fn take_granted(&mut self, thread: u32) -> Option<Held> {
        self.of(thread).granted.take()
    }

    /// The processor that a thread is bound to; `None` where the processors share their threads.
    pub(crate) fn bound_to(&self, thread: u32) -> Option<usize> {
        match &self.ready {
            Ready::Shared(_) => None,
            Ready::Bound(_) => Some(self.all[thread as usize].place),
        }
    }

    /// Adds a thread to its ready queue.
    pub(crate) fn queue(&mut self, thread: u32) {
        let place = self.all[thread as usize].place;
        match &mut self.ready {
            Ready::Shared(queue) => queue.push_back(thread),
            Ready::Bound(queues) => queues[place].push_back(thread),
        }
    }

    /// Whether a ready thread waits for a processor, which may be dedicated.
    pub(crate) fn has_ready(&self, processor: usize, dedicated: bool) -> bool {
        match &self.ready {
            Ready::Shared(queue) => !dedicated && !queue.is_empty(),
            Ready::Bound(queues) => queues.get(processor).is_some_and(|queue| !queue.is_empty()),
        }
    }

    /// The ready thread that a computing processor runs next.
    pub(crate) fn next(&mut self, processor: usize) -> Option<u32> {
        match &mut self.ready {
            Ready::Shared(queue) => queue.pop_front(),
            Ready::Bound(queues) => queues[processor].pop_front(),
        }
    }

    /// Whether any thread has run on a processor.
    pub(crate) fn has_run(&self, processor: usize) -> bool {
        self.last[processor].is_some()
    }

    /// Lets a processor go on with a thread. Returns how that relates to the thread that ran before.
    pub(crate) fn switch(&mut self, processor: usize, thread: u32) -> Switch {
        let last = self.last[processor].replace(thread);
        let moved = std::mem::take(&mut self.of(thread).moved);
        match last {
            _ if moved => Switch::Other,
            Some(last) if last != thread => Switch::Other,
            Some(_) => Switch::Same,
            None => Switch::First,
        }
    }

    /// The thread that ran last on a processor, if it is bound there and can go on nowhere else.
    pub(crate) fn last_bound(&self, processor: usize) -> Option<u32> {
        match &self.ready {
            Ready::Shared(_) => None,
            Ready::Bound(_) => self.last.get(processor).copied().flatten(),
        }
    }

    /// Binds each thread to its own processor if that computes, or else to the computing processors in turn. Returns the
    /// threads that wait for a block of shared memory.
    pub(crate) fn bind(&mut self, computes: impl Fn(usize) -> bool) -> Vec<u32> {
        let computing: Vec<_> = (0..self.last.len()).filter(|&processor| computes(processor)).collect();
        let mut others = computing.iter().copied().cycle();
        let bound = matches!(self.ready, Ready::Bound(_));
        for thread in &mut self.all {
            let home = thread.home;
            let place = if computes(home) { home } else { others.next().unwrap_or(home) };
            thread.moved |= bound && thread.place != place;
            thread.place = place;
        }
        if let Ready::Bound(queues) = &mut self.ready {
            let ready: Vec<_> = queues.iter_mut().flat_map(|queue| queue.drain(..)).collect();
            ready.into_iter().for_each(|thread| self.queue(thread));
        }
        let all = self.all.iter().zip(0..);
        all.filter(|(thread, _)| thread.waits_for_block()).map(|(_, index)| index).collect()
    }

    fn of(&mut self, thread: u32) -> &mut Thread {
        &mut self.all[thread as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    #[test]
    fn bound_threads_wait_for_their_processor_and_shared_ones_for_any() {
        let mut bound = Threads::new(4, 2, 3, false);
        let mut shared = Threads::new(4, 2, 3, true);
        for threads in [&mut bound, &mut shared] {
            [3, 0, 1].into_iter().for_each(|thread| threads.queue(thread));
        }
        assert_eq!((bound.bound_to(3), shared.bound_to(3)), (Some(1), None));
        assert_eq!(
            [bound.next(0), bound.next(0), bound.next(0), bound.next(1)],
            [Some(0), Some(1), None, Some(3)]
        );
        assert_eq!(
            [shared.next(0), shared.next(1), shared.next(0), shared.next(0)],
            [Some(3), Some(0), Some(1), None]
        );
    }

    #[test]
    fn a_dedicated_processor_sees_no_thread_that_others_may_take() {
        let mut shared = Threads::new(2, 2, 2, true);
        shared.queue(0);
        assert!(shared.has_ready(0, false) && !shared.has_ready(0, true));
    }

    #[test]
    fn a_waiter_ends_one_wait_once() {
        let mut threads = Threads::new(1, 1, 1, false);
        let first = threads.take_waiter(0);
        assert!(threads.still_awaits(0));
        threads.block(0, Reason::Wait(Wait::Block), ns(5));
        assert_eq!(
            threads.blocked().map(|(index, _, since)| (index, since)).collect::<Vec<_>>(),
            [(0, ns(5))]
        );
        threads.note_deposit(first);
        assert_eq!(threads.end_wait(first), Some(true));
        assert!(threads.unblock(0), "it waited for a block");
        assert_eq!((threads.end_wait(first), threads.still_awaits(0)), (None, false));
        assert!(threads.take_notice(0) && !threads.take_notice(0));
        let second = threads.take_waiter(0);
        threads.note_deposit(second);
        assert_eq!((threads.end_wait(second), threads.take_notice(0)), (Some(false), false));
    }

    #[test]
    fn threads_of_a_dedicated_processor_go_to_the_others_in_turn_and_come_back() {
        let mut threads = Threads::new(6, 3, 3, false);
        (0..6).for_each(|thread| threads.queue(thread));
        assert_eq!(threads.switch(0, 0), Switch::First);
        threads.block(3, Reason::Wait(Wait::Block), ns(1));
        assert_eq!(threads.bind(|processor| processor != 0), [3]);
        assert_eq!(
            (threads.bound_to(0), threads.bound_to(1), threads.bound_to(2)),
            (Some(1), Some(2), Some(1))
        );
        assert!(!threads.has_ready(0, false));
        assert_eq!([threads.next(1), threads.next(1)], [Some(0), Some(2)]);
        assert_eq!(threads.switch(1, 2), Switch::First);
        assert_eq!((threads.switch(1, 0), threads.switch(1, 0)), (Switch::Other, Switch::Same));
        threads.bind(|_| true);
        assert_eq!((threads.bound_to(0), threads.bound_to(1)), (Some(0), Some(1 - 1)));
        assert_eq!(threads.switch(0, 0), Switch::Other, "it comes from another processor");
    }

    #[test]
    fn a_wait_for_room_begins_once() {
        let mut threads = Threads::new(1, 1, 1, true);
        assert!(!threads.await_room(0, true) && threads.await_room(0, true) && threads.awaits_room(0));
        assert!(threads.await_room(0, false) && !threads.awaits_room(0));
    }
}
