//! Promises of the types of all values read.
//!
//! Nothing here may know which format the value was read from.

use std::collections::HashSet;

use tradewind_formats::{
    SparseMatrix, Symmetry, Values,
    bezier::Patch,
    litmus::{Address, Formula, Instruction, MAX_LOCATIONS, MAX_THREADS, Operand, Place, Test, Thread},
    mesh::Mesh,
};

/// Panics unless a matrix keeps the promises of its type.
pub(crate) fn check_matrix(matrix: &SparseMatrix) {
    let SparseMatrix { rows, columns, symmetry, values, ref entries } = *matrix;
    let mut positions = HashSet::new();
    for entry in entries {
        assert!(entry.row < rows && entry.column < columns, "{entry:?} in {rows} x {columns}");
        assert!(entry.value.is_finite(), "{entry:?}");
        assert!(values == Values::Real || entry.value == 1.0, "{entry:?} in a pattern");
        assert!(symmetry == Symmetry::General || entry.column <= entry.row, "{entry:?} above the diagonal");
        assert!(positions.insert((entry.row, entry.column)), "{entry:?} twice");
    }
    assert!(symmetry == Symmetry::General || rows == columns, "{rows} x {columns}");
}

/// Panics unless a mesh keeps the promises of its type.
pub(crate) fn check_mesh(mesh: &Mesh) {
    assert!(mesh.points.iter().flatten().all(|coordinate| coordinate.is_finite()));
    check_elements(mesh.edges.iter().copied(), mesh);
    check_elements(mesh.tetrahedra.iter().copied(), mesh);
    check_elements(mesh.faces.iter().map(|face| face.nodes), mesh);
}

fn check_elements<const N: usize>(elements: impl Iterator<Item = [u32; N]>, mesh: &Mesh) {
    let mut seen = HashSet::new();
    for element in elements {
        let mut nodes = element;
        nodes.sort_unstable();
        assert!(nodes.iter().all(|&node| (node as usize) < mesh.points.len()), "{element:?} out of range");
        assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]), "{element:?} repeats a node");
        assert!(seen.insert(nodes), "{element:?} twice");
    }
}

/// Panics unless patches keep the promises of their type.
pub(crate) fn check_patches(patches: &[Patch]) {
    let points = patches.iter().flat_map(|patch| patch.control.as_flattened());
    assert!(points.flatten().all(|coordinate| coordinate.is_finite()));
}

/// Panics unless a litmus test keeps the promises of its type.
pub(crate) fn check_litmus(test: &Test) {
    assert!((1..=MAX_THREADS).contains(&test.threads.len()) && test.locations.len() <= MAX_LOCATIONS);
    assert!(!test.name.is_empty());
    for thread in &test.threads {
        thread
            .code
            .iter()
            .enumerate()
            .for_each(|(at, instruction)| check_instruction(thread, at, instruction));
    }
    assert!(test.observed.is_sorted_by(|one, next| one < next), "{:?}", test.observed);
    for place in &test.observed {
        match *place {
            Place::Register(thread, register) => assert!(register < test.threads[thread].registers.len()),
            Place::Location(location) => assert!(location < test.locations.len()),
        }
    }
    check_formula(test, &test.condition.formula);
    test.filter.iter().for_each(|filter| check_formula(test, filter));
}

fn check_instruction(thread: &Thread, at: usize, instruction: &Instruction) {
    let register = |register: usize| assert!(register < thread.registers.len(), "{instruction:?}");
    let operand = |operand: Operand| {
        if let Operand::Register(one) = operand {
            register(one);
        }
    };
    match *instruction {
        Instruction::Load { to, from: Address { base, .. }, .. } => {
            operand(base);
            to.into_iter().for_each(register);
        }
        Instruction::Store { to: Address { base, .. }, value, .. } => {
            [base, value].into_iter().for_each(operand)
        }
        Instruction::Set { to, left, right, .. } => {
            register(to);
            [left, right].into_iter().for_each(operand);
        }
        Instruction::Branch { left, right, target, .. } => {
            [left, right].into_iter().for_each(operand);
            assert!(at < target && target <= thread.code.len(), "{instruction:?} at {at}");
        }
    }
}

/// Places that a formula names are observed.
fn check_formula(test: &Test, formula: &Formula) {
    match formula {
        Formula::Constant(_) => {}
        Formula::Equal(place, _) => assert!(test.observed.contains(place), "{place:?}"),
        Formula::And(several) | Formula::Or(several) => {
            several.iter().for_each(|one| check_formula(test, one))
        }
        Formula::Not(one) => check_formula(test, one),
    }
}
