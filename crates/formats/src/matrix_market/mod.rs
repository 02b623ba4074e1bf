//! Matrix Market coordinate files.
//!
//! The format is that of R. F. Boisvert, R. Pozo and K. A. Remington, *The Matrix Market Exchange Formats:
//! Initial Design*, NISTIR 5935, 1996. Read are the `coordinate` files with `real`, `integer` or `pattern`
//! entries of `general` or `symmetric` matrices. We read it ourselves because the crates that do
//! (`nalgebra-sparse`, `sprs`, `matrix-market-rs`) stop at the first mistake and name no line and value,
//! and let duplicate entries pass.
//!
//! Beyond the letter of the format, these are accepted, since files in circulation have them: comments and
//! blank lines anywhere after the banner, leading blanks, CRLF, any letter case in the banner, a banner
//! that ends before its last word (the matrix is general then, as the writers of such files mean it), Fortran
//! exponents (`1.0D+03`), and a last line without its newline. That last one means that a file cut inside
//! the very last number cannot be told from a whole one; every other cut is an error.
//!
//! This module must never know where the bytes came from: hand it what [`decompress`](crate::decompress)
//! gives.

mod read;
mod write;

pub use read::read;
pub(crate) use read::recognises;
pub use write::write;
