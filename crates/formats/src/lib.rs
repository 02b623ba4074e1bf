//! Bytes to values: compressed streams, sparse matrices, meshes, curved surfaces and litmus tests.
//!
//! [`matrix::read`] and [`mesh::read`] take a file of any format they know, compressed or not; the modules
//! beside them read one format each.
//!
//! A reader takes the bytes of a whole file and its name for messages, and gives either a value that keeps every
//! promise its type makes, or [`Errors`]: *all* mistakes of the file, each with its line, its column, the value found
//! and the value expected.
//!
//! ```
//! let file = b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n3 1 x\n";
//! let errors = tradewind_formats::matrix_market::read("small.mtx", file).unwrap_err();
//! assert_eq!(
//!     errors.to_string(),
//!     "small.mtx:4:1: row index 3: expected 1..=2\n\
//!      small.mtx:4:5: value x: expected a finite number"
//! );
//! ```
//!
//! This room must never know files, the program that reads its values, or that Tradewind exists.

#![forbid(unsafe_code)]

pub mod bezier;
mod compressed_column;
mod compression;
mod coordinates;
mod errors;
mod file_name;
pub mod harwell_boeing;
mod listed;
pub mod litmus;
pub mod matrix;
pub mod matrix_market;
pub mod mesh;
mod points;
pub mod rutherford_boeing;
mod scan;
mod sparse;
pub mod triplet;

pub use compression::{DecompressError, MAX_DECOMPRESSED_BYTES, MAX_GROWTH, decompress, decompress_within};
pub use errors::{Errors, MAX_LISTED, Mistake};
pub use sparse::{Asymmetry, Entry, SparseMatrix, Symmetry, Values};
