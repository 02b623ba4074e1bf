//! The dispatcher of a node: it hands out the right to run a handler, with a proof.
//!
//! With *serial* dispatch the processor that receives a message runs its handler at once, under the node's [`pdq::Serial`], whose lock is
//! the mutual exclusion. On a node with one processor that processor keeps the dispatcher, and needs no lock. With *keyed* dispatch the
//! receiving processor moves messages into the node's [`pdq::Queue`], and every server takes from it the events that their keys allow.
//!
//! This module must never know processors, or the purpose of a message.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use pdq::{Identity, Queue, queue};
use tempest::Policy;
use tempest::policy::{Dispatch, Split};
use tempest::world::{DispatchKey, Held, Name, Packet, Proof, Serial};

use crate::fences::Fences;
use crate::padding::CachePadded;
use crate::parts::changes::Changes;
use crate::parts::tuning::{CROWD, RECEPTIONS_PER_COUNT};
use crate::rings::message::Received;

/// An event that waits in a keyed dispatcher.
pub(crate) enum Event {
    /// A message for its handler.
    Message(Received),
    /// The continuation after a downgrade, and the message whose handler asked for it.
    Then(Box<(Received, Packet)>),
    /// A grant of a key to the thread that asked for it.
    Grant(u32),
}

/// Hands out the right to run a handler.
pub(crate) enum Dispatcher {
    /// Serial, by the node's only processor; `Some` until that processor takes it.
    Own(Mutex<Option<Serial>>),
    /// Serial, under a lock.
    Serial(Box<CachePadded<Mutex<Serial>>>),
    /// Keyed, by a dispatch queue.
    Keyed(Box<Shared>),
}

/// A dispatch queue, and a count of the changes by which an event may have become dispatchable. After a fruitless search a server neither
/// searches nor takes the queue's lock until the count changes.
pub(crate) struct Shared {
    pub(crate) queue: Queue<Event, Name>,
    brief: AtomicBool,
    pub(crate) changes: Changes,
    intake: Intake,
}

/// Back-pressure of the queue on reception. Changed only by the processor that has the receive lock.
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
            // A single processor runs one handler at a time anyway.
            Dispatch::Serial | Dispatch::Keyed if split.computing + split.dedicated == 1 && helpers == 0 => {
                Self::Own(Mutex::new(Some(Serial::with_keys(identity))))
            }
            Dispatch::Serial => Self::Serial(Box::new(CachePadded(Mutex::new(Serial::with_keys(identity))))),
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

    /// Whether the queue has room for the messages of a reception. Called by the processor that has the receive lock.
    pub(crate) fn has_room(&self) -> bool {
        let (receptions, was_crowded) = (
            self.intake.receptions.load(Ordering::Relaxed).wrapping_add(1),
            self.intake.is_crowded.load(Ordering::Relaxed),
        );
        self.intake.receptions.store(receptions, Ordering::Relaxed);
        if !was_crowded && !receptions.is_multiple_of(RECEPTIONS_PER_COUNT) {
            return true;
        }
        let is_crowded = self.queue.len() >= if was_crowded { CROWD / 2 } else { CROWD };
        self.intake.is_crowded.store(is_crowded, Ordering::Relaxed);
        !is_crowded
    }

    /// Whether recent handlers were brief, on any server.
    #[inline]
    pub(crate) fn is_brief(&self) -> bool {
        self.brief.load(Ordering::Relaxed)
    }

    /// Records whether handlers are brief. Stores only changes, because all servers read the flag.
    #[inline]
    pub(crate) fn note_brief(&self, brief: bool) {
        if self.is_brief() != brief {
            self.brief.store(brief, Ordering::Relaxed);
        }
    }

    /// Appends an event. The caller counts the change after its last event.
    pub(crate) fn enqueue(&self, key: DispatchKey, event: Event) {
        self.queue.enqueue(key, event);
    }

    /// Counts a change: an event has been appended, or a key released for which an event waits.
    pub(crate) fn note_change(&self) {
        self.changes.note();
    }
}

/// A key of a dispatch queue while its handler runs. Released also if the handler panics.
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

    /// Takes the key out, to be released later.
    pub(crate) fn take(mut self) -> Held {
        self.held.take().expect("it is taken out once")
    }

    /// Releases the key. Returns whether a waiting event can be taken now.
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

    /// Asks for room as often as it takes until the queue is counted.
    fn has_room(shared: &Shared) -> bool {
        (0..RECEPTIONS_PER_COUNT).all(|_| shared.has_room())
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
