//! The range of a key's values. A type of values has a range; a row that needs another one states it behind `=>`. The check, its error
//! and the table of `docs/machine-file.md` follow from that. This module must never know a particular key.

use super::key::Scalar;
use super::reader::Raw;
use super::section::Section;

/// The least and the greatest value of a key, as a file writes them, and the reason for the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least value that is allowed.
    pub least: &'static str,
    /// The greatest value that is allowed.
    pub most: &'static str,
    /// The reason for the greatest value.
    pub why: &'static str,
}

/// Makes a range for a row.
pub(crate) const fn range(least: &'static str, most: &'static str, why: &'static str) -> Range {
    Range { least, most, why }
}

/// A key that stands in a machine file, or could, with the range of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangedKey {
    /// The dotted key, such as `memory.banks.count`.
    pub key: String,
    /// The kind of the value, such as `count` or `time`.
    pub kind: &'static str,
    /// The values that are allowed.
    pub range: Range,
    /// Whether the range is that of every value of its kind.
    pub is_usual: bool,
}

/// The kind of the numbers of a type, and the range of a number whose row states no other.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(super) kind: &'static str,
    pub(super) range: Range,
}

pub(super) const COUNT: Number = number("count", "1", "65536", "a model keeps each of them");
pub(super) const SIZE: Number =
    number("size", "0 B", "1 GiB", "no part of a node that is modelled was larger");
pub(super) const BANDWIDTH: Number =
    number("bandwidth", "10 kB/s", "1000000 GB/s", "that is a byte each femtosecond");
pub(super) const FREQUENCY: Number =
    number("frequency", "1 Hz", "1000 GHz", "its cycle has 1000 fs, the steps of time");
pub(super) const TIME: Number = number("time", "0 s", "18000 s", "modelled time ends after 18446 s");

const fn number(kind: &'static str, least: &'static str, most: &'static str, why: &'static str) -> Number {
    Number { kind, range: range(least, most, why) }
}

impl Section<'_> {
    /// Understands a value, and checks that a number is in the range of its key. The error says what was expected.
    pub(super) fn understand<T: Scalar>(&self, key: &'static str, raw: Raw<'_>) -> Result<T, String> {
        let value = T::understand(raw, self.clocks())?;
        let Some(Range { least, most, why }) = self.range_of::<T>(key) else { return Ok(value) };
        let end = |text| T::understand(Raw::Given(text), self.clocks());
        match (end(least), end(most)) {
            (Ok(least_value), _) if least_value.exceeds(&value) => {
                Err(format!("{}, at least {least}", T::FORM))
            }
            (_, Ok(most_value)) if value.exceeds(&most_value) => {
                Err(format!("{}, at most {most}: {why}", T::FORM))
            }
            _ => Ok(value),
        }
    }

    /// The range of a key: that of its row, or else that of its type. `None` for a value that is no number.
    fn range_of<T: Scalar>(&self, key: &'static str) -> Option<Range> {
        T::NUMBER.map(|number| self.stated_range(key).unwrap_or(number.range))
    }

    /// Notes that the key could be given, for [`Machine::keys`](crate::Machine::keys).
    pub(super) fn offer<T: Scalar>(&self, key: &'static str) {
        if let (true, Some(number), Some(range)) =
            (self.reader.all_keys(), T::NUMBER, self.range_of::<T>(key))
        {
            let is_usual = range == number.range;
            self.reader.offer(RangedKey { key: self.dotted(key), kind: number.kind, range, is_usual });
        }
    }
}
