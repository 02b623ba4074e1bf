//! The cards of the header: kind and sizes of the matrix, and the formats of its numbers.
//!
//! It must never know the cards behind them.

use super::{
    dialect::Dialect,
    fortran::{self, Format, Numbers},
};
use crate::{
    Symmetry,
    coordinates::{self, Size},
    errors::{Excerpt, Report},
    listed::Kind,
    scan::{self, Field, Lines},
};

/// Number of cards that every file begins with: title, card counts, sizes, formats.
const CARDS: usize = 4;

/// Contents of the header that the reader needs.
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) symmetry: Symmetry,
    pub(super) size: Size,
    /// Cards of right-hand sides behind the matrix.
    pub(super) right_hand_sides: u64,
    pub(super) pointers: Format,
    pub(super) indices: Format,
    /// `None` in a pattern.
    pub(super) values: Option<Format>,
}

/// Reads the header; `None`, with its mistakes reported, if the rest of the file cannot be understood.
pub(super) fn read(lines: &mut Lines<'_>, dialect: Dialect, report: &mut Report<'_>) -> Option<Header> {
    let mut cards = [Field { offset: 0, text: &[] }; CARDS];
    for (complete, card) in cards.iter_mut().enumerate() {
        if lines.remaining() == 0 {
            let expected = format!("{CARDS} cards; is the file truncated?");
            report.add(lines.offset(), "header", format_args!("of {complete} cards"), expected);
            return None;
        }
        *card = lines.any().card();
    }
    let [_title, counts, sizes, formats] = cards;
    let right_hand_sides = right_hand_sides(counts, dialect, report);
    let matrix = matrix_type(type_letters_field(sizes), dialect, report);
    // The fourth number counts elements, which an assembled matrix has none of.
    let [rows, columns, count] = [14, 28, 42].map(|start| field(sizes, start, 14));
    let symmetry = matrix.map_or(Symmetry::General, |(_, symmetry)| symmetry);
    let size = coordinates::checked_size(rows, columns, count, symmetry, report);
    let pointers = format(field(formats, 0, 16), "pointer format", Numbers::Integers, report);
    let indices = format(field(formats, 16, 16), "index format", Numbers::Integers, report);
    // A guess at the columns would misplace all that follows.
    scan::unsigned(columns.text).filter(|&columns| columns <= u64::from(u32::MAX))?;
    let (kind, symmetry) = matrix?;
    let values = value_format(field(formats, 32, 20), kind, report);
    let right_hand_sides = right_hand_sides?;
    skip_fifth_card(lines, right_hand_sides, report)?;
    Some(Header {
        kind,
        symmetry,
        size,
        right_hand_sides,
        pointers: pointers?,
        indices: indices?,
        values: values?,
    })
}

/// Cuts a field of a card: without the blanks around it, and empty if the card ends before it.
pub(super) fn field(card: Field<'_>, start: usize, width: usize) -> Field<'_> {
    let start = start.min(card.text.len());
    let text = &card.text[start..card.text.len().min(start + width)];
    let blanks = text.iter().take_while(|&&byte| byte == b' ').count();
    if blanks == text.len() {
        return Field { offset: card.offset + start, text: &[] };
    }
    let end = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    Field { offset: card.offset + start + blanks, text: &text[blanks..end] }
}

/// The three letters at the start of the third card, as far as they are there.
pub(super) fn type_letters(card: Field<'_>) -> &[u8] {
    type_letters_field(card).text
}

fn type_letters_field(card: Field<'_>) -> Field<'_> {
    field(card, 0, 14)
}

/// The last field of the second card, blank or left out where there are no right-hand sides.
pub(super) fn right_hand_side_cards(card: Field<'_>) -> Field<'_> {
    field(card, 56, 14)
}

fn right_hand_sides(card: Field<'_>, dialect: Dialect, report: &mut Report<'_>) -> Option<u64> {
    let field = right_hand_side_cards(card);
    if field.text.is_empty() {
        return Some(0);
    }
    if dialect == Dialect::RutherfordBoeing && scan::unsigned(field.text) != Some(0) {
        let expected = "none: a Rutherford-Boeing matrix has no right-hand sides";
        report.add(field.offset, "number of right-hand side cards", Excerpt(field.text), expected);
        return None;
    }
    scan::bounded(field, "number of right-hand side cards", u64::from(u32::MAX), report)
}

/// The letters of the type, each known or reported.
fn matrix_type(field: Field<'_>, dialect: Dialect, report: &mut Report<'_>) -> Option<(Kind, Symmetry)> {
    let letters = field.text.to_ascii_uppercase();
    let kind = match (letters.first(), dialect) {
        (Some(b'R'), _) => Some(Kind::Real),
        (Some(b'P'), _) => Some(Kind::Pattern),
        (Some(b'I'), Dialect::RutherfordBoeing) => Some(Kind::Integer),
        _ => None,
    };
    let symmetry = match letters.get(1) {
        Some(b'S') => Some(Symmetry::Symmetric),
        Some(b'U' | b'R') => Some(Symmetry::General),
        _ => None,
    };
    let assembled = letters.get(2..) == Some(b"A");
    let matrix = kind.zip(symmetry).filter(|_| assembled);
    if matrix.is_none() {
        let kinds = match dialect {
            Dialect::HarwellBoeing => "R (real) or P (pattern)",
            Dialect::RutherfordBoeing => "R (real), I (integer) or P (pattern)",
        };
        let expected =
            format!("{kinds}, then S (symmetric), U (unsymmetric) or R (rectangular), then A (assembled)");
        report.add(field.offset, "matrix type", Excerpt(field.text), expected);
    }
    matrix
}

/// Passes over the card on how right-hand sides are stored. It is there if there are any, and in some files without them;
/// `None`, reported, if it is missing.
fn skip_fifth_card(lines: &mut Lines<'_>, right_hand_sides: u64, report: &mut Report<'_>) -> Option<()> {
    let mut ahead = lines.clone();
    let card = ahead.any().card();
    let letters = field(card, 0, 3);
    if matches!(letters.text, [b'F' | b'f' | b'M' | b'm', rest @ ..] if !rest.iter().any(u8::is_ascii_digit))
    {
        *lines = ahead;
    } else if right_hand_sides > 0 {
        let expected =
            format!("F or M, since the second card counts {right_hand_sides} cards of right-hand sides");
        report.add(letters.offset, "fifth card", Excerpt(card.text.trim_ascii()), expected);
        return None;
    }
    Some(())
}

/// Reads a format, or reports where it is none.
fn format(field: Field<'_>, what: &'static str, numbers: Numbers, report: &mut Report<'_>) -> Option<Format> {
    let format = fortran::format(field.text, numbers);
    if let Err(bad) = format {
        report.add(field.offset + bad.at, what, Excerpt(field.text), bad.expected);
    }
    format.ok()
}

/// The format of the values, which a pattern does not have; the outer `None` if it was reported.
fn value_format(field: Field<'_>, kind: Kind, report: &mut Report<'_>) -> Option<Option<Format>> {
    let numbers = match kind {
        Kind::Pattern => return Some(None),
        Kind::Integer | Kind::Unsigned => Numbers::Integers,
        Kind::Real => Numbers::Reals,
    };
    format(field, "value format", numbers, report).map(Some)
}
