//! The state that all processors of a running world share.
//!
//! A world is *running* until it has *ended*, is *deadlocked* or has *failed*; the first of these is final. This module must never
//! know which thread runs when.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use segment::MemorySource;
use tempest::outcome::{Blocked, Failure};
use tempest::policy::Split;
use tempest::world::Disposal;
use tempest::{NodeId, Policy};
use units::Time;

use crate::clock::monotonic_ns;
use crate::fences::{Fences, between_givers_and_sleepers};
use crate::lock::lock;
use crate::parts::attendance;
use crate::parts::backoff::YieldBackoff;
use crate::parts::ending::Search;
use crate::parts::gathering::Gathering;
use crate::parts::gauge::Gauge;
use crate::parts::links::{Links, connect};
use crate::parts::node::Node;
use crate::parts::parker::Parker;
use crate::parts::seating::Seating;
use crate::parts::settling::{Settled, Terms};
use crate::parts::stolen_time::StolenTime;
use crate::rings::bounds::Bounds;
use crate::rings::lane::Lane;

/// The state of a world. It leaves `Running` at most once.
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
    /// The processors of all nodes.
    pub(crate) seating: Seating,
    /// The numbers of the nodes of this process.
    own: Range<usize>,
    /// The nodes of this process. Each processor keeps handles of its own node, its gauge and its outgoing lanes; only the measurements
    /// and the outcome of a run look at all of them.
    nodes: Vec<Arc<Node>>,
    /// The bound of the outboxes of all nodes.
    pub(crate) bounds: Bounds,
    /// By processor, node by node, then by helper.
    pub(crate) gauges: Vec<Arc<Gauge>>,
    pub(crate) parkers: Vec<Parker>,
    /// By processor and helper: the time that the operating system takes from it.
    pub(crate) stolen: Vec<StolenTime>,
    /// By node: the last time its helper was woken, in nanoseconds from the start.
    pub(crate) roused_ns: Vec<AtomicU64>,
    /// Whether there are more processors than cores, so that no processor may spin for long.
    pub(crate) oversubscribed: bool,
    /// Back-off of processors that share cores, by the cost of past yields.
    pub(crate) backoff: YieldBackoff,
    /// Fences between processors that supply work and processors that go to sleep.
    pub(crate) fences: Fences,
    /// At node 0: the gathering of all nodes at a region.
    pub(crate) gathering: Gathering,
    /// At node 0: the search for the end.
    pub(crate) search: Search,
    stage: AtomicU8,
    failure: Mutex<Option<Failure>>,
    /// Threads that waited when the world stopped, reported by their processors.
    pub(crate) blocked: Mutex<Vec<Blocked>>,
    /// The time of the [clock](monotonic_ns) at which the run began.
    start: OnceLock<u64>,
    /// Time at which the run stopped, in nanoseconds from its start; `u64::MAX` before.
    stopped_ns: AtomicU64,
}

impl World {
    /// A world all of whose nodes are in this process.
    ///
    /// # Errors
    /// If the program refuses or panics.
    pub(crate) fn local(terms: &Terms<'_>) -> Result<Self, Failure> {
        let settled = Settled::new(terms, 0..terms.launch.nodes as usize, &MemorySource::Private)?;
        settled.expect_alike().map_err(Failure::Refused)?;
        let lane = || Lane::new(terms.depths.slots, &settled.bounds, terms.lanes_are_shared());
        let links = connect(settled.views().collect(), lane);
        let parkers = (0..terms.seating().all()).map(|_| Parker::default()).collect();
        let fences = between_givers_and_sleepers(terms.sleep_is_rare());
        Ok(Self::new(terms, settled, links, parkers, fences))
    }

    /// The world of the settled nodes, which have these links. `parkers` are those of all processors, by index.
    pub(crate) fn new(
        terms: &Terms<'_>,
        settled: Settled,
        links: Vec<Links>,
        parkers: Vec<Parker>,
        fences: Fences,
    ) -> Self {
        let (launch, seating, oversubscribed) = (terms.launch, terms.seating(), terms.oversubscribed());
        let (processors, nodes) = (seating.all(), seating.nodes());
        Self {
            policy: launch.policy.clone(),
            split: terms.split,
            own: settled.own.clone(),
            bounds: settled.bounds.clone(),
            nodes: settled.connected(terms, links),
            gauges: (0..processors).map(|_| Arc::default()).collect(),
            parkers,
            stolen: (0..processors).map(|_| StolenTime::default()).collect(),
            roused_ns: (0..seating.helpers()).map(|_| AtomicU64::new(0)).collect(),
            seating,
            oversubscribed,
            backoff: YieldBackoff::default(),
            fences,
            gathering: Gathering::new(nodes),
            search: Search::new(nodes),
            stage: AtomicU8::new(Stage::Running as u8),
            failure: Mutex::new(None),
            blocked: Mutex::new(Vec::new()),
            start: OnceLock::new(),
            stopped_ns: AtomicU64::new(u64::MAX),
        }
    }

    /// The record of panics of destructors of the program's state.
    pub(crate) fn disposal(&self) -> Disposal {
        self.nodes[0].resident.node.disposal().clone()
    }

