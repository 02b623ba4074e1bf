//! The ways of dividing the rows of a matrix among owners.
//!
//! The programs of the study divide their grid by recursive bisection. A matrix from a file has no coordinates, so
//! the bisection here cuts level structures instead: breadth-first order from a pseudo-peripheral node puts one end
//! of the graph first and the other end last (A. George and J. W. H. Liu, *Computer Solution of Large Sparse Positive
//! Definite Systems*, 1981, sections 4.3 and 8.2; A. George, *Nested dissection of a regular finite element mesh*,
//! 1973).
//!
//! This module must never know values, nor the meaning of an owner. Its answers depend on the pattern alone.

use std::{fmt, ops::Range, str::FromStr};

use super::problem::Problem;

/// A way of dividing the rows among owners.
///
/// The weight of a row is the number of its nonzeros in the symmetric matrix: its edges, each of which its owner
/// handles once, and its diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partition {
    /// Recursive bisection of the graph into halves of equal weight with few edges between them.
    Bisection,
    /// Consecutive rows, of equal weight.
    Blocks,
    /// Row i belongs to i mod parts.
    Cyclic,
}

/// The error for a name that no partition has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPartition(String);

impl fmt::Display for UnknownPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Partition::ALL.map(Partition::name).join(", ");
        write!(f, "partition {:?}: expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownPartition {}

impl FromStr for Partition {
    type Err = UnknownPartition;

    fn from_str(name: &str) -> Result<Self, UnknownPartition> {
        let known = Self::ALL.into_iter().find(|partition| partition.name() == name);
        known.ok_or_else(|| UnknownPartition(name.to_owned()))
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Partition {
    /// All partitions.
    pub const ALL: [Self; 3] = [Self::Bisection, Self::Blocks, Self::Cyclic];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bisection => "bisection",
            Self::Blocks => "blocks",
            Self::Cyclic => "cyclic",
        }
    }

    /// Assigns each row an owner in `0..parts`. With more parts than rows, some parts stay empty.
    ///
    /// # Panics
    /// If `parts` is 0 or more than `u32::MAX`.
    pub fn assign(self, problem: &Problem, parts: usize) -> Vec<u32> {
        assert!(parts > 0, "rows need an owner");
        let parts = u32::try_from(parts).expect("at most u32::MAX parts");
        match self {
            Self::Bisection => bisection(&Graph::new(problem), parts),
            Self::Blocks => blocks(&Graph::new(problem), parts),
            Self::Cyclic => (0..parts).cycle().take(problem.order()).collect(),
        }
    }
}

/// The share, 0 to 1, of the edges whose ends have different owners; 0 if there are no edges.
pub fn remote_fraction(problem: &Problem, owner: &[u32]) -> f64 {
    let remote = |i: usize| problem.edges_from(i).filter(|&(k, _)| owner[k as usize] != owner[i]).count();
    let count: usize = (0..problem.order()).map(remote).sum();
    count as f64 / problem.edges().max(1) as f64
}

/// The pattern of the symmetric matrix without its diagonal, as neighbour lists.
struct Graph {
    start: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn new(problem: &Problem) -> Self {
        let order = problem.order();
        let mut start = vec![0];
        for i in 0..order {
            start.push(start[i] + problem.edges_from(i).len() + problem.in_degree[i] as usize);
        }
        let mut next = start.clone();
        let mut neighbours = vec![0; start[order]];
        let mut add = |node: usize, neighbour: u32| {
            neighbours[next[node]] = neighbour;
            next[node] += 1;
        };
        for i in 0..order {
            for (k, _) in problem.edges_from(i) {
                add(i, k);
                add(k as usize, i as u32);
            }
        }
        Self { start, neighbours }
    }

    fn order(&self) -> usize {
        self.start.len() - 1
    }

    fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.start[node as usize]..self.start[node as usize + 1]]
    }

    fn weight(&self, node: u32) -> usize {
        self.neighbours(node).len() + 1
    }
}

