//! Machine files: text to a validated machine, pure data.
//!
//! A machine file is TOML in which every quantity carries its unit and says where it comes from. [`Machine::parse`]
//! turns one into a [`Machine`], all durations resolved and all values checked, or lists every mistake in it with
//! its line and what was expected.
//!
//! ```
//! let errors = tradewind_machine::Machine::parse("toy.toml", "nodes = 0").unwrap_err();
//! let first = errors.iter().find(|error| error.key == "nodes").unwrap();
//! assert_eq!(first.to_string(), "toy.toml:1: nodes = 0: expected a whole number from 1, such as 8");
//! ```
//!
//! This crate must never know files, the simulator, or what a machine does: it opens nothing and has no behaviour.

#![forbid(unsafe_code)]

mod calibrated;
mod capability;
mod chain;
mod class;
mod cost;
mod digest;
mod errors;
mod flow;
mod getters;
mod handoff;
mod interface;
mod list;
mod model;
mod network;
mod network_processor;
mod node_memory;
mod parse;
mod primitives;
mod reader;
mod residual;
mod section;
mod software_dispatch;
mod source_text;
mod transactions;
mod value;
mod variants;

pub use calibrated::Calibrated;
pub use capability::{Capability, UnknownCapability};
pub use chain::Bases;
pub use class::{ByClass, Class, UnknownClass};
pub use cost::Cost;
pub use errors::{Error, Errors};
pub use flow::Flow;
pub use handoff::Handoff;
pub use interface::{Interface, Overflow};
pub use model::{Machine, Memory, Processor, Queue, WorkCosts};
pub use network::{CrossTraffic, Network, Routers, Topology};
pub use network_processor::NetworkProcessor;
pub use node_memory::{Banks, Bus, Cache, NodeMemory, Staging};
pub use primitives::Primitives;
pub use software_dispatch::SoftwareDispatch;
pub use transactions::{Transaction, Transactions};
pub use value::Value;
pub use variants::POLICIES;
