//! Where each graph node lives, and which values travel.
//!
//! Each machine node has a consecutive block of the graph nodes of each kind, and each of its threads a block of that.
//! Values of a kind that a machine node needs and does not have are its *ghosts*: they stand behind its own values, in
//! the order of the graph, so that those of one source are consecutive and adjacency can name own values and ghosts
//! alike by one index.
//!
//! This module must never know messages, or how values travel.

use std::ops::Range;
use std::sync::Arc;

use tempest::{NodeId, Shape};

use super::graph::{Graph, KINDS, Kind, block, part_of};

/// The graph, divided among the nodes and threads of a world.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) graph: Arc<Graph>,
    shape: Shape,
    size: u32,
    /// By kind and machine node: the graph nodes whose values it needs and does not have, ascending.
    ghosts: [Vec<Vec<u32>>; 2],
}

/// What one machine node has of a kind.
#[derive(Debug)]
pub(super) struct Share {
    /// Its graph nodes.
    pub(super) own: Range<u32>,
    /// How many ghosts it has.
    pub(super) ghosts: usize,
    /// By thread.
    pub(super) threads: Vec<Work>,
}

/// What one thread does with its graph nodes of a kind.
#[derive(Debug)]
pub(super) struct Work {
    /// Its graph nodes, by their places among the node's own values.
    pub(super) places: Range<u32>,
    /// Where the edges of each of them begin, and where the last one's end.
    pub(super) first: Vec<u32>,
    /// By edge: the place of the neighbour's value, own or ghost.
    pub(super) neighbours: Vec<u32>,
    /// By edge: its weight.
    pub(super) weights: Vec<f64>,
    /// The different ghosts among the neighbours, as lengths of runs without a gap.
    pub(super) ghost_runs: Vec<u32>,
    /// Which of its values go where.
    pub(super) exports: Vec<Export>,
}

/// Values of one thread that another machine node needs.
#[derive(PartialEq, Debug)]
pub(super) struct Export {
    /// Who needs them.
    pub(super) to: NodeId,
    /// The place of the first of them there; the others follow.
    pub(super) at: u32,
    /// Their places here.
    pub(super) places: Vec<u32>,
}

impl Layout {
    /// Divides a graph.
    pub(super) fn new(graph: Arc<Graph>, shape: Shape) -> Self {
        let size = graph.side(Kind::E).len();
        let mut layout = Self { graph, shape, size, ghosts: Default::default() };
        layout.ghosts =
            KINDS.map(|kind| (0..shape.nodes).map(|node| layout.needed(kind, NodeId(node))).collect());
        layout
    }

    /// The values of a kind that a machine node needs from others.
    fn needed(&self, kind: Kind, node: NodeId) -> Vec<u32> {
        let own = self.own(node);
        let neighbours = |graph_node| self.graph.side(kind.other()).edges(graph_node).0.iter().copied();
        sorted(own.clone().flat_map(neighbours).filter(|neighbour| !own.contains(neighbour)))
    }

    /// The graph nodes of a machine node, of either kind.
    pub(super) fn own(&self, node: NodeId) -> Range<u32> {
        block(self.size, node.0, self.shape.nodes)
    }

    /// The machine node that has a graph node, of either kind.
    pub(super) fn owner(&self, graph_node: u32) -> NodeId {
        NodeId(part_of(self.size, graph_node, self.shape.nodes))
    }

    /// The graph nodes of a thread, of either kind, by their places among those of its machine node.
    pub(super) fn places(&self, node: NodeId, thread: u32) -> Range<u32> {
        block(self.own(node).len() as u32, thread, self.shape.threads)
    }

    /// Values that travel in an iteration.
    pub(super) fn travelling(&self) -> usize {
        self.ghosts.iter().flatten().map(Vec::len).sum()
    }

    /// The share of the edges between different ones of so many owners on each machine node, 0 to 1.
    pub(super) fn remote(&self, owners: u32) -> f64 {
        self.graph.crossing(self.shape.nodes * owners)
    }

    /// What a machine node has of a kind.
    pub(super) fn share(&self, node: NodeId, kind: Kind) -> Share {
        let threads = (0..self.shape.threads).map(|thread| self.work(node, kind, thread)).collect();
        Share { own: self.own(node), ghosts: self.ghosts[kind as usize][node.0 as usize].len(), threads }
    }

    fn work(&self, node: NodeId, kind: Kind, thread: u32) -> Work {
        let own = self.own(node);
        let places = self.places(node, thread);
        let ghosts = &self.ghosts[kind.other() as usize][node.0 as usize];
        let place = |neighbour: u32| match own.contains(&neighbour) {
            true => neighbour - own.start,
            false => own.len() as u32 + position(ghosts, neighbour),
        };
        let mut work = Work {
            first: vec![0],
            neighbours: Vec::new(),
            weights: Vec::new(),
            ghost_runs: Vec::new(),
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
        work.ghost_runs = sorted(foreign).chunk_by(|a, b| a + 1 == *b).map(|run| run.len() as u32).collect();
        work
    }

    /// Which values of the graph nodes `mine` go where.
    fn exports(&self, node: NodeId, kind: Kind, mine: Range<u32>) -> Vec<Export> {
        let start = self.own(node).start;
        let mut exports = Vec::new();
        for (to, needed) in (0..).map(NodeId).zip(&self.ghosts[kind as usize]) {
            let begin = position(needed, mine.start);
            let end = position(needed, mine.end);
            if to != node && begin < end {
                let places = needed[begin as usize..end as usize].iter().map(|needed| needed - start);
                let at = self.own(to).len() as u32 + begin;
                exports.push(Export { to, at, places: places.collect() });
            }
        }
        // Everybody begins with the next node, so that not all send to the first one first.
        let first_after = exports.partition_point(|export| export.to < node);
        exports.rotate_left(first_after);
        exports
    }
}

/// Numbers in ascending order, each once.
fn sorted(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// How many of ascending graph nodes come before one.
fn position(nodes: &[u32], node: u32) -> u32 {
    nodes.partition_point(|&before| before < node) as u32
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::SMALL;
    use super::*;

    const SHAPE: Shape = Shape { nodes: 5, threads: 3 };

    fn layout() -> Layout {
        Layout::new(Arc::new(Graph::generate(&SMALL, 5, 1)), SHAPE)
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
                        let ghost = at as usize - shares[to].own.len();
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
                false => ghosts[place - own],
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
