//! Makes a cluster: every part from the machine, the policy and the size of the run.
//!
//! This module must never know an instant after time zero.

use std::sync::Arc;

use des::Choice;
use hardware::{EventQueue, Passages};
use machine::{Capability, Machine};
use tempest::outcome::RunProgress;
use tempest::policy::{Servers, Split};
use tempest::world::{Name, Node as Waist, Resident};
use tempest::{Policy, Shape};
use trace::Recorder;
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::agenda::Agenda;
use crate::dispatch::{self, Dispatcher};
use crate::link::Link;
use crate::link::flights::Flights;
use crate::link::overflow::Overflow;
use crate::link::port::{Port, paced};
use crate::link::routing::Routing;
use crate::link::staging::Staging;
use crate::measure::Measure;
use crate::memory::trains::Trains;
use crate::memory::{Alone, Cached, Memory};
use crate::prices::PriceLists;
use crate::processor::core::{Core, Event};
use crate::processor::threads::Threads;
use crate::setting::Setting;

/// The program of a node, and the node's dispatch queue.
pub(crate) type Place<'a> = (&'a Resident, EventQueue<Event, Name>);

/// The inputs from which a cluster is made.
pub(crate) struct Plan<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) policy: &'a Policy,
    pub(crate) split: Split,
    pub(crate) shape: Shape,
    pub(crate) seed: u64,
    /// The longest time without progress before the run counts as stalled.
    pub(crate) stall_limit: Option<Time>,
    /// The place where the run tells other threads of the host how far it is.
    pub(crate) progress: RunProgress,
    /// The recorder of the run's events; `None` for a run without a trace.
    pub(crate) trace: Option<&'a Recorder>,
    /// Whether nodes may run ahead of each other. Otherwise all events happen in global order.
    pub(crate) runs_ahead: bool,
}

impl Plan<'_> {
    /// The cluster of these nodes, before anything has happened.
    pub(crate) fn cluster(&self, places: Vec<Place<'_>>) -> Cluster {
        let Self { machine, policy, shape, .. } = *self;
        let messages = places.first().map_or(0, |(resident, _)| resident.node.message_names().count());
        let interface = Arc::new(paced(machine));
        let routing = Routing::new(machine, shape.nodes);
        let mut cluster = Cluster {
            setting: Setting {
                machine: machine.clone(),
                policy: policy.clone(),
                prices: PriceLists::new(machine),
            },
            agenda: Agenda::new(self.ranks(), self.lookahead(), self.stall_limit)
                .watched_in(self.progress.clone()),
            measure: Measure::new(messages, self.trace),
            nodes: Vec::with_capacity(places.len()),
            cores: Vec::with_capacity(places.len() * self.processors()),
            link: Link {
                passages: Passages::over(
                    machine.network.routers.as_ref(),
                    (*interface).clone(),
                    self.polls(),
                ),
                routing,
                overflow: Overflow::of(machine),
                flights: Flights::new(machine.memory.line.get()),
                staging: Staging::of(machine, shape.nodes),
            },
            running: None,
            live: (shape.nodes * shape.threads) as usize,
        };
        let cached = self.cached();
        let (system, cached) = (cached.system(machine), cached.count);
        let alone = Arc::new(Alone::on(machine));
        for (index, place) in places.into_iter().enumerate() {
            let first_core = cluster.cores.len();
            cluster
                .cores
                .extend((0..self.processors()).map(|number| self.core(index, number, messages as u16)));
            let memory = |first, waist: &Waist| {
                Memory::new(machine, (system.as_ref(), &alone), cached, (first, waist))
            };
            cluster.nodes.push(self.node(place, first_core, interface.clone(), memory));
            (0..shape.threads).for_each(|thread| cluster.count_thread(index, thread, true));
        }
        cluster
    }

    /// The ranks of the nodes among simultaneous events. They are drawn from the seed.
    fn ranks(&self) -> Box<[u32]> {
        let choice = Choice::new(self.seed);
        let mut nodes: Vec<u32> = (0..self.shape.nodes).collect();
        nodes.sort_unstable_by_key(|&node| choice.tie(node));
        let mut ranks = vec![0; nodes.len()];
        (0..).zip(nodes).for_each(|(rank, node)| ranks[node as usize] = rank);
        ranks.into()
    }

    /// The time by which nodes may run ahead of each other: the least time of a message between two nodes, where nothing but
    /// messages passes between them. A trace tells all events in global order.
    fn lookahead(&self) -> Time {
        let network = &self.machine.network;
        let runs_ahead =
            self.runs_ahead && self.trace.is_none() && network.routers.is_none() && !self.is_staged();
        if runs_ahead { network.latency } else { Time::ZERO }
    }

    /// Whether transfers go through staging buffers.
    fn is_staged(&self) -> bool {
        self.machine.node_memory.as_ref().is_some_and(|memory| memory.staging.is_some())
    }

    /// The time that a network processor spends elsewhere between two chunks of a block, where it moves blocks.
    fn polls(&self) -> Time {
        let network = self.machine.network_processor.as_ref();
        network.and_then(|network| network.idle_poll).unwrap_or_default()
    }

    fn node(
        &self,
        (resident, queue): Place<'_>,
        first_core: usize,
        interface: Arc<machine::Interface>,
        memory: impl FnOnce(usize, &Waist) -> Memory,
    ) -> Node {
        let Self { machine, policy, split, .. } = *self;
        let processors = self.processors();
        let shared = !policy.bound && machine.can.contains(&Capability::SharedReadyQueue);
        let dispatch = Dispatcher::new(machine, policy, split, processors, queue);
        let port = Port::new(machine, interface);
        Node {
            waist: resident.node.clone(),
            first_core,
            cores: processors,
            threads: Threads::new(self.shape.threads as usize, split.computing as usize, self.own(), shared),
            sends_at_once: dispatch.lets_all_inject() && !port.is_locked() && !self.is_staged(),
            port,
            memory: memory(dispatch.first_server(), &resident.node),
            trains: Trains::default(),
            dispatch,
        }
    }

    /// The processors of a node that have caches.
    fn cached(&self) -> Cached {
        let (computing, all) = (self.split.computing as usize, self.processors());
        match self.policy.servers {
            // A state machine keeps the state of blocks in memory of its own.
            Servers::Hardware => Cached { count: computing, inside: computing..computing },
            Servers::Embedded => Cached { count: all, inside: computing..all },
            _ => Cached { count: all, inside: all..all },
        }
    }

    /// The processor `number` of a node. `threads` is the kind of threads in the account of costs.
    fn core(&self, node: usize, number: usize, threads: u16) -> Core {
        let dedicated = number >= self.split.computing as usize;
        let list = dispatch::price_list(self.machine, self.policy, self.split, self.processors(), number);
        // A policy that says which polls look is obeyed as it stands.
        let every = self.policy.poll_every.is_some();
        let apart = if every { Time::ZERO } else { self.machine.processor.pace };
        Core::new(node, number as u16, dedicated, threads).with_looks(apart).with_list(list)
    }

    /// The number of a node's processors, its network processors included.
    fn processors(&self) -> usize {
        self.own() + dispatch::network_processors(self.machine, self.policy)
    }

    /// The number of a node's processors that run threads, or may come to do so.
    fn own(&self) -> usize {
        (self.split.computing + self.split.dedicated) as usize
    }
}
