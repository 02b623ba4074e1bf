//! Partners of a node in rounds of doubling distance: in round r, the nodes 2^r before and after it. This module must never know
//! the data, or how they travel.

use tempest::NodeId;

/// Part of a node in rounds of doubling distance: in round r it sends to the node 2^r after it and receives from the node 2^r
/// before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rounds {
    node: u32,
    nodes: u32,
}

impl Rounds {
    /// Makes the part of `node` among `nodes` nodes.
    pub(super) fn of(node: NodeId, nodes: u32) -> Self {
        Self { node: node.0, nodes }
    }

    /// Number of rounds after which a node has heard of all nodes before it.
    pub(super) fn count(self) -> usize {
        self.nodes.next_power_of_two().trailing_zeros() as usize
    }

    /// Returns the node that this one receives from in `round`; `None` if there is no node at that distance before it.
    pub(super) fn source(self, round: usize) -> Option<NodeId> {
        let distance = self.distance(round)?;
        self.node.checked_sub(distance).map(NodeId)
    }

    /// Returns the node that this one sends to in `round`; `None` if there is no node at that distance after it.
    pub(super) fn target(self, round: usize) -> Option<NodeId> {
        let target = self.node.checked_add(self.distance(round)?)?;
        (target < self.nodes).then_some(NodeId(target))
    }

    fn distance(self, round: usize) -> Option<u32> {
        (round < self.count()).then(|| 1 << round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_tells_is_told_by_the_other() {
        for nodes in 1..10 {
            let rounds = |node| Rounds::of(NodeId(node), nodes);
            for (node, round) in (0..nodes).flat_map(|node| (0..5).map(move |round| (node, round))) {
                if let Some(NodeId(target)) = rounds(node).target(round) {
                    assert_eq!(rounds(target).source(round), Some(NodeId(node)));
                }
            }
            let heard: u32 = (0..5).filter_map(|round| rounds(nodes - 1).source(round)).map(|_| 1).sum();
            assert_eq!(heard as usize, rounds(nodes - 1).count());
        }
    }
}
