//! Pointers into the arenas, and arrays spread over them: addresses and their arithmetic, nothing else.
//!
//! This module must never know how memory is accessed.

use std::marker::PhantomData;
use std::ops::Add;

use tempest::NodeId;

use super::arena::ArenaWord;

/// Pointer to a word of the arena of the node that uses the pointer. An access through the pointer never communicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalPtr<T> {
    offset: u32,
    of: PhantomData<fn() -> T>,
}

/// Pointer to a word of the arena of a certain node. Addition moves the pointer within that node's arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GlobalPtr<T> {
    node: NodeId,
    offset: u32,
    of: PhantomData<fn() -> T>,
}

/// Pointer to an element of a spread array. Adding 1 moves it to the element at the same offset of the next node; from the last
/// node, to the first node, one element further on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpreadPtr<T> {
    at: GlobalPtr<T>,
    nodes: u32,
    /// Number of words of an element of the array.
    element: u32,
}

/// An array whose elements are dealt out over the nodes: element i is on node i mod nodes, in row i div nodes. Each element is a
/// block of `block` consecutive words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpreadArray<T> {
    base: LocalPtr<T>,
    len: u32,
    block: u32,
    nodes: u32,
}

/// Adds a signed number of words to an offset.
///
/// # Panics
/// If the result is negative or exceeds 32 bits.
fn moved(offset: u32, words: i64) -> u32 {
    let target = i64::from(offset).checked_add(words).and_then(|target| u32::try_from(target).ok());
    target
        .unwrap_or_else(|| panic!("a pointer to word {offset} was moved by {words} words, out of any arena"))
}

impl<T: ArenaWord> LocalPtr<T> {
    /// Makes a pointer to the word at `offset`, in words.
    pub const fn new(offset: u32) -> Self {
        Self { offset, of: PhantomData }
    }

    /// Offset of the word in the arena, in words.
    pub const fn offset(self) -> u32 {
        self.offset
    }

    /// Returns the pointer to the word at this pointer's offset in the arena of `node`.
    pub const fn on(self, node: NodeId) -> GlobalPtr<T> {
        GlobalPtr::new(node, self.offset)
    }
}

impl<T: ArenaWord> GlobalPtr<T> {
    /// Makes a pointer to the word at `offset`, in words, in the arena of `node`.
    pub const fn new(node: NodeId, offset: u32) -> Self {
        Self { node, offset, of: PhantomData }
    }

    /// Node whose arena contains the word.
    pub const fn node(self) -> NodeId {
        self.node
    }

    /// Offset of the word in the arena of its node, in words.
    pub const fn offset(self) -> u32 {
        self.offset
    }

    /// Returns the pointer without its node: it points to the same word when used on [`node`](Self::node).
    pub const fn local(self) -> LocalPtr<T> {
        LocalPtr::new(self.offset)
    }
}

impl<T: ArenaWord> SpreadPtr<T> {
    /// Returns the pointer to the first word of the element at which this pointer points.
    pub const fn global(self) -> GlobalPtr<T> {
        self.at
    }
}

impl<T: ArenaWord> SpreadArray<T> {
    pub(super) const fn new(base: LocalPtr<T>, len: u32, block: u32, nodes: u32) -> Self {
        Self { base, len, block, nodes }
    }

    /// Number of elements of the array, on all nodes together.
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether the array has no elements.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of words of an element.
    pub const fn block(&self) -> u32 {
        self.block
    }

    /// Returns the pointer to the first word of element `index`.
    ///
    /// # Panics
    /// If the array has no element `index`.
    pub fn at(&self, index: u32) -> GlobalPtr<T> {
        assert!(index < self.len, "element {index} of a spread array of {}", self.len);
        (self.base + i64::from(index / self.nodes) * i64::from(self.block)).on(NodeId(index % self.nodes))
    }

    /// Returns a pointer to element 0, on node 0.
    pub const fn pointer(&self) -> SpreadPtr<T> {
        SpreadPtr { at: self.base.on(NodeId(0)), nodes: self.nodes, element: self.block }
    }

    /// Number of elements of the array that are on `node`.
    pub const fn rows(&self, node: NodeId) -> u32 {
        (self.len + self.nodes - 1 - node.0) / self.nodes
    }

    /// Returns the pointer to the first word of element `row` · nodes + `node`, which is on `node`. Only `node` may use it.
    ///
    /// # Panics
    /// If `node` has no element in this row.
    pub fn row(&self, node: NodeId, row: u32) -> LocalPtr<T> {
        assert!(row < self.rows(node), "row {row} of {} on {node}", self.rows(node));
        self.base + i64::from(row) * i64::from(self.block)
    }
}

impl<T: ArenaWord> Add<i64> for LocalPtr<T> {
    type Output = Self;
    /// Moves the pointer by `words` words.
    fn add(self, words: i64) -> Self {
        Self::new(moved(self.offset, words))
    }
}

impl<T: ArenaWord> Add<i64> for GlobalPtr<T> {
    type Output = Self;
    /// Moves the pointer by `words` words, on the same node.
    fn add(self, words: i64) -> Self {
        Self::new(self.node, moved(self.offset, words))
    }
}

impl<T: ArenaWord> Add<i64> for SpreadPtr<T> {
    type Output = Self;
    /// Moves the pointer by `elements` elements, from node to node.
    fn add(self, elements: i64) -> Self {
        let index = i64::from(self.at.node.0) + elements;
        let nodes = i64::from(self.nodes);
        let node = NodeId(index.rem_euclid(nodes) as u32);
        let rows = index.div_euclid(nodes);
        Self { at: GlobalPtr::new(node, moved(self.at.offset, rows * i64::from(self.element))), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_global_pointer_stays_on_its_node() {
        let pointer = GlobalPtr::<u64>::new(NodeId(2), 5);
        assert_eq!((pointer + 3, pointer + -5), (GlobalPtr::new(NodeId(2), 8), GlobalPtr::new(NodeId(2), 0)));
    }

    #[test]
    #[should_panic(expected = "a pointer to word 5 was moved by -6 words")]
    fn a_pointer_never_leaves_what_can_be_addressed() {
        let _ = LocalPtr::<u64>::new(5) + -6;
    }

    /// Three nodes, elements of two words from word 10: element 7 is in row 2 of node 1, at word 14.
    #[test]
    fn a_spread_pointer_goes_from_node_to_node() {
        let array = SpreadArray::<f64>::new(LocalPtr::new(10), 8, 2, 3);
        assert_eq!(array.at(7), GlobalPtr::new(NodeId(1), 14));
        for (from, to) in (0..8).flat_map(|from| (0..8).map(move |to| (from, to))) {
            let pointer = array.pointer() + i64::from(from) + (i64::from(to) - i64::from(from));
            assert_eq!(pointer.global(), array.at(to), "from {from} to {to}");
        }
    }

    #[test]
    fn elements_are_dealt_out_in_turn() {
        let array = SpreadArray::<u64>::new(LocalPtr::new(0), 8, 2, 3);
        assert_eq!([0, 1, 2].map(|node| array.rows(NodeId(node))), [3, 3, 2]);
        assert_eq!(array.row(NodeId(1), 2).on(NodeId(1)), array.at(7));
    }
}
