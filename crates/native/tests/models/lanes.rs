//! Models of a lane while processors of its node send, one of them empties the outbox and another node receives; and of a node's backlog.

use loom::sync::Arc;
use loom::thread;
use tempest::world::{MessageId, Packet};
use tempest::{MAX_WORDS, NodeId};

use crate::explore;
use crate::rings::backlog::Backlog;
use crate::rings::bounds::{Bounds, Depths};
use crate::rings::lane::Lane;
use crate::rings::message::{Origin, Received};

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("outbox-overtaken", "lanes::what_waits_is_not_overtaken"),
    ("left-relaxed", "lanes::what_has_left_an_outbox_is_in_the_ring"),
    ("owed-relaxed", "lanes::what_is_owed_is_paid"),
    ("settled-without-fence", "lanes::what_is_owed_is_paid"),
];

/// Words in an outbox that keep a node from acknowledging.
const RESERVE: usize = 20;

/// A message; two of them fill the ring.
fn packet(number: u64) -> Packet {
    let packet = Packet::from_parts(MessageId(0), NodeId(0), &[number; MAX_WORDS]);
    packet.expect("a message has so many words")
}

/// A node and its lane to another, whose ring holds two messages.
struct Node {
    lane: Lane,
    backlog: Backlog,
}

impl Node {
    /// A node whose handlers have sent `messages` messages.
    fn with(messages: u64) -> Arc<Self> {
        let depths = Depths { slots: 2, window: 1, ..Depths::default() };
        let lane = Lane::new(depths.slots, &Bounds::new(depths, 1, 1), true);
        let node = Self { lane, backlog: Backlog::new(RESERVE) };
        (0..messages).for_each(|number| node.post(number));
        Arc::new(node)
    }

    fn post(&self, number: u64) {
        let posted = self.lane.sender.post(&packet(number), Origin::Handler, 1, &self.backlog);
        assert_eq!(posted, Some(number), "messages are numbered in the order in which they are sent");
    }

    fn offer(&self, number: u64) -> bool {
        let offered = self.lane.sender.offer(&packet(number), 1, &self.backlog);
        assert!(offered.is_none_or(|sent| sent == number));
        offered.is_some()
    }

    /// Receives all available messages, as the other node.
    fn receive(&self, received: &mut Vec<u64>) {
        self.lane.receiver.receive(8, NodeId(0), &mut Received::blank(), |message, is_good| {
            is_good.expect("the length is that of a message");
            assert!(message.packet.words().iter().all(|word| *word == message.number), "it is whole");
            received.push(message.number);
            true
        });
    }
}

/// The ring is full, and a message waits. While the other node receives and a processor empties the outbox, a handler sends one more
/// message, and then a thread does.
#[test]
fn what_waits_is_not_overtaken() {
    explore(|| {
        let node = Node::with(3);
        let other = Arc::clone(&node);
        let sender = thread::spawn(move || {
            other.post(3);
            other.offer(4)
        });
        let mut received = Vec::new();
        node.receive(&mut received);
        node.lane.sender.flush(&node.backlog);
        let all = if sender.join().expect("it does not panic") { 5 } else { 4 };
        while received.len() < all {
            node.lane.sender.flush(&node.backlog);
            node.receive(&mut received);
        }
        assert_eq!(received, (0..all as u64).collect::<Vec<_>>());
        assert!(node.backlog.is_sent() && !node.lane.receiver.has_message());
    });
}

/// A processor that finds the outboxes empty finds in the ring all messages that have left them.
#[test]
fn what_has_left_an_outbox_is_in_the_ring() {
    explore(|| {
        let node = Node::with(3);
        node.receive(&mut Vec::new());
        let other = Arc::clone(&node);
        let sender = thread::spawn(move || other.lane.sender.flush(&other.backlog));
        assert!(!node.backlog.is_sent() || node.lane.receiver.has_message());
        assert!(sender.join().expect("it does not panic"));
        assert!(node.backlog.is_sent() && node.lane.receiver.has_message());
    });
}

/// One processor has handled a thread's message, and another empties the outboxes until the node acknowledges again: the sender has its
/// credit back in the end, whichever of them pays.
#[test]
fn what_is_owed_is_paid() {
    explore(|| {
        let node = Node::with(0);
        assert!(node.offer(0) && !node.offer(1), "the window is one message");
        node.receive(&mut Vec::new());
        node.backlog.add(RESERVE + 1);
        let other = Arc::clone(&node);
        let debtor = thread::spawn(move || {
            other.lane.receiver.count_handled(1);
            if other.backlog.may_acknowledge() {
                return other.lane.receiver.publish_acknowledged();
            }
            other.backlog.owe();
            if other.backlog.settles() {
                other.lane.receiver.publish_acknowledged();
            }
        });
        node.backlog.remove(RESERVE + 1);
        if node.backlog.settles() {
            node.lane.receiver.publish_acknowledged();
        }
        debtor.join().expect("it does not panic");
        assert!(!node.backlog.is_left(), "nothing is owed any more");
        assert!(node.offer(1), "the credit is back");
    });
}
