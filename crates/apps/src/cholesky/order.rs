//! The order in which the columns of a matrix are eliminated. This module must never know values.

use std::fmt;
use std::str::FromStr;

use crate::kit::LowerTriangle;

use super::tree::{elimination_tree, postorder};

/// The rule that orders the columns before they are numbered along the elimination tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The order of the file.
    File,
    /// Approximate minimum degree (P. R. Amestoy, T. A. Davis and I. S. Duff, *Algorithm 837: AMD, an approximate minimum degree
    /// ordering algorithm*, ACM Transactions on Mathematical Software 30, 2004).
    MinimumDegree,
}

impl Order {
    const ALL: [Self; 2] = [Self::MinimumDegree, Self::File];

    fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::MinimumDegree => "minimum-degree",
        }
    }

    /// The rows of the matrix in the order of their elimination: by this rule, and then in a postorder of the elimination tree,
    /// which changes neither the entries of the factor nor the work.
    pub(super) fn of(self, matrix: &LowerTriangle) -> Vec<u32> {
        let by_rule = match self {
            Self::File => (0..matrix.order() as u32).collect(),
            Self::MinimumDegree => minimum_degree(matrix),
        };
        let tree = elimination_tree(&permuted(matrix, &by_rule));
        postorder(&tree).into_iter().map(|place| by_rule[place as usize]).collect()
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|order| order.name() == name);
        known.ok_or_else(|| format!("order `{name}`: expected {}", Self::ALL.map(Self::name).join(" or ")))
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The diagonal is among the entries. The order does not depend on it, but debug builds of the library expect an entry for each row.
fn minimum_degree(matrix: &LowerTriangle) -> Vec<u32> {
    let start: Vec<_> = matrix.row_start.iter().map(|&start| start as i64).collect();
    let columns: Vec<_> = matrix.columns.iter().map(|&column| i64::from(column)).collect();
    let ordered = amd::order(matrix.order() as i64, &start, &columns, &amd::Control::default());
    let (ordered, ..) = ordered.unwrap_or_else(|status| panic!("rows of ascending columns: {status:?}"));
    ordered.into_iter().map(|row| row as u32).collect()
}

/// The lower triangle of the symmetric matrix whose row and column k are row and column `order[k]` of the given one.
pub(super) fn permuted(matrix: &LowerTriangle, order: &[u32]) -> LowerTriangle {
    let mut place = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&row, k)| place[row as usize] = k);
    let mut strict = Vec::with_capacity(matrix.columns.len() - matrix.order());
    for row in 0..matrix.order() {
        let (columns, values, _) = matrix.row(row);
        strict.extend(columns.iter().zip(values).map(|(&column, &value)| {
            let (a, b) = (place[row], place[column as usize]);
            formats::Entry { row: a.max(b), column: a.min(b), value }
        }));
    }
    strict.sort_unstable_by_key(|entry| (entry.row, entry.column));
    let diagonal: Vec<f64> = order.iter().map(|&row| matrix.row(row as usize).2).collect();
    LowerTriangle::new(&strict, &diagonal)
}
