//! The processors of a world by index: the processors of a node side by side, node by node, and behind all of them the helper of each node,
//! if nodes have helpers.
//!
//! Tables with an entry for each processor are indexed so, also where the processors of other nodes belong to other processes. This module
//! must never know the activity of a processor.

use std::ops::Range;

use tempest::NodeId;
use tempest::policy::Split;

/// The processors of all nodes of a world.
#[derive(Clone, Debug)]
pub(crate) struct Seating {
    split: Split,
    /// By node: the indices of the processors that run handlers.
    servers: Vec<Range<usize>>,
    helpers: usize,
}

impl Seating {
    /// The processors of `nodes` nodes, each with this split, and with a helper if `has_helpers`.
    pub(crate) fn new(nodes: u32, split: Split, has_helpers: bool) -> Self {
        let servers = (0..nodes).map(|node| servers_of(split, NodeId(node))).collect();
        Self { split, servers, helpers: if has_helpers { nodes as usize } else { 0 } }
    }

    /// Number of nodes.
    #[inline]
    pub(crate) fn nodes(&self) -> usize {
        self.servers.len()
    }

    /// Processors of each node.
    #[inline]
    pub(crate) fn per_node(&self) -> usize {
        self.split.all() as usize
    }

    /// Number of processors, without helpers.
    #[inline]
    pub(crate) fn processors(&self) -> usize {
        self.nodes() * self.per_node()
    }

    /// Number of helpers.
    pub(crate) fn helpers(&self) -> usize {
        self.helpers
    }

    /// Number of processors and helpers.
    pub(crate) fn all(&self) -> usize {
        self.processors() + self.helpers
    }

    /// The node of a processor or helper, by its index, and its number there: computing processors come first, a helper last.
    pub(crate) fn seat(&self, index: usize) -> (usize, usize) {
        if self.is_helper(index) {
            (index - self.processors(), self.per_node())
        } else {
            (index / self.per_node(), index % self.per_node())
        }
    }

    /// Whether index `index` is a helper's.
    pub(crate) fn is_helper(&self, index: usize) -> bool {
        index >= self.processors()
    }

    /// Whether a processor only runs handlers, as a helper does.
    pub(crate) fn is_dedicated(&self, index: usize) -> bool {
        self.seat(index).1 >= self.split.computing as usize
    }

    /// Indices of the processors of a node, its helper last.
    pub(crate) fn of_node(&self, node: NodeId) -> impl Iterator<Item = usize> + Clone + use<> {
        let (node, per_node) = (node.0 as usize, self.per_node());
        let helper = self.processors() + node;
        (node * per_node..(node + 1) * per_node).chain((helper < self.all()).then_some(helper))
    }

    /// Indices of the processors of consecutive nodes, their helpers last.
    pub(crate) fn of_nodes(&self, nodes: Range<usize>) -> impl Iterator<Item = usize> + Clone + use<> {
        let (per_node, first) = (self.per_node(), self.processors());
        let helpers = if self.helpers > 0 { nodes.clone() } else { 0..0 };
        (nodes.start * per_node..nodes.end * per_node).chain(helpers.map(move |node| first + node))
    }

    /// Indices of the processors of a node that run handlers.
    #[inline]
    pub(crate) fn servers(&self, node: NodeId) -> Range<usize> {
        self.servers[node.0 as usize].clone()
    }

    /// Index of a node's helper, where nodes have helpers.
    #[inline]
    pub(crate) fn helper(&self, node: NodeId) -> usize {
        self.processors() + node.0 as usize
    }

    /// Whether one processor runs all threads and handlers of its node.
    #[inline]
    pub(crate) fn is_one_per_node(&self) -> bool {
        self.all() == self.nodes()
    }

    /// Index of a lane among all lanes.
    #[inline]
    pub(crate) fn lane(&self, from: NodeId, to: NodeId) -> usize {
        from.0 as usize * self.nodes() + to.0 as usize
    }
}

/// Indices of the processors of a node that run handlers: the dedicated ones, or all if there are none.
fn servers_of(split: Split, node: NodeId) -> Range<usize> {
    let per_node = split.all() as usize;
    let first = node.0 as usize * per_node;
    let servers = if split.dedicated == 0 { first } else { first + split.computing as usize };
    servers..first + per_node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_stand_behind_all_processors() {
        let seating = Seating::new(3, Split { computing: 1, dedicated: 1 }, true);
        assert_eq!((seating.processors(), seating.all()), (6, 9));
        assert_eq!([0, 3, 7].map(|index| seating.seat(index)), [(0, 0), (1, 1), (1, 2)]);
        assert_eq!([2, 3, 7].map(|index| seating.is_dedicated(index)), [false, true, true]);
        assert_eq!(seating.of_node(NodeId(1)).collect::<Vec<_>>(), [2, 3, 7]);
        assert_eq!(seating.of_nodes(1..3).collect::<Vec<_>>(), [2, 3, 4, 5, 7, 8]);
        assert_eq!(seating.servers(NodeId(2)), 5..6);
        let plain = Seating::new(3, Split { computing: 2, dedicated: 0 }, false);
        assert_eq!(plain.of_nodes(0..2).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!((plain.servers(NodeId(1)), plain.is_one_per_node()), (2..4, false));
    }
}
