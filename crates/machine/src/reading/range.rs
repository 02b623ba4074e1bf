//! The range of a key's values. A type of values has a range; a row that needs another one states it behind `=>`. The check, its error
//! and the table of `docs/machine-file.md` follow from that. This module must never know a particular key.

/// The range of a number in a machine file, in the file's spelling, and the reason for its upper end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least allowed value, such as `1 B`.
    pub least: &'static str,
    /// The greatest allowed value, such as `64 KiB`.
    pub most: &'static str,
    /// The reason for the greatest value, such as `a bus moves it in one piece`.
    pub why: &'static str,
}

/// Makes a range for a row.
pub(crate) const fn range(least: &'static str, most: &'static str, why: &'static str) -> Range {
    Range { least, most, why }
}

/// A key for a number in a machine file, stated or not, with the range of the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangedKey {
    /// The dotted key, such as `memory.banks.count`.
    pub key: String,
    /// The kind of the value, such as `count` or `time`.
    pub kind: &'static str,
    /// The range of this key's values.
    pub range: Range,
    /// Whether `range` is the usual range of the kind, not a range of this key alone.
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
