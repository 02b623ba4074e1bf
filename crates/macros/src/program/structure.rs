//! Reads a program's struct: its name, its summary, its mechanisms, its fields.
//!
//! This module must never know the generated code.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Result, Type, Visibility};

use super::field::{Field, Role, is_of_program};
use crate::inputs::{Input, argument_of, meaning_of};
use crate::names::kebab_case;
use crate::options::Options;

/// Names of the options of `#[program]`.
const OPTIONS: &[&str] =
    &["name", "summary", "mechanisms", "problem", "install", "nodes", "processors", "threads"];

/// Struct of a program, as it is read.
pub(super) struct Structure {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) of: Ident,
    pub(super) fields: Vec<Field>,
    /// Name of the program on the command line.
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) mechanisms: Vec<Ident>,
    /// Type of the value that `prepare` makes; `None` if the program prepares nothing.
    pub(super) problem: Option<Type>,
    /// Whether the program has an `install` of its own.
    pub(super) installs: bool,
    /// Least number of nodes, of processors of each node, and of threads on each processor, as expressions over `inputs`.
    pub(super) least: [Option<TokenStream>; 3],
}

/// Returns the name of the struct for the inputs of the program `of`.
pub(super) fn inputs_of(of: &Ident) -> Ident {
    format_ident!("{of}Inputs")
}

impl Structure {
    pub(super) fn read(options: TokenStream, item: &DeriveInput) -> Result<Self> {
        let mut options = Options::read(options, "#[program]", OPTIONS)?;
        let of = item.ident.clone();
        if !item.generics.params.is_empty() {
            return Err(Error::new_spanned(
                &item.generics,
                "a program is no generic type: expected `struct Name { … }`",
            ));
        }
        let installs = options.flag("install")?;
        let fields = fields(item, installs)?;
        let name = options
            .text("name", "histogram")?
            .map_or_else(|| kebab_case(&of.to_string()), |name| name.value());
        let summary = options.text("summary", "threads count values")?.map(|summary| summary.value());
        let summary = match summary.or_else(|| meaning_of(&item.attrs).map(|doc| first_sentence(&doc))) {
            Some(summary) => summary,
            None => {
                return Err(Error::new(
                    of.span(),
                    "a program has a summary: expected `/// One line.` before it",
                ));
            }
        };
        let shares = fields.iter().any(|field| matches!(field.role, Role::Shared { .. }));
        let mechanisms = mechanisms(&mut options, shares)?;
        let problem = problem(&mut options, &fields)?;
        let least =
            [options.value("nodes", "2")?, options.value("processors", "2")?, options.value("threads", "2")?];
        let attributes = item.attrs.clone();
        Ok(Self {
            attributes,
            visibility: item.vis.clone(),
            of,
            fields,
            name,
            summary,
            mechanisms,
            problem,
            installs,
            least,
        })
    }
}

/// Reads the fields of a program's struct. Unless the program `installs` itself, a field without an attribute is an error.
fn fields(item: &DeriveInput, installs: bool) -> Result<Vec<Field>> {
    let Data::Struct(data) = &item.data else {
        return Err(Error::new_spanned(&item.ident, "a program is a struct"));
    };
    let named = match &data.fields {
        Fields::Named(named) => named.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => {
            return Err(Error::new_spanned(
                fields,
                "each field of a program has a name: expected `struct Name { … }`",
            ));
        }
    };
    let mut mistakes: Option<Error> = None;
    let mut fields = Vec::new();
    for field in named {
        match Field::read(field, installs) {
            Ok(field) => fields.push(field),
            Err(mistake) => match &mut mistakes {
                None => mistakes = Some(mistake),
                Some(mistakes) => mistakes.combine(mistake),
            },
        }
    }
    if let Some(mistakes) = mistakes {
        return Err(mistakes);
    }
    Input::expect_distinct(fields.iter().filter_map(|field| match &field.role {
        Role::Input(input) => Some(&**input),
        _ => None,
    }))?;
    Ok(fields)
}

fn mechanisms(options: &mut Options, shares: bool) -> Result<Vec<Ident>> {
    let default = || {
        let name = if shares { "SharedMemory" } else { "Messages" };
        vec![Ident::new(name, proc_macro2::Span::call_site())]
    };
    Ok(options.idents("mechanisms", "[Messages, Bulk]")?.unwrap_or_else(default))
}

/// Returns the type of the problem: from the option `problem`, or from the field with the attribute `#[problem]`. `None` if the
/// program has neither.
fn problem(options: &mut Options, fields: &[Field]) -> Result<Option<Type>> {
    if let Some(stated) = options.value("problem", "Graph")? {
        return syn::parse2(stated).map(Some);
    }
    let Some(field) = fields.iter().find(|field| matches!(field.role, Role::Problem)) else {
        return Ok(None);
    };
    match argument_of(&field.of, "Arc") {
        Some(problem) => Ok(Some(problem.clone())),
        None => Err(Error::new_spanned(&field.of, "all nodes share the problem: expected `Arc<Graph>`")),
    }
}

/// Returns the first sentence of a text as a list shows it: without a full stop, and with a small first letter unless the first word
/// is an abbreviation.
fn first_sentence(text: &str) -> String {
    let sentence = text.split_once(". ").map_or(text, |(first, _)| first);
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

/// Returns the attributes that the generated code keeps, of a field or of the struct: all but the attributes that this crate reads.
pub(super) fn kept(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| !is_of_program(attribute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_the_first_sentence_of_the_documentation() {
        assert_eq!(first_sentence("Threads count values. Then they stop"), "threads count values");
        assert_eq!(first_sentence("EM3D in one line"), "EM3D in one line");
        assert_eq!(first_sentence("A ring"), "a ring");
    }
}
