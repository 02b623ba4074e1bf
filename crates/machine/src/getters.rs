//! What a value of a machine file can be, and how it is understood. Knows no particular key.

use std::fmt::Display;

use units::{Bandwidth, Frequency, Quantity, Rate, Span, Time};

use crate::reader::{Found, Raw};
use crate::section::Section;

impl<'a> Section<'a> {
    /// A text that `accept` accepts.
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

    /// A whole number of at least 1 that fits `N`.
    pub(crate) fn count<N: TryFrom<i64> + Display>(&self, key: &'static str) -> Option<N> {
        const EXPECTED: &str = "a whole number from 1, such as 8";
        let found = self.require(key, EXPECTED)?;
        self.convert(key, found, |raw| count(raw).ok_or_else(|| EXPECTED.to_owned()))
    }

    /// A whole number of at least 1, or the word "unlimited", which is read as an inner `None`.
    pub(crate) fn limit(&self, key: &'static str) -> Option<Option<usize>> {
        const EXPECTED: &str = "a whole number from 1, such as 16, or \"unlimited\"";
        let found = self.require(key, EXPECTED)?;
        self.bound(key, found, "unlimited", EXPECTED)
    }

    fn bound<N: TryFrom<i64> + Display>(
        &self,
        key: &'static str,
        found: Found<'a>,
        none: &'static str,
        expected: &str,
    ) -> Option<Option<N>> {
        let bound = self.convert(key, found, |raw| match raw.text() {
            Some(text) if text == none => Ok(Bound { number: None, none }),
            _ => count(raw)
                .map(|number| Bound { number: Some(number), none })
                .ok_or_else(|| expected.to_owned()),
        });
        bound.map(|bound| bound.number)
    }

    /// A quantity with its unit.
    pub(crate) fn quantity<Q: Quantity>(&self, key: &'static str) -> Option<Q> {
        self.resolved(key, |quantity: Q| quantity)
    }

    /// A quantity above what `Default` makes: zero.
    pub(crate) fn quantity_above_zero<Q: Quantity + Default + PartialEq>(
        &self,
        key: &'static str,
    ) -> Option<Q> {
        let found = self.require(key, Q::EXPECTED)?;
        self.convert(key, found, |raw| above_zero(parsed::<Q>(raw)?, Q::EXPECTED))
    }

    /// A duration, in cycles of `clock` or absolute.
    pub(crate) fn time(&self, key: &'static str, clock: Frequency) -> Option<Time> {
        self.resolved(key, |span: Span| span.resolve(clock))
    }

    /// A duration above zero.
    pub(crate) fn time_above_zero(&self, key: &'static str, clock: Frequency) -> Option<Time> {
        let found = self.require(key, Span::EXPECTED)?;
        self.convert(key, found, |raw| above_zero(parsed::<Span>(raw)?.resolve(clock), Span::EXPECTED))
    }

    /// A bandwidth, per cycle of `clock` or absolute.
    pub(crate) fn bandwidth(&self, key: &'static str, clock: Frequency) -> Option<Bandwidth> {
        self.resolved(key, |rate: Rate| rate.resolve(clock))
    }

    fn resolved<Q: Quantity, T: Display>(
        &self,
        key: &'static str,
        resolve: impl FnOnce(Q) -> T,
    ) -> Option<T> {
        let found = self.require(key, Q::EXPECTED)?;
        self.convert(key, found, |raw| parsed(raw).map(resolve))
    }

    /// A duration that is `default` unless stated.
    pub(crate) fn time_or(&self, key: &'static str, clock: Frequency, default: Time) -> Option<Time> {
        self.optional(key, |section| section.time(key, clock)).map(|time| time.unwrap_or(default))
    }

    /// What `read` makes of a key; `Some(None)` where it is not given.
    pub(crate) fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.has(key) { read(self).map(Some) } else { Some(None) }
    }

    /// What `read` makes of a section; `Some(None)` if the file has no such section.
    pub(crate) fn optional_section<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.gives(key) { self.section(key, read).map(Some) } else { Some(None) }
    }

    /// Yes or no.
    pub(crate) fn flag(&self, key: &'static str) -> Option<bool> {
        const EXPECTED: &str = "true or false";
        let found = self.require(key, EXPECTED)?;
        self.convert(key, found, |raw| raw.boolean().ok_or_else(|| EXPECTED.to_owned()))
    }

    /// A whole number of at least 1, or the word "never", which is read as an inner `None`.
    pub(crate) fn count_or_never(&self, key: &'static str) -> Option<Option<u32>> {
        const EXPECTED: &str = "a whole number from 1, such as 8, or \"never\"";
        let found = self.require(key, EXPECTED)?;
        self.bound(key, found, "never", EXPECTED)
    }
}

/// A bound that may be absent, which its file says with a word; only so that it can be printed.
struct Bound<N> {
    number: Option<N>,
    none: &'static str,
}

impl<N: Display> Display for Bound<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.number {
            Some(number) => number.fmt(f),
            None => f.write_str(self.none),
        }
    }
}

/// A whole number of at least 1.
pub(crate) fn count<N: TryFrom<i64>>(raw: Raw<'_>) -> Option<N> {
    raw.integer().filter(|&count| count >= 1).and_then(|count| N::try_from(count).ok())
}

fn parsed<Q: Quantity>(raw: Raw<'_>) -> Result<Q, String> {
    let text = raw.text().ok_or_else(|| Q::EXPECTED.to_owned())?;
    text.parse().map_err(|error: units::ParseError| error.expected())
}

fn above_zero<T: Default + PartialEq>(value: T, expected: &str) -> Result<T, String> {
    if value == T::default() { Err(format!("{expected} above zero")) } else { Ok(value) }
}
