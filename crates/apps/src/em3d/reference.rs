//! The sequential reference of em3d, and the comparison with it, bit for bit.
//!
//! This module must never know messages, shared memory, or threads of a world.

use tempest::{Merge, NodeId, Report};

use super::graph::{Graph, KINDS, Kind};
use super::layout::Layout;

/// Runs `iterations` iterations on one processor, and returns all values, indexed by kind, then by graph node.
pub(super) fn run(graph: &Graph, iterations: u32) -> [Vec<f64>; 2] {
    let mut values = KINDS.map(|kind| graph.side(kind).initial.to_vec());
    for _ in 0..iterations {
        for kind in KINDS {
            let side = graph.side(kind);
            let mut own = std::mem::take(&mut values[kind as usize]);
            let others = &values[kind.other() as usize];
            for (node, value) in (0..).zip(&mut own) {
                let (neighbours, weights) = side.edges(node);
                let others = neighbours.iter().map(|&neighbour| others[neighbour as usize]);
                *value = updated(*value, weights.iter().copied().zip(others));
            }
            values[kind as usize] = own;
        }
    }
    values
}

/// The new value of a graph node, from its old value, and for each edge the weight and the neighbour's value.
#[inline]
pub(super) fn updated(value: f64, edges: impl Iterator<Item = (f64, f64)>) -> f64 {
    value - edges.fold(0.0, |sum, (weight, neighbour)| sum + weight * neighbour)
}

/// Compares the values of one kind on a machine node with the values of the sequential run, bit for bit. Each value
/// comes with its graph node.
pub(super) fn check(
    machine_node: NodeId,
    kind: Kind,
    values: impl ExactSizeIterator<Item = (u32, f64)>,
    expected: &[f64],
) -> Report {
    let mut report = Report { checks: values.len() as u64, ..Report::default() };
    let mut wrong = values.filter(|(node, value)| value.to_bits() != expected[*node as usize].to_bits());
    if let Some((node, value)) = wrong.next() {
        let (more, expected) = (wrong.count(), expected[node as usize]);
        report.failures.push(format!(
            "{kind:?} node {node} on {machine_node} is {value:e}: expected {expected:e}, and {more} others are wrong"
        ));
    }
    report
}

/// Adds the facts about the graph to a report: its edges, and how many of them cross owners and machine nodes.
pub(super) fn figures(report: Report, layout: &Layout) -> Report {
    report
        .figure("edges", layout.graph.edges() as f64, Merge::Max)
        .figure("edges between owners, share", layout.between_owners(), Merge::Max)
        .figure("edges between nodes, share", layout.between_nodes(), Merge::Max)
}

#[cfg(test)]
mod tests {
    use super::super::graph::Side;
    use super::*;

    #[test]
    fn a_run_updates_e_from_h_and_then_h_from_e() {
        let graph = Graph::of([Side::pair(1.0, 0.5), Side::pair(2.0, 0.5)]);
        // E = 1 - 0.5 * 2 = 0; H = 2 - 0.5 * 0 = 2; E = 0 - 1 = -1; H = 2 + 0.5 = 2.5.
        assert_eq!(run(&graph, 2), [vec![-1.0], vec![2.5]]);
    }
}
