//! The gathering of all nodes at the start of a timed region, which node 0 keeps: the nodes have arrived, then all have measured.
//!
//! This module must never know threads, or how the nodes tell each other.

use crate::lock::lock;
use crate::sync::Mutex;

/// The nodes that have arrived at the next region, and that have measured there.
pub(crate) struct Gathering {
    inner: Mutex<Inner>,
}

struct Inner {
    /// The region at which the first node has arrived.
    name: String,
    /// By node: its last step.
    steps: Vec<Step>,
}

/// The way of a node to a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Away,
    Arrived,
    Measured,
}

/// The reason why a node cannot take the step that it tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Misstep {
    /// Other nodes have arrived at this region.
    Elsewhere(String),
    /// It has told the step before, or an earlier one is missing.
    Untimely,
}

impl Gathering {
    /// A gathering of `nodes` nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Self { inner: Mutex::new(Inner { name: String::new(), steps: vec![Step::Away; nodes] }) }
    }

    /// Counts a node all of whose threads have arrived at a region. Returns whether it is the last.
    ///
    /// # Errors
    /// If the other nodes have arrived at another region, or this one has arrived before.
    pub(crate) fn arrive(&self, node: usize, name: &str) -> Result<bool, Misstep> {
        let mut inner = lock(&self.inner);
        if inner.steps.iter().all(|step| *step == Step::Away) {
            name.clone_into(&mut inner.name);
        } else if inner.name != name {
            return Err(Misstep::Elsewhere(inner.name.clone()));
        }
        inner.go(node, Step::Away, Step::Arrived)
    }

    /// Counts a node that has measured. Returns whether it is the last: then the gathering is over.
    ///
    /// # Errors
    /// If a node has not arrived, or this one has measured before.
    pub(crate) fn measured(&self, node: usize) -> Result<bool, Misstep> {
        let mut inner = lock(&self.inner);
        if inner.steps.contains(&Step::Away) {
            return Err(Misstep::Untimely);
        }
        let is_last = inner.go(node, Step::Arrived, Step::Measured)?;
        if is_last {
            inner.steps.fill(Step::Away);
        }
        Ok(is_last)
    }
}

impl Inner {
    /// Has a node go from one step to the next. Returns whether it is the last.
    fn go(&mut self, node: usize, from: Step, to: Step) -> Result<bool, Misstep> {
        let step = self.steps.get_mut(node).filter(|step| **step == from).ok_or(Misstep::Untimely)?;
        *step = to;
        Ok(self.steps.iter().all(|step| *step == to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_node_is_told_each_time() {
        let gathering = Gathering::new(2);
        for name in ["solve", "gather"] {
            assert_eq!([gathering.arrive(0, name), gathering.arrive(1, name)], [Ok(false), Ok(true)]);
            assert_eq!([gathering.measured(1), gathering.measured(0)], [Ok(false), Ok(true)]);
        }
    }

    #[test]
    fn nodes_that_enter_different_regions_are_told() {
        let gathering = Gathering::new(3);
        assert_eq!(gathering.arrive(0, "solve"), Ok(false));
        assert_eq!(gathering.arrive(1, "gather"), Err(Misstep::Elsewhere("solve".to_owned())));
    }

    #[test]
    fn steps_out_of_order_are_refused() {
        let gathering = Gathering::new(2);
        let untimely = || Err(Misstep::Untimely);
        assert_eq!([gathering.measured(0), gathering.arrive(2, "solve")], [untimely(), untimely()]);
        assert_eq!([gathering.arrive(0, "solve"), gathering.arrive(0, "solve")], [Ok(false), untimely()]);
        assert_eq!([gathering.measured(0), gathering.arrive(1, "solve")], [untimely(), Ok(true)]);
        assert_eq!([gathering.measured(0), gathering.measured(0)], [Ok(false), untimely()]);
    }
}
