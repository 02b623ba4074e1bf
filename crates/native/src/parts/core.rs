//! The processor: its parts.
//!
//! Each part owns its fields. A function stands in the module of its task and borrows the parts that it needs. Only a function that runs
//! handlers or threads borrows the whole processor, because these may use all of it.
//! This module must never know which thread runs when.

use std::fmt;
use std::sync::Arc;

use tempest::ThreadId;
use trace::Recorder;

use crate::parts::gauge::Gauge;
use crate::parts::meter::Meter;
use crate::parts::node::Node;
use crate::parts::occupation::Doing;
use crate::parts::own_threads::OwnThreads;
use crate::parts::seat::Seat;
use crate::parts::service::Service;
use crate::parts::tuning::LOOKS_APART;
use crate::parts::world::World;

/// A processor: an OS thread that runs program threads or handlers.
pub(crate) struct Processor {
    /// Place in the world.
    pub(crate) seat: Seat,
    /// The running thread and the ready ones.
    pub(crate) threads: OwnThreads,
    /// State between two services.
    pub(crate) service: Service,
    /// Clock readings, and the pace of looks for events.
    pub(crate) meter: Meter,
}

/// A processor's present activity, for an error message.
#[derive(Clone, Copy)]
pub(crate) struct Activity<'a> {
    pub(crate) seat: &'a Seat,
    pub(crate) threads: &'a OwnThreads,
}

impl Processor {
    /// Makes processor `index` of `world`. It has `threads_each` threads if it computes.
    pub(crate) fn new(
        world: Arc<World>,
        index: usize,
        threads_each: u32,
        recorder: Option<Recorder>,
    ) -> Self {
        let threads = if world.is_dedicated(index) { 0 } else { threads_each };
        let seat = Seat::new(world, index, recorder);
        let pass_turns = !seat.tracer.records() && seat.downgrades().is_none();
        Self {
            threads: OwnThreads::new(seat.number(), threads, threads_each, pass_turns),
            service: Service::new(seat.node().take_serial()),
            meter: Meter::new(LOOKS_APART),
            seat,
        }
    }

    /// The world of the processor.
    #[inline]
    pub(crate) fn world(&self) -> &World {
        self.seat.world()
    }

    /// The node of the processor.
    #[inline]
    pub(crate) fn node(&self) -> &Node {
        self.seat.node()
    }

    /// The processor's measurements of itself.
    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        self.seat.gauge()
    }

    /// Whether a thread is ready, or in the inbox.
    pub(crate) fn has_threads_to_run(&self) -> bool {
        self.threads.ready() > 0 || self.seat.has_inbox()
    }
}

/// Describes the present activity, for an error message. Also called in a signal handler: neither allocates nor takes a lock.
impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Activity { seat: &self.seat, threads: &self.threads }.fmt(f)
    }
}

/// Neither allocates nor takes a lock.
impl fmt::Display for Activity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.seat.node();
        match self.threads.occupation.now() {
            Doing::Thread => ThreadId { node: node.id, index: self.threads.current() }.fmt(f),
            Doing::Handler(id) => {
                write!(f, "the handler of {} on {}", node.resident.node.message_name(id), node.id)
            }
        }
    }
}
