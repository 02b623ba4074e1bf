//! A processor's recording of its own actions, in a traced run.
//!
//! Each processor has a batch of its own and hands it to the common recorder when it is full. In a run that is not traced nothing is
//! recorded and the clock is not read. This module must never know where the events are kept.
//!
//! The two ends of a message are matched by its number in its lane, which keeps order: no identifier travels with it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use tempest::NodeId;
use tempest::world::Packet;
use trace::{Batch, Event, Recorder};
use units::Time;

use crate::parts::gauge::{Gauge, header_bytes};
use crate::parts::node::Node;
use crate::parts::world::World;
use crate::rings::message::Received;

/// Bits of a flow for the number of a message in its lane; the bits above name the lane.
const NUMBER_BITS: u32 = 40;

/// Set in the flows of deposits, which pass no lane.
const DEPOSIT: u64 = 1 << 63;

/// Set in the flows of events that a processor gives to itself, which pass no lane.
const OWN: u64 = 1 << 62;

/// A processor's access to the recorder.
pub(crate) struct Tracer {
    world: Arc<World>,
    gauge: Arc<Gauge>,
    /// Index of the processor among all.
    index: usize,
    home: Arc<Node>,
    /// The number of the processor's node, and its own number there.
    node: u32,
    processor: u16,
    batch: Option<RefCell<Batch>>,
    /// Number of events that the processor gave to itself.
    own: Cell<u64>,
}

impl Tracer {
    /// The tracer of processor `index` of `world`, which has this gauge on the node `home`. Without a recorder it records nothing.
    pub(crate) fn new(
        recorder: Option<Recorder>,
        world: Arc<World>,
        (home, gauge): (Arc<Node>, Arc<Gauge>),
        index: usize,
    ) -> Self {
        let batch = recorder.map(|recorder| RefCell::new(Batch::new(recorder)));
        let (node, processor) = (home.id.0, world.seating.seat(index).1 as u16);
        Self { world, gauge, index, home, node, processor, batch, own: Cell::new(0) }
    }

    /// Whether the run is traced.
    pub(crate) fn records(&self) -> bool {
        self.batch.is_some()
    }

    /// The time, if the run is traced. To be read before an action, so that others see its effect only at later times.
    #[inline]
    pub(crate) fn time(&self) -> Option<Time> {
        self.batch.is_some().then(|| Time::from_nanoseconds(self.world.now_ns()))
    }

    /// Hands over the recorded events, when the run is over.
    pub(crate) fn finish(&self) {
        if let Some(batch) = &self.batch {
            batch.borrow_mut().flush();
        }
    }

    #[cold]
    fn record(&self, at: Time, event: Event) {
        if let Some(batch) = &self.batch {
            batch.borrow_mut().record(at, event);
        }
    }

    /// Records an event at the present time, if the run is traced. `event` is given the node and the processor's number there.
    #[inline]
    pub(crate) fn trace(&self, event: impl FnOnce(u32, u16) -> Event) {
        if let Some(at) = self.time() {
            self.record(at, event(self.node, self.processor));
        }
    }

    /// Records a message that was sent at `at` as number `number` of its lane.
    #[inline]
    pub(crate) fn send(&self, at: Option<Time>, to: NodeId, packet: &Packet, number: u64) {
        let Some(at) = at else { return };
        let (node, processor) = (self.node, self.processor);
        let flow = self.flow(NodeId(node), to, number);
        let header = if to.0 == node { 0 } else { header_bytes(packet.words().len()) };
        let bytes = (self.bytes(packet) + header) as u32;
        let (to, message) = (to.0, packet.id().0);
        self.record(at, Event::Send { node, processor, to, message, bytes, flow });
    }

    /// Records that the handler of a message starts.
    #[inline]
    pub(crate) fn handler_starts(&self, message: &Received) {
        self.trace(|node, processor| {
            let Received { packet, number, .. } = message;
            let flow = self.flow(packet.source(), NodeId(node), *number);
            let (message, source) = (packet.id().0, packet.source().0);
            Event::HandlerStart { node, processor, message, source, flow }
        });
    }

    /// Records that a processor handles an event that it gave to itself.
    pub(crate) fn own(&self, packet: &Packet) {
        let Some(at) = self.time() else { return };
        let number = self.own.get() + 1;
        self.own.set(number);
        let flow = OWN | (self.index as u64) << NUMBER_BITS | number;
        let (node, processor, message) = (self.node, self.processor, packet.id().0);
        let bytes = self.bytes(packet) as u32;
        self.record(at, Event::Send { node, processor, to: node, message, bytes, flow });
        self.trace(|_, _| Event::HandlerStart { node, processor, message, source: node, flow });
    }

    /// Records a deposit that was made at `at`, was counted, and is in place now.
    #[inline]
    pub(crate) fn deposit(&self, at: Option<Time>, to: NodeId, words: &[u64]) {
        let Some(at) = at else { return };
        let number = self.gauge.counters().deposits;
        let flow = DEPOSIT | (self.index as u64) << NUMBER_BITS | number;
        let (node, processor) = (self.node, self.processor);
        let (to, bytes) = (to.0, size_of_val(words) as u32);
        self.record(at, Event::Deposit { node, processor, to, bytes, flow });
        self.trace(|from, _| Event::Place { node: to, from, flow });
    }

    /// Size of a message of the processor's node, in bytes.
    fn bytes(&self, packet: &Packet) -> u64 {
        self.home.resident.node.bytes(packet)
    }

    fn flow(&self, from: NodeId, to: NodeId, number: u64) -> u64 {
        (self.world.seating.lane(from, to) as u64) << NUMBER_BITS | number
    }
}
