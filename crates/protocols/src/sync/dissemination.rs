//! A barrier of all threads of all nodes, by messages.
//!
//! The last thread of a node that arrives enters the node into the *dissemination* barrier of D. Hensgen, R. Finkel and U. Manber
//! (*Two algorithms for barrier synchronization*, International Journal of Parallel Programming 17, 1988): in round r = 0, 1, …
//! node n signals node n + 2^r, modulo the number of nodes, and enters the next round after the signal of node n - 2^r. After
//! ⌈log₂ nodes⌉ rounds all nodes have arrived. In each round every node sends and receives one message of a word.
//!
//! # One counter per round is enough
//!
//! A node may receive signals of the next barrier while it is still in this barrier, but none of the barrier after the next: no
//! node enters that before this node has entered the next. The signals of a round arrive in the order of the barriers. So a
//! counter of signals for each round is enough: the signal of round r for barrier b has arrived when the counter exceeds b.

use tempest::{Actions, Event, Handler, Keyed, NodeId, Operations, Protocol, Setup, Shape, Thread, handlers};

/// Key of a node's only entry. The value is arbitrary: it only selects the server under a static partition.
const KEY: u64 = 0;

/// Cost of adding one to a counter and comparing it.
const STEP: Operations = Operations::NONE.loads(1).integers(2).stores(1);

/// A barrier of all threads of all nodes. It may be used any number of times.
#[derive(Debug)]
pub struct Barrier {
    shape: Shape,
    progress: Keyed<Progress>,
    /// Event that counts the barriers that are over.
    passed: Event,
}

/// Progress of a node through the rounds of a barrier.
#[derive(Debug)]
struct Progress {
    shape: Shape,
    node: NodeId,
    /// Number of threads of this node that have arrived at the current barrier.
    threads: u32,
    /// Number of barriers that are over.
    barrier: u64,
    /// Number of rounds of the current barrier in which this node has sent its signal.
    told: usize,
    /// Number of rounds of the current barrier that are over.
    round: usize,
    /// Number of signals received in each round, over all barriers; indexed by round.
    heard: Vec<u64>,
}

#[handlers]
impl Barrier {
    /// Signals that all threads of the source, and of the nodes that it has heard of, have arrived.
    #[message(key = KEY, bytes = 4)]
    fn come(&self, round: u64, cx: &mut Handler<'_>) {
        cx.with(&self.progress, |progress, cx| {
            cx.charge(STEP);
            progress.heard[round as usize] += 1;
            progress.advance(&self.passed, cx);
        });
    }
}

impl Protocol for Barrier {
    type Config = ();

    fn install((): &(), node: &mut Setup<'_>) -> Self {
        let (shape, id) = (node.shape(), node.node());
        let rounds = shape.nodes.next_power_of_two().trailing_zeros() as usize;
        let progress = node.keyed_sparse(move |_| Progress {
            shape,
            node: id,
            threads: 0,
            barrier: 0,
            told: 0,
            round: 0,
            heard: vec![0; rounds],
        });
        Self { shape, progress, passed: Event::new("barrier") }
    }
}

impl Barrier {
    /// Waits until every thread of every node has called `wait` as many times as this thread. A thread that returns sees everything
    /// that any thread did before that call. The barrier's messages carry this order from node to node.
    pub fn wait(&self, thread: &Thread<'_>) {
        let barrier = thread.hold(self.progress.key(KEY), |cx| {
            cx.with(&self.progress, |progress, cx| {
                cx.charge(STEP);
                let barrier = progress.barrier;
                progress.threads += 1;
                if progress.threads == self.shape.threads {
                    progress.advance(&self.passed, cx);
                }
                barrier
            })
        });
        thread.wait(&self.passed, barrier + 1);
    }
}

impl Progress {
    /// Goes through all rounds whose signals have arrived. Does nothing until all threads of this node have arrived. Signals `passed`
    /// at the end of the barrier.
    fn advance(&mut self, passed: &Event, cx: &mut Actions<'_>) {
        if self.threads < self.shape.threads {
            return;
        }
        while self.round < self.heard.len() {
            if self.told == self.round {
                self.told += 1;
                let next = (u64::from(self.node.0) + (1 << self.round)) % u64::from(self.shape.nodes);
                cx.send(NodeId(next as u32), Barrier::come(self.round as u64));
            }
            if self.heard[self.round] <= self.barrier {
                return;
            }
            self.round += 1;
        }
        self.barrier += 1;
        (self.threads, self.told, self.round) = (0, 0, 0);
        cx.signal(passed, 1);
    }
}
