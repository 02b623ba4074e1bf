//! Models of downgrades: questions, answers, granted accesses, and downgrades that are set aside meanwhile.
//!
//! A downgrade that no processor continues is a processor that `loom` finds asleep for ever.

use std::cell::Cell;

use loom::sync::Arc;
use loom::thread;
use tempest::world::{Downgrade, MessageId, Packet};
use tempest::{Block, NodeId, Right, Tag, Waiter};

use crate::explore;
use crate::explore_up_to;
use crate::faults::Faults;
use crate::fences::Fences;
use crate::parts::parker::Parker;
use crate::parts::set_aside::{DowngradeSite, Downgrades};
use crate::rings::message::Received;
use crate::sync::{AtomicU8, AtomicU64, Ordering, mutated};
use crate::tags::Tags;

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("nobody-is-awaited", "downgrades::one_that_polls"),
    ("answer-between-test-and-access", "downgrades::one_that_polls"),
    ("question-relaxed", "downgrades::one_that_polls"),
    ("question-not-acquired", "downgrades::one_that_polls"),
    ("answer-relaxed", "downgrades::one_that_polls"),
    ("look-relaxed", "downgrades::one_that_polls"),
    ("change-relaxed", "downgrades::one_that_polls"),
    ("change-not-acquired", "downgrades::one_that_polls"),
    ("later-changes-seen", "downgrades::one_that_polls"),
    ("away-relaxed", "downgrades::one_that_goes_away"),
    ("away-without-fence", "downgrades::one_that_goes_away"),
    ("away-without-answer", "downgrades::one_that_goes_away"),
    ("back-without-fence", "downgrades::one_that_comes_back"),
    ("question-without-fence", "downgrades::one_that_comes_back"),
    ("tag-relaxed", "downgrades::who_finds_a_right_finds_the_words"),
    ("tag-not-acquired", "downgrades::who_finds_a_right_finds_the_words"),
    ("grant-forgotten", "downgrades::a_granted_access_is_done_before"),
    ("prefetch-stays", "downgrades::who_joins_a_prefetch_is_served"),
    ("join-without-fence", "downgrades::who_joins_a_prefetch_is_served"),
    ("served-without-fence", "downgrades::who_joins_a_prefetch_is_served"),
];

/// Number of the computing processor.
const IT: usize = 0;

/// Number of the processors that run handlers beside it.
const SERVERS: usize = 2;

/// A node with blocks of one word, which the computing processor may write at first.
struct Node {
    tags: Tags,
    faults: Faults,
    words: Box<[AtomicU64]>,
    downgrades: Downgrades,
    parkers: [Parker; SERVERS],
}

impl Node {
    fn new(blocks: usize, tag: Tag) -> Arc<Self> {
        Arc::new(Self {
            tags: Tags::new((0..blocks).map(|_| AtomicU8::new(tag as u8)).collect()),
            faults: Faults::default(),
            words: (0..blocks).map(|_| AtomicU64::new(0)).collect(),
            downgrades: Downgrades::new(1),
            parkers: Default::default(),
        })
    }

    /// Tests and then accesses a block, if allowed. Returns the value stored last.
    fn store_if_allowed(&self, block: usize, value: u64) -> Option<u64> {
        self.tags.allows(block, Right::Write).then(|| {
            if mutated!("answer-between-test-and-access") {
                self.poll();
            }
            self.words[block].store(value, Ordering::Relaxed);
            value
        })
    }

    fn word(&self, block: usize) -> u64 {
        self.words[block].load(Ordering::Relaxed)
    }

    fn poll(&self) {
        if self.downgrades.requests.concerns(IT) {
            self.tell_if(self.downgrades.requests.answer(IT));
        }
    }

    fn go_away(&self) {
        self.tell_if(self.downgrades.requests.go_away(IT));
    }

    fn come_back(&self) {
        self.tell_if(self.downgrades.requests.come_back(IT));
    }

    fn tell_if(&self, somebody_waits: bool) {
        if somebody_waits {
            self.tell_change();
        }
    }

    fn tell_change(&self) {
        self.downgrades.note_change();
        Fences.light();
        _ = self.parkers.iter().any(Parker::wake);
    }
}

/// A processor that runs handlers, and does not compute.
struct Server {
    node: Arc<Node>,
    number: usize,
    looked: Cell<u64>,
}

impl DowngradeSite for Server {
    fn is_alone(&self) -> bool {
        false
    }

    fn is_pinned(&self, lowering: &Downgrade) -> bool {
        self.node.faults.pins_any_of(lowering.blocks())
    }

    fn lower(&self, lowering: &Downgrade) {
        lowering.blocks().for_each(|block| self.node.tags.lower(place(block), lowering.tag));
    }

    fn answer(&self) {}
}

fn place(block: Block) -> std::ops::Range<usize> {
    block.0 as usize..block.0 as usize + 1
}

impl Server {
    fn new(node: &Arc<Node>, number: usize) -> Self {
        Self { node: Arc::clone(node), number, looked: Cell::new(0) }
    }

    /// Downgrades a block, as a handler does on request. Returns its word's value then, if the downgrade is done at once.
    fn begin(&self, block: u32) -> Option<u64> {
        let then = Packet::from_parts(MessageId(block as u16), NodeId(0), &[]).expect("it is short");
        let lowering = Downgrade { first: Block(block), count: 1, tag: Tag::Invalid, then };
        let Some(pending) = self.node.downgrades.begin(self, &lowering) else {
            return Some(self.node.word(block as usize));
        };
        self.node.downgrades.set_aside(pending, Received::blank(), None);
        self.node.tell_change();
        None
    }

