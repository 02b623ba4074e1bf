//! The end of a program's state: each protocol of a node is dropped by itself, and a destructor that panics fails the run.
//!
//! A destructor is the program's code, and runs after the threads and the report. This module must never know when a world drops
//! its nodes, or on which OS thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use super::blame::panic_message;
use crate::NodeId;
use crate::outcome::{Failure, Outcome};

/// A protocol's state, of any type.
pub(crate) type State = Arc<dyn Any + Send + Sync>;

/// The first panic of a destructor of the program's state, on any node of a run.
///
/// A world takes the disposal of its nodes ([`Node::disposal`](crate::world::Node::disposal)), drops all of them, and has
/// the disposal judge the end of the run.
#[derive(Clone, Debug, Default)]
pub struct Disposal {
    first: Arc<OnceLock<String>>,
}

impl Disposal {
    /// The end of a run whose nodes have been dropped: the failure of a destructor if one has panicked and the run had not failed
    /// before.
    ///
    /// # Errors
    /// The failure with which the run has `ended`, or else [`Failure::Program`] if a destructor has panicked.
    pub fn judge(&self, ended: Result<Outcome, Failure>) -> Result<Outcome, Failure> {
        match self.first.get() {
            Some(why) if ended.is_ok() => Err(Failure::Program(why.clone())),
            _ => ended,
        }
    }
}

/// The states of a node's protocols, in the order in which they were installed. The program itself is the last.
///
/// Any other holder of a state drops it earlier, so that each state is dropped here, in a catch of its own.
pub(crate) struct States {
    node: NodeId,
    all: Vec<State>,
    disposal: Disposal,
}

impl States {
    /// The states of a node, before any protocol is installed. All nodes of a run have one disposal.
    pub(crate) fn of(node: NodeId, disposal: Disposal) -> Self {
        Self { node, all: Vec::new(), disposal }
    }

    /// Adds the state of a protocol whose installation is complete.
    pub(crate) fn add(&mut self, state: State) {
        self.all.push(state);
    }

    /// The disposal of the run.
    pub(crate) fn disposal(&self) -> &Disposal {
        &self.disposal
    }
}

impl Drop for States {
    fn drop(&mut self) {
        // A protocol is dropped before the protocols that it builds on.
        while let Some(state) = self.all.pop() {
            let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(state))) else { continue };
            let why = format!("panicked while being dropped on {}: {}", self.node, panic_message(&*panic));
            let _later = self.disposal.first.set(why);
            // The destructor of a payload may panic, too.
            std::mem::forget(panic);
        }
    }
}
