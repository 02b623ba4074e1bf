//! Reads one input: a field, with `#[input(default = …, range = …, name = "…", fact = "…", only = […], free = "…")]` or
//! `#[input(like = CONSTANT)]`.
//!
//! This module must never know the generated code.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, Error, Field, GenericArgument, Lit, LitStr, Meta, PathArguments, PathSegment, Result, Type,
    Visibility,
};
use units::Values;

use crate::options::{Options, span_of};

/// Names of the options of `#[input]`.
const OPTIONS: &[&str] = &["default", "range", "name", "fact", "like", "only", "free"];

/// An input of a program, read from a field of a struct.
pub(crate) struct Input {
    pub(crate) name: Ident,
    pub(crate) of: Type,
    pub(crate) visibility: Visibility,
    pub(crate) kind: Kind,
    /// Whether the field is an `Option`, which is `None` unless the command line gives a value.
    pub(crate) is_optional: bool,
    /// Name of the input among the facts about a run; `None`: its name on the command line.
    pub(crate) fact: Option<LitStr>,
    pub(crate) listed: Listed,
    /// Meaning of the input, from the field's documentation, for people.
    pub(crate) meaning: String,
}

/// Origin of an input's name, default and range.
pub(crate) enum Listed {
    /// A constant that stands elsewhere, by the option `like`.
    Like(TokenStream),
    /// The options of the attribute.
    Stated {
        /// Name of the input on the command line.
        key: String,
        /// Expression for the text of the default.
        default: TokenStream,
        /// Expression for the range; `None` if the input is no number.
        range: Option<TokenStream>,
        /// Mechanisms with which the program heeds the input; empty if it always does.
        only: Vec<Ident>,
        /// Values that sources leave open; `None` if the program states none.
        free: Option<LitStr>,
    },
}

/// Kind of the values of an input, by the field's type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Real,
    Text,
    File,
    /// A file in an `Arc`.
    SharedFile,
}

impl Input {
    /// Reads a field with its attribute `#[input]`.
    pub(crate) fn read(field: &Field, attribute: &Attribute) -> Result<Self> {
        let name = field.ident.clone().expect("a field of braces has a name");
        let tokens = match &attribute.meta {
            Meta::Path(_) => TokenStream::new(),
            Meta::List(list) => list.tokens.clone(),
            Meta::NameValue(_) => {
                return Err(Error::new_spanned(attribute, "expected `#[input(default = …)]`"));
            }
        };
        let mut options = Options::read(tokens, "#[input]", OPTIONS)?;
        let (inner, is_optional) = match argument_of(&field.ty, "Option") {
            Some(inner) => (inner, true),
            None => (&field.ty, false),
        };
        let (kind, largest) = kind_of(inner);
        let fact = options.text("fact", "values of each node")?;
        let listed = match options.value("like", "FRAMES")? {
            Some(like) => Listed::Like(like),
            None => stated(&name, kind, largest, &mut options)?,
        };
        let meaning = meaning_of(&field.attrs).unwrap_or_else(|| name.unraw().to_string().replace('_', " "));
        let (of, visibility) = (field.ty.clone(), field.vis.clone());
        Ok(Self { name, of, visibility, kind, is_optional, fact, listed, meaning })
    }

    /// Returns an error if an input has the name of an earlier one.
    pub(crate) fn expect_distinct<'i>(inputs: impl IntoIterator<Item = &'i Self>) -> Result<()> {
        let mut names: Vec<&str> = Vec::new();
        for input in inputs {
            let Listed::Stated { key, .. } = &input.listed else { continue };
            if names.contains(&key.as_str()) {
                let what = format!("two inputs are called `{key}`: expected another name for this one");
                return Err(Error::new(input.name.span(), what));
            }
            names.push(key);
        }
        Ok(())
    }

    /// Returns the field's type, without `Option`.
    pub(crate) fn inner(&self) -> &Type {
        argument_of(&self.of, "Option").unwrap_or(&self.of)
    }
}

/// Reads the options of the input `name`: its key, default, range and so on. The attribute has no option `like`.
fn stated(name: &Ident, kind: Kind, largest: Option<(u32, u32)>, options: &mut Options) -> Result<Listed> {
    let key = options
        .text("name", "values")?
        .map_or_else(|| name.unraw().to_string().replace('_', "-"), |key| key.value());
    let range = range(name, kind, largest, options)?;
    let default = match options.value("default", "8")? {
        Some(default) => text_of_default(&default, kind, range.as_ref())?,
        None if kind == Kind::Text || kind == Kind::File || kind == Kind::SharedFile => {
            let what = "an input has a default: expected `#[input(default = \"…\")]`";
            return Err(Error::new(name.span(), what));
        }
        None => {
            let what = "an input has a default: expected `#[input(default = 8, range = 1..=100)]`";
            return Err(Error::new(name.span(), what));
        }
    };
    let only = options.idents("only", "[Messages, Bulk]")?.unwrap_or_default();
    let free = free(kind, options)?;
    Ok(Listed::Stated { key, default, range: range.map(|range| range.tokens), only, free })
}

