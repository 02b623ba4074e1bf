//! Harwell-Boeing files: compressed columns on cards of fixed width.
//!
//! The format is that of I. S. Duff, R. G. Grimes and J. G. Lewis, *Users' Guide for the Harwell-Boeing
//! Sparse Matrix Collection (Release I)*, TR/PA/92/86, CERFACS, 1992. Read are the assembled matrices whose
//! type, of any letter case, is `R` or `P` (real, pattern), then `S`, `U` or `R` (symmetric, unsymmetric,
//! rectangular), then `A`: `RSA`, `PSA`, `RUA`, … Formats are those of one repeated field, `(16I5)`,
//! `(4E20.12)`, `(1P,5D16.8)`. Right-hand sides, if the header counts any, are skipped. We read it ourselves
//! so as to report all mistakes at once.
//!
//! Beyond the letter of the format, CRLF and cards of any length are accepted; a number on a card that ends
//! before its field does, or text behind the last field of a card, is a mistake. So every cut of a file is
//! noticed, but for one in the blanks and newlines behind the last number. Of the second card only the count
//! of right-hand side cards is used.
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
