//! The way of cargo out of its node: a processor pays for it, and the interface takes it.
//!
//! This module must never know why a processor sends, nor how cargo gets to another node.

use hardware::Passages;
use tempest::NodeId;
use trace::Event as Traced;
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::agenda::Agenda;
use crate::happening::Happening;
use crate::link::Link;
use crate::link::cargo::{Cargo, Manifest};
use crate::link::flights::{Flight, Flights};
use crate::link::routing::Road;
use crate::measure::Measure;
use crate::memory::at_work::{AtWork, Injecting};
use crate::processor::core::Core;
use crate::setting::Setting;

/// A processor that sends, its node, and the parts of the machine that a send changes, besides the flights.
pub(crate) struct Sender<'a> {
    core: &'a mut Core,
    node: &'a mut Node,
    agenda: &'a mut Agenda,
    road: &'a mut Road,
    passages: &'a mut Passages,
    measure: &'a mut Measure,
    setting: &'a Setting,
}

impl<'a> Sender<'a> {
    /// The processor `core`, which sends, and the flights.
    #[inline(always)]
    pub(crate) fn of(cluster: &'a mut Cluster, core: usize) -> (Self, &'a mut Flights) {
        let Cluster { cores, nodes, agenda, link, measure, setting, .. } = cluster;
        let Link { road, passages, flights, .. } = link;
        let core = &mut cores[core];
        let node = &mut nodes[core.node()];
        (Self { core, node, agenda, road, passages, measure, setting }, flights)
    }

    /// Whether the processor injects what it sends, without a lock, and no other part need know of a send.
    #[inline(always)]
    pub(crate) fn sends_at_once(&self) -> bool {
        self.node.sends_at_once
    }

    /// Whether the thread of a processor that [sends at once](Self::sends_at_once) finds room at its own time, and has not waited for
    /// room before.
    #[inline(always)]
    pub(crate) fn finds_room_at_once(&self) -> bool {
        let (interface, at) = (self.node.port.queue(), self.core.clock.at(self.agenda.now()));
        let awaits = |thread| self.node.threads.awaits_room(thread);
        self.road.has_room(self.core.node(), interface, at) && !self.core.thread().is_some_and(awaits)
    }

    /// Spends the cost of injecting cargo for a node. Returns the manifest of the cargo.
    #[inline(always)]
    pub(crate) fn spend(self, to: NodeId, cargo: &Cargo<'_>) -> Manifest {
        let Self { core, node: Node { waist, memory, .. }, agenda, measure, setting, .. } = self;
        let manifest = Manifest::of(cargo, waist, to);
        let (now, prices, anatomy) = (agenda.now(), &setting.prices, &mut measure.anatomy);
        let injecting = Injecting::of(&manifest, to == waist.id());
        AtWork { now, core, memory, prices, anatomy }.spend_injection(injecting);
        manifest
    }

    /// Adds a flight of cargo from the processor's node. Returns its place, and itself.
    #[inline(always)]
    pub(crate) fn load<'f>(
        &self,
        flights: &'f mut Flights,
        manifest: &Manifest,
        cargo: &Cargo<'_>,
    ) -> (u32, &'f mut Flight) {
        flights.load(self.node.waist.id(), manifest, cargo, self.setting.machine.memory.line.get())
    }

    /// Puts the cargo of a flight into the interface.
    #[inline(always)]
    pub(crate) fn inject(mut self, place: u32, flight: &mut Flight) {
        self.count(flight);
        self.pass_on(place, flight);
    }

    /// Passes the cargo of a flight on from the interface.
    #[inline(always)]
    pub(crate) fn pass_on(self, place: u32, flight: &Flight) {
        if flight.to() != flight.from() {
            return self.road.leave(place, flight, self.node.port.interface(), self.agenda);
        }
        // A processor that runs handlers finds its node's message to itself at hand.
        let near = self.node.dispatch.serving.server(self.core.number().into()).is_some();
        let way = if near { Time::ZERO } else { self.setting.machine.interface.loopback };
        bring_back(self.agenda, self.core.node(), way, place);
    }

    /// Counts and records that the cargo of a flight leaves.
    #[inline(always)]
    pub(crate) fn count(&mut self, flight: &mut Flight) {
        let Self { core, node, agenda, passages, measure, .. } = self;
        let (now, from, processor) = (agenda.now(), core.node(), core.number());
        agenda.note_progress();
        let passage = passages.of(flight.bytes(), flight.mover());
        flight.leave(node.port.take_number(from), now, passage);
        let (manifest, flow) = (flight.manifest(), flight.number());
        manifest.count(core.ledger.count(), passage.headers, from);
        let (node, to) = (from as u32, manifest.to.0);
        let bytes = u32::try_from(manifest.bytes() + passage.headers).unwrap_or(u32::MAX);
        // Each kind of event is digested apart, where its kind is known.
        match manifest.message() {
            Some(message) => measure.record(now, Traced::Send { node, processor, to, message, bytes, flow }),
            None => measure.record(now, Traced::Deposit { node, processor, to, bytes, flow }),
        }
    }
}

/// Brings the cargo of a flight back to its own node after `way`: straight to the node's queue. It does so by an event, because the
/// sender runs now.
#[inline(never)]
fn bring_back(agenda: &mut Agenda, node: usize, way: Time, place: u32) {
    agenda.push(node, agenda.now() + way, Happening::Deliver { flight: place });
}
