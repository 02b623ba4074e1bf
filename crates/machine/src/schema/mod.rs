//! The description of a machine, section by section of its file. Each key is declared once, with its type, its meaning
//! and the way it is read. Plain data. This module must never know files, nor the events on a machine.

mod calibrated;
mod capability;
mod class;
mod cost;
mod embedded_processor;
mod idle_bus;
mod interface;
mod machine;
mod network;
mod network_processor;
mod node_memory;
mod parts;
mod price;
mod primitives;
mod processor;
mod queue_pairs;
mod queues;
mod residual;
mod software_dispatch;
mod transactions;
mod uniprocessor;

pub use calibrated::Calibrated;
pub use capability::{Capability, UnknownCapability};
pub use class::{ByClass, Class, UnknownClass};
pub use cost::Cost;
pub use embedded_processor::EmbeddedProcessor;
pub use interface::{Endpoints, Interface, Overflow};
pub use machine::Machine;
pub use network::{CrossTraffic, Network, Routers, Topology};
pub use network_processor::NetworkProcessor;
pub use node_memory::{Banks, Bus, Cache, FirstLevel, Memory, NodeMemory, Placement, Staging};
pub use primitives::Primitives;
pub use processor::{Processor, WorkCosts};
pub use queue_pairs::{PairOrder, QueuePairs};
pub use queues::{Flow, Handoff, Queue};
pub use software_dispatch::SoftwareDispatch;
pub use transactions::{Transaction, Transactions};
