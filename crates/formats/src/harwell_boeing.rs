//! Harwell-Boeing files: compressed columns on cards of fixed width.
//!
//! The format is that of I. S. Duff, R. G. Grimes and J. G. Lewis, *Users' Guide for the Harwell-Boeing Sparse Matrix
//! Collection (Release I)*, TR/PA/92/86, CERFACS, 1992. Read are the assembled matrices whose type, of any letter case,
//! is `R` or `P` (real, pattern), then `S`, `U` or `R` (symmetric, unsymmetric, rectangular), then `A`: `RSA`, `PSA`,
//! `RUA`, … Formats are Fortran's for integers and reals, with repetitions, groups, skips, tabulators and scale
//! factors: `(16I5)`, `(1P,5D16.8)`, `(4(1X,E15.8))`. Right-hand sides, if the header counts any, are skipped, however
//! many cards of them there are. We read the format ourselves so as to report all mistakes at once.
//!
//! Beyond the letter of the format, CRLF and cards of any length are accepted, and a fifth card that announces nothing.
//! Stricter than Fortran, a blank field, a number on a card that ends before its field does, a number without the
//! decimal point that its format has, and text behind the last field of a card are mistakes. So every cut of a file
//! without right-hand sides is noticed, but for a cut in the blanks and newlines behind the last number. From the
//! second card only the count of right-hand side cards is used, and only whether it is zero.
//!
//! This module must never know where the bytes came from.

use crate::{
    Errors, SparseMatrix,
    compressed_column::{self, Dialect},
};

/// Reads a Harwell-Boeing file, called `name` in messages. Entries keep the order of the file, column by
/// column.
///
/// # Errors
/// All that is wrong with the file: a type or format that is not read, sizes that do not go together, fields
/// malformed or cut short, pointers that descend or leave their range, row indices out of range, duplicate
/// entries, entries above the diagonal of a symmetric matrix, values infinite or not a number, cards missing
/// or left over. A wrong type or format ends the reading with the header. Two cards in a row that do not
/// follow their format end the reading of their part, pointers, indices or values.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    compressed_column::read(name, bytes, Dialect::HarwellBoeing)
}
