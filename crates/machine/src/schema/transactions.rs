//! The bus transactions of a processor's operation, and how a machine file states them. This module must never know a bus or a
//! primitive.

use std::fmt::{self, Display, Formatter};

use crate::reading::{Clocks, Raw, Scalar};

/// A transaction on the memory bus that moves no block.
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
    /// A line is read from main memory, by a client that keeps no copy.
    Memory,
}

impl Transaction {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 6] =
        [Self::Invalidate, Self::Line, Self::Read, Self::Write, Self::Transfer, Self::Memory];
    /// The names of all kinds in machine files, in the order of declaration.
    pub const NAMES: [&'static str; 6] = ["invalidate", "line", "read", "write", "transfer", "memory"];
}

/// The bus transactions of one use of a primitive: a number of each kind, at most 255. A processor makes them one after the
/// other, in the order of [`Transaction::ALL`].
///
/// The number of each kind is one byte of the word, so that sums and tests take one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transactions(u64);

/// The bits of a number of transactions of one kind.
const BITS: u32 = 8;

/// The highest bit of each number. Two sums of numbers without these bits need no carry.
const HALVES: u64 = 0x8080_8080_8080_8080;

impl Transactions {
    /// No transactions.
    pub const NONE: Self = Self(0);

    /// A single bus transaction, of the kind `kind`.
    #[inline]
    pub fn one(kind: Transaction) -> Self {
        Self(1 << (kind as u32 * BITS))
    }

    /// Whether the primitive makes no transaction.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// The transactions of `count` uses of the primitive; a number beyond 255 saturates.
    #[inline]
    pub fn times(self, count: u64) -> Self {
        if self.is_empty() || count == 1 { self } else { self.many_times(count) }
    }

    #[cold]
    fn many_times(self, count: u64) -> Self {
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        Self(u64::from_le_bytes(self.0.to_le_bytes().map(|each| each.saturating_mul(count))))
    }

    /// The transactions of two primitives together; a number beyond 255 saturates.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        if (self.0 | other.0) & HALVES == 0 {
            return Self(self.0 + other.0);
        }
        self.and_many(other)
    }

    #[cold]
    fn and_many(self, other: Self) -> Self {
        let [one, two] = [self, other].map(|each| each.0.to_le_bytes());
        Self(u64::from_le_bytes(std::array::from_fn(|kind| one[kind].saturating_add(two[kind]))))
    }

    /// The transaction that a processor makes first; `None`: there is none.
    #[inline]
    pub fn first(self) -> Option<Transaction> {
        self.counts().next().map(|(kind, _)| kind)
    }

    /// Removes and returns the transaction that a processor makes first; `None`: there is none.
    #[inline]
    pub fn take_first(&mut self) -> Option<Transaction> {
        let kind = self.first()?;
        self.0 -= Self::one(kind).0;
        Some(kind)
    }

    /// Yields each transaction, in the order in which a processor makes them.
    pub fn iter(self) -> impl Iterator<Item = Transaction> {
        let mut left = self;
        std::iter::from_fn(move || left.take_first())
    }

    /// Bound of the indices of kinds that [`by_number`](Self::by_number) yields.
    pub const NUMBERS: usize = (u64::BITS / BITS) as usize;

    /// Yields each kind that the primitive makes, as an index into [`Transaction::ALL`], with the number of its transactions.
    #[inline]
    pub fn by_number(self) -> impl Iterator<Item = (usize, u64)> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let kind = left.trailing_zeros() / BITS;
            let count = left >> (kind * BITS) & u64::from(u8::MAX);
            left &= !(u64::from(u8::MAX) << (kind * BITS));
            Some((kind as usize, count))
        })
    }

    /// Yields each kind that the primitive makes, with the number of its transactions.
    #[inline]
    pub fn counts(self) -> impl Iterator<Item = (Transaction, u64)> {
        self.by_number().map(|(kind, count)| (Transaction::ALL[kind], count))
    }

    /// Adds a transaction; `None` where the number of its kind would exceed its limit.
    fn and_one(self, kind: Transaction) -> Option<Self> {
        let is_full = self.counts().any(|(made, count)| made == kind && count == u64::from(u8::MAX));
        (!is_full).then(|| self.and(Self::one(kind)))
    }

    /// Parses a sum such as "invalidate + line"; "none" is the empty sum.
    fn parse(text: &str) -> Option<Self> {
        let mut counts = Self::NONE;
        for name in text.split('+').map(str::trim).filter(|_| text != NONE) {
            let kind = Transaction::NAMES.iter().position(|known| *known == name)?;
            counts = counts.and_one(Transaction::ALL[kind])?;
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

impl Scalar for Transactions {
    const FORM: &'static str =
        "transactions such as \"invalidate + line\", of invalidate, line, read, write, transfer, memory";

    fn understand(raw: Raw<'_>, _: Clocks) -> Result<Self, String> {
        raw.text().and_then(Self::parse).ok_or_else(|| Self::FORM.to_owned())
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
        let counts: Vec<_> = dispatch.times(2).and(dispatch).counts().collect();
        assert_eq!(counts, [(Transaction::Invalidate, 3), (Transaction::Line, 3)]);
        assert_eq!((Transactions::parse("lines"), Transactions::parse("")), (None, None));
    }

    /// Transactions of these numbers, made one by one.
    fn of(counts: [u8; 6]) -> Transactions {
        let all = Transaction::ALL.into_iter().zip(counts);
        let each = all.flat_map(|(kind, count)| (0..count).map(move |_| Transactions::one(kind)));
        each.fold(Transactions::NONE, Transactions::and)
    }

    #[test]
    fn sums_and_products_are_those_of_each_number_up_to_its_limit() {
        let some = [[0; 6], [1, 0, 0, 2, 0, 0], [127, 128, 1, 0, 129, 7], [255, 3, 0, 127, 127, 128]];
        for one in some {
            let numbers: Vec<_> = of(one).counts().map(|(kind, count)| (kind as usize, count)).collect();
            let plain = one.into_iter().map(u64::from).enumerate().filter(|&(_, count)| count > 0);
            assert_eq!(numbers, plain.collect::<Vec<_>>());
            for other in some {
                let sum = std::array::from_fn(|kind| one[kind].saturating_add(other[kind]));
                assert_eq!(of(one).and(of(other)), of(sum));
            }
            for count in [0, 1, 2, 300] {
                let product = one.map(|each| (u64::from(each) * count).min(255) as u8);
                assert_eq!(of(one).times(count), of(product));
            }
        }
    }

    #[test]
    fn a_processor_makes_them_in_the_order_of_kinds() {
        let mut made = of([1, 0, 2, 0, 0, 0]);
        let order: Vec<_> = std::iter::from_fn(|| made.take_first()).collect();
        assert_eq!(order, [Transaction::Invalidate, Transaction::Read, Transaction::Read]);
        assert_eq!(of([1, 0, 2, 0, 0, 0]).iter().collect::<Vec<_>>(), order);
        assert_eq!(of([255, 0, 0, 0, 0, 0]).and_one(Transaction::Invalidate), None);
    }
}
