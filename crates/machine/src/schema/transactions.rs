//! The bus transactions of a processor's operation, and how a machine file states them. This module must never know a bus or a
//! primitive.

use std::fmt::{self, Display, Formatter};

use crate::reading::Section;

/// One transaction on the memory bus that moves no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// An address alone: a device takes a line away from a cache.
    Invalidate,
    /// A line is read from a device: a device register that can be cached.
    Line,
    /// A word is read from a device.
    Read,
    /// A word is written to a device.
    Write,
    /// A line comes from the cache of another processor.
    Transfer,
}

impl Transaction {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 5] = [Self::Invalidate, Self::Line, Self::Read, Self::Write, Self::Transfer];
    /// The names of all kinds in machine files, in the order of declaration.
    pub const NAMES: [&'static str; 5] = ["invalidate", "line", "read", "write", "transfer"];
}

/// The bus transactions of one use of a primitive: a number of each kind, at most 255. A processor makes them one after the
/// other, in the order of [`Transaction::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transactions([u8; 5]);

impl Transactions {
    /// No transactions.
    pub const NONE: Self = Self([0; 5]);

    /// One transaction.
    pub fn one(kind: Transaction) -> Self {
        let mut counts = Self::NONE;
        counts.0[kind as usize] = 1;
        counts
    }

    /// Whether the primitive makes no transaction.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// The transactions of `count` uses.
    pub fn times(self, count: u64) -> Self {
        if self.is_empty() {
            return self;
        }
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        Self(self.0.map(|each| each.saturating_mul(count)))
    }

    /// The transactions of two primitives together.
    pub fn and(self, other: Self) -> Self {
        if other.is_empty() {
            return self;
        }
        Self(std::array::from_fn(|kind| self.0[kind].saturating_add(other.0[kind])))
    }

    /// Yields each transaction.
    pub fn iter(self) -> impl Iterator<Item = Transaction> {
        self.counts().flat_map(|(kind, count)| (0..count).map(move |_| kind))
    }

    /// Yields each kind that the primitive makes, with its number.
    pub fn counts(self) -> impl Iterator<Item = (Transaction, u64)> {
        let all = Transaction::ALL.into_iter().zip(self.0);
        all.filter(|&(_, count)| count > 0).map(|(kind, count)| (kind, count.into()))
    }

    /// Parses a sum such as "invalidate + line"; "none" is the empty sum.
    fn parse(text: &str) -> Option<Self> {
        let mut counts = Self::NONE;
        for name in text.split('+').map(str::trim).filter(|_| text != NONE) {
            let kind = Transaction::NAMES.iter().position(|known| *known == name)?;
            counts.0[kind] = counts.0[kind].checked_add(1)?;
        }
        Some(counts)
    }
}

/// The text by which a file removes the transactions that its base file states.
const NONE: &str = "none";

impl Display for Transactions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(|kind| Transaction::NAMES[kind as usize]).collect();
        f.write_str(if names.is_empty() { NONE } else { "" })?;
        f.write_str(&names.join(" + "))
    }
}

impl Section<'_> {
    /// Reads a key that states transactions; the result is `base` where it is not given.
    pub(crate) fn transactions(&self, key: &'static str, base: Transactions) -> Option<Transactions> {
        const EXPECTED: &str =
            "transactions such as \"invalidate + line\", of invalidate, line, read, write, transfer";
        let stated = self.optional(key, |section| {
            let found = section.require(key, EXPECTED)?;
            let parse = |text: &str| Transactions::parse(text).ok_or_else(|| EXPECTED.to_owned());
            section.convert(key, found, |raw| parse(raw.text().unwrap_or_default()))
        });
        stated.map(|stated| stated.unwrap_or(base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_written_as_a_sum() {
        let dispatch = Transactions::parse("line+ invalidate").unwrap();
        assert_eq!(dispatch.to_string(), "invalidate + line");
        assert_eq!(Transactions::parse("write + write").unwrap().iter().count(), 2);
        assert!(Transactions::parse("none").unwrap().is_empty());
        assert_eq!(dispatch.times(2).and(dispatch).0, [3, 3, 0, 0, 0]);
        assert_eq!((Transactions::parse("lines"), Transactions::parse("")), (None, None));
    }
}
