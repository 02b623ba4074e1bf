//! Attributes that state a message, an input and a program once. `tempest` re-exports them, with their guide; nobody depends
//! on this crate alone.
//!
//! | module | what it holds |
//! |---|---|
//! | `handlers` | `#[handlers]`: methods become messages |
//! | `options` | `name = value` lists inside an attribute |
//! | `names` | spellings of names, the nearest of several names, the path of `tempest` |
//!
//! This crate must never know what a world is, nor any one program.

#![forbid(unsafe_code)]

mod handlers;
mod names;
mod options;

use proc_macro::TokenStream;

/// Makes each `#[message]` method of an `impl` a kind of message. The guide is at `tempest::handlers`.
#[proc_macro_attribute]
pub fn handlers(options: TokenStream, item: TokenStream) -> TokenStream {
    handlers::expand(options.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
