//! The configuration of a run, of which each node gets a copy. This module must never know any one program.

use std::fmt;
use std::sync::Arc;

use super::Plan;

/// The configuration of a run: the inputs, the plan, and the problem that the program prepared from them. Each node
/// gets a copy; all nodes of a process share one problem. A program written with [`#[program]`](crate::program) has
/// this as its [`Config`](crate::Protocol::Config).
pub struct Task<I, P = ()>(Arc<Parts<I, P>>);

struct Parts<I, P> {
    inputs: I,
    plan: Plan,
    problem: Arc<P>,
}

impl<I, P> Task<I, P> {
    /// Makes the configuration of a run.
    pub fn new(inputs: I, plan: Plan, problem: P) -> Self {
        Self(Arc::new(Parts { inputs, plan, problem: Arc::new(problem) }))
    }

    /// The inputs of the program.
    pub fn inputs(&self) -> &I {
        &self.0.inputs
    }

    /// The plan of the run.
    pub fn plan(&self) -> &Plan {
        &self.0.plan
    }

    /// The problem that the program prepared, such as a graph; `()` if it prepares none.
    pub fn problem(&self) -> &Arc<P> {
        &self.0.problem
    }
}

impl<I, P> Clone for Task<I, P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Two tasks are equal if they are copies of the same task, as on the nodes of a run.
impl<I, P> PartialEq for Task<I, P> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<I, P> fmt::Debug for Task<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("plan", self.plan()).finish_non_exhaustive()
    }
}
