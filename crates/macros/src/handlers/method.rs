//! Reads a `#[message]` method: its options, its arguments, its body.
//!
//! This module must never know the generated code.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Meta, Result, Token, Type, Visibility};

use crate::names::camel_case;
use crate::options::{Options, span_of};

/// Names of the options of `#[message]`.
const OPTIONS: &[&str] = &["key", "class", "volume", "bytes", "payload_word_bytes", "name"];

/// Spelling of a handler's last parameter, for errors.
const CX: &str = "`cx: &mut Handler<'_>`";

/// A method under `#[message]`, as it is read.
pub(super) struct Method {
    /// Attributes of the method other than `#[message]`.
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    /// Name of the method, and of the generated function that makes the message.
    pub(super) name: Ident,
    /// Name of the message's type.
    pub(super) message: Ident,
    pub(super) key: Option<TokenStream>,
    pub(super) class: Option<Ident>,
    pub(super) volume: Option<Ident>,
    pub(super) bytes: Option<TokenStream>,
    pub(super) payload_word_bytes: Option<TokenStream>,
    pub(super) receiver: TokenStream,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Group,
}

/// A parameter of a handler after `&self`.
pub(super) struct Parameter {
    pub(super) name: Ident,
    pub(super) of: Type,
    pub(super) role: Role,
}

/// Origin of the value that a parameter of a handler receives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A field of the message.
    Field,
    /// The words of the message behind the fields.
    Payload,
    /// The context of the running handler.
    Handler,
}

impl Method {
    /// Reads a method behind its attributes. `message` is the attribute `#[message]`, `attributes` are the others.
    pub(super) fn parse(
        message: &Attribute,
        attributes: Vec<Attribute>,
        input: ParseStream<'_>,
    ) -> Result<Self> {
        let mut options = options(message)?;
        let visibility = input.parse()?;
        if !input.peek(Token![fn]) {
            return Err(
                input.error("a message is a method: expected `fn name(&self, …, cx: &mut Handler<'_>)`")
            );
        }
        input.parse::<Token![fn]>()?;
        let name: Ident = input.parse()?;
        if input.peek(Token![<]) {
            return Err(input.error("a generic message is written by hand, with `impl Message`"));
        }
        let signature: Group = group(input, Delimiter::Parenthesis)?;
        if input.peek(Token![->]) {
            return Err(
                input.error("a handler returns nothing: expected `{`; an answer is a message of its own")
            );
        }
        let body = group(input, Delimiter::Brace)?;
        let (receiver, parameters) = signature_of(&name, &signature)?;
        let made = Ident::new(&camel_case(&name), name.span());
        Ok(Self {
            attributes,
            visibility,
            message: options.ident("name", &made.to_string())?.unwrap_or(made),
            name,
            key: options.value("key", "bin")?,
            class: options.ident("class", "System")?,
            volume: options.ident("volume", "Request")?,
            bytes: options.value("bytes", "4")?,
            payload_word_bytes: options.value("payload_word_bytes", "4")?,
            receiver,
            parameters,
            body,
        })
    }

    /// Returns the parameters that travel as fields of the message.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| parameter.role == Role::Field)
    }
}

fn options(message: &Attribute) -> Result<Options> {
    let tokens = match &message.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(_) => {
            return Err(Error::new_spanned(message, "expected `#[message]` or `#[message(key = …)]`"));
        }
    };
    Options::read(tokens, "#[message]", OPTIONS)
}

fn group(input: ParseStream<'_>, delimiter: Delimiter) -> Result<Group> {
    let at = input.span();
    match input.parse()? {
        TokenTree::Group(group) if group.delimiter() == delimiter => Ok(group),
        _ if delimiter == Delimiter::Brace => Err(Error::new(at, "expected the handler's body: `{ … }`")),
        _ => Err(Error::new(at, format!("expected `(&self, …, {})`", CX.trim_matches('`')))),
    }
}

