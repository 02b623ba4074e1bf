//! Folding a matrix of both triangles.

use tradewind_formats::{Asymmetry, Entry, SparseMatrix, Symmetry, Values};

fn general(rows: u32, columns: u32, entries: &[(u32, u32, f64)]) -> SparseMatrix {
    let entries = entries.iter().map(|&(row, column, value)| Entry { row, column, value }).collect();
    SparseMatrix { rows, columns, symmetry: Symmetry::General, values: Values::Real, entries }
}

#[test]
fn the_lower_triangle_is_kept_in_order() {
    let both = general(3, 3, &[(2, 2, 1.0), (0, 1, 5.0), (1, 0, 5.0), (0, 0, 2.0)]);
    let lower = general(3, 3, &[(2, 2, 1.0), (1, 0, 5.0), (0, 0, 2.0)]);
    let lower = SparseMatrix { symmetry: Symmetry::Symmetric, ..lower };
    assert_eq!(both.into_symmetric(), Ok(lower));
}

#[test]
fn the_first_offending_entry_is_named() {
    let shown = |matrix: SparseMatrix| matrix.into_symmetric().expect_err("not symmetric").to_string();
    assert_eq!(
        shown(general(3, 3, &[(0, 0, 1.0), (0, 1, 5.0), (1, 0, 5.5), (2, 0, 1.0)])),
        "entry (0, 1), counted from 0, is 5.0: expected 5.5 as entry (1, 0)"
    );
    assert_eq!(
        shown(general(3, 3, &[(2, 0, 1.0)])),
        "entry (2, 0), counted from 0, is 1.0: expected an entry (0, 2) too, of the same value"
    );
    assert_eq!(shown(general(2, 3, &[])), "2 rows and 3 columns: expected a square matrix, to be symmetric");
    let shape = general(2, 3, &[]).into_symmetric();
    assert_eq!(shape, Err(Asymmetry::Shape { rows: 2, columns: 3 }));
}
