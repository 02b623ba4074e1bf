//! Everything that the source of a program needs: `use tradewind::prelude::*;`.

pub use std::process::ExitCode;
pub use std::sync::Arc;

pub use tempest::entry::{Entry, File, InputError, Inputs};
pub use tempest::{
    Block, Cells, Class, Event, FinalState, Handler, Handlers, Key, Keyed, Mechanism, Merge, Message,
    Messages, NodeId, Operations, Place, Policy, Program, Protocol, Report, Rights, Segment, Setup, Shape,
    Shared, Thread, ThreadId, Volume, handlers, program,
};
