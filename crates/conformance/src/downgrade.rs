//! A right is taken away after the accesses that it allowed, and before another node has it.
//!
//! The protocol here is the smallest that takes rights away: one block, which one node at a time may read and write, and which
//! wanders from node to node as they ask node 0 for it. Every thread counts in a word of its own in a tight loop, so a store
//! that comes after its right was lost is a store that its thread does not find again; and all count in one word together,
//! so a right that is kept is seen in the sum.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use protocols::Barrier;
use tempest::memory::Fault;
use tempest::{
    Actions, Array, Block, FinalState, Handler, Homes, Keyed, Layout, Memory, NodeId, Protocol, Report,
    Right, Setup, Shared, Tag, Thread, handlers,
};

use crate::Setting;

/// The only block.
const BLOCK: Block = Block(0);

/// The word that all threads count in. Every other word belongs to one thread.
const TOGETHER: usize = 0;

/// A thread counts there in one round of this number: an atomic update waits for stores, which are to be late.
const SELDOM: u64 = 16;

/// The node that serves requests for the block.
const HOME: NodeId = NodeId(0);

/// Number of rounds, and bytes of a block.
struct Config {
    rounds: u64,
    block: u32,
}

struct Wandering {
    rounds: u64,
    memory: Arc<Memory>,
    array: Array<u64>,
    whereabouts: Keyed<Whereabouts>,
    lost: AtomicU64,
    barrier: Arc<Barrier>,
}

/// State of the block at home.
struct Whereabouts {
    owner: NodeId,
    moves: bool,
    asked: VecDeque<NodeId>,
}

impl Whereabouts {
    fn go_on(&mut self, cx: &mut Actions<'_>) {
        while !self.moves
            && let Some(to) = self.asked.pop_front()
        {
            if to == self.owner {
                cx.send(to, Wandering::have());
            } else {
                self.moves = true;
                cx.send(self.owner, Wandering::give(to.0.into()));
            }
        }
    }
}

#[handlers]
impl Wandering {
    /// Says that a thread of this node wants the block.
    #[message(key = BLOCK)]
    fn want(&self, cx: &mut Handler<'_>) {
        cx.send(HOME, Self::ask());
    }

    /// Says that the source wants the block.
    #[message(key = BLOCK)]
    fn ask(&self, cx: &mut Handler<'_>) {
        let from = cx.source();
        cx.with(&self.whereabouts, |block, cx| {
            block.asked.push_back(from);
            block.go_on(cx);
        });
    }

    /// Has the node give the block to another one.
    #[message(key = BLOCK)]
    fn give(&self, to: u64, cx: &mut Handler<'_>) {
        cx.lower(&self.memory, BLOCK, Tag::Invalid, Self::gone(to));
    }

    /// Says that the node has no right any more.
    #[message(key = BLOCK)]
    fn gone(&self, to: u64, cx: &mut Handler<'_>) {
        cx.send_block(NodeId(to as u32), &self.memory, BLOCK, Self::here());
    }

    /// Brings the block.
    #[message(key = BLOCK)]
    fn here(&self, cx: &mut Handler<'_>) {
        cx.raise(&self.memory, BLOCK, Tag::Writable);
        cx.resume_block(&self.memory, BLOCK, Right::Write);
        cx.send(HOME, Self::arrived());
    }

    /// Says that the node that asks has the block.
    #[message(key = BLOCK)]
    fn have(&self, cx: &mut Handler<'_>) {
        cx.resume_block(&self.memory, BLOCK, Right::Write);
    }

    /// Says that the source has the block.
    #[message(key = BLOCK)]
    fn arrived(&self, cx: &mut Handler<'_>) {
        let owner = cx.source();
        cx.with(&self.whereabouts, |block, cx| {
            (block.owner, block.moves) = (owner, false);
            block.go_on(cx);
        });
    }

    fn main(&self, thread: &Thread<'_>) {
        let words = self.memory.bind(self.array);
        let mine = 1 + (thread.node().0 * thread.threads() + thread.index()) as usize;
        for round in 0..self.rounds {
            if mine < words.len() {
                self.count(thread, &words, mine, round);
            }
            thread.poll();
            if round % SELDOM == 0 {
                thread.fetch_add(&words, TOGETHER, 1);
            }
        }
        self.barrier.wait(thread);
        let all = self.rounds.div_ceil(SELDOM) * u64::from(thread.nodes() * thread.threads());
        self.expect(thread.read(&words, TOGETHER), all);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let lost = self.lost.load(Ordering::Relaxed);
        Report::checked(lost == 0, || {
            format!("stores were lost, seen {lost} times on {}", self.memory.node())
        })
    }
}

impl From<Fault> for Want {
    fn from(_: Fault) -> Self {
        Wandering::want()
    }
}

impl Protocol for Wandering {
    type Config = Config;

    fn install(config: &Config, node: &mut Setup<'_>) -> Self {
        let mut layout = Layout::new(node.shape().nodes, config.block).expect("the length of a block");
        let words = layout.block_words();
        let array = layout.array("takeaway", words, Homes::At(HOME)).expect("there is room for a block");
        let whereabouts = |_| Whereabouts { owner: HOME, moves: false, asked: VecDeque::new() };
        let memory = node.memory::<Want>(&layout, true);
        Self {
            rounds: config.rounds,
            whereabouts: node.keyed_blocks(&memory, whereabouts),
            memory,
            array,
            lost: AtomicU64::new(0),
            barrier: node.install::<Barrier>(&()),
        }
    }
}

impl Wandering {
    /// Counts in a thread's own word: by a load and a store, which are tested apart, or by a run, which is tested once.
    fn count(&self, thread: &Thread<'_>, words: &Shared<u64>, mine: usize, round: u64) {
        if round.is_multiple_of(2) {
            self.expect(thread.read(words, mine), round);
            return thread.write(words, mine, round + 1);
        }
        thread.write_runs(words, mine..mine + 1, |_, run| {
            self.expect(run.get(0), round);
            run.set(0, round + 1);
        });
    }

    fn expect(&self, found: u64, stored: u64) {
        if found != stored {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Stores that their tag allowed are never lost, however the block wanders; blocks that fit into a message and blocks that do
/// not, and several threads that share a processor.
pub fn rights_outlast_their_accesses(setting: &Setting<'_>) {
    rights_outlast_their_accesses_for(setting, 300);
}

/// Stores that their tag allowed are never lost, with `rounds` rounds of each thread.
pub fn rights_outlast_their_accesses_for(setting: &Setting<'_>, rounds: u64) {
    for (block, threads) in [(16, 1), (64, 1), (64, 2), (128, 2)] {
        setting.verified::<Wandering>("rights_outlast_their_accesses", Config { rounds, block }, threads);
    }
}
