//! What all processors of a running world share.
//!
//! A world is *running* until it has *ended*, is *deadlocked* or has *failed*; the first of these stays. This module
//! must never know who runs when.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use pdq::DispatcherId;
use tempest::policy::Split;
use tempest::{Blocked, Failure, Flow, Launch, NodeId, Policy, Shape};
use units::Time;

use crate::gauge::Gauge;
use crate::idle::Berth;
use crate::lane::{Depths, Lane};
use crate::node::{Dispatcher, Node, lock};
use crate::phases::Phases;

/// Where a world is in its life. Only ever leaves `Running`, once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Stage {
    Running = 0,
    Ended,
    Deadlocked,
    Failed,
}

/// A running world.
pub(crate) struct World {
    pub(crate) policy: Policy,
    pub(crate) split: Split,
    pub(crate) nodes: Vec<Node>,
    /// From node `a` to node `b` at `a * nodes + b`.
    lanes: Vec<Lane>,
    /// Packets that the outboxes of a node may hold.
    pub(crate) outbox_limit: usize,
    /// Those of node 0 first.
    pub(crate) gauges: Vec<Gauge>,
    pub(crate) berths: Vec<Berth>,
    /// More processors than the host has cores: nobody may spin for long.
    pub(crate) oversubscribed: bool,
    /// Threads that have not returned.
    pub(crate) live: AtomicUsize,
    pub(crate) phases: Phases,
    stage: AtomicU8,
    failure: Mutex<Option<Failure>>,
    /// Threads that waited when the world stopped, told by their processors.
    pub(crate) blocked: Mutex<Vec<Blocked>>,
    start: OnceLock<Instant>,
    /// When the run stopped, in nanoseconds from its start; `u64::MAX` before.
    stopped_ns: AtomicU64,
}

/// Rings have credits of their own, so that nothing needs acknowledging; a window well below [`RING_SLOTS`] leaves room for
/// the answers to what others ask.
///
/// [`RING_SLOTS`]: crate::lane::RING_SLOTS
const FLOW: Flow = Flow { window: 256, acknowledge_every: None };

impl World {
    /// Settles a job on its nodes.
    ///
    /// # Panics
    /// If the program's `install` does.
    pub(crate) fn settle(launch: &Launch, split: Split, depths: Depths, cores: usize) -> Self {
        let shape = Shape { nodes: launch.nodes, threads: split.computing * launch.threads };
        let processors = (split.computing + split.dedicated) as usize;
        let settle = |node| {
            let identity = DispatcherId::fresh();
            let resident = launch.job.settle(NodeId(node), shape, FLOW, identity.id());
            Node::new(resident, Dispatcher::new(&launch.policy, split, identity), split)
        };
        let nodes: Vec<_> = (0..launch.nodes).map(settle).collect();
        let all = nodes.len() * processors;
        let threads = (shape.nodes * shape.threads) as usize;
        Self {
            policy: launch.policy.clone(),
            split,
            lanes: (0..nodes.len() * nodes.len()).map(|_| Lane::new(depths, processors > 1)).collect(),
            nodes,
            outbox_limit: depths.outbox,
            gauges: (0..all).map(|_| Gauge::default()).collect(),
            berths: (0..all).map(|_| Berth::default()).collect(),
            oversubscribed: all > cores,
            live: AtomicUsize::new(threads),
            phases: Phases::new(threads),
            stage: AtomicU8::new(Stage::Running as u8),
            failure: Mutex::new(None),
            blocked: Mutex::new(Vec::new()),
            start: OnceLock::new(),
            stopped_ns: AtomicU64::new(u64::MAX),
        }
    }

    /// Processors of each node.
    pub(crate) fn processors_per_node(&self) -> usize {
        (self.split.computing + self.split.dedicated) as usize
    }

    /// Whether a processor runs handlers and nothing else.
    pub(crate) fn is_dedicated(&self, index: usize) -> bool {
        index % self.processors_per_node() >= self.split.computing as usize
    }

    /// The processors of a node that run handlers.
    pub(crate) fn servers(&self, node: NodeId) -> Range<usize> {
        let first = node.0 as usize * self.processors_per_node();
        let servers = if self.split.dedicated == 0 { first } else { first + self.split.computing as usize };
        servers..first + self.processors_per_node()
    }

    /// Where the processors of a node sleep that run handlers.
    pub(crate) fn server_berths(&self, node: NodeId) -> &[Berth] {
        &self.berths[self.servers(node)]
    }

    /// The lane from one node to another.
    #[inline]
    pub(crate) fn lane(&self, from: NodeId, to: NodeId) -> &Lane {
        &self.lanes[self.lane_index(from, to)]
    }

    /// Its number among all lanes.
    #[inline]
    pub(crate) fn lane_index(&self, from: NodeId, to: NodeId) -> usize {
        from.0 as usize * self.nodes.len() + to.0 as usize
    }

    /// The lanes into a node, in order of their source.
    #[inline]
    pub(crate) fn lanes_into(&self, to: NodeId) -> impl Iterator<Item = &Lane> {
        self.lanes[to.0 as usize..].iter().step_by(self.nodes.len())
    }

    /// The lanes out of a node, in order of their destination.
    pub(crate) fn lanes_from(&self, from: NodeId) -> &[Lane] {
        let first = from.0 as usize * self.nodes.len();
        &self.lanes[first..first + self.nodes.len()]
    }

    /// Starts the clock.
    pub(crate) fn start_clock(&self) {
        self.start.get_or_init(Instant::now);
    }

    /// Nanoseconds since the start.
    pub(crate) fn now_ns(&self) -> u64 {
        self.start.get().map_or(0, |start| start.elapsed().as_nanos() as u64)
    }

    /// Time since the start, but not after the run stopped.
    pub(crate) fn now(&self) -> Time {
        Time::from_nanoseconds(self.running_ns())
    }

    /// Nanoseconds since the start, but not after the run stopped.
    pub(crate) fn running_ns(&self) -> u64 {
        self.now_ns().min(self.stopped_ns.load(Ordering::Relaxed))
    }

    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Running,
            1 => Stage::Ended,
            2 => Stage::Deadlocked,
            _ => Stage::Failed,
        }
    }

    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.stage.load(Ordering::Relaxed) == Stage::Running as u8
    }

    /// Ends the run and wakes everybody to see it. False if it has ended already.
    pub(crate) fn stop(&self, stage: Stage) -> bool {
        self.stopped_ns.fetch_min(self.now_ns(), Ordering::Relaxed);
        let running = Stage::Running as u8;
        let stopped = self.stage.compare_exchange(running, stage as u8, Ordering::AcqRel, Ordering::Relaxed);
        if stopped.is_ok() {
            fence(Ordering::SeqCst);
            self.berths.iter().for_each(|berth| {
                berth.wake();
            });
        }
        stopped.is_ok()
    }

    /// Ends the run with an error, if it has not ended already.
    pub(crate) fn fail(&self, failure: Failure) {
        // Locked first: whoever sees that the run has failed also finds out why.
        let mut why = lock(&self.failure);
        if self.stop(Stage::Failed) {
            *why = Some(failure);
        }
    }

    /// The error that ended the run.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        lock(&self.failure).take()
    }
}
