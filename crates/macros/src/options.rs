//! Reads the `name = value` list inside an attribute, such as `key = bin, class = Read`. Values stay tokens.
//!
//! This module must never know the meaning of an option.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, LitStr, Result, Token};

use units::names::did_you_mean;

/// An option in an attribute's list. `value` is `None` if the name stands alone.
pub(crate) struct Entry {
    pub(crate) name: Ident,
    pub(crate) value: Option<TokenStream>,
}

/// Options of an attribute that have not been taken yet.
pub(crate) struct Options(Vec<Entry>);

impl Options {
    /// Reads a list of options with names among `known`, each at most once. `place` names the attribute, for errors.
    pub(crate) fn read(tokens: TokenStream, place: &str, known: &[&str]) -> Result<Self> {
        let entries = entries.parse2(tokens)?;
        for (at, Entry { name, .. }) in entries.iter().enumerate() {
            if !known.contains(&name.to_string().as_str()) {
                return Err(unknown(name, place, known));
            }
            if entries[..at].iter().any(|before| before.name == *name) {
                return Err(Error::new(name.span(), format!("`{name}` is stated twice in `{place}`")));
            }
        }
        Ok(Self(entries))
    }

    /// Takes the option `name`; `None` if the list has no such option.
    pub(crate) fn take(&mut self, name: &str) -> Option<Entry> {
        let at = self.0.iter().position(|entry| entry.name == name)?;
        Some(self.0.remove(at))
    }

    /// Takes the value of the option `name`; `None` if the list has no such option. A name without a value is an error, which shows
    /// `example` as a value to type.
    pub(crate) fn value(&mut self, name: &str, example: &str) -> Result<Option<TokenStream>> {
        let Some(Entry { name, value }) = self.take(name) else { return Ok(None) };
        let missing = || Error::new(name.span(), format!("`{name}` needs a value: `{name} = {example}`"));
        value.ok_or_else(missing).map(Some)
    }

    /// Takes the value of the option `name`; `None` if the list has no such option. Any value but a text is an error, which shows
    /// `example` as a value to type.
    pub(crate) fn text(&mut self, name: &str, example: &str) -> Result<Option<LitStr>> {
        let Some(value) = self.value(name, example)? else { return Ok(None) };
        let wrong = |_| Error::new(span_of(&value), format!("expected `{name} = \"{example}\"`"));
        syn::parse2(value.clone()).map(Some).map_err(wrong)
    }

    /// Takes the option `name`. Returns whether the list has it. A value is an error.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool> {
        match self.take(name) {
            None => Ok(false),
            Some(Entry { value: None, .. }) => Ok(true),
            Some(Entry { name, .. }) => Err(Error::new(name.span(), format!("`{name}` has no value"))),
        }
    }

    /// Takes the value of the option `name`; `None` if the list has no such option. Any value but a list of identifiers in brackets,
    /// at least one, is an error, which shows `example` as a value to type.
    pub(crate) fn idents(&mut self, name: &str, example: &str) -> Result<Option<Vec<Ident>>> {
        let Some(value) = self.value(name, example)? else { return Ok(None) };
        let wrong = || Error::new(span_of(&value), format!("expected `{name} = {example}`"));
        let mut tokens = value.clone().into_iter();
        let (Some(TokenTree::Group(group)), None) = (tokens.next(), tokens.next()) else {
            return Err(wrong());
        };
        let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(group.stream());
        let names: Vec<_> = names.map_err(|_| wrong())?.into_iter().collect();
        if names.is_empty() { Err(wrong()) } else { Ok(Some(names)) }
    }

    /// Takes the value of the option `name`; `None` if the list has no such option. Any value but an identifier is an error, which
    /// shows `example` as a value to type.
    pub(crate) fn ident(&mut self, name: &str, example: &str) -> Result<Option<Ident>> {
        let Some(value) = self.value(name, example)? else { return Ok(None) };
        let wrong = |_| Error::new(span_of(&value), format!("expected `{name} = {example}`"));
        syn::parse2(value.clone()).map(Some).map_err(wrong)
    }
}