/// Divides the rows in their given order.
fn blocks(graph: &Graph, parts: u32) -> Vec<u32> {
    let total: usize = (0..graph.order()).map(|node| graph.weight(node as u32)).sum();
    let mut before = 0;
    let mut owner = Vec::with_capacity(graph.order());
    for node in 0..graph.order() as u32 {
        // The middle of a row decides its part, so that no part is favoured; the factor 2 avoids halves.
        let middle = 2 * before + graph.weight(node);
        owner.push((middle as u128 * u128::from(parts) / (2 * total as u128)) as u32);
        before += graph.weight(node);
    }
    owner
}

fn bisection(graph: &Graph, parts: u32) -> Vec<u32> {
    let mut search = Search::new(graph);
    let mut regions = vec![((0..graph.order() as u32).collect::<Vec<_>>(), 0..parts)];
    while let Some((nodes, parts)) = regions.pop() {
        if parts.len() < 2 || nodes.is_empty() {
            continue;
        }
        let middle = parts.start + parts.len() as u32 / 2;
        let mut near = search.order_region(&nodes);
        let far = near.split_off(split_point(graph, &near, &parts, middle));
        far.iter().for_each(|&node| search.region[node as usize] = middle);
        regions.push((near, parts.start..middle));
        regions.push((far, middle..parts.end));
    }
    search.region
}

/// The number of ordered nodes before the cut. The cut gives each side the share of the weight that its number of
/// parts asks for.
fn split_point(graph: &Graph, ordered: &[u32], parts: &Range<u32>, middle: u32) -> usize {
    let total: usize = ordered.iter().map(|&node| graph.weight(node)).sum();
    let share = total as u128 * u128::from(middle - parts.start) / parts.len() as u128;
    let mut before = 0;
    ordered
        .iter()
        .position(|&node| {
            let middle_of_node = before + graph.weight(node) / 2;
            before += graph.weight(node);
            middle_of_node as u128 >= share
        })
        .unwrap_or(ordered.len())
}

