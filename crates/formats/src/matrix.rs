//! Any matrix file: recognition of its format.
//!
//! It must never know the inside of a format.

use crate::{
    Errors, SparseMatrix, compressed_column, compressed_column::Dialect, compression::decompress_named,
    errors::Excerpt, file_name::ending, harwell_boeing, matrix_market, rutherford_boeing, scan::Lines,
    triplet,
};

/// The formats read, as a message lists them.
const KNOWN: &str = "Matrix Market (%%MatrixMarket …), Harwell-Boeing, Rutherford-Boeing, \
                     or triplets in a file called .tri or .mat.txt; each plain, gzip or zstd";

/// A format, or formats that one reader tells apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    MatrixMarket,
    /// Harwell-Boeing and Rutherford-Boeing, which differ in the contents of the header.
    CompressedColumns,
    Triplets,
    HeadedTriplets,
}

/// Endings of names, and the formats that they tell.
const ENDINGS: [(Format, &[&str]); 4] = [
    (Format::MatrixMarket, &[".mtx", ".mm"]),
    (
        Format::CompressedColumns,
        &[".hb", ".o", ".rb", ".rsa", ".psa", ".rua", ".pua", ".rra", ".pra", ".isa", ".iua", ".ira"],
    ),
    (Format::Triplets, &[".tri"]),
    (Format::HeadedTriplets, &[".mat.txt"]),
];

/// Reads a matrix file of any format of this crate, called `name` in messages: undoes gzip or zstd, and recognises the
/// format by the content, or else by the name.
///
/// * Matrix Market: its banner, or a name ending in `.mtx` or `.mm`.
/// * Harwell-Boeing and Rutherford-Boeing: their third and fourth card, or a name ending in `.hb`, `.o`,
///   `.rb`, or the letters of a type, as `.rsa`.
/// * Triplets: a name ending in `.tri`, [with a line of sizes or without](triplet::read_either); or in `.mat.txt`,
///   with a line of sizes and all entries.
///
/// Names may further end in `.gz` or `.zst`, and letter case has no meaning.
///
/// # Errors
/// A corrupt or too large stream, a name that contradicts the format or compression of the content, an unknown format,
/// or the errors of the format's reader.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let bytes = &*decompress_named(name, bytes)?;
    let dialect = compressed_column::recognise(bytes);
    let market = matrix_market::recognises(bytes).then_some(Format::MatrixMarket);
    let found = market.or(dialect.map(|_| Format::CompressedColumns));
    let named = ENDINGS.iter().find_map(|(format, endings)| Some((*format, ending(name, endings)?)));
    if let (Some(found), Some((told, ending))) = (found, named)
        && found != told
    {
        return Err(misnamed(name, ending, found));
    }
    match found.or(named.map(|(format, _)| format)) {
        Some(Format::MatrixMarket) => matrix_market::read(name, bytes),
        Some(Format::CompressedColumns) if is_rutherford(name, dialect) => {
            rutherford_boeing::read(name, bytes)
        }
        Some(Format::CompressedColumns) => harwell_boeing::read(name, bytes),
        Some(Format::Triplets) => triplet::read_either(name, bytes),
        Some(Format::HeadedTriplets) => triplet::read_headed(name, bytes),
        None => {
            let start = Lines::new(bytes, None).any().rest().text;
            Err(Errors::whole_file(name, "matrix format", Excerpt(start), KNOWN))
        }
    }
}

/// The dialect that the content has, or the name tells.
fn is_rutherford(name: &str, dialect: Option<Dialect>) -> bool {
    match dialect {
        Some(dialect) => dialect == Dialect::RutherfordBoeing,
        None => ending(name, &[".rb", ".isa", ".iua", ".ira"]).is_some(),
    }
}

/// The mistake of a file whose name tells another format than its content.
fn misnamed(name: &str, ending: &str, found: Format) -> Errors {
    let (format, right) = match found {
        Format::MatrixMarket => ("Matrix Market", ".mtx"),
        Format::CompressedColumns => ("Harwell-Boeing or Rutherford-Boeing", ".rsa, .rb or .O"),
        Format::Triplets | Format::HeadedTriplets => ("triplets", ".tri"),
    };
    let expected = format!("a name that ends in {right}, as the content is {format}");
    Errors::whole_file(name, "name", ending, expected)
}
