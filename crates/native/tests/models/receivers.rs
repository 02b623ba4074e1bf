//! The right to receive, as it passes between two processors of a node, with the ring that it protects.

use loom::sync::{Arc, Mutex};
use loom::thread;
use tempest::NodeId;

use crate::explore;
use crate::lines::push;
use crate::right::{Right, Turn};
use crate::ring::{Received, Ring};

/// Each fault of what is explored here, and the scenario that notices it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("offered-unseen", "receivers::each_message_is_received_once_and_in_order"),
    ("taken-over-unseen", "receivers::each_message_is_received_once_and_in_order"),
    ("regained-unasked", "receivers::each_message_is_received_once_and_in_order"),
    ("given-back-unseen", "receivers::who_takes_it_next_sees_what_was_received"),
];

/// A node with messages on their way to it.
struct Node {
    right: Right,
    ring: Ring,
    /// The messages that have their place, in the order in which they had it.
    placed: Mutex<Vec<u16>>,
}

impl Node {
    fn with(messages: u64) -> Arc<Self> {
        let ring = Ring::new(2);
        assert!((0..messages).all(|number| push(&ring, number, 1)), "there is room for all");
        Arc::new(Self { right: Right::default(), ring, placed: Mutex::default() })
    }

    /// As a processor receives: every message has its place before its handler runs, and the right is offered meanwhile.
    fn receive(&self, turn: &Turn<'_>) {
        self.ring.drain(8, NodeId(0), &mut Received::blank(), |message, _| {
            self.placed.lock().expect("nobody panics").push(message.packet.id().0);
            turn.offer(thread::yield_now);
            turn.is_kept()
        });
    }

    /// Receives if it has the right, or takes that over.
    fn serve(&self) {
        let turn = self.right.try_take();
        let turn = turn.or_else(|| self.right.take_over(self.right.offered()?));
        if let Some(turn) = turn {
            self.receive(&turn);
        }
    }

    /// All messages have had their place.
    fn is_done(&self, messages: u16) {
        self.serve();
        let placed = self.placed.lock().expect("nobody panics");
        assert_eq!(*placed, (0..messages).collect::<Vec<_>>());
    }
}

/// One processor receives; another takes the right over during any handler, or has it when it is free.
#[test]
fn each_message_is_received_once_and_in_order() {
    explore(|| {
        let node = Node::with(3);
        let other = Arc::clone(&node);
        let second = thread::spawn(move || other.serve());
        node.serve();
        second.join().expect("it does not panic");
        node.is_done(3);
    });
}

/// Of two processors that only ever try, one at a time receives, where the one before has stopped.
#[test]
fn who_takes_it_next_sees_what_was_received() {
    explore(|| {
        let node = Node::with(2);
        let receive_one = |node: &Node| {
            let Some(_turn) = node.right.try_take() else { return };
            node.ring.drain(1, NodeId(0), &mut Received::blank(), |message, _| {
                node.placed.lock().expect("nobody panics").push(message.packet.id().0);
                true
            });
        };
        let other = Arc::clone(&node);
        let second = thread::spawn(move || receive_one(&other));
        receive_one(&node);
        second.join().expect("it does not panic");
        node.is_done(2);
    });
}
