//! Names with at most one `*`, which stands for any text, and values by such names. This module must never know the named things.

use std::collections::HashMap;

/// A name, or a family of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Reads a pattern; `None` if it has more than one `*`.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (text.matches('*').count() <= 1).then_some(Self(text))
    }

    /// Text that the `*` stands for if `name` is of the family; empty for a pattern without a `*`.
    ///
    /// ```
    /// let pattern = tradewind_lab::pattern::Pattern::new("gap.*.cm5").unwrap();
    /// assert_eq!(pattern.capture("gap.get.cm5"), Some("get"));
    /// assert_eq!(pattern.capture("gap2.get.cm5"), None);
    /// ```
    pub fn capture<'n>(&self, name: &'n str) -> Option<&'n str> {
        match self.0.split_once('*') {
            None => (self.0 == name).then_some(""),
            Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
        }
    }

    /// The name of the family for which the `*` stands for `part`.
    pub fn fill(&self, part: &str) -> String {
        self.0.replacen('*', part, 1)
    }

    /// The names of the family with `before` in front.
    pub(crate) fn behind(&self, before: &str) -> Self {
        Self(format!("{before}{}", self.0))
    }

    /// Whether a name may be of both families, judged by the texts before and behind each `*`.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let parts = |pattern: &'_ Self| {
            pattern.0.split_once('*').map(|(before, after)| (before.to_owned(), after.to_owned()))
        };
        let (Some(one), Some(two)) = (parts(self), parts(other)) else { return self.0 == other.0 };
        (one.0.starts_with(&two.0) || two.0.starts_with(&one.0))
            && (one.1.ends_with(&two.1) || two.1.ends_with(&one.1))
    }

    /// Text of the pattern.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it stands for many names.
    pub fn is_family(&self) -> bool {
        self.0.contains('*')
    }
}

/// Values by pattern. A value of a name that is written out precedes the values of families; of two values of one such name the
/// last counts, of two families of a name the first.
pub(crate) struct ByPattern<'p, T> {
    exact: HashMap<&'p str, T>,
    families: Vec<(&'p Pattern, T)>,
}

impl<T> ByPattern<'_, T> {
    /// The value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        let family = || self.families.iter().find(|(pattern, _)| pattern.capture(name).is_some());
        self.exact.get(name).or_else(|| family().map(|(_, value)| value))
    }
}

impl<'p, T> FromIterator<(&'p Pattern, T)> for ByPattern<'p, T> {
    fn from_iter<I: IntoIterator<Item = (&'p Pattern, T)>>(values: I) -> Self {
        let (families, exact): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|(pattern, _)| pattern.is_family());
        Self { exact: exact.into_iter().map(|(pattern, value)| (pattern.text(), value)).collect(), families }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_gives_back_what_it_took() {
        let (from, to) = (Pattern::new("gap2.*").unwrap(), Pattern::new("a.gap2.*.now.np").unwrap());
        assert_eq!(to.fill(from.capture("gap2.get").unwrap()), "a.gap2.get.now.np");
        assert_eq!(Pattern::new("rtt.am").unwrap().capture("rtt.am"), Some(""));
        // Overlapping parts do not count twice.
        assert_eq!(Pattern::new("aa*aa").unwrap().capture("aaa"), None);
        assert_eq!(Pattern::new("*.*"), None);
    }

    #[test]
    fn a_name_written_out_precedes_families() {
        let patterns = ["gap.*", "gap.*.now", "gap.get", "gap.get"].map(|text| Pattern::new(text).unwrap());
        let values: ByPattern<'_, usize> = patterns.iter().zip(0..).collect();
        let found = ["gap.get", "gap.put", "gap.put.now", "rtt"].map(|name| values.get(name).copied());
        assert_eq!(found, [Some(3), Some(0), Some(0), None]);
    }
}
