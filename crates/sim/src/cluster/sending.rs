//! The way of cargo out of its node: a processor pays for it, and the interface takes it.
//!
//! This module must never know why a processor sends, nor how cargo gets to another node.

use hardware::{Passage, Passages};
use tempest::NodeId;
use tempest::world::{Node as Waist, Packet};
use trace::Event as Traced;
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::agenda::Agenda;
use crate::happening::Happening;
use crate::link::Link;
use crate::link::cargo::{Cargo, Manifest, Route};
use crate::link::flights::{Flight, Flights};
use crate::link::routing::Routing;
use crate::measure::Measure;
use crate::memory::at_work::{AtWork, Injecting};
use crate::processor::core::Core;
use crate::setting::Setting;

/// A processor that sends, its node, and the parts of the machine that a send changes, besides the flights.
pub(crate) struct Sender<'a> {
    core: &'a mut Core,
    node: &'a mut Node,
    agenda: &'a mut Agenda,
    routing: &'a mut Routing,
    passages: &'a mut Passages,
    measure: &'a mut Measure,
    setting: &'a Setting,
}

impl<'a> Sender<'a> {
    /// The processor `core`, which sends, and the flights.
    #[inline(always)]
    pub(crate) fn of(cluster: &'a mut Cluster, core: usize) -> (Self, &'a mut Flights) {
        let Cluster { cores, nodes, agenda, link, measure, setting, .. } = cluster;
        let Link { routing, passages, flights, .. } = link;
        let core = &mut cores[core];
        let node = &mut nodes[core.node()];
        (Self { core, node, agenda, routing, passages, measure, setting }, flights)
    }

    /// Whether the processor injects its own messages, without a lock, and no other part need know of a send.
    #[inline(always)]
    pub(crate) fn sends_at_once(&self) -> bool {
        self.node.sends_at_once
    }

    /// Spends the cost of injecting cargo for a node. Returns the manifest of the cargo.
    #[inline(always)]
    pub(crate) fn spend(mut self, to: NodeId, cargo: &Cargo<'_>) -> Manifest {
        let manifest = Manifest::of(cargo, &self.node.waist, to);
        self.spend_injection(&manifest);
        manifest
    }

    /// The manifest of cargo for a node, and its route at present.
    ///
    /// # Panics
    /// If no processor of the node runs handlers of the cargo's class.
    pub(crate) fn choose_route(&self, to: NodeId, cargo: &Cargo<'_>) -> (Manifest, Route) {
        let Self { core, node: Node { waist, dispatch, .. }, setting, .. } = self;
        let manifest = Manifest::of(cargo, waist, to);
        if let Cargo::Message(packet) | Cargo::Transfer(_, packet) = cargo
            && !dispatch.way.runs(manifest.class)
        {
            refuse(setting, waist, packet);
        }
        let stays_behind = || dispatch.stays_behind(core.number().into(), manifest.stream());
        let hands_over = dispatch.hands_over(core.is_dedicated()) || stays_behind();
        (manifest, if hands_over { Route::HandOver } else { Route::Inject })
    }

    /// Spends the cost of sending cargo on a route.
    pub(crate) fn spend_on_route(mut self, manifest: &Manifest, route: Route) {
        let (list, prices) = (self.core.list(), &self.setting.prices);
        match route {
            Route::Inject => self.spend_injection(manifest),
            Route::HandOver => {
                let cost = prices.hand_over(list, manifest.class, manifest.words_to_hand_over());
                self.at_work().spend(cost);
            }
        }
    }

    /// Spends the cost of injecting cargo.
    #[inline(always)]
    fn spend_injection(&mut self, manifest: &Manifest) {
        let own = manifest.to == self.node.waist.id();
        let staged = self.setting.has_staging();
        self.at_work().spend_injection(Injecting::of(manifest, own, staged));
    }

