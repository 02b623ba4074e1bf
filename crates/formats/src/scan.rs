//! Lines, fields and numbers, each field with its place in the file.
//!
//! It must never know the meaning of a field, nor its format.

use crate::errors::{Excerpt, Report};

/// A piece of the file and the byte offset it starts at. A missing field is an empty one.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) offset: usize,
    pub(crate) text: &'a [u8],
}

/// Splits the file into lines, one after the other.
///
/// [`any`](Self::any) takes each as it comes; the iterator gives those with data, neither blank nor comments.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    offset: usize,
    comment: Option<u8>,
}

impl<'a> Lines<'a> {
    /// `comment` is the byte that a comment begins with, if the format has comments.
    pub(crate) fn new(text: &'a [u8], comment: Option<u8>) -> Self {
        Self { text, offset: 0, comment }
    }

    /// The very next line, blank or not; an empty one at the end of the file.
    pub(crate) fn any(&mut self) -> Fields<'a> {
        let rest = &self.text[self.offset..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let line = Fields { text: &rest[..length], offset: self.offset };
        self.offset = (self.offset + length + 1).min(self.text.len());
        line
    }

    /// Offset of the next line.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Number of bytes left.
    pub(crate) fn remaining(&self) -> usize {
        self.text.len() - self.offset
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Fields<'a>;

    fn next(&mut self) -> Option<Fields<'a>> {
        while self.offset < self.text.len() {
            let line = self.any().trimmed();
            if line.text.first().is_some_and(|&byte| Some(byte) != self.comment) {
                return Some(line);
            }
        }
        None
    }
}

/// Rest of a line, taken field by field.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    text: &'a [u8],
    offset: usize,
}

impl<'a> Fields<'a> {
    /// The next field, empty at the end of the line: then it stands right behind the last one.
    pub(crate) fn take(&mut self) -> Field<'a> {
        let length = self.text.iter().position(u8::is_ascii_whitespace).unwrap_or(self.text.len());
        let (text, rest) = self.text.split_at(length);
        let field = Field { offset: self.offset, text };
        *self = Fields { text: rest, offset: self.offset + length };
        if !rest.trim_ascii_start().is_empty() {
            *self = self.trimmed();
        }
        field
    }

    /// The whole rest of the line, without `\n` or `\r\n`.
    pub(crate) fn card(&self) -> Field<'a> {
        Field { offset: self.offset, text: self.text.strip_suffix(b"\r").unwrap_or(self.text) }
    }

    /// Number of fields left.
    pub(crate) fn count(&self) -> usize {
        self.text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count()
    }

    /// The rest of the line, without the blanks around it.
    pub(crate) fn rest(&self) -> Field<'a> {
        let Fields { text, offset } = self.trimmed();
        Field { offset, text: text.trim_ascii_end() }
    }

    /// Drops leading blanks.
    pub(crate) fn trimmed(self) -> Self {
        let text = self.text.trim_ascii_start();
        Fields { text, offset: self.offset + self.text.len() - text.len() }
    }
}

/// Reads one of the known words, or reports which words are known.
pub(crate) fn choice<T: Copy>(
    field: Field<'_>,
    what: &'static str,
    choices: &[(&str, T)],
    report: &mut Report<'_>,
) -> Option<T> {
    let known = choices.iter().find(|(word, _)| field.text.eq_ignore_ascii_case(word.as_bytes()));
    if known.is_none() {
        let words: Vec<_> = choices.iter().map(|&(word, _)| word).collect();
        report.add(field.offset, what, Excerpt(field.text), words.join(" or "));
    }
    known.map(|&(_, value)| value)
}

/// A count or size of at most `limit`.
pub(crate) fn bounded(
    field: Field<'_>,
    what: &'static str,
    limit: u64,
    report: &mut Report<'_>,
) -> Option<u64> {
    let number = unsigned(field.text).filter(|&number| number <= limit);
    if number.is_none() {
        report.add(field.offset, what, Excerpt(field.text), format_args!("0..={limit}"));
    }
    number
}

/// Reports the rest of a line, if there is any.
pub(crate) fn end_of_line(fields: Fields<'_>, report: &mut Report<'_>) {
    let rest = fields.rest();
    if !rest.text.is_empty() {
        report.add(rest.offset, "trailing text", Excerpt(rest.text), "the end of the line");
    }
}

/// An unsigned decimal integer: digits only, at most `u64::MAX`.
pub(crate) fn unsigned(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A finite real number, its exponent marked by `E` or, as Fortran writes double precision, by `D`.
pub(crate) fn real(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let number = text.parse().or_else(|_| text.replace(['D', 'd'], "e").parse::<f64>()).ok()?;
    // Also refuses the words that `parse` knows, "inf" and "nan", and numbers that overflow.
    number.is_finite().then_some(number)
}

/// The largest integer up to which a double holds every one exactly.
pub(crate) const LARGEST_INTEGER: u64 = 1 << f64::MANTISSA_DIGITS;

/// An integer that a double holds exactly: at most 2^53 either way.
pub(crate) fn integer(text: &[u8]) -> Option<f64> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let magnitude = unsigned(digits).filter(|&number| number <= LARGEST_INTEGER)? as f64;
    Some(if text.starts_with(b"-") { -magnitude } else { magnitude })
}
