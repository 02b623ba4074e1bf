//! The division of the graph among machine nodes and threads, and the list of values that must travel.
//!
//! Each machine node owns a consecutive block of the graph nodes of each kind, and each of its threads a block of
//! that. A machine node also needs values of graph nodes that it does not own: its *ghosts*. Ghosts stand behind the
//! node's own values, in the order of the graph, and share no line of a cache with them. So the ghosts that come from one
//! machine node are consecutive, and one index names an own value or a ghost alike.
//!
//! This module must never know messages, or how values travel.

use std::ops::Range;
use std::sync::Arc;

use tempest::{NodeId, Shape};

use super::graph::{Graph, KINDS, Kind};
use crate::kit::{block, part_of};

/// A graph divided among the machine nodes and threads of a world.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) graph: Arc<Graph>,
    shape: Shape,
    /// The number of owners that the graph was drawn for.
    owners: u32,
    size: u32,
    /// The ghosts, indexed by kind, then by machine node: the graph nodes whose values the machine node needs and
    /// does not own, ascending.
    ghosts: [Vec<Vec<u32>>; 2],
}

/// The graph nodes of one kind that one machine node deals with.
#[derive(Debug)]
pub(super) struct Share {
    /// The graph nodes that the machine node owns.
    pub(super) own: Range<u32>,
    /// The number of ghosts of this kind on the machine node.
    pub(super) ghosts: usize,
    /// The work of each thread, indexed by thread.
    pub(super) threads: Vec<Work>,
    /// The words of all blocks into which the threads gather values.
    pub(super) gathered: usize,
}

/// The values that stand together in a longest line of a cache, of 128 bytes.
const LINE: usize = 16;

/// The place of the first ghost on a machine node with `own` values of its own.
pub(super) fn first_ghost(own: usize) -> usize {
    own.next_multiple_of(LINE)
}

/// The work of one thread on its graph nodes of one kind.
#[derive(Debug)]
pub(super) struct Work {
    /// The thread's graph nodes, named by their places among the machine node's own values.
    pub(super) places: Range<u32>,
    /// Offsets into `neighbours` and `weights`: the thread's graph node i has the edges `first[i]..first[i + 1]`.
    pub(super) first: Vec<u32>,
    /// The place of the neighbour's value for each edge: among the own values or among the ghosts.
    pub(super) neighbours: Vec<u32>,
    /// The weight of each edge.
    pub(super) weights: Vec<f64>,
    /// The places of the ghosts that the thread reads, in runs of consecutive ones.
    pub(super) ghosts: Vec<Range<u32>>,
    /// The thread's values that other machine nodes need, one entry for each such node.
    pub(super) exports: Vec<Export>,
}

/// Values of one thread that one other machine node needs.
#[derive(PartialEq, Debug)]
pub(super) struct Export {
    /// The machine node that needs the values.
    pub(super) to: NodeId,
    /// The place of the first ghost at the receiver. The other ghosts follow it.
    pub(super) at: u32,
    /// The places of the values at the sender.
    pub(super) places: Vec<u32>,
    /// The place of the first word of the block into which the sender gathers the values.
    pub(super) gathered: u32,
}

impl Layout {
    /// Divides a graph, drawn for `owners` owners, among the nodes and threads of a world.
    pub(super) fn new(graph: Arc<Graph>, shape: Shape, owners: u32) -> Self {
        let size = graph.side(Kind::E).len();
        let mut layout = Self { graph, shape, owners, size, ghosts: Default::default() };
        layout.ghosts =
            KINDS.map(|kind| (0..shape.nodes).map(|node| layout.needed(kind, NodeId(node))).collect());
        layout
    }

    /// The ghosts of one kind on one machine node, ascending.
    fn needed(&self, kind: Kind, node: NodeId) -> Vec<u32> {
        let own = self.own(node);
        let neighbours = |graph_node| self.graph.side(kind.other()).edges(graph_node).0.iter().copied();
        sorted(own.clone().flat_map(neighbours).filter(|neighbour| !own.contains(neighbour)))
    }

    /// The graph nodes that a machine node owns. The range is the same for both kinds.
    pub(super) fn own(&self, node: NodeId) -> Range<u32> {
        block(self.size, node.0, self.shape.nodes)
    }

    /// The machine node that owns a graph node of either kind.
    pub(super) fn owner(&self, graph_node: u32) -> NodeId {
        NodeId(part_of(self.size, graph_node, self.shape.nodes))
    }

    /// The graph nodes of a thread, as indices into its machine node's graph nodes. The range is the same for both
    /// kinds.
    pub(super) fn places(&self, node: NodeId, thread: u32) -> Range<u32> {
        block(self.own(node).len() as u32, thread, self.shape.threads)
    }

    /// The number of values that travel in one iteration.
    pub(super) fn travelling(&self) -> usize {
        self.ghosts.iter().flatten().map(Vec::len).sum()
    }

    /// The share, 0 to 1, of the edges between different owners.
    pub(super) fn between_owners(&self) -> f64 {
        self.graph.crossing(self.owners)
    }

    /// The share, 0 to 1, of the edges between different machine nodes.
    pub(super) fn between_nodes(&self) -> f64 {
        self.graph.crossing(self.shape.nodes)
    }

