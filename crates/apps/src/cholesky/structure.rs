//! Supernodes: columns of the factor next to each other that have the same rows below their diagonal block.
//!
//! A *fundamental* supernode is a chain of the elimination tree, each column of which is the only child of the next, and has one
//! entry more than the next (C. Ashcraft and R. Grimes, *The influence of relaxed supernode partitions on the multifrontal method*,
//! ACM Transactions on Mathematical Software 15, 1989; J. W. H. Liu, E. G. Ng and B. W. Peyton, *On finding supernodes for sparse
//! matrix computations*, SIAM Journal on Matrix Analysis and Applications 14, 1993).
//!
//! This module must never know values, nor which thread computes them.

use std::ops::Range;

use crate::kit::LowerTriangle;

use super::tree::{NONE, column_counts, elimination_tree};

/// The structure of the factor of a matrix whose columns are numbered in a postorder of the elimination tree.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Structure {
    /// The number of entries of each column of the factor, with the diagonal.
    pub(super) counts: Vec<u32>,
    /// The fundamental supernodes, from left to right.
    pub(super) supernodes: Vec<Supernode>,
    /// The rows of all supernodes, one supernode after the other.
    rows: Vec<u32>,
}

/// A supernode.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Supernode {
    /// Columns of the supernode.
    pub(super) columns: Range<u32>,
    /// The number of its parent in the tree of supernodes; `NONE` for a root.
    pub(super) parent: u32,
    /// The place of its rows among all.
    rows: Range<usize>,
}

impl Structure {
    /// Finds the structure of the factor.
    pub(super) fn of(matrix: &LowerTriangle) -> Self {
        let parents = elimination_tree(matrix);
        let counts = column_counts(matrix, &parents);
        let mut structure = Self { supernodes: fundamental(&parents, &counts), counts, rows: Vec::new() };
        structure.find_parents(&parents);
        structure.find_rows(matrix);
        structure
    }

    /// The rows of a supernode: its own columns, and then the rows below them, ascending.
    pub(super) fn rows(&self, supernode: usize) -> &[u32] {
        &self.rows[self.supernodes[supernode].rows.clone()]
    }

    /// The number of entries of the factor.
    pub(super) fn entries(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// The floating-point operations of the factorization: for a column of c entries c² of them, a multiplication and an addition
    /// for each pair of its entries below the diagonal, c divisions and a root, and so on to lower order.
    pub(super) fn flops(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count).pow(2)).sum()
    }

    /// The work of a supernode, counted as in [`flops`](Self::flops).
    pub(super) fn work(&self, supernode: usize) -> u64 {
        let columns = &self.supernodes[supernode].columns;
        let counts = &self.counts[columns.start as usize..columns.end as usize];
        counts.iter().map(|&count| u64::from(count).pow(2)).sum()
    }

    fn find_parents(&mut self, parents: &[u32]) {
        let mut of_column = vec![0; parents.len()];
        for (number, supernode) in (0..).zip(&self.supernodes) {
            supernode.columns.clone().for_each(|column| of_column[column as usize] = number);
        }
        for supernode in &mut self.supernodes {
            let parent = parents[supernode.columns.end as usize - 1];
            supernode.parent = if parent == NONE { NONE } else { of_column[parent as usize] };
        }
    }

    /// The rows of a supernode are its columns, the rows of the matrix in them, and the rows of its children.
    fn find_rows(&mut self, matrix: &LowerTriangle) {
        let below = rows_by_column(matrix);
        let mut children = vec![Vec::new(); self.supernodes.len()];
        let mut met = vec![NONE; matrix.order()];
        for number in 0..self.supernodes.len() {
            let columns = self.supernodes[number].columns.clone();
            let first = self.rows.len();
            let of_matrix = columns.clone().flat_map(|column| &below[column as usize]);
            let of_children = children[number].iter().flat_map(|&child| self.rows(child));
            let mut rows: Vec<u32> = columns.clone().chain(of_matrix.chain(of_children).copied()).collect();
            rows.retain(|&row| {
                row >= columns.start
                    && std::mem::replace(&mut met[row as usize], columns.start) != columns.start
            });
            rows.sort_unstable();
            self.rows.extend(rows);
            let supernode = &mut self.supernodes[number];
            supernode.rows = first..self.rows.len();
            if supernode.parent != NONE {
                children[supernode.parent as usize].push(number);
            }
        }
    }
}