/// Reads the option `free`, the values of an input that sources leave open: a range `LOW..HIGH`, or a list with commas. `None`
/// without the option.
fn free(kind: Kind, options: &mut Options) -> Result<Option<LitStr>> {
    let is_number = matches!(kind, Kind::Integer | Kind::Real);
    let example = if is_number { "10..100" } else { "row,column" };
    let Some(text) = options.text("free", example)? else { return Ok(None) };
    let wrong = |why| Error::new(text.span(), format!("free values: {why}"));
    let values: Values = text.value().parse().map_err(wrong)?;
    match values.same_number().filter(|_| is_number) {
        Some([one, other]) => {
            Err(wrong(format!("{one} and {other} are the same number: expected each value once")))
        }
        None => Ok(Some(text)),
    }
}

/// Range of a number, as an attribute spells it.
struct Range {
    tokens: TokenStream,
    /// Least and greatest number of the range, if they are plain integers.
    ends: Option<(u64, u64)>,
}

fn range(
    name: &Ident,
    kind: Kind,
    largest: Option<(u32, u32)>,
    options: &mut Options,
) -> Result<Option<Range>> {
    let stated = options.value("range", "1..=100")?;
    match (kind, stated) {
        (Kind::Integer, None) => {
            let (least, greatest) = largest.unwrap_or((0, u32::MAX));
            let ends = Some((least.into(), greatest.into()));
            Ok(Some(Range { tokens: quote!(#least..=#greatest), ends }))
        }
        (Kind::Real, None) => Err(Error::new(
            name.span(),
            "a real input has a range: expected `#[input(default = 0.5, range = 0.0..=1.0)]`",
        )),
        (Kind::Integer | Kind::Real, Some(tokens)) => {
            let range = ends_of(tokens, kind)?;
            expect_room(&range, largest)?;
            Ok(Some(range))
        }
        (Kind::Text | Kind::File | Kind::SharedFile, None) => Ok(None),
        (Kind::Text | Kind::File | Kind::SharedFile, Some(tokens)) => Err(Error::new(
            span_of(&tokens),
            "a range is for a number: expected a field of type `u8`, `u16`, `u32`, `u64`, `usize` or `f64`",
        )),
    }
}

/// Returns an error if `range` goes beyond `largest`, the range of the field's type.
fn expect_room(range: &Range, largest: Option<(u32, u32)>) -> Result<()> {
    let (Some((least, greatest)), Some((first, last))) = (range.ends, largest) else { return Ok(()) };
    if least >= first.into() && greatest <= last.into() {
        return Ok(());
    }
    let what =
        format!("the field holds numbers from {first} to {last}: expected a range within `{first}..={last}`");
    Err(Error::new(span_of(&range.tokens), what))
}

/// Reads a range such as `1..=100`. Returns an error for literals of the other kind of number.
fn ends_of(tokens: TokenStream, kind: Kind) -> Result<Range> {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '.');
    let is_equals = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '=');
    let middle =
        all.windows(3).position(|three| is_dot(&three[0]) && is_dot(&three[1]) && is_equals(&three[2]));
    let Some(middle) = middle.filter(|middle| *middle > 0 && middle + 3 < all.len()) else {
        let example = if kind == Kind::Real { "0.0..=1.0" } else { "1..=100" };
        return Err(Error::new(
            span_of(&tokens),
            format!("a range includes both of its ends: expected `range = {example}`"),
        ));
    };
    let sides = [&all[..middle], &all[middle + 3..]];
    for side in sides {
        let [TokenTree::Literal(literal)] = side else { continue };
        let wrong = match (kind, Lit::new(literal.clone())) {
            (Kind::Real, Lit::Float(_)) | (Kind::Integer, Lit::Int(_)) => None,
            (Kind::Real, _) => Some("the field is a real number: expected a range such as `0.0..=1.0`"),
            _ => Some("the field is an integer: expected a range such as `1..=100`"),
        };
        if let Some(wrong) = wrong {
            return Err(Error::new(literal.span(), wrong));
        }
    }
    let ends = sides.map(|side| match side {
        [TokenTree::Literal(literal)] => integer(literal),
        _ => None,
    });
    let ends = ends[0].zip(ends[1]);
    if let Some((least, greatest)) = ends.filter(|_| kind == Kind::Integer)
        && least > greatest
    {
        return Err(Error::new(span_of(&tokens), format!("an empty range: expected `{greatest}..={least}`")));
    }
    Ok(Range { tokens, ends })
}

/// Returns the value of an integer literal without a sign; `None` for any other literal.
fn integer(literal: &Literal) -> Option<u64> {
    match Lit::new(literal.clone()) {
        Lit::Int(value) => value.base10_parse().ok(),
        _ => None,
    }
}

/// Writes an expression for the text of a default: for a literal, the text that a person would type; for anything else, the
/// expression itself, which must give a text.
fn text_of_default(default: &TokenStream, kind: Kind, range: Option<&Range>) -> Result<TokenStream> {
    let tokens: Vec<TokenTree> = default.clone().into_iter().collect();
    let (sign, value) = match &tokens[..] {
        [TokenTree::Punct(minus), value] if minus.as_char() == '-' => ("-", Some(value)),
        [value] => ("", Some(value)),
        _ => ("", None),
    };
    let literal = match value {
        Some(TokenTree::Literal(literal)) => Some(Lit::new(literal.clone())),
        Some(TokenTree::Ident(ident)) if ident == "true" || ident == "false" => {
            Some(Lit::Bool(syn::LitBool::new(ident == "true", ident.span())))
        }
        _ => None,
    };
    let wrong = |what: &str| {
        Err(Error::new(span_of(default), format!("expected {what}, as in `default = {}`", example(kind))))
    };
    let text = match (kind, literal) {
        (Kind::Integer, Some(Lit::Int(value))) if sign.is_empty() => {
            let within = value.base10_parse::<u64>().ok().zip(range.and_then(|range| range.ends));
            if let Some((value, (least, greatest))) = within
                && !(least..=greatest).contains(&value)
            {
                return Err(Error::new(
                    span_of(default),
                    format!("the default {value} is outside of the range {least}..={greatest}"),
                ));
            }
            value.base10_digits().to_owned()
        }
        (Kind::Real, Some(Lit::Int(value))) => format!("{sign}{}", value.base10_digits()),
        (Kind::Real, Some(Lit::Float(value))) => format!("{sign}{}", value.base10_digits()),
        (Kind::Integer, _) => return wrong("an integer"),
        (Kind::Real, _) => return wrong("a number"),
        (Kind::Text, Some(Lit::Bool(value))) => value.value.to_string(),
        (Kind::Text, Some(Lit::Int(value))) => format!("{sign}{}", value.base10_digits()),
        (_, Some(Lit::Str(_)) | None) => return Ok(default.clone()),
        (_, Some(_)) => return wrong("a text"),
    };
    Ok(text.to_token_stream())
}

/// Returns a default of this kind that a person could type, for errors.
fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "8",
        Kind::Real => "0.5",
        Kind::Text | Kind::File | Kind::SharedFile => "\"small\"",
    }
}

