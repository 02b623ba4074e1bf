//! Models of the receive lock, passing between two processors of a node, with the ring that it protects; of the wake-up beside a
//! processor in a long handler; and of the sleep after a fruitless search.

use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use tempest::NodeId;

use crate::explore;
use crate::fences::Fences;
use crate::lines::push;
use crate::parts::changes::{Changes, Search};
use crate::parts::parker::Parker;
use crate::parts::receive_lock::{ReceiveGuard, ReceiveLock};
use crate::rings::message::Received;
use crate::rings::ring::Ring;

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("item-unseen", "receivers::each_message_is_received_once_and_in_order"),
    ("end-unseen", "receivers::each_message_is_received_once_and_in_order"),
    ("breaking-in-unseen", "receivers::each_message_is_received_once_and_in_order"),
    ("asked-is-refused", "receivers::each_message_is_received_once_and_in_order"),
    ("begun-beside-another", "receivers::one_that_takes_over_from_itself_offers_it_to_others"),
    ("given-back-unseen", "receivers::who_takes_it_next_sees_what_was_received"),
    ("engaged-without-fence", "receivers::one_that_sleeps_is_woken_beside_a_long_handler"),
    ("given-without-fence", "receivers::one_that_sleeps_is_woken_beside_a_long_handler"),
    ("change-unnoted", "receivers::who_has_searched_in_vain_is_told_of_a_change"),
    ("counted-after-the-search", "receivers::who_has_searched_in_vain_is_told_of_a_change"),
];

/// A node with messages in flight to it.
struct Node {
    right: ReceiveLock,
    ring: Ring,
    /// The messages that have their place, in that order.
    placed: Mutex<Vec<u16>>,
}

impl Node {
    fn with(messages: u64) -> Arc<Self> {
        let ring = Ring::new(2);
        assert!((0..messages).all(|number| push(&ring, number, 1)), "there is room for all");
        Arc::new(Self { right: ReceiveLock::among(2, Fences), ring, placed: Mutex::default() })
    }

    /// Receives as a processor does: every message has its place before its handler runs, and the right is offered meanwhile.
    fn receive(&self, turn: &ReceiveGuard<'_>, handler: impl Fn()) {
        self.ring.consumer.drain(8, NodeId(0), &mut Received::blank(), |message, _| {
            self.placed.lock().expect("nobody panics").push(message.packet.id().0);
            turn.offer(&handler);
            turn.is_kept()
        });
    }

    /// Receives as processor `number` if it has the right, or takes that over.
    fn serve(&self, number: usize) {
        self.serve_with(number, thread::yield_now);
    }

    fn serve_with(&self, number: usize, handler: impl Fn()) {
        let turn = self.right.try_take(number);
        let turn = turn.or_else(|| self.right.take_over(self.right.offered()?, number));
        if let Some(turn) = turn {
            self.receive(&turn, handler);
        }
    }

    /// Asserts that all messages have had their place, in order.
    fn is_done(&self, messages: u16) {
        self.serve(0);
        let placed = self.placed.lock().expect("nobody panics");
        assert_eq!(*placed, (0..messages).collect::<Vec<_>>());
    }
}

/// Explores `serve` on one processor of a node beside another that receives.
fn beside_another(serve: impl Fn(&Node) + Send + Sync + 'static) {
    explore(move || {
        let node = Node::with(3);
        let other = Arc::clone(&node);
        let second = thread::spawn(move || other.serve(1));
        serve(&node);
        second.join().expect("it does not panic");
        node.is_done(3);
    });
}

/// A processor receives; another takes the right over during any handler, or takes it when it is free.
#[test]
fn each_message_is_received_once_and_in_order() {
    beside_another(|node| node.serve(0));
}

/// A processor serves while it offers the right, as a thread that holds a key may; the other processor serves as well.
#[test]
fn one_that_takes_over_from_itself_offers_it_to_others() {
    beside_another(|node| node.serve_with(0, || node.serve(0)));
}

/// Two processors only ever try for the right: they receive one at a time, and each sees the messages that the other took.
#[test]
fn who_takes_it_next_sees_what_was_received() {
    explore(|| {
        let node = Node::with(2);
        let receive_one = |node: &Node, number| {
            let Some(_turn) = node.right.try_take(number) else { return };
            node.ring.consumer.drain(1, NodeId(0), &mut Received::blank(), |message, _| {
                node.placed.lock().expect("nobody panics").push(message.packet.id().0);
                true
            });
        };
        let other = Arc::clone(&node);
        let second = thread::spawn(move || receive_one(&other, 1));
        receive_one(&node, 0);
        second.join().expect("it does not panic");
        node.is_done(2);
    });
}

/// A node whose first processor is about to begin a handler that goes on until a message has been handled.
struct Beside {
    ring: Ring,
    parkers: [Parker; 2],
    handled: Mutex<bool>,
    changed: Condvar,
}

impl Beside {
    /// Runs as `Processor::engage` and the code after it.
    fn run_long_handler(&self) {
        let someone_sleeps = self.parkers[0].engage_beside(self.parkers.iter());
        if someone_sleeps && self.ring.consumer.is_ready() {
            self.parkers[1].wake();
        }
        let mut handled = self.handled.lock().expect("nobody panics");
        while !*handled {
            handled = self.changed.wait(handled).expect("nobody panics");
        }
    }

    /// Runs as `Processor::idle`.
    fn sleep_and_receive(&self) {
        while self.ring.consumer.drain(1, NodeId(0), &mut Received::blank(), |_, _| true).messages == 0 {
            self.parkers[1].park_unless(&Fences, || self.ring.consumer.is_ready());
        }
        *self.handled.lock().expect("nobody panics") = true;
        self.changed.notify_all();
    }
}

/// One processor begins a handler that goes on until a message has been handled; the other sleeps; the message is sent. The sender passes
/// no light fence: that of an asymmetric pair has no effect except on a processor that is going to sleep.
#[test]
fn one_that_sleeps_is_woken_beside_a_long_handler() {
    explore(|| {
        let node = Arc::new(Beside {
            ring: Ring::new(2),
            parkers: Default::default(),
            handled: Mutex::new(false),
            changed: Condvar::new(),
        });
        let [busy, idle] = [Arc::clone(&node), Arc::clone(&node)];
        let all =
            [thread::spawn(move || busy.run_long_handler()), thread::spawn(move || idle.sleep_and_receive())];
        while !node.parkers[1].is_parked() {
            thread::yield_now();
        }
        assert!(push(&node.ring, 0, 1), "there is room for it");
        if Parker::are_away(&node.parkers) {
            _ = node.parkers.iter().any(Parker::wake);
        }
        all.into_iter().for_each(|processor| processor.join().expect("it does not panic"));
    });
}

/// A processor searches a queue and sleeps; another appends an event.
#[test]
fn who_has_searched_in_vain_is_told_of_a_change() {
    explore(|| {
        let node = Arc::new((Mutex::new(0), Changes::default(), Parker::default()));
        let other = Arc::clone(&node);
        let server = thread::spawn(move || {
            let (queue, changes, parker) = &*other;
            let search = Search::default();
            let take = || std::mem::take(&mut *queue.lock().expect("nobody panics"));
            while search.search(changes, take) == 0 {
                parker.park_unless(&Fences, || search.is_due(changes));
            }
        });
        let (queue, changes, parker) = &*node;
        *queue.lock().expect("nobody panics") += 1;
        changes.note();
        Fences.light();
        parker.wake();
        server.join().expect("it does not panic");
    });
}