/// Reads the parameters of method `name`: the receiver, and the parameters behind it.
fn signature_of(name: &Ident, signature: &Group) -> Result<(TokenStream, Vec<Parameter>)> {
    let parse = |input: ParseStream<'_>| {
        let receiver = receiver(name, input)?;
        let mut parameters = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                parameters.push(parameter(input)?);
            }
        }
        Ok((receiver, parameters))
    };
    let (receiver, mut parameters) = parse.parse2(signature.stream())?;
    match parameters.last_mut() {
        Some(last) if matches!(&last.of, Type::Reference(of) if of.mutability.is_some()) => {
            last.role = Role::Handler;
        }
        _ => return Err(Error::new(name.span(), format!("a handler's last parameter is {CX}"))),
    }
    let is_misplaced =
        |parameter: &&Parameter| parameter.role == Role::Field && matches!(parameter.of, Type::Reference(_));
    if let Some(parameter) = parameters.iter().find(is_misplaced) {
        let what = "an argument travels by value: expected a type without `&`, or `payload: &[u64]`";
        return Err(Error::new_spanned(&parameter.of, what));
    }
    for parameter in parameters.iter().filter(|parameter| parameter.role == Role::Field) {
        expect_plain(&parameter.of)?;
        if parameter.name == "_" {
            return Err(Error::new(
                parameter.name.span(),
                "a field of a message has a name: expected `_name: Type`",
            ));
        }
    }
    if let Some(second) = parameters.iter().filter(|one| one.role == Role::Payload).nth(1) {
        return Err(Error::new(second.name.span(), "a message has one payload"));
    }
    Ok((receiver, parameters))
}

/// Returns an error for a type that is surely not plain data, by its spelling. The compiler checks all other types later.
fn expect_plain(of: &Type) -> Result<()> {
    let instead = match of {
        Type::Tuple(_) => "one argument for each of its parts",
        Type::Path(path) => match path.path.segments.last().map(|last| last.ident.to_string()).as_deref() {
            Some("bool") => "`u8`, which every bit pattern is good for",
            Some("char") => "`u32`, which every bit pattern is good for",
            Some("String" | "Vec" | "Box" | "Rc" | "Arc") => {
                "`payload: &[u64]`, or a `transfer` of its words"
            }
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let what = format!(
        "`{}` is not plain data, and cannot travel in a message: expected {instead}",
        quote::quote!(#of).to_string().replace(' ', "")
    );
    Err(Error::new_spanned(of, what))
}

/// Reads the receiver of method `name`, which must be `&self`.
fn receiver(name: &Ident, input: ParseStream<'_>) -> Result<TokenStream> {
    let wrong = |span: Span| {
        Error::new(span, "a handler shares its protocol with others: expected `&self` as the first parameter")
    };
    if input.is_empty() {
        return Err(wrong(name.span()));
    }
    let start = input.span();
    let ahead = input.fork();
    let (Ok(and), Ok(own)) = (ahead.parse::<Token![&]>(), ahead.parse::<Token![self]>()) else {
        return Err(wrong(start));
    };
    input.advance_to(&ahead);
    Ok(quote::quote!(#and #own))
}

/// Reads a parameter such as `name: Type`.
fn parameter(input: ParseStream<'_>) -> Result<Parameter> {
    let start = input.span();
    let wrong = |_| Error::new(start, "expected `name: Type`");
    let name: Ident = input.call(Ident::parse_any).map_err(wrong)?;
    input.parse::<Token![:]>().map_err(wrong)?;
    let of: Type = input.parse()?;
    let is_slice =
        matches!(&of, Type::Reference(of) if of.mutability.is_none() && matches!(*of.elem, Type::Slice(_)));
    let role = if is_slice { Role::Payload } else { Role::Field };
    Ok(Parameter { name, of, role })
}

/// Returns the place of a type in the source, for errors.
pub(super) fn span_of_type(of: &Type) -> Span {
    span_of(&quote::ToTokens::to_token_stream(of))
}

/// Names of the number types that are plain data.
const PRIMITIVES: &[&str] =
    &["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64"];

/// Whether a type is spelled as a number, or as an array of numbers.
pub(super) fn is_primitive(of: &Type) -> bool {
    match of {
        Type::Array(array) => is_primitive(&array.elem),
        Type::Path(path) => PRIMITIVES.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    }
}