/// Makes the error for an option `name` of the attribute `place`, whose options are `known`.
fn unknown(name: &Ident, place: &str, known: &[&str]) -> Error {
    let mean = did_you_mean(&name.to_string(), known.iter().copied());
    let known = known.join("`, `");
    Error::new(name.span(), format!("`{place}` has no `{name}`:{mean} expected `{known}`"))
}

/// Returns the place in the source of the first token, or of the attribute if there are no tokens.
pub(crate) fn span_of(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// Splits a list such as `64, homes = Parts` into its first argument and the rest. The first is `None` if the list is empty or begins
/// with an option, a `name = value`.
pub(crate) fn arguments(tokens: TokenStream) -> Result<(Option<TokenStream>, TokenStream)> {
    let parse = |input: ParseStream<'_>| {
        if input.is_empty()
            || input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==])
        {
            return Ok((None, input.parse()?));
        }
        let first = up_to_comma(input)?;
        input.parse::<Option<Token![,]>>()?;
        Ok((Some(first), input.parse()?))
    };
    parse.parse2(tokens)
}

fn entries(input: ParseStream<'_>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        entries.push(input.parse()?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(entries)
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            None => None,
            Some(equals) => {
                let value = up_to_comma(input)?;
                if value.is_empty() {
                    return Err(Error::new(equals.span, format!("expected a value: `{name} = …`")));
                }
                Some(value)
            }
        };
        Ok(Self { name, value })
    }
}

/// Reads all tokens before the next comma that stands in no bracket and in no list of generic arguments.
pub(crate) fn up_to_comma(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        // `::<A, B>` is the one place of an expression where a comma stands in angle brackets.
        if input.peek(Token![::]) && input.peek3(Token![<]) {
            generic_arguments(input, &mut tokens)?;
        } else {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
    }
    Ok(tokens)
}

/// Moves a list of generic arguments, `::<…>`, from `input` to `tokens`.
fn generic_arguments(input: ParseStream<'_>, tokens: &mut TokenStream) -> Result<()> {
    let mut depth = 0;
    loop {
        let token: TokenTree = input.parse()?;
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
        }
        let ends = depth == 0 && matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '>');
        tokens.extend([token]);
        if ends {
            return Ok(());
        }
    }
}

/// Whether an attribute is a `cfg`, which decides whether an item exists.
pub(crate) fn is_cfg(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// Joins the tokens of `things` in order.
pub(crate) fn all<T: ToTokens>(things: impl IntoIterator<Item = T>) -> TokenStream {
    things.into_iter().map(ToTokens::into_token_stream).collect()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    const KNOWN: &[&str] = &["key", "class", "volume"];

    #[test]
    fn values_end_at_a_comma_outside_of_brackets() {
        let tokens = quote!(key = table::<u8, u16>::of(bin, 1), class = Read, volume);
        let mut options = Options::read(tokens, "#[message]", KNOWN).unwrap();
        let key = options.value("key", "bin").unwrap().unwrap();
        assert_eq!(key.to_string(), quote!(table::<u8, u16>::of(bin, 1)).to_string());
        assert_eq!(options.ident("class", "Read").unwrap().unwrap(), "Read");
        let error = options.value("volume", "Request").unwrap_err();
        assert_eq!(error.to_string(), "`volume` needs a value: `volume = Request`");
        assert!(options.take("key").is_none());
    }

    #[test]
    fn unknown_and_repeated_names_are_refused() {
        let refused = |tokens| Options::read(tokens, "#[message]", KNOWN).err().unwrap().to_string();
        let error = refused(quote!(clas = Read));
        assert_eq!(
            error,
            "`#[message]` has no `clas`: did you mean `class`? expected `key`, `class`, `volume`"
        );
        assert_eq!(refused(quote!(key = 1, key = 2)), "`key` is stated twice in `#[message]`");
    }
}
