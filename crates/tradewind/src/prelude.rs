//! Everything that the source of a program needs: `use tradewind::prelude::*;`.

pub use std::process::ExitCode;

pub use tempest::entry::{Entry, File, InputError};
pub use tempest::{
    Cells, Event, Handler, Key, Keyed, Mechanism, Merge, Message, NodeId, Operations, Policy, Program,
    Protocol, Quiet, Report, Segment, Setup, Shape, Shared, Thread, handlers, program,
};
