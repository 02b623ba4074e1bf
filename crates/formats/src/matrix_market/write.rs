//! Writing a matrix, so that reading gives it back.
//!
//! It must never round: values are written with the fewest digits that read back as the same double.

use std::fmt::{self, Write};

use crate::{SparseMatrix, Symmetry, Values};

/// The matrix as a Matrix Market coordinate file: entries in their order, indices from 1, Unix lines.
///
/// [`read`](super::read) of the text gives an equal matrix, if this one keeps the promises of its type.
pub fn write(matrix: &SparseMatrix) -> String {
    let mut text = String::new();
    write_to(&mut text, matrix).expect("a String takes all that is written");
    text
}

fn write_to(text: &mut String, matrix: &SparseMatrix) -> fmt::Result {
    let field = match matrix.values {
        Values::Real => "real",
        Values::Pattern => "pattern",
    };
    let symmetry = match matrix.symmetry {
        Symmetry::General => "general",
        Symmetry::Symmetric => "symmetric",
    };
    writeln!(text, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
    writeln!(text, "{} {} {}", matrix.rows, matrix.columns, matrix.entries.len())?;
    for entry in &matrix.entries {
        // The greatest index is u32::MAX - 1, so that adding the 1 of Matrix Market does not overflow.
        let (row, column) = (entry.row + 1, entry.column + 1);
        match matrix.values {
            Values::Real => writeln!(text, "{row} {column} {:?}", entry.value)?,
            Values::Pattern => writeln!(text, "{row} {column}")?,
        }
    }
    Ok(())
}
