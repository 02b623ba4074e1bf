//! Writes the implementation of `Inputs`: the list of inputs, the reading of their values, and the facts that a run prints.
//!
//! This module must never know how an attribute spells an input.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::field::{Input, Kind, Listed};

pub(crate) fn implementation(
    of: &Ident,
    inputs: &[&Input],
    checks: bool,
    tempest: &TokenStream,
) -> TokenStream {
    let listed = inputs.iter().map(|input| listed(input, tempest));
    let names: Vec<_> = inputs.iter().map(|input| &input.name).collect();
    let reads = inputs.iter().map(|input| read(input, tempest));
    let facts = inputs.iter().map(|input| fact(input, tempest));
    let check = checks.then(|| {
        quote! {
            fn check(&self) -> ::core::result::Result<(), #tempest::entry::BadInputs> {
                <#of>::check(self).map_err(::core::convert::Into::into)
            }
        }
    });
    let parameter = if inputs.is_empty() { quote!(_) } else { quote!(__reader) };
    quote! {
        impl #tempest::entry::Inputs for #of {
            const INPUTS: &'static [#tempest::entry::Input] = &[#(#listed),*];
            fn read(#parameter: &mut #tempest::entry::Reader<'_>) -> ::core::option::Option<Self> {
                #(let #names = #reads;)*
                ::core::option::Option::Some(Self { #(#names: #names?),* })
            }
            #check
            fn describe(&self) -> ::std::vec::Vec<(&'static str, ::std::string::String)> {
                ::std::vec![#(#facts),*]
            }
        }
    }
}

/// Writes the line for an input in the list of inputs.
fn listed(input: &Input, tempest: &TokenStream) -> TokenStream {
    let meaning = &input.meaning;
    let listed = quote!(#tempest::entry::Input);
    match &input.listed {
        Listed::Like(like) => quote!(#like),
        Listed::Stated { key, default, range, only, free } => {
            let plain = match input.kind {
                Kind::Integer => quote!(#listed::integer(#key, #range, #default, #meaning)),
                Kind::Real => quote!(#listed::real(#key, #range, #default, #meaning)),
                Kind::Text => quote!(#listed::text(#key, #default, #meaning)),
                Kind::File | Kind::SharedFile => quote!(#listed::file(#key, #default, #meaning)),
            };
            let plain = match only.is_empty() {
                true => plain,
                false => quote!(#plain.only(&[#(#tempest::Mechanism::#only),*])),
            };
            match free {
                Some(free) => quote!(#plain.free(#free)),
                None => plain,
            }
        }
    }
}

/// Writes the expression for an input's name on the command line.
fn key(input: &Input, tempest: &TokenStream) -> TokenStream {
    match &input.listed {
        Listed::Like(like) => quote!({ const LISTED: #tempest::entry::Input = #like; LISTED.key }),
        Listed::Stated { key, .. } => quote!(#key),
    }
}

/// Writes the expression that reads an input. The expression gives `None` if the value is wrong.
fn read(input: &Input, tempest: &TokenStream) -> TokenStream {
    let (of, key) = (input.inner(), key(input, tempest));
    let some = quote!(::core::option::Option::Some);
    let value = match input.kind {
        Kind::Integer => quote!(#tempest::expansion::integer::<#of>(__reader, #key)),
        Kind::Real => quote!(#some(__reader.real(#key))),
        Kind::Text => quote!(__reader.named::<#of>(#key)),
        Kind::File => quote!(__reader.file(#key).cloned()),
        Kind::SharedFile => quote!(__reader.file(#key).cloned().map(::std::sync::Arc::new)),
    };
    if input.is_optional {
        let none = quote!(::core::option::Option::None);
        return quote!(if __reader.is_given(#key) { #value.map(#some) } else { #some(#none) });
    }
    value
}

/// Writes the expression for the fact about an input: its name and value.
fn fact(input: &Input, tempest: &TokenStream) -> TokenStream {
    let Input { name, fact, kind, is_optional, .. } = input;
    let key = key(input, tempest);
    let fact = fact.as_ref().map_or_else(|| key.clone(), |fact| quote!(#fact));
    let text = |value: TokenStream| match kind {
        Kind::File | Kind::SharedFile => quote!(#value.name.clone()),
        Kind::Integer | Kind::Real | Kind::Text => quote!(::std::string::ToString::to_string(&#value)),
    };
    if !is_optional {
        let text = text(quote!(self.#name));
        return quote!((#fact, #text));
    }
    let default = match &input.listed {
        Listed::Like(like) => quote!(#like.default),
        Listed::Stated { default, .. } => quote!(#default),
    };
    let text = text(quote!((*value)));
    quote! {
        (#fact, match &self.#name {
            ::core::option::Option::Some(value) => #text,
            ::core::option::Option::None => ::std::string::String::from(#default),
        })
    }
}
