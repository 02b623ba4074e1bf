//! Initial values of registers and variables: `{ int x=1; 0:x5=y; [z]=2; uint64_t 1:x7; }`.
//!
//! It must never know the code of threads.

use super::{
    Place,
    names::Names,
    tokens::{Kind, Token, Tokens},
};
use crate::errors::{Excerpt, Report};

/// Types that an entry may begin with. Which one it is makes no difference: every variable is a word.
const TYPES: [&str; 8] =
    ["int", "long", "int32_t", "uint32_t", "int64_t", "uint64_t", "intptr_t", "uintptr_t"];

/// Reads from behind the `{` to behind the `}`; `None` if that cannot be found, and reported.
pub(super) fn read(tokens: &mut Tokens<'_>, names: &mut Names, report: &mut Report<'_>) -> Option<()> {
    let mut set = Vec::new();
    loop {
        let token = tokens.peek();
        if tokens.accept("}") {
            return Some(());
        }
        if token.kind == Kind::End {
            token.refuse("initial state", "} at its end", report);
            return None;
        }
        if !tokens.accept(";") && entry(tokens, names, &mut set, report).is_none() {
            skip_entry(tokens);
        }
    }
}

/// Skips the rest of a wrong entry.
fn skip_entry(tokens: &mut Tokens<'_>) {
    loop {
        let token = tokens.peek();
        if token.is(";") || token.is("}") || token.kind == Kind::End {
            return;
        }
        tokens.take();
    }
}

fn entry(
    tokens: &mut Tokens<'_>,
    names: &mut Names,
    set: &mut Vec<Place>,
    report: &mut Report<'_>,
) -> Option<()> {
    let typed = accept_type(tokens);
    let first = tokens.peek();
    let place = names.place(tokens, report)?;
    let behind = tokens.peek();
    if behind.kind == Kind::Word && matches!(place, Place::Location(_)) {
        // Two words: the first was meant to be a type.
        first.refuse("type", &TYPES.join(", "), report);
        return None;
    }
    if tokens.accept("=") {
        let value = names.value(tokens, report)?;
        initialise(names, place, value, first, set, report);
    } else if !typed {
        behind.refuse("initial value", "=", report);
        return None;
    }
    end_of_entry(tokens, report)
}

/// Takes a type, if one stands here.
fn accept_type(tokens: &mut Tokens<'_>) -> bool {
    let typed = TYPES.iter().any(|name| tokens.accept(name));
    while typed && tokens.accept("*") {}
    typed
}

fn end_of_entry(tokens: &mut Tokens<'_>, report: &mut Report<'_>) -> Option<()> {
    let token = tokens.peek();
    if token.is(";") || token.is("}") {
        return Some(());
    }
    token.refuse("initial value", "; behind it", report);
    None
}

fn initialise(
    names: &mut Names,
    place: Place,
    value: i64,
    at: Token<'_>,
    set: &mut Vec<Place>,
    report: &mut Report<'_>,
) {
    if set.contains(&place) {
        report.add(at.field.offset, "initial value", Excerpt(at.field.text), "each place once");
        return;
    }
    set.push(place);
    match place {
        Place::Location(location) => names.locations[location].initial = value,
        Place::Register(thread, register) => names.registers[thread][register].initial = value,
    }
}