    /// The share of one machine node in one kind.
    pub(super) fn share(&self, node: NodeId, kind: Kind) -> Share {
        let mut threads: Vec<_> =
            (0..self.shape.threads).map(|thread| self.work(node, kind, thread)).collect();
        let mut gathered = 0;
        for export in threads.iter_mut().flat_map(|work| &mut work.exports) {
            export.gathered = gathered as u32;
            gathered += export.places.len().next_multiple_of(LINE);
        }
        let ghosts = self.ghosts[kind as usize][node.0 as usize].len();
        Share { own: self.own(node), ghosts, threads, gathered }
    }

    fn work(&self, node: NodeId, kind: Kind, thread: u32) -> Work {
        let own = self.own(node);
        let places = self.places(node, thread);
        let ghosts = &self.ghosts[kind.other() as usize][node.0 as usize];
        let place = |neighbour: u32| match own.contains(&neighbour) {
            true => neighbour - own.start,
            false => first_ghost(own.len()) as u32 + position(ghosts, neighbour),
        };
        let mut work = Work {
            first: vec![0],
            neighbours: Vec::new(),
            weights: Vec::new(),
            ghosts: Vec::new(),
            exports: self.exports(node, kind, own.start + places.start..own.start + places.end),
            places,
        };
        for graph_node in work.places.clone().map(|place| own.start + place) {
            let (neighbours, weights) = self.graph.side(kind).edges(graph_node);
            work.neighbours.extend(neighbours.iter().map(|&neighbour| place(neighbour)));
            work.weights.extend(weights);
            work.first.push(work.neighbours.len() as u32);
        }
        let foreign = work.neighbours.iter().copied().filter(|&place| place >= own.len() as u32);
        let runs = sorted(foreign);
        work.ghosts = runs.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[run.len() - 1] + 1).collect();
        work
    }

    /// Lists, for each other machine node, which values of the graph nodes `mine` it needs.
    fn exports(&self, node: NodeId, kind: Kind, mine: Range<u32>) -> Vec<Export> {
        let start = self.own(node).start;
        let mut exports = Vec::new();
        for (to, needed) in (0..).map(NodeId).zip(&self.ghosts[kind as usize]) {
            let begin = position(needed, mine.start);
            let end = position(needed, mine.end);
            if to != node && begin < end {
                let places = needed[begin as usize..end as usize].iter().map(|needed| needed - start);
                let at = first_ghost(self.own(to).len()) as u32 + begin;
                exports.push(Export { to, at, places: places.collect(), gathered: 0 });
            }
        }
        // Each machine node begins with its successor, so that not all of them send to node 0 first.
        let first_after = exports.partition_point(|export| export.to < node);
        exports.rotate_left(first_after);
        exports
    }
}

/// Sorts numbers in ascending order and drops repetitions.
fn sorted(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The number of graph nodes in an ascending list that come before `node`.
fn position(nodes: &[u32], node: u32) -> u32 {
    nodes.partition_point(|&before| before < node) as u32
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::SMALL;
    use super::*;

    const SHAPE: Shape = Shape { nodes: 5, threads: 3 };

    fn layout() -> Layout {
        Layout::new(Arc::new(Graph::generate(&SMALL, 5, 1)), SHAPE, 5)
    }

    fn nodes() -> impl Iterator<Item = NodeId> {
        (0..SHAPE.nodes).map(NodeId)
    }

    #[test]
    fn every_ghost_is_sent_once_by_its_owner() {
        let layout = layout();
        for kind in KINDS {
            let shares: Vec<_> = nodes().map(|node| layout.share(node, kind)).collect();
            let mut filled: Vec<Vec<u32>> = shares.iter().map(|share| vec![0; share.ghosts]).collect();
            for share in &shares {
                for export in share.threads.iter().flat_map(|work| &work.exports) {
                    for (at, place) in (export.at..).zip(&export.places) {
                        let to = export.to.0 as usize;
                        let ghost = at as usize - first_ghost(shares[to].own.len());
                        assert_eq!(layout.ghosts[kind as usize][to][ghost], share.own.start + place);
                        filled[to][ghost] += 1;
                    }
                }
            }
            assert!(filled.iter().flatten().all(|count| *count == 1));
        }
    }

    #[test]
    fn adjacency_names_the_same_edges_by_place() {
        let layout = layout();
        for (kind, node) in KINDS.into_iter().flat_map(|kind| nodes().map(move |node| (kind, node))) {
            let share = layout.share(node, kind);
            let ghosts = &layout.ghosts[kind.other() as usize][node.0 as usize];
            let own = share.own.len();
            let graph_node = |place: usize| match place < own {
                true => share.own.start + place as u32,
                false => ghosts[place - first_ghost(own)],
            };
            let found = share.threads.iter().flat_map(|work| &work.neighbours);
            let found: Vec<u32> = found.map(|&place| graph_node(place as usize)).collect();
            let side = layout.graph.side(kind);
            let expected: Vec<u32> = share.own.clone().flat_map(|node| side.edges(node).0.to_vec()).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn every_graph_node_has_the_owner_among_whose_own_it_is() {
        let layout = layout();
        for node in nodes() {
            assert!(layout.own(node).all(|graph_node| layout.owner(graph_node) == node));
        }
    }

    #[test]
    fn exports_begin_with_the_next_node() {
        let layout = layout();
        let exports = &layout.share(NodeId(2), Kind::E).threads[0].exports;
        let to: Vec<u32> = exports.iter().map(|export| export.to.0).collect();
        assert_eq!(to, [3, 1]);
    }
}
