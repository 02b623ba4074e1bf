//! Where processors' time went, and how busy the parts of a machine were. This module must never know how a share looks on a
//! page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempest::outcome;

use super::documented::documented;

/// Time, summed over computing processors and split by what they spent it on.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Breakdown {
    /// Nanoseconds of the program's own work.
    pub compute: f64,
    /// Nanoseconds of waiting for memory, blocks of shared memory among it, or for room in the network interface.
    pub memory: f64,
    /// Nanoseconds of sending, receiving, dispatching and running handlers.
    pub overhead: f64,
    /// Nanoseconds of waiting for a thread or a message with nothing else to do.
    pub synchronization: f64,
    /// Nanoseconds with nothing to do and nothing to wait for: no thread of the processor was left.
    pub idle: f64,
    /// Nanoseconds for which processors were ready to run, and the operating system ran something else on their cores.
    ///
    /// Null on a model, and on a host that does not tell.
    pub taken: Option<f64>,
}

/// Time of processors that run handlers and no threads, summed over those of one kind and split by what they spent it on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolBreakdown {
    /// The kind of processors, as in `utilization[].part`.
    pub processors: String,
    /// Nanoseconds of running handlers. Natively an estimate from samples, which includes receiving and dispatching.
    pub handlers: f64,
    /// Nanoseconds of receiving, dispatching, and injecting messages of other processors; natively of all that is not one
    /// of the other parts.
    pub overhead: f64,
    /// Nanoseconds of waiting for memory or for room in the network interface.
    pub memory: f64,
    /// Nanoseconds of looking for events and finding none.
    pub idle: f64,
    /// Nanoseconds for which these processors were ready to run, and the operating system ran something else on their cores.
    ///
    /// Null on a model, and on a host that does not tell.
    pub taken: Option<f64>,
}

/// The share of time for which the parts of one kind were busy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Utilization {
    /// The kind: `computing-processor` (busy while it does not wait), `dedicated-processor`, `embedded-processor`,
    /// `network-processor`, `state-machine` (each busy with events), `dispatch-queue` (an event waits or a key is held),
    /// `interface-lock`, `port-out`, `port-in`, `link` (one direction), `bus` (addresses, and data where both share the
    /// wires), `data-bus`, `memory-bank`.
    pub part: String,
    /// The number of parts of this kind.
    pub count: u32,
    /// From 0 to 1: the share of the time, mean over the parts.
    pub mean: f64,
    /// From 0 to 1: the share of the time for which the busiest part was busy.
    pub most: f64,
    /// The name of the busiest part: a link by the places of its two ends, `3→4`, or by its subtree in a fat tree; another
    /// part by its number there, where there are several, and its node.
    pub busiest: String,
}

documented!(|it: outcome::Breakdown| Breakdown { compute, memory, overhead, synchronization, idle, taken });
documented!(|it: outcome::ProtocolTime| ProtocolBreakdown {
    processors,
    handlers,
    overhead,
    memory,
    idle,
    taken
});
documented!(|it: outcome::Utilization| Utilization {
    part: it.resource.documented(),
    count,
    mean,
    most,
    busiest
});

#[cfg(feature = "command")]
impl Breakdown {
    /// The share of each part, in the order of bars.
    pub(crate) fn shares(&self) -> [f64; compare::parts::PARTS] {
        let Self { compute, memory, overhead, synchronization, idle, taken } = *self;
        compare::parts::shares_of([compute, memory, overhead, synchronization, idle, taken.unwrap_or(0.0)])
    }
}
