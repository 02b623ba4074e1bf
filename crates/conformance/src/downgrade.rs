//! A right is taken away after the accesses that it allowed, and before anybody else has it.
//!
//! The protocol here is the smallest that takes rights away: one block, which one node at a time may read and write, and which
//! wanders from node to node as they ask node 0 for it. Every thread counts in a word of its own in a tight loop, so a store
//! that comes after its right was lost is a store that its thread does not find again; and all count in one word together,
//! so a right that is kept is seen in the sum.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{Pod, Zeroable};
use protocols::Barrier;
use tempest::{
    Actions, Array, Block, Fault, Handler, Homes, Key, Keyed, Layout, Memory, Message, NodeId, Program,
    Protocol, Quiet, Report, Right, Setup, Shared, Tag, Thread,
};

use crate::Setting;

/// The one block there is.
const BLOCK: Block = Block(0);

/// The word that all threads count in; the others are theirs, one each, as far as they go.
const TOGETHER: usize = 0;

/// In one of so many rounds a thread counts there: an atomic update waits for stores, which are to be late.
const SELDOM: u64 = 16;

/// Who is asked for it.
const HOME: NodeId = NodeId(0);

/// How long, and with blocks of how many bytes.
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

/// What home knows of the block.
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
                cx.send(to, Have {});
            } else {
                self.moves = true;
                cx.send(self.owner, Give { to: to.0.into() });
            }
        }
    }
}

/// Declares a message about the block, and what its handler does.
macro_rules! message {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* } ($this:ident, $state:ident, $cx:ident) $body:block) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        struct $name { $($field: u64),* }

        impl Message for $name {
            type Protocol = Wandering;
            fn key(&self) -> Key {
                BLOCK.key()
            }
            fn handle(self, $state: &Wandering, _payload: &[u64], $cx: &mut Handler<'_>) {
                let $this = self;
                $body
            }
        }
    };
}

message! {
    /// A thread of this node wants the block.
    Want { unused } (_this, _state, cx) {
        cx.send(HOME, Ask {});
    }
}

impl From<Fault> for Want {
    fn from(_: Fault) -> Self {
        Self { unused: 0 }
    }
}

message! {
    /// The source wants the block.
    Ask {} (_this, state, cx) {
        let from = cx.source();
        cx.with(&state.whereabouts, |block, cx| {
            block.asked.push_back(from);
            block.go_on(cx);
        });
    }
}

message! {
    /// The node is to give the block to another one.
    Give { to } (this, state, cx) {
        cx.lower(&state.memory, BLOCK, Tag::Invalid, Gone { to: this.to });
    }
}

message! {
    /// It has no right any more.
    Gone { to } (this, state, cx) {
        cx.send_block(NodeId(this.to as u32), &state.memory, BLOCK, Here {});
    }
}

message! {
    /// The block is here.
    Here {} (_this, state, cx) {
        cx.raise(&state.memory, BLOCK, Tag::Writable);
        cx.resume_block(&state.memory, BLOCK, Right::Write);
        cx.send(HOME, Arrived {});
    }
}

message! {
    /// The node that asks has the block.
    Have {} (_this, state, cx) {
        cx.resume_block(&state.memory, BLOCK, Right::Write);
    }
}

message! {
    /// The source has the block.
    Arrived {} (_this, state, cx) {
        let owner = cx.source();
        cx.with(&state.whereabouts, |block, cx| {
            (block.owner, block.moves) = (owner, false);
            block.go_on(cx);
        });
    }
}

impl tempest::Handlers for Wandering {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Want>();
        messages.add::<Ask>();
        messages.add::<Give>();
        messages.add::<Gone>();
        messages.add::<Here>();
        messages.add::<Have>();
        messages.add::<Arrived>();
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

impl Program for Wandering {
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

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let lost = self.lost.load(Ordering::Relaxed);
        Report::checked(lost == 0, || {
            format!("stores were lost, seen {lost} times on {}", self.memory.node())
        })
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
