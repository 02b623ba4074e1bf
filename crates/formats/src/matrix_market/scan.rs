//! Lines, fields and numbers, each field with its place in the file.
//!
//! It must never know what a field means.

/// A piece of the file and the byte offset it starts at. A missing field is an empty one.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) offset: usize,
    pub(super) text: &'a [u8],
}

/// Splits the file into lines that may hold data, one after the other.
pub(super) struct Lines<'a> {
    text: &'a [u8],
    offset: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, offset: 0 }
    }

    /// The very next line, blank or not; an empty one at the end of the file.
    pub(super) fn any(&mut self) -> Fields<'a> {
        let rest = &self.text[self.offset..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let line = Fields { text: &rest[..length], offset: self.offset };
        self.offset = (self.offset + length + 1).min(self.text.len());
        line
    }

    /// Where the next line begins.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// How many bytes are left.
    pub(super) fn remaining(&self) -> usize {
        self.text.len() - self.offset
    }
}

/// Gives the lines with data: neither blank nor comments.
impl<'a> Iterator for Lines<'a> {
    type Item = Fields<'a>;

    fn next(&mut self) -> Option<Fields<'a>> {
        while self.offset < self.text.len() {
            let line = self.any().trimmed();
            if line.text.first().is_some_and(|&byte| byte != b'%') {
                return Some(line);
            }
        }
        None
    }
}

/// What is left of a line, taken field by field.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    text: &'a [u8],
    offset: usize,
}

impl<'a> Fields<'a> {
    /// The next field, empty at the end of the line: then it stands right behind the last one.
    pub(super) fn take(&mut self) -> Field<'a> {
        let length = self.text.iter().position(u8::is_ascii_whitespace).unwrap_or(self.text.len());
        let (text, rest) = self.text.split_at(length);
        let field = Field { offset: self.offset, text };
        *self = Fields { text: rest, offset: self.offset + length };
        if !rest.trim_ascii_start().is_empty() {
            *self = self.trimmed();
        }
        field
    }

    /// All that is left, without the blanks around it.
    pub(super) fn rest(&self) -> Field<'a> {
        let Fields { text, offset } = self.trimmed();
        Field { offset, text: text.trim_ascii_end() }
    }

    /// Without leading blanks.
    pub(super) fn trimmed(self) -> Self {
        let text = self.text.trim_ascii_start();
        Fields { text, offset: self.offset + self.text.len() - text.len() }
    }
}

/// An unsigned decimal integer: digits only, at most `u64::MAX`.
pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
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
pub(super) fn real(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let number = text.parse().or_else(|_| text.replace(['D', 'd'], "e").parse::<f64>()).ok()?;
    // Also refuses the words that `parse` knows, "inf" and "nan", and what overflows.
    number.is_finite().then_some(number)
}

/// An integer that a double holds exactly: at most 2^53 either way.
pub(super) fn integer(text: &[u8]) -> Option<f64> {
    const LARGEST: u64 = 1 << f64::MANTISSA_DIGITS;
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let magnitude = unsigned(digits).filter(|&number| number <= LARGEST)? as f64;
    Some(if text.starts_with(b"-") { -magnitude } else { magnitude })
}
