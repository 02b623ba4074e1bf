//! The division of numbered things among parts: consecutive blocks whose sizes differ by one at most. This module must
//! never know the meaning of the things.

use std::ops::Range;

use tempest::entry::BadPlan;
use tempest::{NodeId, Shape, ThreadId};

/// Divides `0..size` into `parts` blocks, as even as possible, and returns block `index`.
pub(crate) fn block(size: u32, index: u32, parts: u32) -> Range<u32> {
    let start = |index: u32| (u64::from(size) * u64::from(index) / u64::from(parts)) as u32;
    start(index)..start(index + 1)
}

/// Divides `0..size` into `parts` blocks, as even as possible, and returns the number of the block that holds
/// `index`.
pub(crate) fn part_of(size: u32, index: u32, parts: u32) -> u32 {
    (((u64::from(index) + 1) * u64::from(parts) - 1) / u64::from(size)) as u32
}

/// Refuses a world with more threads than there are things of a kind, such as rows. The input of that name must be their number.
///
/// # Errors
/// [`BadPlan`] says which number would do.
pub(crate) fn one_for_each_thread(
    things: &str,
    (input, count): (&str, u32),
    Shape { nodes, threads }: Shape,
) -> Result<(), BadPlan> {
    let all = u64::from(nodes) * u64::from(threads);
    if all <= u64::from(count) {
        return Ok(());
    }
    let found = format!("{count} {things} for {nodes} nodes of {threads} threads");
    Err(format!("{found}: expected at least one for each thread, --input {input}={all}").into())
}

/// The division of numbered things among the threads of a world: a block for each node, divided into a block for each
/// of its threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Division {
    size: u32,
    shape: Shape,
}

impl Division {
    /// Divides `0..size` among all threads.
    pub(crate) fn new(size: u32, shape: Shape) -> Self {
        Self { size, shape }
    }

    /// The number of things.
    pub(crate) fn size(self) -> u32 {
        self.size
    }

    /// The nodes and threads that have them.
    pub(crate) fn shape(self) -> Shape {
        self.shape
    }

    /// The block of a node.
    pub(crate) fn of_node(self, node: NodeId) -> Range<u32> {
        block(self.size, node.0, self.shape.nodes)
    }

    /// The block of a thread.
    pub(crate) fn of_thread(self, thread: ThreadId) -> Range<u32> {
        let node = self.of_node(thread.node);
        let mine = block(node.end - node.start, thread.index, self.shape.threads);
        node.start + mine.start..node.start + mine.end
    }

    /// The number of a thread among all threads: the threads of a node follow each other.
    pub(crate) fn number(self, thread: ThreadId) -> u32 {
        thread.node.0 * self.shape.threads + thread.index
    }

    /// The node whose block has a thing.
    pub(crate) fn node_of(self, index: u32) -> NodeId {
        NodeId(part_of(self.size, index, self.shape.nodes))
    }

    /// The size of the largest block of a node.
    pub(crate) fn most_of_a_node(self) -> u32 {
        self.size.div_ceil(self.shape.nodes)
    }

    /// All threads, the one behind `thread` first and `thread` itself last. So not all of them begin with the same one.
    pub(crate) fn after(self, thread: ThreadId) -> impl Iterator<Item = ThreadId> {
        let Shape { nodes, threads } = self.shape;
        let (all, own) = (nodes * threads, self.number(thread));
        (1..=all).map(move |step| {
            let number = (own + step) % all;
            ThreadId { node: NodeId(number / threads), index: number % threads }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_everything_out() {
        for parts in 1..9 {
            let all: Vec<u32> = (0..parts).flat_map(|index| block(100, index, parts)).collect();
            assert_eq!(all, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn threads_have_everything_between_them_and_each_thing_its_node() {
        let division = Division::new(100, Shape { nodes: 3, threads: 7 });
        let last = ThreadId { node: NodeId(2), index: 6 };
        let all: Vec<u32> = division.after(last).flat_map(|thread| division.of_thread(thread)).collect();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        let own = |node| division.of_node(node).all(|index| division.node_of(index) == node);
        assert!((0..3).map(NodeId).all(own));
        assert_eq!(division.most_of_a_node(), 34);
    }

    #[test]
    fn a_thread_begins_with_the_one_behind_it() {
        let division = Division::new(100, Shape { nodes: 2, threads: 2 });
        let from = ThreadId { node: NodeId(0), index: 1 };
        let order: Vec<_> = division.after(from).map(|thread| (thread.node.0, thread.index)).collect();
        assert_eq!(order, [(1, 0), (1, 1), (0, 0), (0, 1)]);
    }

    #[test]
    fn more_threads_than_rows_are_refused_with_what_would_do() {
        let of_eight = |nodes, threads| one_for_each_thread("rows", ("size", 8), Shape { nodes, threads });
        assert!(of_eight(4, 2).is_ok());
        assert_eq!(
            of_eight(3, 3).unwrap_err().to_string(),
            "8 rows for 3 nodes of 3 threads: expected at least one for each thread, --input size=9"
        );
        assert_eq!(
            one_for_each_thread("keys", ("keys", 8), Shape { nodes: 3, threads: 3 }).unwrap_err().to_string(),
            "8 keys for 3 nodes of 3 threads: expected at least one for each thread, --input keys=9"
        );
    }
}
