//! Parses the words of an expression: recursive descent, one function for each precedence. Checks that
//! numbers stand where numbers are needed and flags where flags are. This module must never evaluate anything.

use std::str::FromStr;

use super::lexer::{self, Token, Word};
use super::{Expression, Function, Kind, Operator, SyntaxError, Tree};

/// Maximum nesting depth of parentheses, functions and signs: each takes a part of the stack.
const DEEPEST: usize = 64;

impl FromStr for Expression {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { tokens: lexer::tokens(text)?, next: 0, depth: 0 };
        let (node, kind) = parser.alternatives()?;
        match parser.peek() {
            Word::End => Ok(Self { text: text.to_owned(), node, kind }),
            _ => parser.fail("an operator or the end"),
        }
    }
}

struct Parser {
    /// Never empty: ends with [`Word::End`].
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

/// A part of an expression and the kind of its result.
type Part = (Tree, Kind);

impl Parser {
    fn peek(&self) -> &Word {
        &self.tokens[self.next].word
    }

    fn step(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn fail<T>(&self, expected: &str) -> Result<T, SyntaxError> {
        let found = match self.peek() {
            Word::End => "the end".to_owned(),
            Word::Name(name) => format!("`{name}`"),
            Word::Number(number) => format!("`{number}`"),
            Word::Sign(sign) => format!("`{sign}`"),
            Word::Comparison(_) => "a comparison".to_owned(),
        };
        Err(SyntaxError { at: self.tokens[self.next].at, expected: format!("{expected}, found {found}") })
    }

    /// Passes over a word if it is this one.
    fn take(&mut self, word: &Word) -> bool {
        let is = self.peek() == word;
        if is {
            self.step();
        }
        is
    }

    fn take_name(&mut self, name: &str) -> bool {
        self.take(&Word::Name(name.to_owned()))
    }

    fn expect(&mut self, sign: char) -> Result<(), SyntaxError> {
        if self.take(&Word::Sign(sign)) { Ok(()) } else { self.fail(&format!("`{sign}`")) }
    }

    /// The node of a part that must yield `kind`; `at` is where it began.
    fn must(&self, at: usize, (node, found): Part, kind: Kind) -> Result<Box<Tree>, SyntaxError> {
        if found == kind {
            return Ok(Box::new(node));
        }
        Err(SyntaxError { at: self.tokens[at].at, expected: format!("{kind}, found {found}") })
    }

    fn alternatives(&mut self) -> Result<Part, SyntaxError> {
        self.join("or", Self::conjunction, Tree::Or)
    }

    fn conjunction(&mut self) -> Result<Part, SyntaxError> {
        self.join("and", Self::negation, Tree::And)
    }

    fn join(
        &mut self,
        name: &str,
        part: fn(&mut Self) -> Result<Part, SyntaxError>,
        both: fn(Box<Tree>, Box<Tree>) -> Tree,
    ) -> Result<Part, SyntaxError> {
        let mut at = self.next;
        let mut joined = part(self)?;
        while self.take_name(name) {
            let left = self.must(at, joined, Kind::Flag)?;
            at = self.next;
            let right = part(self)?;
            joined = (both(left, self.must(at, right, Kind::Flag)?), Kind::Flag);
        }
        Ok(joined)
    }

    fn negation(&mut self) -> Result<Part, SyntaxError> {
        if !self.take_name("not") {
            return self.comparison();
        }
        let at = self.next;
        let part = self.nested(Self::negation)?;
        Ok((Tree::Not(self.must(at, part, Kind::Flag)?), Kind::Flag))
    }

    fn comparison(&mut self) -> Result<Part, SyntaxError> {
        let mut at = self.next;
        let first = self.sum()?;
        let mut rest = Vec::new();
        let &Word::Comparison(_) = self.peek() else { return Ok(first) };
        let first = self.must(at, first, Kind::Number)?;
        while let &Word::Comparison(comparison) = self.peek() {
            self.step();
            at = self.next;
            let part = self.sum()?;
            rest.push((comparison, *self.must(at, part, Kind::Number)?));
        }
        Ok((Tree::Chain(first, rest), Kind::Flag))
    }

    fn sum(&mut self) -> Result<Part, SyntaxError> {
        self.arithmetic(&[('+', Operator::Plus), ('-', Operator::Minus)], Self::product)
    }

    fn product(&mut self) -> Result<Part, SyntaxError> {
        self.arithmetic(&[('*', Operator::Times), ('/', Operator::Over)], Self::signed)
    }

    fn arithmetic(
        &mut self,
        operators: &[(char, Operator)],
        part: fn(&mut Self) -> Result<Part, SyntaxError>,
    ) -> Result<Part, SyntaxError> {
        let mut at = self.next;
        let mut whole = part(self)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| *self.peek() == Word::Sign(*sign)) {
            self.step();
            let left = self.must(at, whole, Kind::Number)?;
            at = self.next;
            let right = part(self)?;
            let right = self.must(at, right, Kind::Number)?;
            whole = (Tree::Arithmetic(*operator, left, right), Kind::Number);
        }
        Ok(whole)
    }

