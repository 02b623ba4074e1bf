//! The steps before a run: a job is installed on the nodes of this process, which are then connected with all nodes.
//!
//! This module must never know where the other nodes are.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use pdq::{DispatcherId, Identity};
use segment::MemorySource;
use tempest::message::Flow;
use tempest::outcome::{Failure, Refusal};
use tempest::policy::{Notice, Split};
use tempest::world::{Launch, Node as Program, Resident};
use tempest::{NodeId, Shape};
use trace::Cast;

use crate::parts::adaptive::{Adaptive, Judging};
use crate::parts::dispatcher::Dispatcher;
use crate::parts::links::{Links, View};
use crate::parts::node::Node;
use crate::parts::seating::Seating;
use crate::rings::bounds::{Bounds, Depths};

/// The terms of a run, which are equal for all of its nodes.
pub(crate) struct Terms<'a> {
    pub(crate) launch: &'a Launch,
    pub(crate) split: Split,
    pub(crate) depths: Depths,
    pub(crate) judging: Judging,
    /// Number of cores for the processors of all nodes.
    pub(crate) cores: usize,
}

impl Terms<'_> {
    /// The processors of all nodes.
    pub(crate) fn seating(&self) -> Seating {
        Seating::new(self.launch.nodes, self.split, self.launch.policy.helper.is_some())
    }

    /// Whether there are more processors than cores, so that no processor may spin for long.
    pub(crate) fn oversubscribed(&self) -> bool {
        self.launch.nodes as usize * self.split.all() as usize > self.cores
    }

    /// Whether processors look for work for long before they sleep.
    pub(crate) fn sleep_is_rare(&self) -> bool {
        let policy = &self.launch.policy;
        !self.oversubscribed() && policy.notice == Notice::Poll && policy.helper.is_none()
    }

    /// Whether several processors of a node may send, or handle messages.
    pub(crate) fn lanes_are_shared(&self) -> bool {
        self.split.all() > 1 || self.launch.policy.helper.is_some()
    }

    /// The processors, threads and messages of the run, for a trace.
    pub(crate) fn cast(&self, messages: impl Iterator<Item = &'static str>) -> Cast {
        let Shape { nodes, threads } = self.shape();
        let helpers = u16::from(self.launch.policy.helper.is_some());
        Cast {
            machine: "native".to_owned(),
            nodes,
            computing: self.split.computing as u16,
            // A helper has a track behind the processors.
            dedicated: self.split.dedicated as u16 + helpers,
            threads,
            messages: messages.collect(),
            counters: Vec::new(),
        }
    }

    fn shape(&self) -> Shape {
        Shape { nodes: self.launch.nodes, threads: self.split.computing * self.launch.threads }
    }
}

/// The terms that all processes of a run must have in common.
impl fmt::Display for Terms<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { launch, split, depths, .. } = self;
        let Launch { mechanism, nodes, threads, policy, .. } = launch;
        let Split { computing, dedicated } = split;
        write!(
            f,
            "{nodes} nodes of {computing} computing and {dedicated} dedicated processors with {threads} threads each, by {mechanism} \
             under {policy}, with rings of {} messages",
            depths.slots
        )
    }
}

/// Flow control of programs. Rings have credits of their own, so no message needs an acknowledgement; the window is well below
/// [`RING_SLOTS`] and leaves room for the replies to other nodes' requests.
///
/// [`RING_SLOTS`]: crate::rings::lane::RING_SLOTS
const FLOW: Flow = Flow { window: 256, acknowledge_every: None };

/// The nodes of this process with the job installed, not connected yet.
pub(crate) struct Settled {
    /// The numbers of the nodes.
    pub(crate) own: Range<usize>,
    pub(crate) bounds: Bounds,
    residents: Vec<(Resident, Identity)>,
}

impl Settled {
    /// Installs the job on the nodes `own`. Their memory that other nodes access is of `memory`.
    ///
    /// # Errors
    /// If the program refuses or panics.
    pub(crate) fn new(terms: &Terms<'_>, own: Range<usize>, memory: &MemorySource) -> Result<Self, Failure> {
        let mut residents: Vec<(Resident, Identity)> = Vec::new();
        for node in own.clone() {
            let identity = DispatcherId::fresh();
            let first = residents.first().map(|(first, _)| &*first.node);
            let (job, id) = (&terms.launch.job, NodeId(node as u32));
            let resident =
                tempest::world::settle(job, id, terms.shape(), FLOW, identity.id(), memory, first)?;
            residents.push((resident, identity));
        }
        let kinds = residents.iter().map(|(resident, _)| resident.node.message_names().count()).max();
        let bounds = Bounds::new(terms.depths, terms.launch.nodes as usize, kinds.unwrap_or(0));
        Ok(Self { own, bounds, residents })
    }

    /// Checks that all nodes have installed the messages and segments of the first one.
    ///
    /// # Errors
    /// The refusal of the run, which names the first difference.
    pub(crate) fn expect_alike(&self) -> Result<(), Refusal> {
        let Some(first) = self.programs().next() else { return Ok(()) };
        self.programs().try_for_each(|node| node.expect_like(first))
    }

    /// The program's part of each of the nodes.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Program> {
        self.residents.iter().map(|(resident, _)| &*resident.node)
    }

    /// The memory of each of the nodes that others access.
    pub(crate) fn views(&self) -> impl Iterator<Item = View> {
        self.residents.iter().map(|(resident, _)| View::of(&resident.node))
    }

    /// The nodes with these links, one for each.
    pub(crate) fn connected(self, terms: &Terms<'_>, links: Vec<Links>) -> Vec<Arc<Node>> {
        let node = |((resident, identity), links)| node(terms, resident, identity, links);
        self.residents.into_iter().zip(links).map(node).map(Arc::new).collect()
    }
}

fn node(terms: &Terms<'_>, resident: Resident, identity: Identity, links: Links) -> Node {
    let Terms { launch, split, depths, judging, .. } = terms;
    let oversubscribed = terms.oversubscribed();
    let adaptive = Adaptive::of(launch, resident.node.id(), *judging, oversubscribed).map(Box::new);
    let has_hint = split.dedicated == 0 && split.computing > 1 && !oversubscribed;
    let dispatcher = Dispatcher::new(&launch.policy, *split, identity);
    let reserve = depths.reserve(launch.nodes as usize);
    Node::new(resident, dispatcher, links, *split, adaptive, has_hint, reserve)
}
