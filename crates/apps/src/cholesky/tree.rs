//! The elimination tree of a symmetric matrix, and the number of entries of each column of the factor that follows from
//! it.
//!
//! The parent of column j is the first row below the diagonal in which column j of the factor has an entry (J. W. H. Liu, *The role
//! of elimination trees in sparse factorization*, SIAM Journal on Matrix Analysis and Applications 11, 1990).
//!
//! This module must never know values.

use crate::kit::LowerTriangle;

/// The parent of a root.
pub(super) const NONE: u32 = u32::MAX;

/// The parent of each column in the elimination tree.
///
/// The path from a column to the present root is shortened as it is walked.
pub(super) fn elimination_tree(matrix: &LowerTriangle) -> Vec<u32> {
    let mut parents = vec![NONE; matrix.order()];
    let mut ancestors = parents.clone();
    for row in 0..matrix.order() {
        for &column in matrix.row(row).0 {
            let mut at = column as usize;
            while ancestors[at] != NONE && ancestors[at] != row as u32 {
                at = std::mem::replace(&mut ancestors[at], row as u32) as usize;
            }
            if ancestors[at] == NONE {
                (ancestors[at], parents[at]) = (row as u32, row as u32);
            }
        }
    }
    parents
}

/// The columns in an order in which each subtree is contiguous and ends with its root. Children keep their order.
pub(super) fn postorder(parents: &[u32]) -> Vec<u32> {
    let mut order = Vec::with_capacity(parents.len());
    let (mut child, mut sibling) = (vec![NONE; parents.len()], vec![NONE; parents.len()]);
    let mut root = NONE;
    for column in (0..parents.len()).rev() {
        let first = match parents[column] {
            NONE => &mut root,
            parent => &mut child[parent as usize],
        };
        sibling[column] = std::mem::replace(first, column as u32);
    }
    // A column stays on the path until all of its children are in the order.
    let mut path = Vec::new();
    let mut next = root;
    loop {
        while next != NONE {
            path.push(next);
            next = child[next as usize];
        }
        let Some(column) = path.pop() else { return order };
        order.push(column);
        next = sibling[column as usize];
    }
}

/// The columns in which row `row` of the factor has entries left of the diagonal, in no order. They are a subtree of the
/// elimination tree, and its leaves are among the columns of the row of the matrix. `met` says of each column which row met it last.
pub(super) fn row_of_factor(
    matrix: &LowerTriangle,
    parents: &[u32],
    row: usize,
    met: &mut [u32],
    into: &mut Vec<u32>,
) {
    into.clear();
    met[row] = row as u32;
    for &column in matrix.row(row).0 {
        let mut at = column;
        while met[at as usize] != row as u32 {
            met[at as usize] = row as u32;
            into.push(at);
            at = parents[at as usize];
        }
    }
}

/// The number of entries of each column of the factor, with the diagonal.
pub(super) fn column_counts(matrix: &LowerTriangle, parents: &[u32]) -> Vec<u32> {
    let mut counts = vec![1; matrix.order()];
    let (mut met, mut columns) = (vec![NONE; matrix.order()], Vec::new());
    for row in 0..matrix.order() {
        row_of_factor(matrix, parents, row, &mut met, &mut columns);
        columns.iter().for_each(|&column| counts[column as usize] += 1);
    }
    counts
}
