//! The edges of a thread's graph nodes of one kind, in arrays of the thread's own.
//!
//! This module must never know where the values of the neighbours are, nor how they get there.

use std::ops::Range;

use tempest::{Operations, Private, Thread};

use super::graph::Kind;

/// The work of noting one edge, without the stores: its place, its end and its bound.
const NOTE: Operations = Operations::NONE.integers(3);

/// The edges of a thread's graph nodes of one kind, one graph node after the other.
pub(super) struct Adjacency {
    /// The place of the neighbour's value for each edge.
    neighbours: Private<u32>,
    /// The weight of each edge.
    weights: Private<f64>,
}

impl Adjacency {
    /// Builds the arrays out of the edges of each graph node: the places of the neighbours' values, and the weights.
    pub(super) fn build<'g, P: Iterator<Item = u32>>(
        thread: &Thread<'_>,
        kind: Kind,
        graph_nodes: impl Iterator<Item = (P, &'g [f64])> + Clone,
    ) -> Self {
        let [neighbours, weights] = match kind {
            Kind::E => ["em3d.neighbours of E", "em3d.weights of E"],
            Kind::H => ["em3d.neighbours of H", "em3d.weights of H"],
        };
        let count = graph_nodes.clone().map(|(_, weights)| weights.len()).sum();
        let mut built =
            Self { neighbours: thread.private(neighbours, count), weights: thread.private(weights, count) };
        let mut first = 0;
        for (places, weights) in graph_nodes {
            let edges = first..first + weights.len();
            first = edges.end;
            thread.charge(NOTE.times(weights.len() as u32));
            let noted = built.neighbours.view_mut(thread, edges.clone());
            noted.iter_mut().zip(places).for_each(|(noted, place)| *noted = place);
            built.weights.view_mut(thread, edges).copy_from_slice(weights);
            thread.poll();
        }
        built
    }

    /// The edges of one graph node: the weight of each, and the place of the neighbour's value.
    #[inline]
    pub(super) fn edges(&self, thread: &Thread<'_>, edges: Range<usize>) -> impl Iterator<Item = (f64, u32)> {
        let neighbours = self.neighbours.view(thread, edges.clone());
        let weights = self.weights.view(thread, edges);
        weights.iter().copied().zip(neighbours.iter().copied())
    }
}
