//! Attributes that state a message, an input and a program once. `tempest` re-exports them, with their guide; no
//! crate depends on this crate alone.
//!
//! | module | contents |
//! |---|---|
//! | `handlers` | `#[handlers]`: methods become messages |
//! | `program` | `#[program]`: a struct becomes a program that a person can choose |
//! | `inputs` | `#[derive(Inputs)]`: fields become inputs of a program |
//! | `options` | `name = value` lists inside an attribute |
//! | `names` | spellings of names, the path of `tempest` |
//!
//! This crate must never know worlds, nor any one program.

#![forbid(unsafe_code)]

mod handlers;
mod inputs;
mod names;
mod options;
mod program;

use proc_macro::TokenStream;

/// Makes each `#[message]` method of an `impl` a kind of message. The guide is at `tempest::handlers`.
#[proc_macro_attribute]
pub fn handlers(options: TokenStream, item: TokenStream) -> TokenStream {
    handlers::expand(options.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct a program that a person can choose. The guide is at `tempest::program`.
#[proc_macro_attribute]
pub fn program(options: TokenStream, item: TokenStream) -> TokenStream {
    program::expand(options.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the fields of a struct inputs of a program. The guide is at `tempest::entry::Inputs`.
#[proc_macro_derive(Inputs, attributes(input, inputs))]
pub fn inputs(item: TokenStream) -> TokenStream {
    inputs::expand(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
