//! Matrices as compressed columns on cards of fixed width: Harwell-Boeing and Rutherford-Boeing files.
//!
//! The two formats differ in the contents of the header, which [`Dialect`] lists; all else is one reader. Fields are
//! cut by the widths of the Fortran formats on the fourth card, never by blanks: where indices fill their fields there
//! are none. The number of cards of a part follows from the sizes; the card counts of the second card are not used,
//! since files in circulation have them wrong.
//!
//! This module must never know where the bytes came from.

mod dialect;
mod fortran;
mod header;
mod matrix;
mod section;

pub(crate) use dialect::Dialect;

use crate::{Errors, SparseMatrix, errors::Report, scan::Lines};

/// Reads a file of the given dialect, called `name` in messages.
pub(crate) fn read(name: &str, bytes: &[u8], dialect: Dialect) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let mut lines = Lines::new(bytes, None);
    let header = header::read(&mut lines, dialect, &mut report);
    let matrix = header.and_then(|header| matrix::read(&mut lines, &header, &mut report));
    report.finish_some(name, matrix)
}

/// Dialect of a file whose first cards look like those of either format.
///
/// The first cards look so if the third begins with the letters of a matrix type or the fourth with a format: one of them may be
/// damaged, and the file is still best read in its own dialect.
pub(crate) fn recognise(bytes: &[u8]) -> Option<Dialect> {
    let mut lines = Lines::new(bytes, None);
    let [_title, counts, sizes, formats] = [(); 4].map(|()| lines.any().card());
    let kind = header::type_letters(sizes);
    let typed = kind.len() == 3
        && b"rcipq".contains(&kind[0].to_ascii_lowercase())
        && b"suhzr".contains(&kind[1].to_ascii_lowercase())
        && b"ae".contains(&kind[2].to_ascii_lowercase());
    if !typed && !formats.text.trim_ascii_start().starts_with(b"(") {
        return None;
    }
    let integer = kind.first().is_some_and(|letter| letter.eq_ignore_ascii_case(&b'i'));
    let rutherford = integer || header::right_hand_side_cards(counts).text.is_empty();
    Some(if rutherford { Dialect::RutherfordBoeing } else { Dialect::HarwellBoeing })
}
