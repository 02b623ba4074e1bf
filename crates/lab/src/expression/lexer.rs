//! Splits the text of an expression into words. This module must never know how words go together.

use super::{Comparison, SyntaxError};

/// A word, and where it begins: the character, from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) word: Word,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Number(f64),
    /// A metric, a function, or `and`, `or`, `not`.
    Name(String),
    Comparison(Comparison),
    /// Any of `+ - * / ( ) ,`.
    Sign(char),
    End,
}

/// All words of a text, the last of them [`Word::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, SyntaxError> {
    let characters: Vec<char> = text.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(&character) = characters.get(at) {
        if character.is_whitespace() {
            at += 1;
            continue;
        }
        let (word, length) = word(&characters[at..]).ok_or_else(|| SyntaxError {
            at,
            expected: format!("a name, a number, or one of + - * / < <= > >= == ( ), found `{character}`"),
        })?;
        tokens.push(Token { at, word });
        at += length;
    }
    tokens.push(Token { at: characters.len(), word: Word::End });
    Ok(tokens)
}

/// The word that a text begins with, and how many characters it has.
fn word(text: &[char]) -> Option<(Word, usize)> {
    let length = |belongs: fn(char) -> bool| text.iter().take_while(|character| belongs(**character)).count();
    let first = *text.first()?;
    if first.is_ascii_alphabetic() {
        let length = length(is_of_name);
        return Some((Word::Name(text[..length].iter().collect()), length));
    }
    if first.is_ascii_digit() {
        // `1e-9` has a sign inside.
        let mut length = length(|character| character.is_ascii_alphanumeric() || character == '.');
        if text[length - 1].eq_ignore_ascii_case(&'e') && text.get(length) == Some(&'-') {
            length += 1;
            length += text[length..].iter().take_while(|character| character.is_ascii_digit()).count();
        }
        let written: String = text[..length].iter().collect();
        return written.parse().ok().map(|number| (Word::Number(number), length));
    }
    let equal = text.get(1) == Some(&'=');
    match (first, equal) {
        ('<', false) => Some((Word::Comparison(Comparison::Less), 1)),
        ('<', true) => Some((Word::Comparison(Comparison::LessOrEqual), 2)),
        ('>', false) => Some((Word::Comparison(Comparison::Greater), 1)),
        ('>', true) => Some((Word::Comparison(Comparison::GreaterOrEqual), 2)),
        ('=', true) => Some((Word::Comparison(Comparison::Equal), 2)),
        ('+' | '-' | '*' | '/' | '(' | ')' | ',', _) => Some((Word::Sign(first), 1)),
        _ => None,
    }
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
}
