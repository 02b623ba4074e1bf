//! `#[handlers]`: the methods of an `impl` become kinds of messages, and the `impl` becomes the list of them.
//!
//! | module | contents |
//! |---|---|
//! | `block` | reads the `impl`: messages, the parts of a program, everything else |
//! | `method` | reads one `#[message]` method |
//! | `message` | writes the code of one message |
//!
//! Everything else in the `impl` is passed on as it stands. This module must never know how messages travel.

mod block;
mod message;
mod method;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Error, Result};

use self::block::{Block, Item, Part};
use crate::names::tempest;
use crate::options::span_of;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !options.is_empty() {
        return Err(Error::new(span_of(&options), "`#[handlers]` takes no options"));
    }
    let mut block: Block = syn::parse2(item)?;
    let tempest = tempest();
    let program = program(&mut block, &tempest);
    let of = &block.of;
    let mut messages = TokenStream::new();
    let mut methods = TokenStream::new();
    let mut list = TokenStream::new();
    for item in &block.items {
        match item {
            Item::Message(method) => {
                let message = message::write(method, of, &tempest);
                messages.extend(message.items);
                methods.extend(message.methods);
                list.extend(message.addition);
            }
            Item::ByHand(listed) => {
                let (cfgs, path) = (&listed.cfgs, &listed.path);
                list.extend(quote!(#(#cfgs)* messages.add::<#path>();));
            }
            Item::Part(_) => {}
            Item::Other(other) if block.mistakes.is_some() => methods.extend(other.without_body()),
            Item::Other(other) => methods.extend(other.to_token_stream()),
        }
    }
    let attributes = &block.attributes;
    let mistakes = block.mistakes.as_ref().map(Error::to_compile_error);
    let allowed = mistakes.as_ref().map(|_| allowed());
    let parameter = if list.is_empty() { quote!(_) } else { quote!(messages) };
    Ok(quote! {
        #mistakes
        #messages
        #(#attributes)*
        #allowed
        impl #of {
            #methods
        }
        impl #tempest::Handlers for #of {
            fn register(#parameter: &mut #tempest::Messages<'_, Self>) {
                #list
            }
        }
        #program
    })
}

/// Writes the `impl Program` of a protocol with the methods `main` and `report`. A single method of the two is a mistake; with
/// neither, the result is `None`.
fn program(block: &mut Block, tempest: &TokenStream) -> Option<TokenStream> {
    let find = |name: &str| {
        block.items.iter().find_map(|item| match item {
            Item::Part(part) if part.name == name => Some(part),
            _ => None,
        })
    };
    let (main, report) = (find("main"), find("report"));
    let lacks = |part: &Part, what| Error::new(part.name.span(), what);
    let mistake = match (main, report) {
        (None, None) => return None,
        (Some(_), Some(_)) => None,
        (None, Some(report)) => Some(lacks(
            report,
            "a program that reports has threads: expected `fn main(&self, thread: &Thread<'_>) { … }` beside `report`",
        )),
        (Some(main), None) => Some(lacks(
            main,
            "a program checks itself: expected `fn report(&self, end: &mut FinalState<'_>) -> Report { … }` beside `main`",
        )),
    };
    let has_mistakes = mistake.is_some() || block.mistakes.is_some();
    let tokens = |part: &Part| {
        if has_mistakes { part.tokens.without_body() } else { part.tokens.to_token_stream() }
    };
    let main = main.map_or_else(|| quote!(fn main(&self, _: &#tempest::Thread<'_>) {}), tokens);
    let report = report.map_or_else(
        || quote!(fn report(&self, _: &mut #tempest::FinalState<'_>) -> #tempest::Report { loop {} }),
        tokens,
    );
    if let Some(mistake) = mistake {
        block.mistaken(mistake);
    }
    let (of, allowed) = (&block.of, has_mistakes.then(allowed));
    Some(quote!(#allowed impl #tempest::Program for #of { #main #report }))
}

/// Writes an attribute that silences lints about functions that lost their bodies to a mistake elsewhere.
fn allowed() -> TokenStream {
    quote!(#[allow(unused, clippy::all)])
}
