//! Conversions between spellings of names, and the path of the crate `tempest`.
//!
//! This module must never know the meaning of a name.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

/// Returns the path of the crate `tempest` in the code that is being compiled.
///
/// A crate that depends on `tempest` itself has it under the name in its manifest. A crate that depends on `tradewind` alone has it
/// as `tradewind::tempest`.
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

/// Converts a name such as `add_one` to `AddOne`, and `r#move` to `Move`.
pub(crate) fn camel_case(name: &Ident) -> String {
    let capitalized = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.unraw().to_string().split('_').map(capitalized).collect()
}

/// Converts a name such as `AddOne` to `add-one`.
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

#[cfg(test)]
mod tests {
    use quote::format_ident;

    use super::*;

    #[test]
    fn types_are_spelled_in_camel_case() {
        assert_eq!(camel_case(&format_ident!("count")), "Count");
        assert_eq!(camel_case(&format_ident!("home_lowered")), "HomeLowered");
        assert_eq!(camel_case(&Ident::new_raw("move", Span::call_site())), "Move");
    }

    #[test]
    fn programs_are_spelled_with_hyphens() {
        assert_eq!(kebab_case("SharedHistogram"), "shared-histogram");
    }
}
