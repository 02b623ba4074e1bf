//! `#[derive(Inputs)]`: the fields of a struct become the inputs of a program.
//!
//! | module | contents |
//! |---|---|
//! | `field` | reads one field: its range, its default, its meaning |
//! | `write` | writes the implementation of `Inputs` |
//!
//! This module must never know the readers of the inputs.

mod field;
mod write;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Meta, Result};

pub(crate) use self::field::{Input, argument_of, meaning_of};
pub(crate) use self::write::implementation;
use crate::names::tempest;
use crate::options::Options;

/// Names of the options of `#[inputs]`.
const OPTIONS: &[&str] = &["check"];

pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let item: DeriveInput = syn::parse2(item)?;
    let tempest = tempest();
    Ok(read(&item, &tempest).unwrap_or_else(|mistake| {
        let (mistake, rest) = (mistake.to_compile_error(), in_place_of(&item, &tempest));
        quote!(#mistake #rest)
    }))
}

/// Writes a stand-in for a struct of inputs with a mistake: enough for the compiler to report nothing else about the struct.
fn in_place_of(item: &DeriveInput, tempest: &TokenStream) -> TokenStream {
    let of = &item.ident;
    quote! {
        impl #tempest::entry::Inputs for #of {
            const INPUTS: &'static [#tempest::entry::Input] = &[];
            fn read(_: &mut #tempest::entry::Reader<'_>) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
            fn describe(&self) -> ::std::vec::Vec<(&'static str, ::std::string::String)> {
                ::std::vec::Vec::new()
            }
        }
    }
}

fn read(item: &DeriveInput, tempest: &TokenStream) -> Result<TokenStream> {
    let Data::Struct(data) = &item.data else {
        return Err(Error::new_spanned(&item.ident, "inputs are the fields of a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(
            &item.ident,
            "each input is a field with a name: expected `struct Name { … }`",
        ));
    };
    let mut inputs = Vec::new();
    for field in &fields.named {
        let attribute = field.attrs.iter().find(|attribute| attribute.path().is_ident("input"));
        let missing = || Error::new_spanned(field, "expected `#[input(default = …)]` before this field");
        inputs.push(Input::read(field, attribute.ok_or_else(missing)?)?);
    }
    Input::expect_distinct(&inputs)?;
    let checks = checks(item)?;
    Ok(implementation(&item.ident, &inputs.iter().collect::<Vec<_>>(), checks, tempest))
}

/// Whether the struct says, by `#[inputs(check)]`, that it has a method `check`.
fn checks(item: &DeriveInput) -> Result<bool> {
    let Some(attribute) = item.attrs.iter().find(|attribute| attribute.path().is_ident("inputs")) else {
        return Ok(false);
    };
    let Meta::List(list) = &attribute.meta else {
        return Err(Error::new_spanned(attribute, "expected `#[inputs(check)]`"));
    };
    let mut options = Options::read(list.tokens.clone(), "#[inputs]", OPTIONS)?;
    options.flag("check")
}
