//! Locks in shared memory, in arrays.
//!
//! Between nodes a lock is the array queue of T. E. Anderson (*The performance of spin lock alternatives for shared-memory
//! multiprocessors*, IEEE Transactions on Parallel and Distributed Systems 1, 1990): a node draws a ticket and waits for the flag of
//! that ticket; the holder releases the lock by raising the flag of the next. There are as many flags as nodes, each on a block of
//! its own: a hand-over disturbs only the two nodes that take part.
//!
//! Inside a node it is a cohort (D. Dice, V. J. Marathe and N. Shavit, *Lock cohorting: a general technique for designing NUMA
//! locks*, PPoPP 2012): its threads queue up under a key of the node, one of them draws the ticket and waits for the flag, and they
//! hand the lock on to each other without touching shared memory, up to as many times as the node has threads. So a lock that one
//! node uses again and again costs no message. A waiting thread yields its processor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tempest::data::BadLayout;
use tempest::{Array, Cells, Event, Homes, Keyed, Layout, Memory, Operations, Setup, Shape, Shared, Thread};

use super::flags::{self, Flags};

/// Cost of a step of a node's queue for a lock: look at its state and change it.
const STEP: Operations = Operations::NONE.loads(2).integers(2).stores(2);

/// The memory of an array of locks: its part of the address space, reserved by [`Locks::room`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockRoom {
    count: u32,
    tickets: Array<u64>,
    flags: Array<u64>,
}

/// An array of locks, as one node accesses them.
///
/// * **Exclusion**: no two threads, of one node or of two, are inside [`with`](Self::with) for the same lock at once.
/// * **Order**: the next holder sees the stores to shared memory that earlier holders made inside. If it is of the same node as the
///   last holder, it sees everything that the last holder did inside.
/// * **Fairness**: nodes take turns in the order in which they drew tickets. A turn serves at most as many threads as a node has, in
///   the order of their arrival. While a thread waits, no node has more than two turns.
///
/// A thread that requests a lock it holds waits for ever; so do threads that take locks in circular order. The world reports this as a
/// deadlock.
#[derive(Debug)]
pub struct Locks {
    count: u32,
    shape: Shape,
    /// Next ticket of each lock, each on a block of its own.
    tickets: Shared<u64>,
    /// Flags that grant a ticket its turn, by lock and by ticket modulo the number of nodes.
    flags: Flags,
    /// Ticket with which this node has the lock, indexed by lock. Only the holder reads and writes it.
    ticket: Box<[AtomicU64]>,
    queues: Keyed<Queue>,
    /// Events that call the waiting threads of this node, indexed by thread. A call adds 1.
    called: Box<[Event]>,
    /// Reason of each thread's last call, `DRAW` or `HAVE`; indexed by thread.
    calls: Cells<u64>,
}

/// Reason of a call: the called thread must draw a ticket for the lock.
const DRAW: u64 = 0;

/// Reason of a call: the called thread has the lock.
const HAVE: u64 = 1;

/// Threads of a node that want the same lock.
#[derive(Default, Debug)]
struct Queue {
    /// Whether a thread of the node has the lock, has drawn a ticket for it, or is about to draw one.
    busy: bool,
    /// Number of times that the lock has been handed on inside the node with the current ticket.
    handed_on: u32,
    /// Threads that wait for the lock, in order of arrival.
    waiting: VecDeque<u32>,
}

impl Locks {
    /// Reserves the memory of `count` locks. A lock takes a block for its tickets and a block for each node.
    ///
    /// # Errors
    /// [`BadLayout`] if the address space has no room for the locks.
    pub fn room(layout: &mut Layout, count: u32) -> Result<LockRoom, BadLayout> {
        let flags = (count as usize).saturating_mul(layout.nodes() as usize);
        Ok(LockRoom {
            count,
            tickets: flags::room(layout, "locks.tickets", count as usize, Homes::RoundRobin)?,
            flags: flags::room(layout, "locks.flags", flags, Homes::RoundRobin)?,
        })
    }

    /// Makes the locks on the node that `setup` sets up.
    ///
    /// # Panics
    /// If `room` is in another address space.
    pub fn new(setup: &mut Setup<'_>, memory: &Arc<Memory>, room: LockRoom) -> Self {
        let shape = setup.shape();
        let space = setup.fresh_space();
        Self {
            count: room.count,
            shape,
            tickets: memory.bind(room.tickets),
            flags: Flags::at(memory, room.flags),
            ticket: (0..room.count).map(|_| AtomicU64::new(0)).collect(),
            queues: setup.keyed_sparse_in(space, |_| Queue::default()),
            called: (0..shape.threads).map(|_| Event::new("lock")).collect(),
            calls: Cells::new(shape.threads as usize, DRAW),
        }
    }

