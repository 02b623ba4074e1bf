//! Matrix Market files.
//!
//! The format is that of R. F. Boisvert, R. Pozo and K. A. Remington, *The Matrix Market Exchange Formats:
//! Initial Design*, NISTIR 5935, 1996. Read are
//!
//! * `coordinate` and `array` files,
//! * of `real`, `double`, `integer` or `unsigned-integer` entries, or of a `pattern`,
//! * of `general` or `symmetric` matrices; a `hermitian` one of real entries is symmetric.
//!
//! Not read are `complex` and `skew-symmetric` files. We read the format ourselves because the crates that do
//! (`nalgebra-sparse`, `sprs`, `matrix-market-rs`) stop at the first mistake and name no line and value.
//!
//! Beyond the letter of the format, these are accepted, since files in circulation have them and other
//! readers take them:
//!
//! * blanks before the banner, a banner of any letter case, with one `%` (as in the Network Repository), or
//!   without its last word: the matrix is general then;
//! * comments and blank lines anywhere after the banner, leading blanks, CRLF, Fortran exponents (`1.0D+03`);
//! * a symmetric matrix in its upper triangle, or with some entries in either: each entry is mirrored. An entry
//!   that is given in *both* triangles is refused: SciPy adds the two, CHOLMOD drops one;
//! * an entry that comes again, which is added to the first: SciPy, SuiteSparse and fast_matrix_market do the same. In
//!   a pattern it is refused. The size line may not count more entries than there are positions;
//! * a last line without its newline. So a file cut inside the very last number cannot be told from a whole
//!   one; every other cut is an error.
//!
//! This module must never know where the bytes came from: hand it the result of [`decompress`](crate::decompress).

mod array;
mod read;
mod write;

pub use read::read;
pub(crate) use read::recognises;
pub use write::write;
