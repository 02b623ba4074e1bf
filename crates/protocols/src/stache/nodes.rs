//! A set of nodes: one word for nodes 0 to 63, a vector for more.
//!
//! This module must never know the purpose of a set.

use tempest::NodeId;

const BITS: u32 = u64::BITS;

/// A set of nodes. Nodes 0 to 63 need no allocation. Equality does not depend on members that a set had before.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct NodeSet {
    first: u64,
    /// Bits of nodes 64 and up, 64 to a word; the last word is never zero.
    more: Vec<u64>,
}

impl NodeSet {
    /// Makes the set with the one node `node`.
    pub fn of(node: NodeId) -> Self {
        let mut set = Self::default();
        set.insert(node);
        set
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.is_empty()
    }

    /// Number of nodes in the set.
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set contains `node`.
    pub fn contains(&self, node: NodeId) -> bool {
        match place(node) {
            (0, bit) => self.first & bit != 0,
            (index, bit) => self.more.get(index - 1).is_some_and(|word| word & bit != 0),
        }
    }

    /// Adds `node` to the set.
    pub fn insert(&mut self, node: NodeId) {
        match place(node) {
            (0, bit) => self.first |= bit,
            (index, bit) => {
                if self.more.len() < index {
                    self.more.resize(index, 0);
                }
                self.more[index - 1] |= bit;
            }
        }
    }

    /// Removes `node` from the set. Returns whether the set contained it.
    pub fn remove(&mut self, node: NodeId) -> bool {
        let was_in = self.contains(node);
        if was_in {
            match place(node) {
                (0, bit) => self.first &= !bit,
                (index, bit) => self.more[index - 1] &= !bit,
            }
            while self.more.last() == Some(&0) {
                self.more.pop();
            }
        }
        was_in
    }

    /// Iterates over the nodes of the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.words().zip((0..).step_by(BITS as usize)).flat_map(|(word, first)| {
            let some = |word: u64| (word != 0).then_some(word);
            std::iter::successors(some(word), move |word| some(word & (word - 1)))
                .map(move |word| NodeId(first + word.trailing_zeros()))
        })
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

/// Returns the index of the word with the bit for `node`, and that bit.
fn place(node: NodeId) -> (usize, u64) {
    ((node.0 / BITS) as usize, 1 << (node.0 % BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_and_go_on_both_sides_of_a_word() {
        let mut set = NodeSet::of(NodeId(63));
        for node in [1023, 0, 64, 64] {
            set.insert(NodeId(node));
        }
        assert_eq!(set.iter().map(|node| node.0).collect::<Vec<_>>(), [0, 63, 64, 1023]);
        assert_eq!(set.len(), 4);
        assert!(set.contains(NodeId(1023)) && !set.contains(NodeId(1022)) && !set.contains(NodeId(5000)));
        assert!(set.remove(NodeId(1023)) && set.remove(NodeId(64)) && set.remove(NodeId(0)));
        assert!(!set.remove(NodeId(64)), "it has gone");
        assert_eq!(set, NodeSet::of(NodeId(63)), "what a set once held leaves no trace");
        assert!(set.remove(NodeId(63)) && set.is_empty());
    }
}