    /// Runs `body` while the thread holds lock number `lock`. The body may wait, and take other locks.
    ///
    /// # Panics
    /// If there is no lock with this number.
    pub fn with<R>(&self, thread: &Thread<'_>, lock: u32, body: impl FnOnce() -> R) -> R {
        assert!(lock < self.count, "lock {lock} of {}", self.count);
        self.acquire(thread, lock);
        let result = body();
        self.release(thread, lock);
        result
    }

    fn acquire(&self, thread: &Thread<'_>, lock: u32) {
        let mine = thread.index();
        let called = &self.called[mine as usize];
        let before = called.count(thread);
        let first = thread.hold(self.queues.key(lock.into()), |cx| {
            cx.with(&self.queues, |queue, cx| {
                cx.charge(STEP);
                queue.join(mine)
            })
        });
        if !first {
            thread.wait(called, before + 1);
            if self.calls.get(thread, mine as usize) == HAVE {
                return;
            }
        }
        let ticket = thread.fetch_add(&self.tickets, lock as usize, 1);
        self.flags.wait(thread, self.flag(lock, ticket), ticket);
        self.ticket[lock as usize].store(ticket, Ordering::Relaxed);
    }

    fn release(&self, thread: &Thread<'_>, lock: u32) {
        let most = self.shape.threads - 1;
        let handed_on = self.call_next(thread, lock, HAVE, |queue| queue.hand_on(most));
        if !handed_on {
            let next = self.ticket[lock as usize].load(Ordering::Relaxed) + 1;
            self.flags.raise(thread, self.flag(lock, next), next);
            // Only now: so the next thread of this node comes after the node whose turn it is.
            self.call_next(thread, lock, DRAW, Queue::leave);
        }
    }

    /// Calls the waiting thread that `next` takes from this node's queue for `lock`, with the reason `what_for`. Returns false if
    /// there is none.
    fn call_next(
        &self,
        thread: &Thread<'_>,
        lock: u32,
        what_for: u64,
        next: impl FnOnce(&mut Queue) -> Option<u32>,
    ) -> bool {
        thread.hold(self.queues.key(lock.into()), |cx| {
            cx.with(&self.queues, |queue, cx| {
                cx.charge(STEP);
                let Some(next) = next(queue) else { return false };
                self.calls.set(cx, next as usize, what_for);
                cx.signal(&self.called[next as usize], 1);
                true
            })
        })
    }

    /// Returns the index of the flag that grants `ticket` its turn for `lock`.
    fn flag(&self, lock: u32, ticket: u64) -> usize {
        let nodes = u64::from(self.shape.nodes);
        (u64::from(lock) * nodes + ticket % nodes) as usize
    }
}

impl Queue {
    /// Adds a thread. Returns true if the thread has to draw a ticket; otherwise it will be called.
    fn join(&mut self, thread: u32) -> bool {
        if self.busy {
            self.waiting.push_back(thread);
            return false;
        }
        *self = Self { busy: true, ..Self::default() };
        true
    }

    /// Takes the waiting thread that gets the lock next, with the current ticket. `None` if no thread waits, or if the ticket has
    /// already served `most` threads after the first.
    fn hand_on(&mut self, most: u32) -> Option<u32> {
        if self.handed_on == most {
            return None;
        }
        self.handed_on += 1;
        self.waiting.pop_front()
    }

    /// Takes the thread that has to draw the next ticket, now that the last ticket is used up.
    fn leave(&mut self) -> Option<u32> {
        let next = self.waiting.pop_front();
        (self.busy, self.handed_on) = (next.is_some(), 0);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads of a node want a lock, and a ticket serves two threads: the first thread draws a ticket and hands the lock to the
    /// second, and the third draws another ticket.
    #[test]
    fn a_node_hands_on_so_often_and_then_draws_again() {
        let mut queue = Queue::default();
        assert_eq!([0, 1, 2].map(|thread| queue.join(thread)), [true, false, false]);
        assert_eq!(queue.hand_on(1), Some(1));
        assert_eq!(queue.hand_on(1), None, "others have waited long enough");
        assert_eq!(queue.leave(), Some(2));
        assert_eq!(queue.hand_on(1), None, "nobody is left");
        assert_eq!(queue.leave(), None);
        assert!(queue.join(3), "the lock is nobody's on this node");
    }
}
