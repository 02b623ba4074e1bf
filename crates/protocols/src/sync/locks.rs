//! Locks in shared memory, in arrays.
//!
//! Between nodes a lock is the array queue of T. E. Anderson (*The performance of spin lock alternatives for shared-memory
//! multiprocessors*, IEEE Transactions on Parallel and Distributed Systems 1, 1990): who wants it draws a ticket and waits for
//! the flag of that ticket; who has it raises the flag of the next. As many flags as nodes, each on a block of its own: a
//! hand-over concerns the two nodes that hand over, and nobody else is disturbed.
//!
//! Inside a node it is a cohort (D. Dice, V. J. Marathe and N. Shavit, *Lock cohorting: a general technique for designing NUMA
//! locks*, PPoPP 2012): its threads queue up under a key of the node, one of them draws the ticket and waits for the flag, and
//! they hand the lock on to each other, without touching shared memory, as often as there are threads. So a lock
//! that one node uses again and again costs no message. Whoever waits gives its processor away.

use std::collections::VecDeque;
use std::sync::Arc;

use tempest::{
    Array, BadLayout, Cells, Event, Homes, Keyed, Layout, Memory, Operations, Setup, Shape, Shared, Thread,
};

use super::flags::{self, Flags};

/// Looking whether the lock is there, or for whom, and saying so.
const STEP: Operations = Operations::NONE.loads(2).integers(2).stores(2);

/// Where an array of locks is in the address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockRoom {
    count: u32,
    tickets: Array<u64>,
    flags: Array<u64>,
}

/// An array of locks, as a node sees them.
///
/// * **Exclusion**: between the beginning and the end of [`with`](Self::with) no other thread of any node is in it with the same
///   lock.
/// * **Order**: what a thread did to shared memory inside it happens before what the next one does there; between threads of
///   one node that holds of everything they did.
/// * **Fairness**: nodes have their turns in the order in which they drew tickets, with at most as many threads in a turn as a
///   node has; the threads of a node in the order in which they came. While a thread waits, no node has more than two turns.
///
/// A thread that asks for a lock it has waits for ever; so do threads that take locks crosswise. A world reports it as a
/// deadlock.
#[derive(Debug)]
pub struct Locks {
    count: u32,
    shape: Shape,
    /// By lock: the next ticket. Each on a block of its own.
    tickets: Shared<u64>,
    /// By lock and by ticket, modulo the nodes: whose turn it is.
    flags: Flags,
    /// By lock: the ticket by which this node has it. Only who has the lock looks.
    ticket: Cells<u64>,
    queues: Keyed<Queue>,
    /// By thread: how often its waiting was ended.
    called: Box<[Event]>,
    /// By thread: what it was called for.
    calls: Cells<u64>,
}

/// What a thread that is called has to do: draw a ticket.
const DRAW: u64 = 0;

/// What a thread that is called has: the lock.
const HAVE: u64 = 1;

/// The threads of a node that want a lock.
#[derive(Default, Debug)]
struct Queue {
    /// One has it, or has drawn a ticket, or is about to.
    busy: bool,
    /// How often it was handed on inside the node by the same ticket.
    handed_on: u32,
    /// The others, in the order in which they came.
    waiting: VecDeque<u32>,
}

impl Locks {
    /// Room for `count` locks. A lock takes a block for its tickets and one for each node.
    ///
    /// # Errors
    /// [`BadLayout`] if the space has no room for them.
    pub fn room(layout: &mut Layout, count: u32) -> Result<LockRoom, BadLayout> {
        let flags = (count as usize).saturating_mul(layout.nodes() as usize);
        Ok(LockRoom {
            count,
            tickets: flags::room(layout, "locks.tickets", count as usize, Homes::RoundRobin)?,
            flags: flags::room(layout, "locks.flags", flags, Homes::RoundRobin)?,
        })
    }

    /// The locks on the node being settled.
    ///
    /// # Panics
    /// If the room is in another space.
    pub fn new(setup: &mut Setup<'_>, memory: &Arc<Memory>, room: LockRoom) -> Self {
        let shape = setup.shape();
        let space = setup.fresh_space();
        Self {
            count: room.count,
            shape,
            tickets: memory.bind(room.tickets),
            flags: Flags::at(memory, room.flags),
            ticket: Cells::new(room.count as usize, 0),
            queues: setup.keyed_sparse_in(space, |_| Queue::default()),
            called: (0..shape.threads).map(|_| Event::new("lock")).collect(),
            calls: Cells::new(shape.threads as usize, DRAW),
        }
    }

    /// Runs `body` with a lock: alone among all threads of all nodes that use it so. The body may wait, and take other locks.
    ///
    /// # Panics
    /// If there is no such lock.
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
            if self.calls.get(mine as usize) == HAVE {
                return;
            }
        }
        let ticket = thread.fetch_add(&self.tickets, lock as usize, 1);
        self.flags.wait(thread, self.flag(lock, ticket), ticket);
        self.ticket.set(lock as usize, ticket);
    }

    fn release(&self, thread: &Thread<'_>, lock: u32) {
        let most = self.shape.threads - 1;
        let handed_on = self.call_next(thread, lock, HAVE, |queue| queue.hand_on(most));
        if !handed_on {
            let next = self.ticket.get(lock as usize) + 1;
            self.flags.raise(thread, self.flag(lock, next), next);
            // Only now: so what the next thread of this node does comes after, whoever's turn it is.
            self.call_next(thread, lock, DRAW, Queue::leave);
        }
    }

    /// Calls the thread of this node that the queue says is next; false if there is none.
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
                self.calls.set(next as usize, what_for);
                cx.signal(&self.called[next as usize], 1);
                true
            })
        })
    }

    /// Which flag is raised when it is the turn of a ticket.
    fn flag(&self, lock: u32, ticket: u64) -> usize {
        let nodes = u64::from(self.shape.nodes);
        (u64::from(lock) * nodes + ticket % nodes) as usize
    }
}

impl Queue {
    /// A thread comes. True if it is to draw a ticket; else it will be called.
    fn join(&mut self, thread: u32) -> bool {
        if self.busy {
            self.waiting.push_back(thread);
            return false;
        }
        *self = Self { busy: true, ..Self::default() };
        true
    }

    /// Who gets the lock from who has it, by the same ticket, which serves `most` after the first.
    fn hand_on(&mut self, most: u32) -> Option<u32> {
        if self.handed_on == most {
            return None;
        }
        self.handed_on += 1;
        self.waiting.pop_front()
    }

    /// Who is to draw the next ticket, now that the last one has been used up.
    fn leave(&mut self) -> Option<u32> {
        let next = self.waiting.pop_front();
        (self.busy, self.handed_on) = (next.is_some(), 0);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads want a lock whose tickets serve two each: the first draws, hands on to the second; the third draws.
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