    /// Continues a set-aside downgrade; sleeps until that is possible or `is_over`. Returns its block.
    fn finish_one(&self, is_over: impl Fn() -> bool) -> Option<usize> {
        let downgrades = &self.node.downgrades;
        while !is_over() {
            if let Some(done) = downgrades.take_done(self, &self.looked) {
                return Some(done.then.id().0 as usize);
            }
            let parker = &self.node.parkers[self.number];
            parker.park_unless(&Fences, || downgrades.sees_change(&self.looked) || is_over());
        }
        None
    }

    /// Downgrades block 0. Returns its word's value then.
    fn take_away(&self) -> u64 {
        self.begin(0).unwrap_or_else(|| {
            self.finish_one(|| false);
            self.node.word(0)
        })
    }
}

/// Downgrades a block while one processor plays its part, and checks that the last value it stored, if any, is found.
fn downgrade(node: &Arc<Node>, computes: impl FnOnce(&Node) -> Option<u64> + Send + 'static) {
    let other = Arc::clone(node);
    let processor = thread::spawn(move || computes(&other));
    let found = Server::new(node, 0).take_away();
    let stored = processor.join().expect("it does not panic");
    assert_eq!(found, stored.unwrap_or(0), "an access is done before its right is gone, or not at all");
}

/// The processor computes, polls, and computes on; then it becomes idle.
#[test]
fn one_that_polls() {
    explore(|| {
        downgrade(&Node::new(1, Tag::Writable), |node| {
            let first = node.store_if_allowed(0, 1);
            node.poll();
            let second = node.store_if_allowed(0, 2);
            node.poll();
            node.go_away();
            second.or(first)
        });
    });
}

/// The processor computes, and becomes idle.
#[test]
fn one_that_goes_away() {
    explore(|| {
        downgrade(&Node::new(1, Tag::Writable), |node| {
            let stored = node.store_if_allowed(0, 1);
            node.go_away();
            stored
        });
    });
}

/// The processor was idle, computes, and polls.
#[test]
fn one_that_comes_back() {
    explore(|| {
        downgrade(&Node::new(1, Tag::Writable), |node| {
            node.go_away();
            node.come_back();
            let stored = node.store_if_allowed(0, 1);
            node.poll();
            node.go_away();
            stored
        });
    });
}

/// An access has been granted, and the right is asked back at once.
#[test]
fn a_granted_access_is_done_before() {
    explore(|| {
        let node = Node::new(1, Tag::Invalid);
        let waiter = Waiter { thread: 7, generation: 0 };
        assert!(node.faults.enlist(Block(0), Right::Write, waiter));
        node.tags.set(0..1, Tag::Writable);
        assert_eq!(node.faults.serve(Block(0), Right::Write), Some(waiter));
        downgrade(&node, move |node| {
            let stored = node.store_if_allowed(0, 1);
            assert_eq!(stored, Some(1), "what was granted is done once");
            if node.faults.done(Block(0), waiter.thread) {
                node.tell_if(node.downgrades.requests.is_waited_for());
            }
            node.go_away();
            stored
        });
    });
}

/// An access faults while the prefetch of its block is served: it has joined the prefetch, or it tells the protocol.
#[test]
fn who_joins_a_prefetch_is_served() {
    explore(|| {
        let node = Node::new(1, Tag::Invalid);
        assert!(node.faults.prefetch(Block(0), Right::Read));
        let other = Arc::clone(&node);
        let handler = thread::spawn(move || {
            other.tags.set(0..1, Tag::ReadOnly);
            std::iter::from_fn(|| other.faults.serve(Block(0), Right::Read)).collect::<Vec<_>>()
        });
        let waiter = Waiter { thread: 7, generation: 0 };
        let tells = node.faults.enlist(Block(0), Right::Read, waiter);
        let served = handler.join().expect("it does not panic");
        assert!(tells || served == [waiter], "it waits, and nobody knows");
    });
}

/// A right is raised while a processor computes.
#[test]
fn who_finds_a_right_finds_the_words() {
    explore(|| {
        let node = Node::new(1, Tag::Invalid);
        let other = Arc::clone(&node);
        let handler = thread::spawn(move || {
            other.words[0].store(1, Ordering::Relaxed);
            other.tags.set(0..1, Tag::ReadOnly);
        });
        if node.tags.allows(0, Right::Read) {
            assert_eq!(node.word(0), 1);
        }
        handler.join().expect("it does not panic");
    });
}

/// Two processors downgrade two blocks, and the woken one continues any set-aside downgrade.
#[test]
fn two_are_set_aside() {
    explore_up_to(1, || {
        let node = Node::new(2, Tag::Writable);
        let done = Arc::new(AtomicU64::new(0));
        let serve = |number: usize| {
            let (node, done) = (Arc::clone(&node), Arc::clone(&done));
            thread::spawn(move || {
                let server = Server::new(&node, number);
                let is_over = || done.load(Ordering::Acquire) == SERVERS as u64;
                let mut found = Vec::new();
                let mut note = |block: usize| {
                    found.push((block, node.word(block)));
                    done.fetch_add(1, Ordering::AcqRel);
                    if is_over() {
                        Fences.light();
                        node.parkers.iter().for_each(Parker::wake_from_anything);
                    }
                };
                if server.begin(number as u32).is_some() {
                    note(number);
                }
                while let Some(block) = server.finish_one(is_over) {
                    note(block);
                }
                found
            })
        };
        let servers = [serve(0), serve(1)];
        let stored = [0, 1].map(|block| node.store_if_allowed(block, 1).unwrap_or(0));
        node.go_away();
        let found = servers.map(|server| server.join().expect("it does not panic"));
        let mut found = found.concat();
        found.sort_unstable();
        assert_eq!(found, [(0, stored[0]), (1, stored[1])]);
    });
}
