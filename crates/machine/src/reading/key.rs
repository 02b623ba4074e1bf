//! The types of values in a machine file, and their parsers. The type of a field selects the parser of its key. This module must
//! never know a particular key.

use std::fmt::Display;

use units::{Bandwidth, Bytes, Frequency, Quantity, Rate, Span, Time};

use super::clocks::{Clocks, NO_CLOCK};
use super::range::{self, Number, Range, RangedKey};
use super::reader::Raw;
use super::section::Section;

/// A type that a section's field can have: a [`Scalar`], a section, or an `Option` of either, whose key may be absent.
pub(crate) trait Key: Sized {
    /// The expected value, as the error of a missing key states it.
    fn expected() -> &'static str;

    /// Whether file or command line give the key.
    fn is_given(section: &Section<'_>, key: &'static str) -> bool {
        section.has(key)
    }

    /// Reads the key; `None` if it is missing or wrong, which has then been reported.
    fn read(section: &Section<'_>, key: &'static str) -> Option<Self>;
}

/// A single value: a number, a quantity with its unit, yes or no.
pub(crate) trait Scalar: Display + Sized {
    /// The expected value, as an error states it: `a size such as "16 B"`.
    const FORM: &'static str;

    /// The kind and the range of numbers of this type; `None` where the values are no numbers.
    const NUMBER: Option<Number> = None;

    /// Converts a value; cycles are of `clocks`. The error is the expected form.
    fn understand(raw: Raw<'_>, clocks: Clocks) -> Result<Self, String>;

    /// Whether this is a number greater than `other`.
    fn exceeds(&self, _other: &Self) -> bool {
        false
    }
}

impl<T: Scalar> Key for T {
    fn expected() -> &'static str {
        T::FORM
    }

    fn is_given(section: &Section<'_>, key: &'static str) -> bool {
        section.offer::<T>(key);
        section.has(key)
    }

    fn read(section: &Section<'_>, key: &'static str) -> Option<Self> {
        section.offer::<T>(key);
        let found = section.require(key, T::FORM)?;
        section.convert(key, found, |raw| section.understand(key, raw))
    }
}

impl<T: Key> Key for Option<T> {
    fn expected() -> &'static str {
        T::expected()
    }

    fn is_given(section: &Section<'_>, key: &'static str) -> bool {
        T::is_given(section, key)
    }

    fn read(section: &Section<'_>, key: &'static str) -> Option<Self> {
        if T::is_given(section, key) { T::read(section, key).map(Some) } else { Some(None) }
    }
}

/// Implements [`Scalar`] for numbers: the text of the expected form, the kind with its range, and the conversion.
macro_rules! numbers {
    ($($type:ty: $form:expr, $number:expr, |$raw:ident, $clock:pat_param| $understood:expr;)*) => {$(
        impl Scalar for $type {
            const FORM: &'static str = $form;
            const NUMBER: Option<Number> = Some($number);

            fn understand($raw: Raw<'_>, $clock: Clocks) -> Result<Self, String> {
                $understood
            }

            fn exceeds(&self, other: &Self) -> bool {
                self > other
            }
        }
    )*};
}

numbers! {
    Bytes: <Bytes as Quantity>::EXPECTED, range::SIZE, |raw, _| parsed(raw);
    Frequency: <Frequency as Quantity>::EXPECTED, range::FREQUENCY, |raw, _| parsed(raw);
    Time: Span::EXPECTED, range::TIME, |raw, clocks| {
        let span = parsed::<Span>(raw)?;
        span.resolve(clocks.own, clocks.bus).ok_or_else(|| NO_BUS.to_owned())
    };
    Bandwidth: Rate::EXPECTED, range::BANDWIDTH, |raw, clocks| Ok(parsed::<Rate>(raw)?.resolve(clocks.own));
    u32: COUNT, range::COUNT, |raw, _| count(raw).ok_or_else(|| COUNT.to_owned());
    usize: COUNT, range::COUNT, |raw, _| count(raw).ok_or_else(|| COUNT.to_owned());
}

impl Scalar for bool {
    const FORM: &'static str = "true or false";

    fn understand(raw: Raw<'_>, _: Clocks) -> Result<Self, String> {
        raw.boolean().ok_or_else(|| Self::FORM.to_owned())
    }
}

const NO_BUS: &str = "a time without bus cycles, because the machine has no [bus] that would count them";
const COUNT: &str = "a whole number from 1, such as 8";

fn parsed<Q: Quantity>(raw: Raw<'_>) -> Result<Q, String> {
    let text = raw.text().ok_or_else(|| Q::EXPECTED.to_owned())?;
    text.parse().map_err(|error: units::ParseError| error.expected())
}

/// A whole number of at least 1. A number too great for its type is the greatest of the type, and so is beyond the
/// range of its key.
pub(super) fn count<N: TryFrom<i64>>(raw: Raw<'_>) -> Option<N> {
    let count = raw.integer().filter(|&count| count >= 1)?;
    N::try_from(count.min(u32::MAX.into())).ok()
}

