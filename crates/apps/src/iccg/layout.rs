//! The division of the rows among threads, and the edges as the owner of a row sees them.
//!
//! A *part* is the rows of one thread: part p belongs to thread p mod threads of node p / threads. Within a part the
//! rows have *places* 0, 1, …, in ascending order of the rows.
//!
//! This module must never know messages or the order in which rows are solved.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use tempest::data::{ElementField, ElementLayout};
use tempest::{Element, NodeId, Shape, ThreadId};

use super::partition::remote_fraction;
use super::problem::Problem;

/// A system whose rows are divided among the threads of a world.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) problem: Arc<Problem>,
    /// The number of rows on the longest chain of dependences.
    pub(super) critical_path: usize,
    /// The share, 0 to 1, of the edges that join rows of different machine nodes.
    pub(super) remote: f64,
    /// The rows of each part, ascending, indexed by part.
    rows: Vec<Vec<u32>>,
    /// The part of each row, and the row's place in it, indexed by row.
    home: Vec<(u32, u32)>,
    threads: u32,
}

/// The part of the system that one thread owns.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    /// The rows of the part, indexed by place.
    pub(super) rows: Vec<Row>,
    local: Vec<LocalEdge>,
    distant: Vec<DistantEdge>,
}

/// A row of the system, as its owner sees it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// The diagonal entry L_ii.
    pub(super) diagonal: f64,
    /// The right-hand side b_i.
    pub(super) rhs: f64,
    /// The number of updates that the row needs before it can be solved.
    pub(super) in_degree: u32,
    local: Range<usize>,
    distant: Range<usize>,
}

/// An edge to a row of the same part.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LocalEdge {
    /// The entry L_ki.
    pub(super) value: f64,
    /// The place of the row that the edge goes to.
    pub(super) place: u64,
}

/// An edge to a row of another part.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct DistantEdge {
    /// The entry L_ki.
    pub(super) value: f64,
    /// The thread that owns the row that the edge goes to.
    pub(super) thread: ThreadId,
    /// The place of the row in that thread's part.
    pub(super) place: u64,
}

/// An edge as a model has it: an entry of 8 bytes, and an index of 4 that names thread and place.
const EDGE: ElementLayout = ElementLayout {
    name: "edge",
    bytes: 16,
    fields: &[ElementField::new("value", 0, 8), ElementField::new("index", 8, 4)],
};

impl Element for LocalEdge {
    const LAYOUT: ElementLayout = EDGE;
}

impl Element for DistantEdge {
    const LAYOUT: ElementLayout = EDGE;
}

impl Layout {
    /// Divides a system: row i belongs to part `owner[i]`.
    pub(super) fn new(problem: Arc<Problem>, owner: &[u32], shape: Shape, critical_path: usize) -> Self {
        let Shape { nodes, threads } = shape;
        let mut rows = vec![Vec::new(); nodes as usize * threads as usize];
        let mut home = Vec::with_capacity(owner.len());
        for (row, &part) in (0..).zip(owner) {
            let members = &mut rows[part as usize];
            home.push((part, members.len() as u32));
            members.push(row);
        }
        let nodes: Vec<u32> = owner.iter().map(|part| part / threads).collect();
        Self { remote: remote_fraction(&problem, &nodes), problem, critical_path, rows, home, threads }
    }

    /// The rows of a thread, indexed by place.
    pub(super) fn rows_of(&self, thread: ThreadId) -> &[u32] {
        &self.rows[thread.node.0 as usize * self.threads as usize + thread.index as usize]
    }

    /// The part that a thread owns.
    pub(super) fn part(&self, thread: ThreadId) -> Part {
        let mut part = Part { rows: Vec::new(), local: Vec::new(), distant: Vec::new() };
        for &row in self.rows_of(thread) {
            self.add_row(&mut part, row as usize);
        }
        part
    }

