//! Any matrix and any mesh that keep the promises of their types.

use std::collections::{BTreeMap, BTreeSet};

use formats::{
    Entry, SparseMatrix, Symmetry, Values,
    mesh::{Face, Mesh},
};
use proptest::{collection, num, prelude::*, sample};

/// Any matrix of up to 40 x 40, its entries sorted by column.
pub(crate) fn matrices() -> impl Strategy<Value = SparseMatrix> {
    let values = prop_oneof![Just(Values::Real), Just(Values::Pattern)];
    (1..40_u32, 1..40_u32, any::<bool>(), values).prop_flat_map(move |(rows, other, symmetric, values)| {
        let columns = if symmetric { rows } else { other };
        let symmetry = if symmetric { Symmetry::Symmetric } else { Symmetry::General };
        collection::vec((0..rows, 0..columns, finite()), 0..60).prop_map(move |drawn| {
            let entries = distinct(&drawn, symmetric, values);
            SparseMatrix { rows, columns, symmetry, values, entries }
        })
    })
}

fn finite() -> impl Strategy<Value = f64> + Clone {
    num::f64::NORMAL | num::f64::SUBNORMAL | num::f64::ZERO
}

fn distinct(drawn: &[(u32, u32, f64)], symmetric: bool, values: Values) -> Vec<Entry> {
    let lower =
        |row: u32, column: u32| if symmetric { (row.max(column), row.min(column)) } else { (row, column) };
    let unique: BTreeMap<_, _> = drawn
        .iter()
        .map(|&(row, column, value)| (lower(row, column), value))
        .map(|((row, column), value)| ((column, row), value))
        .collect();
    let number = |value| if values == Values::Pattern { 1.0 } else { value };
    unique.into_iter().map(|((column, row), value)| Entry { row, column, value: number(value) }).collect()
}

/// Any mesh of 4 to 20 nodes whose edges are those of its tetrahedra, in ascending order.
pub(crate) fn meshes() -> impl Strategy<Value = Mesh> {
    let points = collection::vec([finite(), finite(), finite()], 4..20);
    points.prop_flat_map(|points| {
        let nodes: Vec<_> = (0_u32..).take(points.len()).collect();
        let tetrahedron =
            sample::subsequence(nodes.clone(), 4).prop_map(|nodes| [0, 1, 2, 3].map(|at| nodes[at]));
        let face = sample::subsequence(nodes, 3).prop_map(|nodes| [2, 0, 1].map(|at| nodes[at]));
        let tetrahedra = collection::btree_set(tetrahedron, 0..20);
        let faces = collection::btree_map(face, any::<i32>(), 0..20);
        (tetrahedra, faces).prop_map(move |(tetrahedra, faces)| Mesh {
            points: points.clone(),
            edges: edges(&tetrahedra),
            tetrahedra: tetrahedra.into_iter().collect(),
            faces: faces.into_iter().map(|(nodes, marker)| Face { nodes, marker }).collect(),
        })
    })
}

/// By definition: every pair of nodes of every tetrahedron, whose nodes ascend.
fn edges(tetrahedra: &BTreeSet<[u32; 4]>) -> Vec<[u32; 2]> {
    let pairs = |nodes: &[u32; 4]| {
        let nodes = *nodes;
        (0..4).flat_map(move |i| (i + 1..4).map(move |j| [nodes[i], nodes[j]]))
    };
    let unique: BTreeSet<_> = tetrahedra.iter().flat_map(pairs).collect();
    unique.into_iter().collect()
}
