//! A caller for the fabric: keeps its agenda and records arrivals.

use machine::{Routers, Topology};
use tradewind_hardware::{Event, Fabric, Network, Parcel};
use units::{Bandwidth, Bytes, Time};

use crate::agenda::Agenda;

pub(crate) fn ns(n: u64) -> Time {
    Time::from_nanoseconds(n)
}

pub(crate) fn mesh(sides: &[u32]) -> Topology {
    Topology::Mesh { dimensions: sides.len(), sides: Some(sides.to_vec()) }
}

pub(crate) fn torus(sides: &[u32]) -> Topology {
    Topology::Torus { dimensions: sides.len(), sides: Some(sides.to_vec()) }
}

/// See the head of `main.rs`.
pub(crate) fn network(topology: Topology) -> machine::Network {
    let hop = if topology == Topology::Crossbar { Time::ZERO } else { ns(10) };
    let link = Bandwidth::new(1_000_000_000).expect("above zero");
    let routers = Routers { topology, link, hop, buffer: Bytes::new(20), cross_traffic: None };
    machine::Network { latency: ns(5), routers: Some(routers) }
}

#[derive(Clone, Copy)]
enum Happening {
    Launch(Parcel),
    Network(Event),
    /// A node accepts arrivals again.
    Open(u32),
}

/// A message's first byte at its destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    pub(crate) cargo: u32,
}

pub(crate) struct Driver {
    fabric: Fabric,
    agenda: Agenda<Happening>,
    parcels: Vec<Parcel>,
    open: Vec<bool>,
    pub(crate) arrivals: Vec<Arrival>,
}

impl Driver {
    pub(crate) fn new(network: &machine::Network, nodes: u32) -> Self {
        Self::with_gap(network, Time::ZERO, nodes)
    }

    /// A caller whose nodes' ports let no two messages begin within `gap`.
    pub(crate) fn with_gap(network: &machine::Network, gap: Time, nodes: u32) -> Self {
        let Network::Routed(fabric) = Network::new(network, gap, nodes) else { panic!("a constant network") };
        let open = vec![true; nodes as usize];
        Self { fabric: *fabric, agenda: Agenda::new(), parcels: Vec::new(), open, arrivals: Vec::new() }
    }

    /// Starts cross traffic.
    pub(crate) fn start(&mut self) {
        let agenda = &mut self.agenda;
        self.fabric.start(|at, tie, event| agenda.push(at, tie, Happening::Network(event)));
    }

    /// A message to be launched at `at`, by ports as fast as the links; returns its name.
    pub(crate) fn launch(&mut self, at: Time, from: u32, to: u32, bytes: u64) -> u32 {
        let cargo = self.parcels.len() as u32;
        let parcel = Parcel { cargo, tie: 0, from, to, bytes, passage: Time::ZERO };
        self.launch_parcel(at, parcel);
        cargo
    }

    pub(crate) fn launch_parcel(&mut self, at: Time, parcel: Parcel) {
        self.agenda.push(at, 0, Happening::Launch(parcel));
        self.parcels.push(parcel);
    }

    /// Makes `node` accept no message until `until`.
    pub(crate) fn shut(&mut self, node: u32, until: Time) {
        self.open[node as usize] = false;
        self.agenda.push(until, 0, Happening::Open(node));
    }

    /// Runs until no relevant event is left.
    pub(crate) fn run(&mut self) {
        self.run_until(Time::MAX);
    }

    /// Runs until `end`, or until no relevant event is left.
    pub(crate) fn run_until(&mut self, end: Time) {
        while self.agenda.events.next().is_some_and(|next| next.at <= end)
            && !self.fabric.is_quiet(|| self.agenda.events.len())
        {
            let (now, happening) = self.agenda.pop().expect("there is a next time");
            self.happen(now, happening);
        }
    }

    fn happen(&mut self, now: Time, happening: Happening) {
        let agenda = &mut self.agenda;
        let mut later = |at, tie, event| agenda.push(at, tie, Happening::Network(event));
        let node = match happening {
            Happening::Launch(parcel) => return self.fabric.launch(now, parcel, later),
            Happening::Network(event) => match self.fabric.step(now, event, &mut later) {
                Some(cargo) => self.parcels[cargo as usize].to,
                None => return,
            },
            Happening::Open(node) => {
                self.open[node as usize] = true;
                node
            }
        };
        if self.open[node as usize]
            && let Some(cargo) = self.fabric.accept(now, node, later)
        {
            self.arrivals.push(Arrival { at: now, cargo });
        }
    }

    /// Runs until another message has arrived; returns when, and the node it came from.
    pub(crate) fn next_arrival(&mut self) -> Option<(Time, u32)> {
        let arrived = self.arrivals.len();
        while self.arrivals.len() == arrived {
            let (now, happening) = self.agenda.pop()?;
            self.happen(now, happening);
        }
        let Arrival { at, cargo } = self.arrivals[arrived];
        Some((at, self.parcels[cargo as usize].from))
    }

    /// The time up to `now` for which the port out and the port in of a node have been busy.
    pub(crate) fn ports_busy(&self, node: usize, now: Time) -> (Time, Time) {
        self.fabric.ports_busy_at(now).nth(node).expect("there is such a node")
    }

    /// The links that have been busy up to `now`, with the time for which they have been.
    pub(crate) fn links_busy(&self, now: Time) -> Vec<(String, Time)> {
        let links = self.fabric.links_busy_at(now).enumerate().filter(|(_, busy)| !busy.is_zero());
        links.map(|(link, busy)| (self.fabric.link_name(link), busy)).collect()
    }

    /// Arrival time of a message's first byte.
    pub(crate) fn arrival(&self, cargo: u32) -> Time {
        self.arrivals.iter().find(|arrival| arrival.cargo == cargo).expect("it has arrived").at
    }

    /// Messages waiting for a port out.
    pub(crate) fn leaving(&self, node: u32) -> usize {
        self.fabric.leaving(node)
    }
}

/// Arrival time of the first byte of a message that has the network to itself.
pub(crate) fn alone(network: &machine::Network, nodes: u32, from: u32, to: u32, bytes: u64) -> Time {
    let mut driver = Driver::new(network, nodes);
    let cargo = driver.launch(Time::ZERO, from, to, bytes);
    driver.run();
    driver.arrival(cargo)
}
