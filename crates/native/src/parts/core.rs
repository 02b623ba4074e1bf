//! The processor: its parts.
//!
//! Each part owns its fields. A function stands in the module of its task and borrows the parts that it needs, mostly the endpoint. Only a
//! function that runs handlers or threads borrows the whole processor, because these may use all of it. This module must never know which
//! thread runs when.

use std::fmt;
use std::sync::Arc;

use trace::Recorder;

use crate::parts::endpoint::Endpoint;
use crate::parts::gauge::Gauge;
use crate::parts::meter::Meter;
use crate::parts::node::Node;
use crate::parts::service::Service;
use crate::parts::tuning::LOOKS_APART;
use crate::parts::world::World;

/// A processor: an OS thread that runs program threads or handlers.
pub(crate) struct Processor {
    /// Place in the world, threads and sending state: all but the state of dispatch.
    pub(crate) endpoint: Endpoint,
    /// State between two services.
    pub(crate) service: Service,
    /// Clock readings, and the pace of looks for events.
    pub(crate) meter: Meter,
}

impl Processor {
    /// Makes processor `index` of `world`. It has `threads_each` threads if it computes.
    pub(crate) fn new(
        world: Arc<World>,
        index: usize,
        threads_each: u32,
        recorder: Option<Recorder>,
    ) -> Self {
        let endpoint = Endpoint::new(world, index, threads_each, recorder);
        Self {
            service: Service::new(endpoint.node().take_serial()),
            meter: Meter::new(LOOKS_APART),
            endpoint,
        }
    }

    /// The world of the processor.
    #[inline]
    pub(crate) fn world(&self) -> &World {
        self.endpoint.world()
    }

    /// The node of the processor.
    #[inline]
    pub(crate) fn node(&self) -> &Node {
        self.endpoint.node()
    }

    /// The processor's measurements of itself.
    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        self.endpoint.gauge()
    }
}

/// Describes the present activity, for an error message. Also called in a signal handler: neither allocates nor takes a lock.
impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.endpoint.fmt(f)
    }
}
