//! The known name probably meant by an unknown one, for "did you mean". This module must never know the named things.

/// The least likeness of two names, 0 to 1 by Jaro and Winkler, at which one is offered for the other.
const LIKENESS: f64 = 0.7;

/// Maximum length of an offered name, as a multiple of the length of the unknown one.
const LONGER: usize = 3;

/// The known name most like `unknown`, whose capitals count as small letters; `None` if no name is alike.
///
/// ```
/// use tradewind_units::names::nearest;
/// assert_eq!(nearest("istogram", ["histogram", "em3d"]), Some("histogram"));
/// assert_eq!(nearest("zzz", ["histogram", "em3d"]), None);
/// ```
pub fn nearest<'k>(unknown: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let unknown = unknown.to_lowercase();
    let letters = unknown.chars().count();
    // A letter or two are found in nearly every long name.
    let known = known.into_iter().filter(|known| known.chars().count() <= LONGER * letters);
    let likeness = known.into_iter().map(|known| (strsim::jaro_winkler(&unknown, known), known));
    let (likeness, nearest) = likeness.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness >= LIKENESS).then_some(nearest)
}

/// The known name of which `unknown` is probably a typing error: at most two letters, or a third of a long name, are wrong,
/// missing, too many or exchanged. For dotted names, whose common beginnings would make [`nearest`] find any two alike.
///
/// ```
/// use tradewind_units::names::nearest_slip;
/// assert_eq!(nearest_slip("network.latncy", ["network.latency", "clock"]), Some("network.latency"));
/// assert_eq!(nearest_slip("network.speed", ["network.latency", "clock"]), None);
/// ```
pub fn nearest_slip<'k>(unknown: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let slips = known.into_iter().map(|known| (strsim::damerau_levenshtein(unknown, known), known));
    let (slips, nearest) = slips.min_by_key(|(slips, _)| *slips)?;
    (slips <= (unknown.len() / 3).max(2)).then_some(nearest)
}

/// ` did you mean …?` with the known name most like `unknown`, to stand in an error text; empty if no name is alike.
///
/// ```
/// use tradewind_units::names::did_you_mean;
/// assert_eq!(did_you_mean("istogram", ["histogram", "em3d"]), " did you mean `histogram`?");
/// assert_eq!(did_you_mean("zzz", ["histogram", "em3d"]), "");
/// ```
pub fn did_you_mean<'k>(unknown: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(unknown, known).map_or(String::new(), |nearest| format!(" did you mean `{nearest}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_do_not_matter() {
        assert_eq!(nearest("SINGLE", ["fixed", "single"]), Some("single"));
        assert_eq!(nearest("anything", []), None);
    }

    #[test]
    fn a_sign_is_no_slip_of_a_long_name() {
        assert_eq!(nearest("-", ["pdq-table1", "split-c"]), None);
        assert_eq!(nearest("hist", ["histogram", "em3d"]), Some("histogram"));
        assert_eq!(nearest("np", ["n", "inject"]), Some("n"));
    }
}