    fn signed(&mut self) -> Result<Part, SyntaxError> {
        if !self.take(&Word::Sign('-')) {
            return self.atom();
        }
        let at = self.next;
        let part = self.nested(Self::signed)?;
        Ok((Tree::Negative(self.must(at, part, Kind::Number)?), Kind::Number))
    }

    fn atom(&mut self) -> Result<Part, SyntaxError> {
        match self.peek().clone() {
            Word::Number(number) => {
                self.step();
                Ok((Tree::Number(number), Kind::Number))
            }
            Word::Sign('(') => {
                self.step();
                let part = self.nested(Self::alternatives)?;
                self.expect(')')?;
                Ok(part)
            }
            Word::Name(name) if !matches!(name.as_str(), "and" | "or" | "not") => {
                let at = self.next;
                self.step();
                match self.take(&Word::Sign('(')) {
                    true => self.call(at, &name),
                    false => Ok((Tree::Name(name), Kind::Number)),
                }
            }
            _ => self.fail("a number, a metric or `(`"),
        }
    }

    fn call(&mut self, at: usize, name: &str) -> Result<Part, SyntaxError> {
        let wrong = |expected: String| Err(SyntaxError { at: self.tokens[at].at, expected });
        let Some(function) = Function::find(name) else {
            return wrong(format!(
                "one of the functions min, max, abs, round, sqrt, near, count, found `{name}`"
            ));
        };
        let mut numbers = Vec::new();
        loop {
            let start = self.next;
            let part = self.nested(Self::sum)?;
            numbers.push(*self.must(start, part, Kind::Number)?);
            if !self.take(&Word::Sign(',')) {
                break;
            }
        }
        self.expect(')')?;
        let (least, most) = function.arity();
        if !(least..=most).contains(&numbers.len()) {
            let expected = format!("{least} numbers for `{name}`, found {}", numbers.len());
            return Err(SyntaxError { at: self.tokens[at].at, expected });
        }
        Ok((Tree::Call(function, numbers), function.kind()))
    }

    fn nested(&mut self, part: fn(&mut Self) -> Result<Part, SyntaxError>) -> Result<Part, SyntaxError> {
        if self.depth == DEEPEST {
            return self.fail("fewer parts inside one another");
        }
        self.depth += 1;
        let part = part(self);
        self.depth -= 1;
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let wrong = |text: &str| {
            let error = text.parse::<Expression>().unwrap_err();
            format!("{}: {}", error.at, error.expected)
        };
        assert_eq!(wrong("a < < b"), "4: a number, a metric or `(`, found a comparison");
        assert_eq!(wrong("a b"), "2: an operator or the end, found `b`");
        assert_eq!(wrong("(a + 1"), "6: `)`, found the end");
        assert_eq!(wrong("a and b < 1"), "0: a comparison, found a number");
        assert_eq!(wrong("1 + (a < b)"), "4: a number, found a comparison");
        assert_eq!(wrong("near(a, b)"), "0: 3 numbers for `near`, found 2");
        assert_eq!(
            wrong("sum(a)"),
            "0: one of the functions min, max, abs, round, sqrt, near, count, found `sum`"
        );
        assert!(wrong("a & b").starts_with("2: a name, a number, or one of + - * /"));
        assert!(wrong(&"(".repeat(100)).starts_with("65: fewer parts inside one another"));
    }
}
