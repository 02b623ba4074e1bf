//! The state that all processors of a running world share.
//!
//! A world is *running* until it has *ended*, is *deadlocked* or has *failed*; the first of these is final. This module must never
//! know which thread runs when.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use pdq::{DispatcherId, Identity};
use tempest::message::Flow;
use tempest::outcome::{Blocked, Failure};
use tempest::policy::{Notice, Split};
use tempest::world::{Launch, MemorySource, Resident};
use tempest::{NodeId, Policy, Shape};
use units::Time;

use crate::fences::{Fences, between_givers_and_sleepers};
use crate::lock::lock;
use crate::parts::adaptive::{Adaptive, Judging};
use crate::parts::attendance;
use crate::parts::backoff::YieldBackoff;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::ending::Search;
use crate::parts::gathering::Gathering;
use crate::parts::gauge::Gauge;
use crate::parts::links::{Links, View, connect};
use crate::parts::node::Node;
use crate::parts::parker::Parker;
use crate::parts::stolen_time::StolenTime;
use crate::rings::bounds::{Bounds, Depths};
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
    /// By node: the indices of the processors that run handlers.
    servers: Vec<Range<usize>>,
    /// Number of processors. Per-processor tables list those of a node side by side; behind all processors come the helpers, one for
    /// each node, if there are any.
    pub(crate) processors: usize,
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
    start: OnceLock<Instant>,
    /// Time at which the run stopped, in nanoseconds from its start; `u64::MAX` before.
    stopped_ns: AtomicU64,
}

/// Flow control of programs. Rings have credits of their own, so no message needs an acknowledgement; the window is well below
/// [`RING_SLOTS`] and leaves room for the replies to other nodes' requests.
///
/// [`RING_SLOTS`]: crate::rings::lane::RING_SLOTS
const FLOW: Flow = Flow { window: 256, acknowledge_every: None };

/// Indices of the processors of a node that run handlers: the dedicated ones, or all if there are none.
fn servers_of(split: Split, node: NodeId) -> Range<usize> {
    let per_node = (split.computing + split.dedicated) as usize;
    let first = node.0 as usize * per_node;
    let servers = if split.dedicated == 0 { first } else { first + split.computing as usize };
    servers..first + per_node
}

/// Installs a job on its nodes. Returns them with the identities of their dispatchers.
///
/// # Errors
/// If the program refuses or panics.
fn residents(launch: &Launch, shape: Shape) -> Result<Vec<(Resident, Identity)>, Failure> {
    let mut residents: Vec<(Resident, Identity)> = Vec::new();
    for node in (0..shape.nodes).map(NodeId) {
        let identity = DispatcherId::fresh();
        let first = residents.first().map(|(first, _)| &*first.node);
        let memory = MemorySource::Private;
        let resident = tempest::world::settle(&launch.job, node, shape, FLOW, identity.id(), &memory, first)?;
        residents.push((resident, identity));
    }
    Ok(residents)
}

impl World {
    /// Installs a job on its nodes.
    ///
    /// # Errors
    /// If the program refuses or panics.
    pub(crate) fn settle(
        launch: &Launch,
        split: Split,
        depths: Depths,
        judging: Judging,
        cores: usize,
    ) -> Result<Self, Failure> {
        let shape = Shape { nodes: launch.nodes, threads: split.computing * launch.threads };
        let per_node = (split.computing + split.dedicated) as usize;
        let processors = launch.nodes as usize * per_node;
        let oversubscribed = processors > cores;
        let helpers = if launch.policy.helper.is_some() { launch.nodes as usize } else { 0 };
        let residents = residents(launch, shape)?;
        let kinds = residents.iter().map(|(resident, _)| resident.node.message_names().count()).max();
        let bounds = Bounds::new(depths, residents.len(), kinds.unwrap_or(0));
        let lane = || Lane::new(depths.slots, &bounds, per_node > 1 || helpers > 0);
        let links = connect(residents.iter().map(|(resident, _)| View::of(&resident.node)).collect(), lane);
        let place = |((resident, identity), links): ((Resident, Identity), Links)| {
            let adaptive = Adaptive::of(launch, resident.node.id(), judging, oversubscribed).map(Box::new);
            let has_hint = split.dedicated == 0 && split.computing > 1 && !oversubscribed;
            let dispatcher = Dispatcher::new(&launch.policy, split, identity);
            let reserve = depths.reserve(launch.nodes as usize);
            Arc::new(Node::new(resident, dispatcher, links, split, adaptive, has_hint, reserve))
        };
        let nodes: Vec<_> = residents.into_iter().zip(links).map(place).collect();
        let sleep_is_rare = !oversubscribed && launch.policy.notice == Notice::Poll && helpers == 0;
        Ok(Self {
            policy: launch.policy.clone(),
            split,
            nodes,
            bounds,
            gauges: (0..processors + helpers).map(|_| Arc::default()).collect(),
            parkers: (0..processors + helpers).map(|_| Parker::default()).collect(),
            stolen: (0..processors + helpers).map(|_| StolenTime::default()).collect(),
            servers: (0..launch.nodes).map(|node| servers_of(split, NodeId(node))).collect(),
            processors,
            roused_ns: (0..helpers).map(|_| AtomicU64::new(0)).collect(),
            oversubscribed,
            backoff: YieldBackoff::default(),
            fences: between_givers_and_sleepers(sleep_is_rare),
            gathering: Gathering::new(launch.nodes as usize),
            search: Search::new(launch.nodes as usize),
            stage: AtomicU8::new(Stage::Running as u8),
            failure: Mutex::new(None),
            blocked: Mutex::new(Vec::new()),
            start: OnceLock::new(),
            stopped_ns: AtomicU64::new(u64::MAX),
        })
    }

