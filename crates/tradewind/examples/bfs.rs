//! Breadth-first search of a real graph: a problem that all nodes share, read from a file, and handlers that send messages.
//!
//! Vertices are dealt out to the nodes in turns. A message visits a vertex at a distance from the root; a vertex that is nearer than
//! known before sends visits to its neighbours. No thread waits for the end of a level: a vertex may be visited by a detour first,
//! and again by the shortest path. The world ends when no message is in flight; then every distance is the least, which the report
//! checks against a sequential search.
//!
//! ```text
//! cargo run --example bfs run bfs --machine hurricane --nodes 8
//! cargo run --example bfs compare bfs --machine native,paragon,cm-5
//! cargo run --example bfs run bfs --input my-graph.mtx --input root=17
//! ```

use std::collections::VecDeque;

use tradewind::formats::matrix;
use tradewind::prelude::*;

/// Distance of a vertex that has not been visited.
const UNREACHED: u32 = u32::MAX;

/// Breadth-first search of a graph, a message for each edge.
#[program(name = "bfs")]
struct Bfs {
    /// sparse matrix whose entries are the edges
    #[input(default = "jagmesh7")]
    graph: Arc<File>,
    /// vertex where the search begins
    #[input(default = 0, range = 0..=999_999)]
    root: u32,
    #[problem]
    problem: Arc<Problem>,
    #[make(setup.shape().nodes)]
    nodes: u32,
    /// By vertex of this node: the shortest distance from the root found yet.
    #[keyed(init = |_| UNREACHED)]
    distances: Keyed<u32>,
}

/// The graph, and the distances from a sequential search: made once for all nodes.
struct Problem {
    neighbours: Vec<Vec<u32>>,
    distances: Vec<u32>,
}

impl Problem {
    fn new(file: &File, root: u32) -> Result<Self, InputError> {
        let matrix = matrix::read(&file.name, &file.bytes).map_err(|errors| errors.to_string())?;
        let mut neighbours = vec![Vec::new(); matrix.rows.max(matrix.columns) as usize];
        for entry in matrix.entries.iter().filter(|entry| entry.row != entry.column) {
            neighbours[entry.row as usize].push(entry.column);
            neighbours[entry.column as usize].push(entry.row);
        }
        if root as usize >= neighbours.len() {
            let vertices = neighbours.len();
            return Err(format!("root={root}: expected a vertex below {vertices}").into());
        }
        let distances = Self::search(&neighbours, root);
        Ok(Self { neighbours, distances })
    }

    /// Searches sequentially. Returns the distance of each vertex.
    fn search(neighbours: &[Vec<u32>], root: u32) -> Vec<u32> {
        let mut distances = vec![UNREACHED; neighbours.len()];
        distances[root as usize] = 0;
        let mut queue = VecDeque::from([root]);
        while let Some(vertex) = queue.pop_front() {
            let next = distances[vertex as usize] + 1;
            for &neighbour in &neighbours[vertex as usize] {
                if distances[neighbour as usize] == UNREACHED {
                    distances[neighbour as usize] = next;
                    queue.push_back(neighbour);
                }
            }
        }
        distances
    }
}

#[handlers]
impl Bfs {
    fn prepare(inputs: &BfsInputs, _: Shape, _seed: u64) -> Result<Problem, InputError> {
        Problem::new(&inputs.graph, inputs.root)
    }

    /// Visits a vertex at a distance from the root.
    #[message(key = vertex)]
    fn visit(&self, vertex: u32, distance: u32, cx: &mut Handler<'_>) {
        cx.with(&self.distances, |known, cx| {
            if distance < *known {
                *known = distance;
                for &neighbour in &self.problem.neighbours[vertex as usize] {
                    cx.send(self.owner(neighbour), Self::visit(neighbour, distance + 1));
                }
            }
        });
    }

    fn owner(&self, vertex: u32) -> NodeId {
        NodeId(vertex % self.nodes)
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("search");
        if thread.node() == self.owner(self.root) && thread.index() == 0 {
            thread.send(thread.node(), Self::visit(self.root, 0));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let node = end.node();
        let own = (0..).zip(&self.problem.distances).filter(|(vertex, _)| self.owner(*vertex) == node);
        let wrong = own.filter(|(vertex, due)| *end.get(&self.distances, (*vertex).into()) != **due).count();
        let reached = end.entries(&self.distances).filter(|(_, distance)| **distance != UNREACHED).count();
        let (name, reached) = (&self.graph.name, reached as f64);
        Report::checked(wrong == 0, || format!("{name}: {wrong} distances differ from a sequential search's"))
            .figure("reached", reached, Merge::Sum)
    }
}

fn main() -> ExitCode {
    tradewind::main(&[Bfs::ENTRY])
}