    /// The nodes of this process.
    pub(crate) fn own_nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.iter()
    }

    /// The node of this process with this number.
    pub(crate) fn own_node(&self, node: usize) -> &Arc<Node> {
        &self.nodes[node - self.own.start]
    }

    /// Indices of the processors of this process, its helpers last.
    pub(crate) fn own_processors(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        self.seating.of_nodes(self.own.clone())
    }

    /// The gauges of the processors of a node, its helper's last.
    pub(crate) fn gauges_of(&self, node: NodeId) -> impl Iterator<Item = &Gauge> + Clone {
        self.seating.of_node(node).map(|index| &*self.gauges[index])
    }

    /// The parkers of a node's processors that run handlers.
    #[inline]
    pub(crate) fn server_parkers(&self, node: NodeId) -> &[Parker] {
        &self.parkers[self.seating.servers(node)]
    }

    /// Whether a processor of a node that runs handlers, or its helper, sleeps. A caller that has supplied work has passed the light
    /// fence.
    #[inline]
    pub(crate) fn someone_sleeps_on(&self, node: NodeId) -> bool {
        self.server_parkers(node).iter().any(Parker::is_parked)
            || self.helper_parker(node).is_some_and(Parker::is_parked)
    }

    /// The parker of a node's helper, if it has one.
    #[inline]
    pub(crate) fn helper_parker(&self, node: NodeId) -> Option<&Parker> {
        self.parkers.get(self.seating.helper(node))
    }

    /// Wakes the helper of a node if it sleeps and no processor is about to look for events. The caller has supplied work and passed the
    /// light fence.
    #[inline]
    pub(crate) fn rouse_helper(&self, node: NodeId) {
        if let Some(parker) = self.helper_parker(node) {
            attendance::rouse(
                parker,
                || !self.is_attended(node),
                || self.roused_ns[node.0 as usize].store(self.now_ns(), Ordering::Relaxed),
            );
        }
    }

    /// Whether a processor that serves this node idles and is not engaged in handlers that may take long.
    pub(crate) fn is_attended(&self, node: NodeId) -> bool {
        self.server_parkers(node).iter().any(|parker| parker.is_idling() && !parker.is_engaged())
    }

    /// Numbers of threads that have arrived at the next timed region, and of all threads, for an error message.
    pub(crate) fn arrivals(&self) -> (usize, usize) {
        let each = self.own_nodes().map(|node| node.regions.arrivals());
        each.fold((0, 0), |(arrived, all), (more, threads)| (arrived + more, all + threads))
    }

    /// Has the search for the end begin when node 0 is idle.
    pub(crate) fn ask_for_the_end(&self) {
        self.search.ask();
        self.fences.light();
        self.parkers[0].wake();
    }

    /// Number of messages that the processors of a node have handled. It is constant only while none of them serves.
    pub(crate) fn handled_on(&self, node: NodeId) -> u64 {
        self.gauges[self.seating.servers(node)]
            .iter()
            .map(|gauge| gauge.handled.load(Ordering::Relaxed))
            .sum()
    }

    /// Starts the clock, when every processor has its OS thread. The run begins at the time `start` of the [clock](monotonic_ns).
    pub(crate) fn start_clock(&self, start: u64) {
        self.stolen.iter().for_each(StolenTime::begin);
        self.start.get_or_init(|| start);
    }

    /// Nanoseconds since the start.
    pub(crate) fn now_ns(&self) -> u64 {
        self.start.get().map_or(0, |start| monotonic_ns().saturating_sub(*start))
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

    /// Ends the run and wakes all processors to see it. Returns false if it has ended already.
    fn stop(&self, stage: Stage) -> bool {
        self.stop_at(stage, Time::from_nanoseconds(self.now_ns()))
    }

    /// Ends the run, which is over since `at`, and wakes all processors to see it. Returns false if it has ended already.
    pub(crate) fn stop_at(&self, stage: Stage, at: Time) -> bool {
        self.stopped_ns.fetch_min(at.as_femtoseconds() / 1_000_000, Ordering::Relaxed);
        let running = Stage::Running as u8;
        let stopped = self.stage.compare_exchange(running, stage as u8, Ordering::AcqRel, Ordering::Relaxed);
        if stopped.is_ok() {
            self.stolen.iter().for_each(StolenTime::end);
            self.fences.light();
            self.wake_all();
        }
        stopped.is_ok()
    }

    /// Wakes all processors of this process for good. The run has ended.
    pub(crate) fn wake_all(&self) {
        self.own_processors().for_each(|index| self.parkers[index].wake_from_anything());
    }

    /// Ends the run with an error. Returns false if it has ended already.
    pub(crate) fn fail(&self, failure: Failure) -> bool {
        // Locked first: a thread that sees that the run has failed then also finds the reason.
        let mut why = lock(&self.failure);
        let failed = self.stop(Stage::Failed);
        if failed {
            *why = Some(failure);
        }
        failed
    }

    /// Replaces the error that ended the run. The caller has ended it and has a better description now.
    pub(crate) fn replace_failure(&self, failure: Failure) {
        *lock(&self.failure) = Some(failure);
    }

    /// Ends the run with an error even if it has ended already, because a processor has broken down.
    pub(crate) fn spoil(&self, failure: Failure) {
        let mut why = lock(&self.failure);
        self.stop(Stage::Failed);
        why.get_or_insert(failure);
    }

    /// Takes the error that ended the run.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        lock(&self.failure).take()
    }
}

/// Converts a time to the host clock's type, at least a nanosecond.
pub(crate) fn host_time(time: Time) -> Duration {
    Duration::from_nanos((time.as_femtoseconds() / 1_000_000).max(1))
}
