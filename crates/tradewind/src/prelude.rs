//! Everything that the source of a program needs: `use tradewind::prelude::*;`.

pub use std::process::ExitCode;

pub use tempest::entry::Entry;
pub use tempest::{
    Cells, Event, Handler, Key, Keyed, Mechanism, Message, NodeId, Policy, Program, Protocol, Quiet, Report,
    Setup, Shape, Shared, Thread,
};
