//! The dispatcher of a node: what hands out the right to run a handler, and under which proof.
//!
//! With *serial* dispatch whoever receives a message runs its handler there and then, under the node's
//! [`pdq::Serial`], whose lock is the mutual exclusion; where a node has one processor that keeps it to itself, and needs no
//! lock. With *keyed* dispatch whoever receives moves messages into the
//! node's [`pdq::Queue`], and every processor that serves takes from there what its key allows.
//!
//! This module must never know processors, or what a message is for.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use pdq::{Identity, Queue, queue};
use tempest::Policy;
use tempest::policy::{Dispatch, Split};
use tempest::world::{DispatchKey, Held, Name, Packet, Proof, Serial};

use crate::apart::Alone;
use crate::dispatch::changes::Changes;
use crate::fences::Fences;
use crate::link::ring::Received;

/// What waits in a keyed dispatcher.
pub(crate) enum Event {
    /// A message for its handler.
    Message(Received),
    /// What comes after a right has been taken away, and the message whose handler asked for that.
    Then(Box<(Received, Packet)>),
    /// A thread that asked for a key.
    Grant(u32),
}

/// Hands out the right to run a handler.
pub(crate) enum Dispatcher {
    /// One at a time, by the node's only processor: here until that takes it.
    Own(Mutex<Option<Serial>>),
    /// One at a time.
    Serial(Box<Alone<Mutex<Serial>>>),
    /// By key.
    Keyed(Box<Shared>),
}

/// A dispatch queue, and a count of the changes by which an event may have become dispatchable: who has searched in
/// vain need not search, nor take the queue's lock, before that moves.
pub(crate) struct Shared {
    pub(crate) queue: Queue<Event, Name>,
    brief: AtomicBool,
    pub(crate) changes: Changes,
    intake: Intake,
}

/// From so many waiting events on, a node receives no more messages, until half of them have been handled: about as many as the
/// rings into it hold. Its servers have enough to do, and what is sent to it waits where it came from, which is bounded
/// (`lane`). Events wait for handlers alone, so the queue empties.
const CROWD: usize = 1 << 16;

/// Receptions between two counts of the queue: a count takes a latch of each of its lanes.
const RECEPTIONS: u32 = 64;

/// Whether a queue takes in what is received. Changed by the processor that has the right to receive.
#[derive(Default)]
#[repr(align(128))]
struct Intake {
    receptions: AtomicU32,
    is_crowded: AtomicBool,
}

impl Dispatcher {
    pub(crate) fn new(policy: &Policy, split: Split, identity: Identity) -> Self {
        let helpers = usize::from(policy.helper.is_some());
        let servers = helpers + if split.dedicated > 0 { split.dedicated } else { split.computing } as usize;
        let any = queue::Config { shares_claims: true, ..queue::Config::servers(servers) };
        match policy.dispatch {
            // Where one processor is all there is, keys have nothing to tell apart.
            Dispatch::Serial | Dispatch::Keyed if split.computing + split.dedicated == 1 && helpers == 0 => {
                Self::Own(Mutex::new(Some(Serial::with_keys(identity))))
            }
            Dispatch::Serial => Self::Serial(Box::new(Alone(Mutex::new(Serial::with_keys(identity))))),
            Dispatch::Keyed => Self::Keyed(Box::new(Shared::new(identity, any))),
            Dispatch::Partitioned => Self::Keyed(Box::new(Shared::new(
                identity,
                queue::Config { partitions: servers, ..queue::Config::servers(servers) },
            ))),
        }
    }
}

impl Shared {
    fn new(identity: Identity, config: queue::Config) -> Self {
        Self {
            queue: Queue::with_keys(identity, config).with_fences(Fences::asymmetric()),
            brief: AtomicBool::new(true),
            changes: Changes::default(),
            intake: Intake::default(),
        }
    }

    /// Whether the queue has room for what is received now. Asked by the processor that has the right to receive.
    pub(crate) fn has_room(&self) -> bool {
        let (receptions, was_crowded) = (
            self.intake.receptions.load(Ordering::Relaxed).wrapping_add(1),
            self.intake.is_crowded.load(Ordering::Relaxed),
        );
        self.intake.receptions.store(receptions, Ordering::Relaxed);
        if !was_crowded && !receptions.is_multiple_of(RECEPTIONS) {
            return true;
        }
        let is_crowded = self.queue.len() >= if was_crowded { CROWD / 2 } else { CROWD };
        self.intake.is_crowded.store(is_crowded, Ordering::Relaxed);
        !is_crowded
    }

    /// Whether handlers have been brief of late, whoever ran them.
    #[inline]
    pub(crate) fn is_brief(&self) -> bool {
        self.brief.load(Ordering::Relaxed)
    }

    /// Handlers have been brief, or not. Written where it changes: all servers read it.
    #[inline]
    pub(crate) fn note_brief(&self, brief: bool) {
        if self.is_brief() != brief {
            self.brief.store(brief, Ordering::Relaxed);
        }
    }

    /// Appends an event. The caller notes the change when it has no more of them.
    pub(crate) fn enqueue(&self, key: DispatchKey, event: Event) {
        self.queue.enqueue(key, event);
    }

    /// Something has been appended, or a key released that something waits for.
    pub(crate) fn note_change(&self) {
        self.changes.note();
    }
}

/// A key of a dispatch queue while its handler runs: released also when that panics.
pub(crate) struct Kept<'a> {
    shared: &'a Shared,
    held: Option<Held>,
}

impl<'a> Kept<'a> {
    pub(crate) fn new(shared: &'a Shared, held: Held) -> Self {
        Self { shared, held: Some(held) }
    }

    pub(crate) fn proof(&mut self) -> Proof<'_> {
        self.held.as_mut().expect("it is there until it is taken out").proof()
    }

    /// Takes the key out, to be released some other time.
    pub(crate) fn take(mut self) -> Held {
        self.held.take().expect("it is taken out once")
    }

    /// Releases the key; whether something that waited can be taken now.
    pub(crate) fn complete(mut self) -> bool {
        self.shared.queue.complete(self.held.take().expect("it is taken out once"))
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.shared.queue.complete(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use pdq::DispatcherId;

    use super::*;

    /// Asks as often as it takes for the queue to be counted.
    fn has_room(shared: &Shared) -> bool {
        (0..RECEPTIONS).all(|_| shared.has_room())
    }

    #[test]
    fn a_crowded_queue_takes_nothing_in_until_half_of_it_has_been_handled() {
        let shared = Shared::new(DispatcherId::fresh(), queue::Config::servers(2));
        let key = DispatchKey::NoSync;
        for _ in 1..CROWD {
            shared.enqueue(key, Event::Grant(0));
        }
        assert!(has_room(&shared));
        shared.enqueue(key, Event::Grant(0));
        assert!(!has_room(&shared));
        for left in (0..CROWD).rev() {
            drop(shared.queue.dequeue(0).expect("an event waits"));
            if left.is_multiple_of(1024) {
                assert_eq!(has_room(&shared), left < CROWD / 2, "{left} wait");
            }
        }
    }
}
