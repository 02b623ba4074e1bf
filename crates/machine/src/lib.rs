//! Machine files: text to a validated machine, pure data.
//!
//! A machine file is TOML in which every quantity carries its unit and its source. [`Machine::parse`] turns it into a
//! [`Machine`], all durations resolved and all values checked, or lists every mistake in it with its line and the
//! expected form.
//!
//! ```
//! let errors = tradewind_machine::Machine::parse("toy.toml", "nodes = 0").unwrap_err();
//! let first = errors.iter().find(|error| error.key == "nodes").unwrap();
//! assert_eq!(first.to_string(), "toy.toml:1: nodes = 0: expected a whole number from 1, such as 8");
//! ```
//!
//! This crate must never know files or the simulator: it opens no file and has no behaviour.

#![forbid(unsafe_code)]

/// The name of this host as a machine: the one machine without a file, and the machine that a calibrated file measures.
pub const NATIVE: &str = "native";

mod parse;
mod reading;
mod schema;
mod variants;

pub use parse::Known;
pub use reading::{Bases, Error, Errors, Note, Range, RangedKey, Value};
pub use schema::{
    Banks, Bus, ByClass, Cache, Calibrated, Capability, Class, Cost, CrossTraffic, EmbeddedProcessor,
    Endpoints, FirstLevel, Flow, Handoff, Interface, Machine, Memory, Network, NetworkProcessor, NodeMemory,
    Overflow, PairOrder, Placement, Primitives, Processor, Queue, QueuePairs, Routers, SoftwareDispatch,
    Staging, Topology, Transaction, Transactions, UnknownCapability, UnknownClass, WorkCosts,
};
