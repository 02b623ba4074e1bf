//! Reads an `impl` block item by item. Only `#[message]` items are understood; of all others just their ends are
//! found.
//!
//! A mistake in one item leaves the others as they are, so that one mistake is one error. This module must never know
//! the generated code.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Error, Result, Token, Type, Visibility, braced};

use super::method::Method;
use crate::options::{Options, all, is_cfg};
use units::names::nearest;

/// An `impl` block under the attribute `#[handlers]`, as it is read.
pub(super) struct Block {
    pub(super) attributes: Vec<Attribute>,
    /// Type of which the block is an `impl`.
    pub(super) of: Type,
    pub(super) items: Vec<Item>,
    /// Errors of items that are neither messages nor functions of a program.
    pub(super) mistakes: Option<Error>,
}

/// An item of an `impl` block under `#[handlers]`, by its kind.
pub(super) enum Item {
    /// A method under `#[message]`, which becomes a kind of message.
    Message(Box<Method>),
    /// A `type` under `#[message]`: it gives a message whose code stands elsewhere a place in the list of messages.
    ByHand(Box<ByHand>),
    /// A method of the trait `Program`.
    Part(Part),
    /// Any other item, which is passed on.
    Other(Other),
}

/// The path of a message whose code the program's author wrote.
pub(super) struct ByHand {
    pub(super) cfgs: Vec<Attribute>,
    pub(super) path: Type,
}

/// A program's method `main` or `report`, without its visibility.
pub(super) struct Part {
    pub(super) name: Ident,
    pub(super) tokens: Other,
}

/// Tokens of an item that is passed on as it stands.
pub(super) struct Other {
    tokens: TokenStream,
    /// Whether the last token is the body of a function.
    is_function: bool,
}

impl Other {
    /// Returns the item, with an empty body in place of its own if it is a function. So a mistake elsewhere is not reported again in
    /// the body.
    pub(super) fn without_body(&self) -> TokenStream {
        let mut tokens: Vec<_> = self.tokens.clone().into_iter().collect();
        if self.is_function {
            tokens.pop();
            let empty = quote!({ loop {} });
            return tokens.into_iter().chain(empty).collect();
        }
        self.tokens.clone()
    }
}

impl ToTokens for Other {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.tokens.clone());
    }
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            return Err(input.error("`#[handlers]` stands before `impl Name { … }`"));
        }
        let start = input.parse::<Token![impl]>()?;
        if input.peek(Token![<]) {
            return Err(Error::new(
                start.span,
                "a generic protocol states its messages by hand, with `impl Message` and `impl Handlers`",
            ));
        }
        let of = input.parse()?;
        if input.peek(Token![for]) {
            return Err(input.error("`#[handlers]` stands before `impl Name { … }`, without a trait"));
        }
        let content;
        braced!(content in input);
        let mut block = Self { attributes, of, items: Vec::new(), mistakes: None };
        while !content.is_empty() {
            match item.parse2(next_item(&content)?) {
                Ok(item) => block.items.push(item),
                Err(mistake) => block.mistaken(mistake),
            }
        }
        block.expect_distinct_messages();
        Ok(block)
    }
}

impl Block {
    pub(super) fn mistaken(&mut self, mistake: Error) {
        match &mut self.mistakes {
            None => self.mistakes = Some(mistake),
            Some(mistakes) => mistakes.combine(mistake),
        }
    }

    /// Leaves out each message that has the name of an earlier one, and records the mistake.
    fn expect_distinct_messages(&mut self) {
        let mut names: Vec<Ident> = Vec::new();
        for item in std::mem::take(&mut self.items) {
            if let Item::Message(method) = &item {
                let message = &method.message;
                if names.contains(message) {
                    self.mistaken(Error::new(
                        method.name.span(),
                        format!("two messages are called `{message}`: rename this method, or state `#[message(name = …)]`"),
                    ));
                    continue;
                }
                names.push(message.clone());
            }
            self.items.push(item);
        }
    }
}

/// Reads the tokens of the next item of an `impl`. The item ends at a semicolon or, unless it is a constant or a type, at braces.
fn next_item(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = all(input.call(Attribute::parse_outer)?);
    tokens.extend(input.parse::<Visibility>()?.into_token_stream());
    let ends_at_semicolon = input.peek(Token![type]) || input.peek(Token![const]) && !input.peek2(Token![fn]);
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => !ends_at_semicolon && group.delimiter() == Delimiter::Brace,
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        tokens.extend([token]);
        if ends {
            break;
        }
    }
    Ok(tokens)
}

fn item(input: ParseStream<'_>) -> Result<Item> {
    let mut attributes = input.call(Attribute::parse_outer)?;
    let Some(at) = attributes.iter().position(|attribute| attribute.path().is_ident("message")) else {
        return match misspelled(&attributes) {
            Some(mistake) => Err(mistake),
            None => other(&attributes, input),
        };
    };
    let message = attributes.remove(at);
    if input.peek(Token![type]) {
        return by_hand(&message, &attributes, input);
    }
    Method::parse(&message, attributes, input).map(|method| Item::Message(Box::new(method)))
}

/// Returns the error for an attribute that was probably meant to be `#[message]`; `None` if no attribute looks like it.
fn misspelled(attributes: &[Attribute]) -> Option<Error> {
    attributes.iter().find_map(|attribute| {
        let name = attribute.path().get_ident()?;
        nearest(&name.to_string(), ["message"])?;
        Some(Error::new(name.span(), format!("no attribute `{name}`: did you mean `message`?")))
    })
}

/// Reads an item such as `#[message] type Any = Name;`, behind its attributes.
fn by_hand(message: &Attribute, attributes: &[Attribute], input: ParseStream<'_>) -> Result<Item> {
    if let syn::Meta::List(list) = &message.meta {
        Options::read(list.tokens.clone(), "#[message] type", &[])?;
    }
    input.parse::<Token![type]>()?;
    input.parse::<Ident>()?;
    input.parse::<Token![=]>()?;
    let path = input.parse()?;
    input.parse::<Token![;]>()?;
    let cfgs = attributes.iter().filter(|one| is_cfg(one)).cloned().collect();
    Ok(Item::ByHand(Box::new(ByHand { cfgs, path })))
}

/// Reads an item that is no message, behind its attributes.
fn other(attributes: &[Attribute], input: ParseStream<'_>) -> Result<Item> {
    let visibility: Visibility = input.parse()?;
    let is_plain = input.peek(Token![fn]);
    let is_function = is_plain || input.peek2(Token![fn]);
    let rest: TokenStream = input.parse()?;
    let name = rest.clone().into_iter().nth(1);
    let attributes = all(attributes);
    match name {
        Some(TokenTree::Ident(name)) if is_plain && (name == "main" || name == "report") => {
            let tokens = Other { tokens: all([attributes, rest]), is_function };
            Ok(Item::Part(Part { name, tokens }))
        }
        _ => {
            let tokens = all([attributes, visibility.into_token_stream(), rest]);
            Ok(Item::Other(Other { tokens, is_function }))
        }
    }
}
