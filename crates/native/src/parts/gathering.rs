//! The gathering of all nodes at the start of a timed region, which node 0 keeps: the nodes have arrived, then all have measured.
//!
//! This module must never know threads, or how the nodes tell each other.

use crate::lock::lock;
use crate::sync::Mutex;

/// The nodes that have arrived at the next region, and that have measured there.
pub(crate) struct Gathering {
    nodes: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The region at which the first node has arrived.
    name: String,
    arrived: usize,
    measured: usize,
}

impl Gathering {
    /// A gathering of `nodes` nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Self { nodes, inner: Mutex::default() }
    }

    /// Counts a node all of whose threads have arrived at a region. Returns whether it is the last.
    ///
    /// # Errors
    /// The region of the other nodes, if it is another.
    pub(crate) fn arrive(&self, name: &str) -> Result<bool, String> {
        let mut inner = lock(&self.inner);
        if inner.arrived == 0 {
            name.clone_into(&mut inner.name);
        } else if inner.name != name {
            return Err(inner.name.clone());
        }
        inner.arrived += 1;
        Ok(inner.arrived == self.nodes)
    }

    /// Counts a node that has measured. Returns whether it is the last: then the gathering is over.
    pub(crate) fn measured(&self) -> bool {
        let mut inner = lock(&self.inner);
        inner.measured += 1;
        let is_last = inner.measured == self.nodes;
        if is_last {
            *inner = Inner::default();
        }
        is_last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_node_is_told_each_time() {
        let gathering = Gathering::new(2);
        for name in ["solve", "gather"] {
            assert_eq!([gathering.arrive(name), gathering.arrive(name)], [Ok(false), Ok(true)]);
            assert_eq!([gathering.measured(), gathering.measured()], [false, true]);
        }
    }

    #[test]
    fn nodes_that_enter_different_regions_are_told() {
        let gathering = Gathering::new(3);
        assert_eq!(gathering.arrive("solve"), Ok(false));
        assert_eq!(gathering.arrive("gather"), Err("solve".to_owned()));
    }
}
