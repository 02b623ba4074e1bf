//! The assignment of misses: which thread misses on which block of which home. Every miss has a block of its own.
//!
//! This module must never know the meaning of a miss.

use tempest::{NodeId, Shape};

/// The assignment of misses to requesters and homes. The first nodes are requesters, the last nodes are homes; a node
/// may be both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    nodes: u32,
    /// The number of requesters, from node 0 on.
    pub(super) requesters: u32,
    /// The number of homes, up to the last node.
    pub(super) homes: u32,
    /// The number of threads that miss, on each requester.
    pub(super) threads: u32,
    /// The number of misses of each such thread.
    pub(super) misses: u32,
}

impl Pattern {
    /// The pattern in which one thread of node 0 misses on blocks of node 1.
    ///
    /// # Errors
    /// A text, if there is no node 1.
    pub(super) fn one_home(shape: Shape, misses: u32) -> Result<Self, String> {
        // All other nodes take no part.
        let nodes = shape.nodes.min(2);
        Self::new(Shape { nodes, threads: 1 }, 1, 1, misses)
    }

    /// The pattern in which every thread of the first nodes misses on blocks of the last nodes. A count of 0 stands
    /// for all nodes.
    ///
    /// # Errors
    /// A text, if there are fewer nodes than requesters or homes, or a requester would have no other node as a home.
    pub(super) fn new(shape: Shape, requesters: u32, homes: u32, misses: u32) -> Result<Self, String> {
        let Shape { nodes, threads } = shape;
        if nodes < 2 {
            return Err("misses on 1 node: expected --nodes of at least 2".to_owned());
        }
        for (key, asked) in [("requesters", requesters), ("homes", homes)] {
            if asked > nodes {
                return Err(format!("`{key}={asked}` on {nodes} nodes: expected at most {nodes}"));
            }
        }
        let or_all = |asked| if asked == 0 { nodes } else { asked };
        let pattern = Self { nodes, requesters: or_all(requesters), homes: or_all(homes), threads, misses };
        if (0..pattern.requesters).any(|node| pattern.homes_of(NodeId(node)) == 0) {
            let last = nodes - 1;
            return Err(format!(
                "`homes=1` and `requesters={nodes}`: node {last} would have nobody else to ask"
            ));
        }
        Ok(pattern)
    }

    pub(super) fn is_requester(&self, node: NodeId) -> bool {
        node.0 < self.requesters
    }

    pub(super) fn is_home(&self, node: NodeId) -> bool {
        (self.first_home()..self.nodes).contains(&node.0)
    }

    fn first_home(&self) -> u32 {
        self.nodes - self.homes
    }

    /// The number of homes that a node can ask: all homes but itself.
    fn homes_of(&self, node: NodeId) -> u32 {
        self.homes - u32::from(self.is_home(node))
    }

    /// The most misses of one thread on one home.
    fn on_one_home(&self) -> u32 {
        let least = (0..self.requesters).map(|node| self.homes_of(NodeId(node))).min().unwrap_or(1);
        self.misses.div_ceil(least.max(1))
    }

    /// The number of blocks that each home needs.
    pub(super) fn blocks(&self) -> usize {
        self.requesters as usize * self.threads as usize * self.on_one_home() as usize
    }

    /// The misses of a thread in order, each as its home and the number of the home's block. Homes take turns, and
    /// threads begin with different homes.
    pub(super) fn misses_of(
        &self,
        node: NodeId,
        thread: u32,
    ) -> impl Iterator<Item = (NodeId, usize)> + use<> {
        let pattern = *self;
        let homes = self.homes_of(node);
        let first = (node.0 as usize * self.threads as usize + thread as usize) * self.on_one_home() as usize;
        (0..self.misses).map(move |miss| {
            let turn = (miss % homes + node.0 + thread) % homes;
            let home = pattern.first_home() + turn;
            // A requester that is a home too skips itself.
            let home = home + u32::from(pattern.is_home(node) && home >= node.0);
            (NodeId(home), first + (miss / homes) as usize)
        })
    }

    /// All misses on the blocks of one home, each as the number of the block.
    pub(super) fn misses_on(&self, home: NodeId) -> impl Iterator<Item = usize> + use<> {
        let pattern = *self;
        let threads =
            (0..self.requesters).flat_map(move |node| (0..pattern.threads).map(move |thread| (node, thread)));
        let misses = threads.flat_map(move |(node, thread)| pattern.misses_of(NodeId(node), thread));
        misses.filter(move |(on, _)| *on == home).map(|(_, block)| block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(nodes: u32, requesters: u32, homes: u32) -> Result<Pattern, String> {
        Pattern::new(Shape { nodes, threads: 3 }, requesters, homes, 7)
    }

    #[test]
    fn every_miss_has_a_block_of_its_own_on_another_node() {
        for (nodes, requesters, homes) in [(2, 1, 1), (4, 1, 3), (4, 3, 1), (4, 0, 0), (5, 4, 3)] {
            let pattern = pattern(nodes, requesters, homes).unwrap();
            let mut seen = Vec::new();
            for node in (0..nodes).map(NodeId).filter(|node| pattern.is_requester(*node)) {
                for thread in 0..3 {
                    let misses: Vec<_> = pattern.misses_of(node, thread).collect();
                    assert_eq!(misses.len(), 7);
                    assert!(misses.iter().all(|(home, block)| {
                        *home != node && pattern.is_home(*home) && *block < pattern.blocks()
                    }));
                    seen.extend(misses);
                }
            }
            let all = seen.len();
            seen.sort_unstable_by_key(|(home, block)| (home.0, *block));
            seen.dedup();
            assert_eq!(seen.len(), all);
            let of_homes: usize = (0..nodes).map(|home| pattern.misses_on(NodeId(home)).count()).sum();
            assert_eq!(of_homes, all);
        }
    }

    #[test]
    fn nodes_beside_the_two_take_no_part() {
        let pattern = Pattern::one_home(Shape { nodes: 5, threads: 4 }, 3).unwrap();
        let misses: Vec<_> = pattern.misses_of(NodeId(0), 0).collect();
        assert_eq!(misses, [(NodeId(1), 0), (NodeId(1), 1), (NodeId(1), 2)]);
        assert_eq!(pattern.blocks(), 3);
        assert!((1..5).all(|node| !pattern.is_requester(NodeId(node))));
        assert!((2..5).all(|node| !pattern.is_home(NodeId(node))));
    }

    #[test]
    fn homes_take_turns() {
        let homes = |node, thread| -> Vec<u32> {
            let misses = pattern(4, 0, 0).unwrap().misses_of(NodeId(node), thread);
            misses.take(4).map(|(home, _)| home.0).collect()
        };
        assert_eq!(homes(0, 0), [1, 2, 3, 1]);
        assert_eq!(homes(0, 1), [2, 3, 1, 2]);
        assert_eq!(homes(2, 0), [3, 0, 1, 3]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(pattern(1, 0, 0).unwrap_err(), "misses on 1 node: expected --nodes of at least 2");
        assert_eq!(pattern(4, 5, 1).unwrap_err(), "`requesters=5` on 4 nodes: expected at most 4");
        assert_eq!(
            pattern(4, 0, 1).unwrap_err(),
            "`homes=1` and `requesters=4`: node 3 would have nobody else to ask"
        );
    }
}
