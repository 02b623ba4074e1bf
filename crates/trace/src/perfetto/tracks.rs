//! The tracks of a trace: their numbers and names.
//!
//! ```text
//! hurricane-1
//!   phases
//! node 0
//!   processor 0 … protocol processor 1
//!   network interface
//!   thread 0 …
//!   dispatch queue (a counter) …
//! node 1 …
//! ```
//!
//! Counters of the machine as a whole stand below its phases.
//!
//! A node is a process to Perfetto, with its number plus one as process id, since process 0 is the idle one. The parts
//! of a node are plain tracks below it, not operating-system threads: threads would need ids that are unique across
//! processes, and Perfetto would show and sort those. This module must never know an event.

use super::schema::{ChildOrdering, CounterDescriptor, ProcessDescriptor, ProcessOrdering, TrackDescriptor};
use crate::{Cast, Counter};

/// The track of the machine as a whole. Zero is the root that every trace has.
const MACHINE: u64 = 1;
/// The phases of the program.
pub(crate) const PHASES: u64 = 2;
/// The first node; then come, in the order of their ranks, its children, and then the next node.
const FIRST_NODE: u64 = 3;
/// Offset of the first processor's track from that of its node.
const PROCESSORS: u64 = 1;

/// Numbers of tracks of each kind, and the counters.
pub(crate) struct Tracks {
    nodes: u32,
    computing: u32,
    processors: u32,
    threads: u32,
    counters: Vec<Counter>,
}

impl Tracks {
    pub(crate) fn new(cast: &Cast) -> Self {
        let computing = u32::from(cast.computing);
        let processors = computing + u32::from(cast.dedicated);
        let counters = cast.counters.clone();
        Self { nodes: cast.nodes, computing, processors, threads: cast.threads, counters }
    }

    /// The tracks of all processors, each at the place that [`processor`](Self::processor) says.
    pub(crate) fn processors(&self) -> impl Iterator<Item = u64> + '_ {
        self.in_every_node(PROCESSORS, self.processors)
    }

    /// The tracks of all threads, each at the place that [`thread`](Self::thread) says.
    pub(crate) fn threads(&self) -> impl Iterator<Item = u64> + '_ {
        self.in_every_node(self.interface_offset() + 1, self.threads)
    }

    /// The place of a processor among all, if there is one.
    pub(crate) fn processor(&self, node: u32, processor: u16) -> Option<usize> {
        self.place(node, processor.into(), self.processors)
    }

    /// The place of a thread among all, if there is one.
    pub(crate) fn thread(&self, node: u32, thread: u32) -> Option<usize> {
        self.place(node, thread, self.threads)
    }

    /// The track of a node's network interface, if there is such a node.
    pub(crate) fn interface(&self, node: u32) -> Option<u64> {
        (node < self.nodes).then(|| self.node(node) + self.interface_offset())
    }

    /// Track of counter `number`; `None` if there is no such counter.
    pub(crate) fn counter(&self, number: u32) -> Option<u64> {
        let known = (number as usize) < self.counters.len();
        // Behind the last node.
        known.then(|| self.node(self.nodes) + u64::from(number))
    }

    fn place(&self, node: u32, which: u32, each: u32) -> Option<usize> {
        (node < self.nodes && which < each).then(|| node as usize * each as usize + which as usize)
    }

    fn in_every_node(&self, offset: u64, each: u32) -> impl Iterator<Item = u64> + '_ {
        (0..self.nodes).flat_map(move |node| {
            let first = self.node(node) + offset;
            first..first + u64::from(each)
        })
    }

    fn interface_offset(&self) -> u64 {
        PROCESSORS + u64::from(self.processors)
    }

    fn node(&self, node: u32) -> u64 {
        let tracks = self.interface_offset() + 1 + u64::from(self.threads);
        FIRST_NODE + u64::from(node) * tracks
    }

    /// The root track, which exists implicitly: its description keeps nodes in their own order instead of that of their
    /// events.
    pub(crate) fn root() -> TrackDescriptor {
        let process_ordering = Some(ProcessOrdering::Explicit.into());
        TrackDescriptor { uuid: Some(0), process_ordering, ..TrackDescriptor::default() }
    }

    /// All tracks, parents before their children.
    pub(crate) fn describe<'a>(&'a self, machine: &str) -> impl Iterator<Item = TrackDescriptor> + 'a {
        let global = [parent(MACHINE, machine.into()), child(PHASES, MACHINE, 0, "phases".into())];
        let nodes = (0..self.nodes).flat_map(|node| self.describe_node(node));
        global.into_iter().chain(nodes).chain(self.describe_counters())
    }

    fn describe_counters(&self) -> impl Iterator<Item = TrackDescriptor> + '_ {
        (0..).zip(&self.counters).filter_map(|(number, counter)| {
            let parent = counter.node.map_or(MACHINE, |node| self.node(node));
            // Behind all other children.
            let rank = self.interface_offset() + 1 + u64::from(self.threads) + u64::from(number);
            let unit_name = Some(counter.unit.to_owned());
            Some(TrackDescriptor {
                counter: Some(CounterDescriptor { unit_name }),
                ..child(self.counter(number)?, parent, rank, counter.name.clone())
            })
        })
    }

    fn describe_node(&self, node: u32) -> impl Iterator<Item = TrackDescriptor> + '_ {
        let uuid = self.node(node);
        let rank = i32::try_from(node).unwrap_or(i32::MAX);
        let process = ProcessDescriptor {
            pid: Some(rank.saturating_add(1)),
            process_name: Some(format!("node {node}")),
        };
        let process = TrackDescriptor {
            process: Some(process),
            sibling_order_rank: Some(rank),
            ..parent(uuid, format!("node {node}"))
        };
        let names = (0..self.processors)
            .map(|processor| self.processor_name(processor))
            .chain(["network interface".into()])
            .chain((0..self.threads).map(|thread| format!("thread {thread}")));
        let children = (0..).zip(names).map(move |(rank, name)| child(uuid + 1 + rank, uuid, rank, name));
        [process].into_iter().chain(children)
    }

    fn processor_name(&self, processor: u32) -> String {
        let kind = if processor < self.computing { "" } else { "protocol " };
        format!("{kind}processor {processor}")
    }
}

/// A track whose children stand in the order of their ranks.
fn parent(uuid: u64, name: String) -> TrackDescriptor {
    let child_ordering = Some(ChildOrdering::Explicit.into());
    TrackDescriptor { uuid: Some(uuid), name: Some(name), child_ordering, ..TrackDescriptor::default() }
}

fn child(uuid: u64, parent: u64, rank: u64, name: String) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        parent_uuid: Some(parent),
        name: Some(name),
        sibling_order_rank: Some(i32::try_from(rank).unwrap_or(i32::MAX)),
        ..TrackDescriptor::default()
    }
}
