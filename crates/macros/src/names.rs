//! Names: how they are spelled, which of several is the nearest, and where `tempest` is found.
//!
//! This module must never know what a name stands for.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The path of the crate `tempest` in the code that is being compiled.
///
/// A crate that depends on `tempest` itself names it, whatever it calls it; one that depends on `tradewind` reaches it there.
pub(crate) fn tempest() -> TokenStream {
    let root = |name: &str| {
        let name = Ident::new(&name.replace('-', "_"), Span::call_site());
        quote!(::#name)
    };
    let found = |package| match crate_name(package) {
        Ok(FoundCrate::Itself) => Some(root(package)),
        Ok(FoundCrate::Name(name)) => Some(root(&name)),
        Err(_) => None,
    };
    found("tradewind-tempest")
        .or_else(|| found("tradewind").map(|tradewind| quote!(#tradewind::tempest)))
        .unwrap_or_else(|| root("tradewind-tempest"))
}

/// `add_one` becomes `AddOne`.
pub(crate) fn camel_case(name: &str) -> String {
    let capitalized = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('_').map(capitalized).collect()
}

/// `AddOne` becomes `add-one`.
pub(crate) fn kebab_case(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// The name that is most like `unknown`, if one is like it at all: at most a third of its letters differ.
pub(crate) fn nearest<'n>(unknown: &str, known: &[&'n str]) -> Option<&'n str> {
    let distances = known.iter().map(|name| (distance(unknown, name), *name));
    distances.min().filter(|(distance, name)| 3 * distance <= name.len().max(3)).map(|(_, name)| name)
}

/// How many letters must be added, removed or replaced to make one word the other (V. I. Levenshtein, *Binary codes capable
/// of correcting deletions, insertions, and reversals*, Soviet Physics Doklady 10, 1966).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (number, letter) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], number + 1);
        for (at, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_in_camel_case() {
        assert_eq!(camel_case("count"), "Count");
        assert_eq!(camel_case("home_lowered"), "HomeLowered");
    }

    #[test]
    fn programs_are_spelled_with_hyphens() {
        assert_eq!(kebab_case("SharedHistogram"), "shared-histogram");
    }

    #[test]
    fn a_misspelled_name_has_a_nearest_and_a_strange_one_has_none() {
        let known = ["key", "class", "volume", "bytes", "payload_word_bytes", "name"];
        assert_eq!(nearest("clas", &known), Some("class"));
        assert_eq!(nearest("volumes", &known), Some("volume"));
        assert_eq!(nearest("ky", &known), Some("key"));
        assert_eq!(nearest("payload_bytes", &known), Some("payload_word_bytes"));
        assert_eq!(nearest("lane", &known), None);
    }

    #[test]
    fn a_distance_counts_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
