//! The tree of nodes along which contributions are gathered and results are spread.
//!
//! A heap: node 0 is the root, and with fan-in k the nodes k·n + 1 to k·n + k report to node n. It is ⌈log_k nodes⌉ deep to
//! within one level, and no node has more than k children. This module must never know the data that travel along it.

use std::num::NonZeroU32;

use tempest::NodeId;

/// Fan-in of the tree barrier of Mellor-Crummey and Scott: four nodes report to one.
pub(super) const FAN_IN: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// Place of a node in the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Node to which this one reports; `None` for the root.
    pub(super) parent: Option<NodeId>,
    /// Nodes that report to this one, ascending.
    pub(super) children: Vec<NodeId>,
}

impl Place {
    /// Returns the place of `node` among `nodes` nodes, in a tree in which `fan_in` nodes report to one.
    pub(super) fn of(node: NodeId, nodes: u32, fan_in: NonZeroU32) -> Self {
        let fan_in = u64::from(fan_in.get());
        let parent = node.0.checked_sub(1).map(|before| NodeId((u64::from(before) / fan_in) as u32));
        let first = (u64::from(node.0) * fan_in + 1).min(nodes.into());
        let end = (first + fan_in).min(nodes.into());
        Self { parent, children: (first as u32..end as u32).map(NodeId).collect() }
    }

    /// Returns the index of `node` among the children; `None` if it is no child.
    pub(super) fn child(&self, node: NodeId) -> Option<usize> {
        self.children.iter().position(|&child| child == node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(node: u32, nodes: u32, fan_in: u32) -> (Option<u32>, Vec<u32>) {
        let place = Place::of(NodeId(node), nodes, NonZeroU32::new(fan_in).unwrap());
        (place.parent.map(|node| node.0), place.children.iter().map(|node| node.0).collect())
    }

    /// Eight nodes with fan-in 3: nodes 1, 2, 3 report to 0; 4, 5, 6 to 1; 7 to 2.
    #[test]
    fn every_node_but_the_root_reports_to_one_that_expects_it() {
        assert_eq!(place(0, 8, 3), (None, vec![1, 2, 3]));
        assert_eq!(place(1, 8, 3), (Some(0), vec![4, 5, 6]));
        assert_eq!(place(2, 8, 3), (Some(0), vec![7]));
        assert_eq!(place(7, 8, 3), (Some(2), vec![]));
    }

    #[test]
    fn a_fan_in_of_one_is_a_chain_and_a_large_one_a_star() {
        assert_eq!(place(1, 3, 1), (Some(0), vec![2]));
        assert_eq!(place(0, 4, u32::MAX), (None, vec![1, 2, 3]));
        assert_eq!(place(3, 4, u32::MAX), (Some(0), vec![]));
        assert_eq!(place(0, 1, 2), (None, vec![]));
    }
}