/// Breadth-first search inside regions of the graph.
struct Search<'a> {
    graph: &'a Graph,
    /// The region of each node. A region is named by the first of the parts that it will be divided into.
    region: Vec<u32>,
    /// The number of the last search that reached each node.
    met: Vec<u64>,
    searches: u64,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self { graph, region: vec![0; graph.order()], met: vec![0; graph.order()], searches: 0 }
    }

    /// Orders the nodes of a region from one end to the other, one connected component after the other.
    fn order_region(&mut self, nodes: &[u32]) -> Vec<u32> {
        let mut ordered = Vec::with_capacity(nodes.len());
        // A search of a component reaches all of it, so a node reached since then is placed already.
        let earlier = self.searches;
        for &node in nodes {
            if self.met[node as usize] <= earlier {
                ordered.extend(self.order_component(node));
            }
        }
        ordered
    }

    /// Orders the component of a node from a pseudo-peripheral node on. The search starts again at a node of least
    /// degree in the last level as long as that finds more levels.
    fn order_component(&mut self, node: u32) -> Vec<u32> {
        let (mut best, mut levels, mut last) = self.levels(node);
        loop {
            let degree = |&node: &u32| (self.graph.neighbours(node).len(), node);
            let root = best[last.clone()].iter().copied().min_by_key(degree).expect("a level has a node");
            let (order, more_levels, its_last) = self.levels(root);
            if more_levels <= levels {
                return order;
            }
            (best, levels, last) = (order, more_levels, its_last);
        }
    }

    /// The breadth-first order of the nodes that a root reaches inside its region, the number of levels, and the
    /// offset of the last level in the order.
    fn levels(&mut self, root: u32) -> (Vec<u32>, usize, Range<usize>) {
        self.searches += 1;
        self.met[root as usize] = self.searches;
        let mut order = vec![root];
        let mut level = 0..1;
        for levels in 1.. {
            for at in level.clone() {
                self.meet_neighbours(order[at], &mut order);
            }
            let next = level.end..order.len();
            if next.is_empty() {
                return (order, levels, level);
            }
            level = next;
        }
        unreachable!("levels end with the nodes")
    }

    fn meet_neighbours(&mut self, node: u32, order: &mut Vec<u32>) {
        let region = self.region[node as usize];
        for &neighbour in self.graph.neighbours(node) {
            let at = neighbour as usize;
            if self.region[at] == region && self.met[at] != self.searches {
                self.met[at] = self.searches;
                order.push(neighbour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iccg::problem::tests::problem;
    use crate::kit::matrices::{BUS, JAGMESH, STIFFNESS};

    /// The weight of the heaviest part, divided by the mean weight.
    fn imbalance(problem: &Problem, owner: &[u32], parts: usize) -> f64 {
        let graph = Graph::new(problem);
        let mut weights = vec![0; parts];
        for (node, &part) in owner.iter().enumerate() {
            weights[part as usize] += graph.weight(node as u32);
        }
        let heaviest = *weights.iter().max().unwrap() as f64;
        heaviest * parts as f64 / weights.iter().sum::<usize>() as f64
    }

    #[test]
    fn names_round_trip_and_an_unknown_one_lists_them() {
        for partition in Partition::ALL {
            assert_eq!(partition.to_string().parse(), Ok(partition));
        }
        let error = "round-robin".parse::<Partition>().unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"partition "round-robin": expected one of bisection, blocks, cyclic"#
        );
    }

    #[test]
    fn parts_weigh_the_same_within_a_tenth() {
        for name in [JAGMESH, STIFFNESS] {
            let problem = problem(name);
            for partition in [Partition::Bisection, Partition::Blocks] {
                for parts in [1, 2, 3, 4, 7, 8] {
                    let imbalance = imbalance(&problem, &partition.assign(&problem, parts), parts);
                    assert!(imbalance < 1.1, "{name} {partition} {parts}: {imbalance}");
                }
            }
        }
    }

    #[test]
    fn bisection_keeps_edges_local() {
        for name in [BUS, JAGMESH, STIFFNESS] {
            let problem = problem(name);
            for parts in [2, 4, 32] {
                let remote =
                    |partition: Partition| remote_fraction(&problem, &partition.assign(&problem, parts));
                let (bisection, cyclic) = (remote(Partition::Bisection), remote(Partition::Cyclic));
                assert!(bisection < 0.8 * cyclic, "{name} {parts}: {bisection} against {cyclic}");
            }
        }
    }

    #[test]
    fn a_path_is_cut_once_wherever_its_ends_are_numbered() {
        // Rows 1-5-3-6-2-4 in a line.
        let text = "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 5\n5 1\n5 3\n6 3\n6 2\n4 2\n";
        let path = Problem::new(&formats::matrix_market::read("path", text.as_bytes()).unwrap()).unwrap();
        let owner = Partition::Bisection.assign(&path, 2);
        assert_eq!(remote_fraction(&path, &owner), 1.0 / 5.0);
        assert_eq!(owner.iter().sum::<u32>(), 3);
    }

    #[test]
    fn disconnected_graphs_and_surplus_parts() {
        let text = "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 2\n6 1\n5 2\n";
        let islands =
            Problem::new(&formats::matrix_market::read("islands", text.as_bytes()).unwrap()).unwrap();
        let owner = Partition::Bisection.assign(&islands, 2);
        assert_eq!(remote_fraction(&islands, &owner), 0.0);
        for partition in Partition::ALL {
            for parts in [1, 3, 6, 50] {
                let owner = partition.assign(&islands, parts);
                assert_eq!(owner.len(), 6);
                assert!(owner.iter().all(|&part| (part as usize) < parts), "{partition} {parts}");
            }
        }
    }

    #[test]
    fn cyclic_deals_rows_out() {
        assert_eq!(Partition::Cyclic.assign(&problem(BUS), 3)[..5], [0, 1, 2, 0, 1]);
    }

    #[test]
    fn the_same_question_has_the_same_answer() {
        let problem = problem(STIFFNESS);
        let assign = || Partition::Bisection.assign(&problem, 32);
        assert_eq!(assign(), assign());
    }
}
