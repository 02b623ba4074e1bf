//! The bipartite graph and its generator.
//!
//! The generator follows the Split-C benchmark (D. E. Culler, A. Dusseau, S. C. Goldstein, A. Krishnamurthy, S.
//! Lumetta, T. von Eicken and K. Yelick, *Parallel Programming in Split-C*, Supercomputing 1993): graph nodes of each
//! kind are dealt out to owners in consecutive blocks, and each edge of an E node goes, with the given probability, to
//! an H node of another owner at most `span` owners away, else to an H node of its own owner.
//!
//! This module must never know messages, ghosts, or threads of a world.

use rand::RngExt;
use tempest::entry::{Frozen, portable};

use super::parameters::Parameters;
use crate::kit::{block, part_of, stream};

/// Both kinds of graph nodes, in the order in which an iteration updates them.
pub(super) const KINDS: [Kind; 2] = [Kind::E, Kind::H];

/// A kind of graph nodes: E holds electric field values, H magnetic ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    E,
    H,
}

impl Kind {
    /// The kind of this kind's neighbours: edges join E with H.
    pub(super) fn other(self) -> Self {
        match self {
            Kind::E => Kind::H,
            Kind::H => Kind::E,
        }
    }
}

/// A bipartite graph, stored twice: as E sees its edges and as H sees them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Graph {
    sides: [Side; 2],
}

/// The graph nodes of one kind, with their edges.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Side {
    /// The value of each graph node before the first iteration.
    pub(super) initial: Frozen<f64>,
    /// Offsets into `neighbours` and `weights`: graph node i has the edges `first[i]..first[i + 1]`.
    first: Frozen<u32>,
    /// The neighbour at the other end of each edge.
    neighbours: Frozen<u32>,
    /// The weight of each edge.
    weights: Frozen<f64>,
}

portable!(Graph { sides });
portable!(Side { initial, first, neighbours, weights });

/// The edges of the graph nodes of one kind while they are drawn: the arrays of a [`Side`].
struct Edges {
    first: Vec<u32>,
    neighbours: Vec<u32>,
    weights: Vec<f64>,
}

impl Graph {
    /// Draws a graph for `owners` owners. Every owner must have at least `degree` graph nodes of each kind.
    pub(super) fn generate(parameters: &Parameters, owners: u32, seed: u64) -> Self {
        let mut random = stream(seed, 0);
        let Parameters { size, degree, .. } = *parameters;
        let edges = size as usize * degree as usize;
        let (neighbours, weights) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        let mut e = Edges { first: vec![0], neighbours, weights };
        for owner in 0..owners {
            for _ in block(size, owner, owners) {
                let begin = e.neighbours.len();
                for _ in 0..degree {
                    let to = parameters.owner_of_neighbour(owner, owners, &mut random);
                    let choices = block(size, to, owners);
                    let fresh = loop {
                        let choice = random.random_range(choices.clone());
                        if !e.neighbours[begin..].contains(&choice) {
                            break choice;
                        }
                    };
                    e.neighbours.push(fresh);
                    e.weights.push(random.random::<f64>() / f64::from(degree));
                }
                e.first.push(e.neighbours.len() as u32);
            }
        }
        let h = e.transposed();
        let sides = [e, h].map(|edges| {
            let initial = (0..size).map(|_| random.random()).collect();
            let Edges { first, neighbours, weights } = edges;
            Side { initial, first: first.into(), neighbours: neighbours.into(), weights: weights.into() }
        });
        Self { sides }
    }

    pub(super) fn side(&self, kind: Kind) -> &Side {
        &self.sides[kind as usize]
    }

    /// The number of edges, each counted once.
    pub(super) fn edges(&self) -> usize {
        self.side(Kind::E).neighbours.len()
    }

    /// The share, 0 to 1, of the edges whose two ends lie in different blocks, if the graph is divided into `parts`
    /// blocks.
    pub(super) fn crossing(&self, parts: u32) -> f64 {
        let size = self.side(Kind::E).len();
        let part_of = |node: u32| part_of(size, node, parts);
        let crossing = |e: u32| {
            let (neighbours, _) = self.side(Kind::E).edges(e);
            neighbours.iter().filter(|&&h| part_of(h) != part_of(e)).count()
        };
        (0..size).map(crossing).sum::<usize>() as f64 / self.edges() as f64
    }
}

