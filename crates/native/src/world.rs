//! What all processors of a running world share.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use tempest::policy::Split;
use tempest::{Blocked, Failure, NodeId, Policy};
use units::Time;

use crate::gauge::Gauge;
use crate::idle::Berth;
use crate::lane::Lane;
use crate::node::Node;
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
}

impl World {
    pub(crate) fn new(
        policy: Policy,
        split: Split,
        nodes: Vec<Node>,
        lanes: Vec<Lane>,
        threads: usize,
        oversubscribed: bool,
    ) -> Self {
        let processors = nodes.len() * (split.computing + split.dedicated) as usize;
        Self {
            policy,
            split,
            nodes,
            lanes,
            gauges: (0..processors).map(|_| Gauge::default()).collect(),
            berths: (0..processors).map(|_| Berth::default()).collect(),
            oversubscribed,
            live: AtomicUsize::new(threads),
            phases: Phases::new(threads),
            stage: AtomicU8::new(Stage::Running as u8),
            failure: Mutex::new(None),
            blocked: Mutex::new(Vec::new()),
            start: OnceLock::new(),
        }
    }

    /// Processors of each node.
    pub(crate) fn processors_per_node(&self) -> usize {
        (self.split.computing + self.split.dedicated) as usize
    }

    /// The lane from one node to another.
    pub(crate) fn lane(&self, from: NodeId, to: NodeId) -> &Lane {
        &self.lanes[from.0 as usize * self.nodes.len() + to.0 as usize]
    }

    /// The lanes into a node, in order of their source.
    pub(crate) fn lanes_into(&self, to: NodeId) -> impl Iterator<Item = &Lane> {
        (0..self.nodes.len()).map(move |from| self.lane(NodeId(from as u32), to))
    }

    /// The lanes out of a node.
    pub(crate) fn lanes_from(&self, from: NodeId) -> &[Lane] {
        let first = from.0 as usize * self.nodes.len();
        &self.lanes[first..first + self.nodes.len()]
    }

    /// Where the processors of a node sleep that run handlers.
    pub(crate) fn server_berths(&self, node: NodeId) -> &[Berth] {
        let first = node.0 as usize * self.processors_per_node();
        let servers = match self.split.dedicated {
            0 => first,
            _ => first + self.split.computing as usize,
        };
        &self.berths[servers..first + self.processors_per_node()]
    }

    /// Starts the clock.
    pub(crate) fn start_clock(&self) {
        self.start.get_or_init(Instant::now);
    }

    /// Nanoseconds since the start.
    pub(crate) fn now_ns(&self) -> u64 {
        self.start.get().map_or(0, |start| start.elapsed().as_nanos() as u64)
    }

    /// Time since the start.
    pub(crate) fn now(&self) -> Time {
        Time::from_nanoseconds(self.now_ns())
    }

    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Running,
            1 => Stage::Ended,
            2 => Stage::Deadlocked,
            _ => Stage::Failed,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.stage.load(Ordering::Relaxed) == Stage::Running as u8
    }

    /// Ends the run, unless it has ended already, and wakes everybody to see it.
    pub(crate) fn stop(&self, stage: Stage) {
        let running = Stage::Running as u8;
        let _ = self.stage.compare_exchange(running, stage as u8, Ordering::AcqRel, Ordering::Relaxed);
        for berth in &self.berths {
            berth.wake();
        }
    }

    /// Ends the run with an error; the first one counts.
    pub(crate) fn fail(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.stop(Stage::Failed);
    }

    pub(crate) fn take_failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