    /// The nodes of this process.
    pub(crate) fn own_nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.iter()
    }

    /// Number of nodes of the world.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node of this process with this number.
    pub(crate) fn own_node(&self, node: usize) -> &Arc<Node> {
        &self.nodes[node]
    }

    /// Processors of each node.
    pub(crate) fn processors_per_node(&self) -> usize {
        (self.split.computing + self.split.dedicated) as usize
    }

    /// The node of a processor or helper, by its index, and its number there: computing processors come first, a helper last.
    pub(crate) fn seat(&self, index: usize) -> (usize, usize) {
        let per_node = self.processors_per_node();
        if self.is_helper(index) {
            (index - self.processors, per_node)
        } else {
            (index / per_node, index % per_node)
        }
    }

    /// Whether index `index` is a helper's.
    pub(crate) fn is_helper(&self, index: usize) -> bool {
        index >= self.processors
    }

    /// Whether a processor only runs handlers, as a helper does.
    pub(crate) fn is_dedicated(&self, index: usize) -> bool {
        self.seat(index).1 >= self.split.computing as usize
    }

    /// Indices of the processors of a node, its helper last.
    pub(crate) fn indices_of(&self, node: NodeId) -> impl Iterator<Item = usize> + Clone + use<> {
        let (node, per_node) = (node.0 as usize, self.processors_per_node());
        let helper = self.processors + node;
        (node * per_node..(node + 1) * per_node).chain((helper < self.gauges.len()).then_some(helper))
    }

    /// The gauges of the processors of a node, its helper's last.
    pub(crate) fn gauges_of(&self, node: NodeId) -> impl Iterator<Item = &Gauge> + Clone {
        self.indices_of(node).map(|index| &*self.gauges[index])
    }

    /// The processors of a node that run handlers.
    #[inline]
    pub(crate) fn servers(&self, node: NodeId) -> Range<usize> {
        self.servers[node.0 as usize].clone()
    }

    /// The parkers of a node's processors that run handlers.
    #[inline]
    pub(crate) fn server_parkers(&self, node: NodeId) -> &[Parker] {
        &self.parkers[self.servers(node)]
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
        self.parkers.get(self.processors + node.0 as usize)
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
        self.gauges[self.servers(node)].iter().map(|gauge| gauge.handled.load(Ordering::Relaxed)).sum()
    }

    /// Index of a lane among all lanes.
    #[inline]
    pub(crate) fn lane_index(&self, from: NodeId, to: NodeId) -> usize {
        from.0 as usize * self.nodes.len() + to.0 as usize
    }

    /// Whether one processor runs all threads and handlers of its node.
    #[inline]
    pub(crate) fn is_one_per_node(&self) -> bool {
        self.gauges.len() == self.nodes.len()
    }

    /// Starts the clock, when every processor has its OS thread.
    pub(crate) fn start_clock(&self) {
        self.stolen.iter().for_each(StolenTime::begin);
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
            self.parkers.iter().for_each(Parker::wake_from_anything);
        }
        stopped.is_ok()
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
