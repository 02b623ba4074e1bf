//! Drops a program's state at the end of a run: each protocol of a node by itself. A destructor that panics fails the
//! run.
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

/// Record of the first panic of a destructor of the program's state, on any node of a run. A clone shares the record.
///
/// A world takes the disposal from any of its nodes ([`Node::disposal`](crate::world::Node::disposal)), drops all
/// nodes, and then calls [`judge`](Self::judge).
#[derive(Clone, Debug, Default)]
pub struct Disposal {
    first: Arc<OnceLock<String>>,
}

impl Disposal {
    /// Returns the first panic of a destructor, in one line.
    pub fn panic(&self) -> Option<&str> {
        self.first.get().map(String::as_str)
    }

    /// Returns the result of a run whose nodes have been dropped: `ended`, or a failure if a destructor has panicked
    /// and the run had not failed before.
    ///
    /// # Errors
    /// The failure in `ended`; if there is none, [`Failure::Program`] if a destructor has panicked.
    pub fn judge(&self, ended: Result<Outcome, Failure>) -> Result<Outcome, Failure> {
        match self.first.get() {
            Some(why) if ended.is_ok() => Err(Failure::Program(why.clone())),
            _ => ended,
        }
    }
}

/// The states of a node's protocols, in the order in which they were installed. The program itself is the last.
///
/// All other references to these states are dropped before this one, so that each state is dropped here, where its
/// panic is caught.
pub(crate) struct States {
    node: NodeId,
    all: Vec<State>,
    disposal: Disposal,
}

impl States {
    /// Makes an empty list of states for `node`. All nodes of a run share one `disposal`.
    pub(crate) fn of(node: NodeId, disposal: Disposal) -> Self {
        Self { node, all: Vec::new(), disposal }
    }

    /// Adds the state of a protocol whose installation is complete.
    pub(crate) fn add(&mut self, state: State) {
        self.all.push(state);
    }

    /// The record of destructors' panics that all nodes of the run share.
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