    fn add_row(&self, part: &mut Part, row: usize) {
        let (local, distant) = (part.local.len(), part.distant.len());
        for (target, value) in self.problem.edges_from(row) {
            let (owner, place) = self.home[target as usize];
            if owner == self.home[row].0 {
                part.local.push(LocalEdge { place: place.into(), value });
            } else {
                part.distant.push(DistantEdge { thread: self.thread(owner), place: place.into(), value });
            }
        }
        part.rows.push(Row {
            diagonal: self.problem.diagonal[row],
            rhs: self.problem.rhs[row],
            in_degree: self.problem.in_degree[row],
            local: local..part.local.len(),
            distant: distant..part.distant.len(),
        });
    }

    fn thread(&self, part: u32) -> ThreadId {
        ThreadId { node: NodeId(part / self.threads), index: part % self.threads }
    }
}

impl Part {
    /// The edges from the row at a place to rows of this part, among all such [`edges`](Self::edges).
    pub(super) fn local_edges(&self, place: usize) -> Range<usize> {
        self.rows[place].local.clone()
    }

    /// The edges from the row at a place to rows of other parts, among all such [`edges`](Self::edges).
    pub(super) fn distant_edges(&self, place: usize) -> Range<usize> {
        self.rows[place].distant.clone()
    }

    /// All edges to rows of this part, and all edges to rows of others.
    pub(super) fn edges(&self) -> (&[LocalEdge], &[DistantEdge]) {
        (&self.local, &self.distant)
    }
}

#[cfg(test)]
mod tests {
    use super::super::partition::Partition;
    use super::super::problem::tests::problem;
    use super::*;
    use crate::kit::matrices::JAGMESH;

    const SHAPE: Shape = Shape { nodes: 3, threads: 2 };

    fn layout(partition: Partition) -> Layout {
        let problem = Arc::new(problem(JAGMESH));
        let owner = partition.assign(&problem, 6);
        Layout::new(problem, &owner, SHAPE, 0)
    }

    fn threads() -> impl Iterator<Item = ThreadId> {
        (0..3).flat_map(|node| (0..2).map(move |index| ThreadId { node: NodeId(node), index }))
    }

    /// All edges (i, k, L_ki), gathered from the parts.
    fn edges(layout: &Layout) -> Vec<(u32, u32, f64)> {
        let mut edges = Vec::new();
        for thread in threads() {
            let (part, rows) = (layout.part(thread), layout.rows_of(thread));
            for (place, &row) in rows.iter().enumerate() {
                let local = part.edges().0[part.local_edges(place)].iter();
                edges.extend(local.map(|edge| (row, rows[edge.place as usize], edge.value)));
                let distant = part.edges().1[part.distant_edges(place)].iter();
                edges.extend(distant.map(|edge| {
                    assert_ne!(edge.thread, thread);
                    (row, layout.rows_of(edge.thread)[edge.place as usize], edge.value)
                }));
            }
        }
        edges.sort_by_key(|&(from, to, _)| (from, to));
        edges
    }

    #[test]
    fn parts_have_all_rows_and_edges_between_them() {
        for partition in Partition::ALL {
            let layout = layout(partition);
            let problem = &layout.problem;
            let all = (0..problem.order() as u32)
                .flat_map(|i| problem.edges_from(i as usize).map(move |(k, value)| (i, k, value)));
            assert_eq!(edges(&layout), all.collect::<Vec<_>>(), "{partition}");
            let rows: usize = threads().map(|thread| layout.part(thread).rows.len()).sum();
            assert_eq!(rows, problem.order());
        }
    }

    #[test]
    fn edges_between_threads_of_a_node_are_not_remote() {
        let layout = layout(Partition::Cyclic);
        let crossing = |thread: ThreadId| {
            let part = layout.part(thread);
            part.distant.iter().filter(|edge| edge.thread.node != thread.node).count()
        };
        let remote: usize = threads().map(crossing).sum();
        assert_eq!(layout.remote, remote as f64 / layout.problem.edges() as f64);
    }
}
