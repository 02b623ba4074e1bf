//! Reads one field of a program's struct, with the attribute that states how each node makes the field.
//!
//! This module must never know the generated code.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Error, Meta, Result, Type, Visibility};
use units::names::nearest;

use crate::inputs::Input;
use crate::options::{Options, arguments, span_of};

/// Names of the attributes of a program's fields.
const ATTRIBUTES: &[&str] =
    &["input", "keyed", "cells", "event", "segment", "shared", "install", "problem", "make"];

/// A field of a program's struct.
pub(super) struct Field {
    pub(super) name: Ident,
    pub(super) of: Type,
    pub(super) visibility: Visibility,
    pub(super) attributes: Vec<Attribute>,
    pub(super) role: Role,
}

/// Way in which a field is made, by its attribute.
pub(super) enum Role {
    /// `#[input(…)]`
    Input(Box<Input>),
    /// `#[keyed(64)]`, `#[keyed]`: a table with `len` entries, or with entries that are made when they are first reached.
    Keyed { len: Option<TokenStream>, init: Option<TokenStream> },
    /// `#[cells(64)]`: words that the node's threads share.
    Cells { len: TokenStream, value: Option<TokenStream> },
    /// `#[event]`, `#[event("name")]`: an event that threads wait for.
    Event { name: Option<TokenStream> },
    /// `#[segment(64)]`: words that other nodes may access.
    Segment { len: TokenStream, rights: Option<TokenStream>, value: Option<TokenStream> },
    /// `#[shared(64)]`: an array in shared memory.
    Shared { len: TokenStream, homes: Option<TokenStream> },
    /// `#[install]`, `#[install(config)]`: another protocol that the program installs.
    Install { config: Option<TokenStream> },
    /// `#[problem]`: the value that the program's `prepare` makes.
    Problem,
    /// `#[make(expression)]`: the value of the expression.
    Make(TokenStream),
    /// No attribute: the program's own `install` makes the field.
    ByHand,
}

impl Role {
    /// Returns the expressions of the attribute, in which inputs are variables.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &TokenStream> {
        let (first, others) = match self {
            Self::Keyed { len, init } => (len.as_ref(), [init.as_ref(), None]),
            Self::Cells { len, value } => (Some(len), [value.as_ref(), None]),
            Self::Event { name } => (name.as_ref(), [None, None]),
            Self::Segment { len, rights, value } => (Some(len), [rights.as_ref(), value.as_ref()]),
            Self::Shared { len, homes } => (Some(len), [homes.as_ref(), None]),
            Self::Install { config } => (config.as_ref(), [None, None]),
            Self::Make(value) => (Some(value), [None, None]),
            Self::Input(_) | Self::Problem | Self::ByHand => (None, [None, None]),
        };
        first.into_iter().chain(others.into_iter().flatten())
    }
}

/// Whether the name of `attribute` is that of an attribute of a program's fields.
pub(super) fn is_of_program(attribute: &Attribute) -> bool {
    ATTRIBUTES.iter().any(|name| attribute.path().is_ident(name))
}

impl Field {
    /// Reads a field. If the program `installs` itself, its own code makes every field without an attribute. Otherwise a field
    /// without an attribute is an error.
    pub(super) fn read(field: &syn::Field, installs: bool) -> Result<Self> {
        let name = field.ident.clone().expect("a field of braces has a name");
        if name == "setup" && !installs {
            let what = "`setup` is the node in the expressions of other fields: expected another name";
            return Err(Error::new(name.span(), what));
        }
        let mut of_program = field.attrs.iter().filter(|attribute| is_of_program(attribute));
        let (first, second) = (of_program.next(), of_program.next());
        if let Some(second) = second {
            return Err(Error::new_spanned(second, "a field is made in one way: expected one attribute"));
        }
        let role = match first {
            Some(attribute) => role(field, attribute)?,
            None if installs => Role::ByHand,
            None => return Err(unmade(field, &name)),
        };
        if installs && !matches!(role, Role::Input(_) | Role::ByHand) {
            let what = "the program's own `install` makes this field: expected no attribute";
            return Err(Error::new_spanned(first, what));
        }
        let (of, visibility) = (field.ty.clone(), field.vis.clone());
        Ok(Self { name, of, visibility, attributes: field.attrs.clone(), role })
    }
}

/// Makes the error for a field without an attribute of this module: perhaps its attribute is misspelled.
fn unmade(field: &syn::Field, name: &Ident) -> Error {
    let strange = field.attrs.iter().filter_map(|attribute| Some((attribute, attribute.path().get_ident()?)));
    for (attribute, ident) in strange {
        if let Some(near) = nearest(&ident.to_string(), ATTRIBUTES.iter().copied()) {
            return Error::new_spanned(attribute, format!("no attribute `{ident}`: did you mean `{near}`?"));
        }
    }
    let known = ATTRIBUTES.join("]`, `#[");
    let what = format!("nothing says how `{name}` is made: expected `#[{known}]`, or `#[program(install)]`");
    Error::new(name.span(), what)
}

fn role(field: &syn::Field, attribute: &Attribute) -> Result<Role> {
    if attribute.path().is_ident("input") {
        return Ok(Role::Input(Box::new(Input::read(field, attribute)?)));
    }
    let tokens = match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(_) => return Err(Error::new_spanned(attribute, "expected `#[name(…)]`")),
    };
    let name = attribute.path().require_ident()?.to_string();
    let place = format!("#[{name}]");
    let (first, rest) = arguments(tokens.clone())?;
    let needed = |example: &str| {
        let missing = || Error::new_spanned(attribute, format!("expected `#[{name}({example})]`"));
        first.clone().ok_or_else(missing)
    };
    let options = |known: &[&str]| Options::read(rest.clone(), &place, known);
    match name.as_str() {
        "keyed" => {
            let init = options(&["init"])?.value("init", "|key| key")?;
            Ok(Role::Keyed { len: first, init })
        }
        "cells" => Ok(Role::Cells { len: needed("64")?, value: options(&["value"])?.value("value", "0")? }),
        "event" => options(&[]).map(|_| Role::Event { name: first }),
        "segment" => {
            let mut options = options(&["rights", "value"])?;
            let (rights, value) = (options.value("rights", "Rights::ALL")?, options.value("value", "0")?);
            Ok(Role::Segment { len: needed("64")?, rights, value })
        }
        "shared" => {
            let homes = options(&["homes"])?.value("homes", "RoundRobin")?;
            Ok(Role::Shared { len: needed("64")?, homes })
        }
        "install" => options(&[]).map(|_| Role::Install { config: first }),
        "make" if tokens.is_empty() => Err(Error::new_spanned(attribute, "expected `#[make(expression)]`")),
        "make" => Ok(Role::Make(tokens)),
        _ if tokens.is_empty() => Ok(Role::Problem),
        _ => Err(Error::new(span_of(&tokens), "`#[problem]` takes no options")),
    }
}
