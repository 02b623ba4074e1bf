//! Any matrix file: which of the formats it has.
//!
//! It must never know what a format looks like inside.

use crate::{
    Errors, SparseMatrix, Symmetry, compressed_column, compressed_column::Dialect,
    compression::decompress_named, errors::Excerpt, file_name::ends_in, harwell_boeing, matrix_market,
    rutherford_boeing, scan::Lines, triplet,
};

/// The formats read, as a message lists them.
const KNOWN: &str = "Matrix Market (%%MatrixMarket …), Harwell-Boeing, Rutherford-Boeing, \
                     or triplets in a file called .tri or .mat.txt; each plain, gzip or zstd";

/// Reads a matrix file of any format of this crate, called `name` in messages: undoes gzip or zstd, and
/// recognises the format by the content, or by the name where the content does not say.
///
/// * Matrix Market: its banner, or a name ending in `.mtx` or `.mm`.
/// * Harwell-Boeing and Rutherford-Boeing: their third and fourth card, or a name ending in `.hb`, `.o`,
///   `.rsa`, `.psa`, `.rua`, `.pua`, `.rra`, `.pra`; or `.rb`.
/// * Triplets: a name ending in `.tri`, one triangle of a symmetric matrix without header; or in `.mat.txt`,
///   with a header and all entries.
///
/// Names may further end in `.gz` or `.zst`, and letter case is all one.
///
/// # Errors
/// A corrupt or too large stream, a format that is none of these, or what the format's reader reports.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let bytes = &*decompress_named(name, bytes)?;
    if matrix_market::recognises(bytes) {
        return matrix_market::read(name, bytes);
    }
    match compressed_column::recognise(bytes) {
        Some(Dialect::HarwellBoeing) => harwell_boeing::read(name, bytes),
        Some(Dialect::RutherfordBoeing) => rutherford_boeing::read(name, bytes),
        None => read_by_name(name, bytes),
    }
}

fn read_by_name(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    if ends_in(name, &[".tri"]) {
        triplet::read(name, bytes, Symmetry::Symmetric)
    } else if ends_in(name, &[".mat.txt"]) {
        triplet::read_headed(name, bytes)
    } else if ends_in(name, &[".mtx", ".mm"]) {
        matrix_market::read(name, bytes)
    } else if ends_in(name, &[".hb", ".o", ".rsa", ".psa", ".rua", ".pua", ".rra", ".pra"]) {
        harwell_boeing::read(name, bytes)
    } else if ends_in(name, &[".rb"]) {
        rutherford_boeing::read(name, bytes)
    } else {
        let start = Lines::new(bytes, None).any().rest().text;
        Err(Errors::whole_file(name, "matrix format", Excerpt(start), KNOWN))
    }
}
