//! Rutherford-Boeing files: Harwell-Boeing's successor.
//!
//! The format is that of I. S. Duff, R. G. Grimes and J. G. Lewis, *The Rutherford-Boeing Sparse Matrix
//! Collection*, RAL-TR-97-031, Rutherford Appleton Laboratory, 1997. It has the cards of
//! [`harwell_boeing`](crate::harwell_boeing), and all that is said there holds here, but for these: values
//! may be integers (`ISA`, `IUA`, `IRA`), and there are no right-hand sides. The supplementary files of the
//! collection are not matrices and are not read.
//!
//! This module must never know where the bytes came from.

use crate::{
    Errors, SparseMatrix,
    compressed_column::{self, Dialect},
};

/// Reads a Rutherford-Boeing file, called `name` in messages.
///
/// # Errors
/// As [`harwell_boeing::read`](crate::harwell_boeing::read), and a count of right-hand side cards.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    compressed_column::read(name, bytes, Dialect::RutherfordBoeing)
}