    /// The processor at work.
    #[inline(always)]
    fn at_work(&mut self) -> AtWork<'_> {
        let (now, prices, anatomy) = (self.agenda.now(), &self.setting.prices, &mut self.measure.anatomy);
        AtWork { now, core: self.core, memory: &mut self.node.memory, prices, anatomy }
    }

    /// Adds a flight of cargo from the processor's node. Returns its place, and itself.
    #[inline(always)]
    pub(crate) fn load<'f>(
        &self,
        flights: &'f mut Flights,
        manifest: &Manifest,
        cargo: &Cargo<'_>,
    ) -> (u32, &'f mut Flight) {
        flights.load(self.node.waist.id(), manifest, cargo)
    }

    /// Puts the cargo of a flight into the interface.
    #[inline(always)]
    pub(crate) fn inject(mut self, place: u32, flight: &mut Flight) {
        let passage = self.count(flight);
        self.pass_on(place, flight, passage);
    }

    /// Passes the cargo of a flight on from the interface.
    #[inline(always)]
    pub(crate) fn pass_on(self, place: u32, flight: &Flight, passage: Passage) {
        if flight.to() != flight.from() {
            let stream = flight.manifest().stream();
            if let Some(at) = self.node.port.post(self.agenda.now(), self.core.number(), stream) {
                return self.agenda.push(self.core.node(), at, Happening::LeavePair { flight: place });
            }
            return self.routing.leave(place, flight, passage, self.node.port.interface(), self.agenda);
        }
        // A processor that runs handlers finds its node's message to itself at hand.
        let near = self.node.dispatch.serving.server(self.core.number().into()).is_some();
        let way = if near { Time::ZERO } else { self.setting.machine.interface.loopback };
        bring_back(self.agenda, self.core.node(), way, place);
    }

    /// Counts and records that the cargo of a flight leaves. Returns its passage through an interface.
    #[inline(always)]
    pub(crate) fn count(&mut self, flight: &mut Flight) -> Passage {
        let Self { core, node, agenda, passages, measure, .. } = self;
        let (now, from, processor) = (agenda.now(), core.node(), core.number());
        agenda.note_progress();
        let data = flight.bytes();
        let passage = passages.of(data, flight.mover());
        flight.leave(node.port.take_number(from), now);
        let (manifest, flow) = (flight.manifest(), flight.number());
        manifest.count(core.ledger.count(), passage.headers, from);
        let (node, to) = (from as u32, manifest.to.0);
        let bytes = u32::try_from(data + passage.headers).unwrap_or(u32::MAX);
        // Each kind of event is digested apart, where its kind is known.
        match manifest.message() {
            Some(message) => measure.record(now, Traced::Send { node, processor, to, message, bytes, flow }),
            None => measure.record(now, Traced::Deposit { node, processor, to, bytes, flow }),
        }
        passage
    }
}

/// Lets a flight leave the queue pair to which its sender posted it.
pub(crate) fn leave_pair(cluster: &mut Cluster, place: u32) {
    let Cluster { nodes, link: Link { routing, passages, flights, .. }, agenda, .. } = cluster;
    let flight = &flights[place];
    let passage = passages.of(flight.bytes(), flight.mover());
    routing.leave(place, flight, passage, nodes[flight.from()].port.interface(), agenda);
}

/// Brings the cargo of a flight back to its own node after `way`: straight to the node's queue. It does so by an event, because the
/// sender runs now.
#[inline(never)]
fn bring_back(agenda: &mut Agenda, node: usize, way: Time, place: u32) {
    agenda.push(node, agenda.now() + way, Happening::Deliver { flight: place });
}

/// Refuses a message of the program where a state machine runs the handlers: it runs handlers of the system only.
#[cold]
fn refuse(setting: &Setting, waist: &Waist, packet: &Packet) -> ! {
    let (machine, policy, message) =
        (&setting.machine.name, &setting.policy, waist.message_name(packet.id()));
    let why = format!(
        "machine `{machine}` under policy `{policy}` runs protocol handlers in hardware, and `{message}` is a message of the \
         program: use mechanism `shared-memory`"
    );
    // The panic unwinds to the engine like any other. A back trace would tell nothing.
    std::panic::resume_unwind(Box::new(why))
}
