//! `#[program]`: a struct becomes a program that a person can choose, with its inputs and the state of each node.
//!
//! | module | contents |
//! |---|---|
//! | `structure` | reads the struct and its options |
//! | `field` | reads one field: an input, a table, an event, … |
//! | `write` | writes the implementation of `Protocol`, the inputs and the entry |
//!
//! This module must never know the work of handlers.

mod field;
mod structure;
mod write;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, Result};

use self::structure::Structure;
use crate::names::tempest;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let item: DeriveInput = syn::parse2(item)?;
    let tempest = tempest();
    let read = Structure::read(options, &item);
    Ok(match read {
        Ok(structure) => write::program(&structure, &tempest),
        Err(mistake) => {
            let (mistake, rest) = (mistake.to_compile_error(), in_place_of(item, &tempest));
            quote!(#mistake #rest)
        }
    })
}

/// Writes a stand-in for a program with a mistake: enough for the compiler to report nothing else about the program.
fn in_place_of(mut item: DeriveInput, tempest: &TokenStream) -> TokenStream {
    if let syn::Data::Struct(data) = &mut item.data {
        for field in &mut data.fields {
            field.attrs.retain(|attribute| attribute.path().is_ident("cfg"));
        }
    }
    let (of, visibility) = (&item.ident, &item.vis);
    let inputs = structure::inputs_of(of);
    let item = item.to_token_stream();
    quote! {
        #[allow(dead_code)]
        #item
        #[allow(dead_code)]
        #visibility struct #inputs {}
        impl #tempest::Protocol for #of {
            type Config = ();
            fn install(_: &(), _: &mut #tempest::Setup<'_>) -> Self {
                loop {}
            }
        }
        impl #of {
            #[allow(dead_code)]
            #visibility const ENTRY: #tempest::entry::Entry = #tempest::entry::Entry {
                name: "",
                summary: "",
                mechanisms: &[],
                inputs: &[],
                load: |_| loop {},
            };
        }
    }
}