/// Returns the kind of a field's values by the name of the field's type, and for an integer the range of the type.
fn kind_of(of: &Type) -> (Kind, Option<(u32, u32)>) {
    if argument_of(of, "Arc").and_then(last).is_some_and(|inner| inner.ident == "File") {
        return (Kind::SharedFile, None);
    }
    let Some(last) = last(of) else { return (Kind::Text, None) };
    match last.ident.to_string().as_str() {
        "u8" => (Kind::Integer, Some((0, u8::MAX.into()))),
        "u16" => (Kind::Integer, Some((0, u16::MAX.into()))),
        "u32" | "u64" | "usize" => (Kind::Integer, Some((0, u32::MAX))),
        "NonZeroU32" => (Kind::Integer, Some((1, u32::MAX))),
        "f64" => (Kind::Real, None),
        "File" => (Kind::File, None),
        _ => (Kind::Text, None),
    }
}

/// Returns the last segment of a type's path.
fn last(of: &Type) -> Option<&PathSegment> {
    match of {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// Returns the argument of the type `name<Argument>`; `None` if `of` is another type.
pub(crate) fn argument_of<'t>(of: &'t Type, name: &str) -> Option<&'t Type> {
    let last = last(of).filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(of)) => Some(of),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the documentation of an item in one line, without a full stop at its end; `None` if it has none.
pub(crate) fn meaning_of(attributes: &[Attribute]) -> Option<String> {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        if let Meta::NameValue(doc) = &attribute.meta
            && let Ok(line) = syn::parse2::<LitStr>(doc.value.to_token_stream())
        {
            lines.push(line.value().trim().to_owned());
        }
    }
    let text = lines.join(" ").trim().to_owned();
    let text = text.strip_suffix('.').unwrap_or(&text);
    (!text.is_empty()).then(|| text.to_owned())
}
