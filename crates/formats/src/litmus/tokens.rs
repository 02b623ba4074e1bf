//! Words, numbers and marks of a litmus test, each with its place; comments `(* … *)`, which may nest, are blanks.
//!
//! It must never know the meaning of a word.

use crate::{
    errors::{Excerpt, Report},
    scan::Field,
};

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or an instruction: a letter or `_`, then letters, digits, `_` and `.`.
    Word,
    /// A digit, perhaps behind `-`, then digits and letters.
    Number,
    /// Anything else: `/\`, `\/` and `=>`, or one byte.
    Mark,
    /// The end of the file; its text is empty.
    End,
}

/// A piece of the file.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) field: Field<'a>,
}

impl<'a> Token<'a> {
    /// Whether it is this mark or word.
    pub(super) fn is(&self, text: &str) -> bool {
        self.field.text == text.as_bytes()
    }

    /// Whether it is this word, in any letter case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.field.text.eq_ignore_ascii_case(word.as_bytes())
    }

    /// Text of the token, for words and numbers.
    pub(super) fn text(&self) -> &'a str {
        str::from_utf8(self.field.text).unwrap_or_default()
    }

    /// Reports that another text was expected here.
    pub(super) fn refuse(&self, what: &'static str, expected: &str, report: &mut Report<'_>) {
        report.add(self.field.offset, what, Excerpt(self.field.text), expected);
    }

    /// A number, decimal or after `0x` hexadecimal, that 64 bits hold with or without a sign.
    pub(super) fn integer(&self) -> Option<i64> {
        let text = self.text();
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        };
        if self.kind != Kind::Number {
            return None;
        }
        // A number that needs the sign's bit is the negative number of these bits, as in a register.
        if negative { 0_i64.checked_sub_unsigned(magnitude?) } else { magnitude.map(u64::cast_signed) }
    }
}

/// Tokens, one after the other; without end, for the last is met again and again.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    offset: usize,
    /// Offset of a comment without an end.
    unclosed: Option<usize>,
}

impl<'a> Tokens<'a> {
    /// Tokens from byte `offset` on.
    pub(super) fn new(text: &'a [u8], offset: usize) -> Self {
        Self { text, offset, unclosed: None }
    }

    /// The next token, without consuming it.
    pub(super) fn peek(&mut self) -> Token<'a> {
        self.skip_blanks();
        let rest = &self.text[self.offset..];
        let (kind, length) = measure(rest);
        Token { kind, field: Field { offset: self.offset, text: &rest[..length] } }
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.offset += token.field.text.len();
        token
    }

    /// Takes the next one if it is this.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        if found {
            self.take();
        }
        found
    }

    /// Takes the next one if it is this word, in any letter case.
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_word(word);
        if found {
            self.take();
        }
        found
    }

    /// Takes the next one, or reports that it is not this.
    pub(super) fn expect(&mut self, text: &str, what: &'static str, report: &mut Report<'_>) -> Option<()> {
        let token = self.peek();
        if self.accept(text) {
            return Some(());
        }
        token.refuse(what, text, report);
        None
    }

    /// The next one, if it is a word before a colon.
    pub(super) fn peek_label(&self) -> Option<Token<'a>> {
        let mut ahead = *self;
        let word = ahead.take();
        (word.kind == Kind::Word && ahead.accept(":")).then_some(word)
    }

    /// Offset of a comment without an end, if there was one.
    pub(super) fn unclosed(&self) -> Option<usize> {
        self.unclosed
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.offset..];
            self.offset += rest.len() - rest.trim_ascii_start().len();
            let rest = &self.text[self.offset..];
            if !rest.starts_with(b"(*") {
                return;
            }
            let length = comment(rest);
            if length.is_none() {
                self.unclosed = Some(self.offset);
            }
            self.offset += length.unwrap_or(rest.len());
        }
    }
}

/// Length of the comment at the beginning of the text; `None` if it does not end.
pub(super) fn comment(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let pair = text.get(at..at + 2);
        match pair {
            Some(b"(*") => depth += 1,
            Some(b"*)") => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Kind and length of the first token of a text without blanks before it.
fn measure(text: &[u8]) -> (Kind, usize) {
    let span = |from: usize, belongs: fn(u8) -> bool| {
        let more = text[from..].iter().position(|&byte| !belongs(byte));
        more.map_or(text.len(), |more| from + more)
    };
    let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let in_number = |byte: u8| byte.is_ascii_alphanumeric();
    match text {
        [] => (Kind::End, 0),
        [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => (Kind::Word, span(1, in_word)),
        [b'0'..=b'9', ..] => (Kind::Number, span(1, in_number)),
        [b'-', b'0'..=b'9', ..] => (Kind::Number, span(2, in_number)),
        [b'/', b'\\', ..] | [b'\\', b'/', ..] | [b'=', b'>', ..] => (Kind::Mark, 2),
        _ => (Kind::Mark, 1),
    }
}