/// The rows below the diagonal in each column.
fn rows_by_column(matrix: &LowerTriangle) -> Vec<Vec<u32>> {
    let mut below = vec![Vec::new(); matrix.order()];
    for row in 0..matrix.order() {
        matrix.row(row).0.iter().for_each(|&column| below[column as usize].push(row as u32));
    }
    below
}

/// Divides the columns into fundamental supernodes. Their parents and rows are not known yet.
fn fundamental(parents: &[u32], counts: &[u32]) -> Vec<Supernode> {
    let mut children = vec![0_u32; parents.len()];
    parents.iter().filter(|&&parent| parent != NONE).for_each(|&parent| children[parent as usize] += 1);
    let goes_on = |column: usize| {
        parents[column - 1] == column as u32
            && children[column] == 1
            && counts[column - 1] == counts[column] + 1
    };
    let mut supernodes: Vec<Supernode> = Vec::new();
    for column in 0..parents.len() {
        match supernodes.last_mut() {
            Some(supernode) if goes_on(column) => supernode.columns.end += 1,
            _ => supernodes.push(Supernode {
                columns: column as u32..column as u32 + 1,
                parent: NONE,
                rows: 0..0,
            }),
        }
    }
    supernodes
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::super::problem::Problem;
    use super::*;
    use crate::kit::matrices::{BUS, JAGMESH, STIFFNESS, input};

    /// The entries of the factor of a matrix, by elimination of one column after the other.
    fn filled(matrix: &LowerTriangle) -> Vec<Vec<u32>> {
        let mut columns = rows_by_column(matrix);
        for column in 0..columns.len() {
            let rows = &mut columns[column];
            rows.sort_unstable();
            rows.dedup();
            if let Some((&parent, others)) = rows.clone().split_first() {
                columns[parent as usize].extend(others);
            }
        }
        columns
    }

    #[test]
    fn the_structure_is_that_of_elimination() {
        for (name, order) in [(BUS, Order::File), (JAGMESH, Order::File), (STIFFNESS, Order::MinimumDegree)] {
            let Problem { matrix, structure, .. } = Problem::new(&input(name), order).unwrap();
            let filled = filled(&matrix);
            for (number, supernode) in structure.supernodes.iter().enumerate() {
                let rows = structure.rows(number);
                for (place, column) in supernode.columns.clone().enumerate() {
                    assert_eq!(rows[place], column);
                    assert_eq!(rows[place + 1..], filled[column as usize], "{name}, column {column}");
                    assert_eq!(structure.counts[column as usize] as usize, rows.len() - place);
                }
            }
            let entries: usize = filled.iter().map(|rows| rows.len() + 1).sum();
            assert_eq!(structure.entries(), entries as u64);
        }
    }

    /// No two supernodes next to each other could be one.
    #[test]
    fn supernodes_are_as_long_as_can_be() {
        let Problem { matrix, structure, .. } = Problem::new(&input(JAGMESH), Order::MinimumDegree).unwrap();
        let filled = filled(&matrix);
        let parent = |column: usize| filled[column].first().map(|&row| row as usize);
        for pair in structure.supernodes.windows(2) {
            let (last, next) = (pair[0].columns.end as usize - 1, pair[1].columns.start as usize);
            let only_child = (0..next).filter(|&column| parent(column) == Some(next)).count() == 1;
            assert!(
                parent(last) != Some(next) || !only_child || filled[last].len() != filled[next].len() + 1
            );
        }
        let columns: usize = structure.supernodes.iter().map(|supernode| supernode.columns.len()).sum();
        assert_eq!(columns, matrix.order());
    }
}