/// Reads a key by the function `how`, which stands behind `=` in a row.
pub(crate) fn read<'a, T>(
    section: &Section<'a>,
    key: &'static str,
    how: impl FnOnce(&Section<'a>, &'static str) -> Option<T>,
) -> Option<T> {
    how(section, key)
}

/// Reads a quantity above zero.
pub(crate) fn above_zero<T: Scalar + Default + PartialEq>(
    section: &Section<'_>,
    key: &'static str,
) -> Option<T> {
    let expected = T::FORM;
    section.offer::<T>(key);
    let found = section.require(key, expected)?;
    section.convert(key, found, |raw| match section.understand(key, raw)? {
        zero if zero == T::default() => Err(format!("{expected} above zero")),
        value => Ok(value),
    })
}

/// Reads a key that may be absent: its type's default then stands for it.
pub(crate) fn or_default<T: Key + Default>(section: &Section<'_>, key: &'static str) -> Option<T> {
    if T::is_given(section, key) { T::read(section, key) } else { Some(T::default()) }
}

/// Reads a whole number of at least 1 that may be absent: it is 1 unless stated.
pub(crate) fn one_unless_stated(section: &Section<'_>, key: &'static str) -> Option<usize> {
    Some(section.key::<Option<usize>>(key)?.unwrap_or(1))
}

/// Reads a key that is required on a condition. Where the key is absent, its type's default stands for it.
pub(crate) fn required_if<T: Key + Default>(
    condition: bool,
) -> impl FnOnce(&Section<'_>, &'static str) -> Option<T> {
    move |section, key| {
        if condition {
            section.expect(key, T::expected());
        }
        or_default(section, key)
    }
}

/// Reads a key that may be absent: its type's default then stands for it. Where the key is given, the key `other` must be given
/// too.
pub(crate) fn with<T: Key + Default>(
    other: &'static str,
    expected: &str,
) -> impl FnOnce(&Section<'_>, &'static str) -> Option<T> {
    move |section, key| {
        if section.gives(key) {
            section.expect(other, expected);
        }
        or_default(section, key)
    }
}

/// Reads the clock that the cycles of this section count.
pub(crate) fn own_clock(section: &Section<'_>, key: &'static str) -> Option<Frequency> {
    let stated = section.key(key);
    section.count_cycles_of(stated.unwrap_or(NO_CLOCK));
    stated
}

/// Reads a whole number of at least 1, or the word "unlimited", which is `None`.
pub(crate) fn unlimited(section: &Section<'_>, key: &'static str) -> Option<Option<usize>> {
    count_or("unlimited", "a whole number from 1, such as 16, or \"unlimited\"", section, key)
}

/// Reads a whole number of at least 1, or the word "never", which is `None`.
pub(crate) fn never(section: &Section<'_>, key: &'static str) -> Option<Option<u32>> {
    count_or("never", "a whole number from 1, such as 8, or \"never\"", section, key)
}

fn count_or<N: Scalar>(
    none: &str,
    expected: &str,
    section: &Section<'_>,
    key: &'static str,
) -> Option<Option<N>> {
    section.offer::<N>(key);
    let found = section.require(key, expected)?;
    if found.raw.text() == Some(none) {
        section.keep(key, found, none.to_owned());
        return Some(None);
    }
    let say = |why: String| why.replacen(N::FORM, expected, 1);
    section.convert(key, found, |raw| section.understand::<N>(key, raw).map_err(say)).map(Some)
}

impl Section<'_> {
    /// Converts a value, and checks that a number is in the range of its key. The error is the expected form.
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

    /// The range of a key: its row's range, or else its type's. `None` for a value that is no number.
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

    /// Reads a key as its type says.
    pub(crate) fn key<T: Key>(&self, key: &'static str) -> Option<T> {
        T::read(self, key)
    }

    /// Reads a text that `accept` accepts.
    pub(crate) fn text(
        &self,
        key: &'static str,
        expected: &str,
        accept: impl FnOnce(&str) -> bool,
    ) -> Option<String> {
        let found = self.require(key, expected)?;
        self.convert(key, found, |raw| {
            raw.text().filter(|text| accept(text)).map(str::to_owned).ok_or_else(|| expected.to_owned())
        })
    }

    /// Reads a word out of two. Returns whether it is `word`.
    pub(crate) fn is_word(&self, key: &'static str, word: &str, words: [&str; 2]) -> Option<bool> {
        let expected = words.map(|word| format!("{word:?}")).join(" or ");
        self.text(key, &expected, |text| words.contains(&text)).map(|text| text == word)
    }

    /// Reads a key if it is given; `Some(None)` where it is not.
    pub(crate) fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.has(key) { read(self).map(Some) } else { Some(None) }
    }

    /// Reads a section if it is given; `Some(None)` where it is not.
    pub(crate) fn optional_section<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.gives(key) { self.section(key, read).map(Some) } else { Some(None) }
    }
}