impl Side {
    /// The number of graph nodes of this kind.
    pub(super) fn len(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    /// The neighbours of a graph node, and the weights of the edges to them.
    pub(super) fn edges(&self, node: u32) -> (&[u32], &[f64]) {
        let edges = self.first[node as usize] as usize..self.first[node as usize + 1] as usize;
        (&self.neighbours[edges.clone()], &self.weights[edges])
    }
}

impl Edges {
    /// The edges as the neighbours see them. The neighbours of each graph node come in ascending order. Both sides
    /// have the same size.
    fn transposed(&self) -> Self {
        let mut first = vec![0; self.first.len()];
        self.neighbours.iter().for_each(|&neighbour| first[neighbour as usize + 1] += 1);
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let mut next = first.clone();
        let mut neighbours = vec![0; self.neighbours.len()];
        let mut weights = vec![0.0; self.weights.len()];
        for (node, edges) in (0..).zip(self.first.windows(2)) {
            for edge in edges[0] as usize..edges[1] as usize {
                let place = &mut next[self.neighbours[edge] as usize];
                (neighbours[*place as usize], weights[*place as usize]) = (node, self.weights[edge]);
                *place += 1;
            }
        }
        Self { first, neighbours, weights }
    }
}

impl Parameters {
    /// Draws the owner at the other end of an edge that starts at `owner`.
    fn owner_of_neighbour(&self, owner: u32, owners: u32, random: &mut impl RngExt) -> u32 {
        if owners == 1 || !random.random_bool(self.remote / 100.0) {
            return owner;
        }
        // A span that reaches all other owners would reach some of them from both sides: draw each other owner alike.
        let reach = u64::from(self.span) * 2;
        if reach >= u64::from(owners) - 1 {
            return (owner + random.random_range(1..owners)) % owners;
        }
        let distance = random.random_range(1..=self.span);
        let back = random.random_bool(0.5);
        (owner + if back { owners - distance } else { distance }) % owners
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::parameters::{Owners, Parameters};
    use super::*;
    use tempest::memory::{Frames, Placement};

    impl Graph {
        /// A graph of two sides.
        pub(in super::super) fn of(sides: [Side; 2]) -> Self {
            Self { sides }
        }
    }

    impl Side {
        /// A single graph node with a single edge, of this value and weight.
        pub(in super::super) fn pair(value: f64, weight: f64) -> Self {
            let (initial, first) = (vec![value].into(), vec![0, 1].into());
            Self { initial, first, neighbours: vec![0].into(), weights: vec![weight].into() }
        }
    }

    pub(in super::super) const SMALL: Parameters = Parameters {
        size: 96,
        degree: 4,
        remote: 30.0,
        span: 1,
        owners: Owners::Nodes,
        warm_up: 0,
        iterations: 3,
        values: 5,
        extra: 0,
        record: 32,
        frames: Frames::All,
        homes: Placement::Owner,
    };

    #[test]
    fn every_e_node_has_its_degree_in_different_neighbours() {
        let graph = Graph::generate(&SMALL, 8, 1);
        let side = graph.side(Kind::E);
        for node in 0..side.len() {
            let mut neighbours = side.edges(node).0.to_vec();
            neighbours.sort_unstable();
            neighbours.dedup();
            assert_eq!(neighbours.len(), 4);
        }
        assert_eq!(graph.edges(), 96 * 4);
    }

    #[test]
    fn both_sides_see_the_same_edges() {
        let graph = Graph::generate(&SMALL, 8, 1);
        let edges = |kind| {
            let side = graph.side(kind);
            let of = |node| {
                let (to, weights) = side.edges(node);
                to.iter().zip(weights).map(move |(&to, &weight)| (node, to, weight)).collect::<Vec<_>>()
            };
            (0..side.len()).flat_map(of).collect::<Vec<_>>()
        };
        let mut seen: Vec<_> = edges(Kind::H).into_iter().map(|(h, e, weight)| (e, h, weight)).collect();
        let mut drawn = edges(Kind::E);
        let by_place = |a: &(u32, u32, f64), b: &(u32, u32, f64)| (a.0, a.1).cmp(&(b.0, b.1));
        drawn.sort_by(by_place);
        seen.sort_by(by_place);
        assert_eq!(drawn, seen);
    }

    #[test]
    fn remote_edges_are_as_many_and_as_far_as_asked() {
        let parameters = Parameters { size: 8000, span: 2, ..SMALL };
        let graph = Graph::generate(&parameters, 8, 1);
        // 32,000 draws: one standard deviation is 0.0026.
        assert!((graph.crossing(8) - 0.3).abs() < 0.013, "{}", graph.crossing(8));
        let mut seen = [0; 8];
        for e in 0..8000 {
            for &h in graph.side(Kind::E).edges(e).0 {
                seen[((h / 1000 + 8 - e / 1000) % 8) as usize] += 1;
            }
        }
        assert!(seen[3..=5].iter().all(|count| *count == 0), "{seen:?}");
        assert!([1, 2, 6, 7].iter().all(|&distance| seen[distance] > 2000), "{seen:?}");
    }

    #[test]
    fn a_span_that_reaches_everybody_reaches_each_alike() {
        let parameters = Parameters { size: 4000, span: 9, remote: 100.0, ..SMALL };
        let graph = Graph::generate(&parameters, 4, 1);
        assert_eq!(graph.crossing(4), 1.0);
        let mut seen = [0; 4];
        for &h in graph.side(Kind::E).edges(0).0.iter().chain(&graph.side(Kind::E).neighbours[..4000]) {
            seen[(h / 1000) as usize] += 1;
        }
        assert!(seen[0] == 0 && seen[1..].iter().all(|count| (1200..1460).contains(count)), "{seen:?}");
    }

    #[test]
    fn a_seed_gives_one_graph_and_another_seed_another() {
        assert_eq!(Graph::generate(&SMALL, 4, 1), Graph::generate(&SMALL, 4, 1));
        assert_ne!(Graph::generate(&SMALL, 4, 1), Graph::generate(&SMALL, 4, 2));
    }
}
