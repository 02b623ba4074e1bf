//! A format as a tree: `(1P,4(1X,E15.8))` is a scale factor and a group of four times a skip and a field.
//!
//! It must never know which columns of a card an item stands for.

use crate::scan;

/// The greatest number in a format: far more than the 80 columns of any real card.
const MOST: u64 = 10_000;

/// The greatest power of a scale factor.
const MOST_SCALE: u64 = 300;

/// Place at which a text stops being a format, and the expected text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadFormat {
    /// The byte of the text.
    pub(crate) at: usize,
    /// Expected text there.
    pub(crate) expected: &'static str,
}

/// A part of a format.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// `rIw`, `rEw.d`, …
    Field {
        /// The byte of its letter.
        at: usize,
        /// The number of times that it comes.
        repeat: usize,
        /// The values that it is for.
        letter: Letter,
        /// Columns, at least 1.
        width: usize,
        /// Digits behind the decimal point; 0 for an integer.
        decimals: u64,
    },
    /// `r(…)`.
    Group(usize, Vec<Item>),
    /// `nX` and `TRn`.
    Right(usize),
    /// `TLn`.
    Left(usize),
    /// `Tn`, from 1.
    Column(usize),
    /// `kP`.
    Scale(i32),
    /// Ends of cards: a number of `/`.
    Card(usize),
    /// `BN`, `BZ`, `S`, `SP`, `SS` and `:`, which have no effect on these numbers.
    Nothing,
}

/// The values that a field is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letter {
    /// `I`.
    Integer,
    /// `E`, `D`, `F`, `ES`, `EN`.
    Real,
    /// `G`: either.
    General,
}

/// Reads the items between the outer parentheses.
pub(super) fn items(text: &[u8]) -> Result<Vec<Item>, BadFormat> {
    // Blanks mean nothing within a format, and neither does letter case.
    let bytes = text.iter().enumerate().filter(|(_, byte)| **byte != b' ');
    let bytes = bytes.map(|(at, byte)| (at, byte.to_ascii_uppercase())).collect();
    let mut parser = Parser { bytes, next: 0, end: text.len() };
    parser.expect(b'(', "( and a format, as (16I5) or (4(1X,E15.8))")?;
    let items = parser.list()?;
    if parser.next < parser.bytes.len() {
        return Err(parser.bad("the end of the format behind its last )"));
    }
    Ok(items)
}

struct Parser {
    /// Bytes other than blanks, and where they stand.
    bytes: Vec<(usize, u8)>,
    next: usize,
    end: usize,
}

impl Parser {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.next).map(|(_, byte)| *byte)
    }

    fn at(&self) -> usize {
        self.bytes.get(self.next).map_or(self.end, |(at, _)| *at)
    }

    fn bad(&self, expected: &'static str) -> BadFormat {
        BadFormat { at: self.at(), expected }
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), BadFormat> {
        if self.accept(byte) { Ok(()) } else { Err(self.bad(expected)) }
    }

    /// Reads items up to the parenthesis that closes the list, which is taken.
    fn list(&mut self) -> Result<Vec<Item>, BadFormat> {
        let mut items = Vec::new();
        loop {
            let item = self.item()?;
            let behind = self.peek();
            let loose = matches!(item, Item::Scale(_) | Item::Card(_) | Item::Right(_) | Item::Nothing);
            items.push(item);
            if self.accept(b')') {
                return Ok(items);
            }
            if !self.accept(b',') && !loose && !matches!(behind, Some(b'/' | b':')) {
                return Err(self.bad(", or )"));
            }
        }
    }

    fn item(&mut self) -> Result<Item, BadFormat> {
        let start = self.next;
        let minus = self.accept(b'-');
        let signed = minus || self.accept(b'+');
        let number = self.digits(if signed { MOST_SCALE } else { MOST })?;
        if self.accept(b'P') {
            let scale = number.filter(|scale| *scale as u64 <= MOST_SCALE);
            let Some(scale) = scale else {
                self.next = start;
                return Err(self.bad("a scale factor of -300P to 300P"));
            };
            return Ok(Item::Scale(if minus { -(scale as i32) } else { scale as i32 }));
        }
        if signed {
            return Err(self.bad("P behind a number with a sign"));
        }
        let repeat = number.unwrap_or(1);
        if repeat == 0 {
            self.next = start;
            return Err(self.bad("a number of at least 1"));
        }
        if self.accept(b'(') {
            return Ok(Item::Group(repeat, self.list()?));
        }
        if self.accept(b'X') {
            return Ok(Item::Right(repeat));
        }
        if self.accept(b'/') {
            return Ok(Item::Card(repeat));
        }
        match number {
            Some(_) => self.field(repeat),
            None => self.alone().unwrap_or_else(|| self.field(repeat)),
        }
    }

    /// An item that no number stands before; `None` if there is none.
    fn alone(&mut self) -> Option<Result<Item, BadFormat>> {
        if self.accept(b':') {
            return Some(Ok(Item::Nothing));
        }
        if self.accept(b'T') {
            let side = self.peek().filter(|side| matches!(side, b'L' | b'R'));
            self.next += usize::from(side.is_some());
            return Some(self.positive("a number of columns behind T, TL or TR").map(|number| match side {
                Some(b'L') => Item::Left(number),
                Some(_) => Item::Right(number),
                None => Item::Column(number),
            }));
        }
        let known: [&[u8]; 5] = [b"BN", b"BZ", b"SP", b"SS", b"S"];
        let word = known.iter().find(|word| {
            word.iter()
                .enumerate()
                .all(|(at, byte)| self.bytes.get(self.next + at).is_some_and(|it| it.1 == *byte))
        })?;
        self.next += word.len();
        Some(Ok(Item::Nothing))
    }

    fn field(&mut self, repeat: usize) -> Result<Item, BadFormat> {
        const KNOWN: &str = "I, E, D, F or G with a width, or X, T, P or (";
        let at = self.at();
        let name = self.peek().ok_or_else(|| self.bad(KNOWN))?;
        let letter = match name {
            b'I' => Letter::Integer,
            b'E' | b'D' | b'F' => Letter::Real,
            b'G' => Letter::General,
            _ => return Err(self.bad(KNOWN)),
        };
        self.next += 1;
        if name == b'E' && matches!(self.peek(), Some(b'S' | b'N')) {
            self.next += 1;
        }
        let width = self.positive("a width, as in I8 or E20.12")?;
        let has_decimals = self.accept(b'.');
        if !has_decimals && letter != Letter::Integer {
            return Err(self.bad(". and the number of decimals"));
        }
        let decimals = if has_decimals {
            self.digits(MOST)?.ok_or_else(|| self.bad("the number of decimals"))?
        } else {
            0
        };
        if matches!(name, b'E' | b'G') && self.accept(b'E') {
            self.positive("the number of digits of the exponent")?;
        }
        // Of an integer it is the least number of digits, which matters in writing only.
        let decimals = if letter == Letter::Integer { 0 } else { decimals as u64 };
        Ok(Item::Field { at, repeat, letter, width, decimals })
    }

    fn positive(&mut self, expected: &'static str) -> Result<usize, BadFormat> {
        let start = self.next;
        match self.digits(MOST)? {
            Some(number) if number > 0 => Ok(number),
            _ => {
                self.next = start;
                Err(self.bad(expected))
            }
        }
    }

    /// Takes digits; `None` if there are none.
    fn digits(&mut self, most: u64) -> Result<Option<usize>, BadFormat> {
        let start = self.next;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.next += 1;
        }
        if start == self.next {
            return Ok(None);
        }
        let digits: Vec<u8> = self.bytes[start..self.next].iter().map(|(_, byte)| *byte).collect();
        match scan::unsigned(&digits).filter(|number| *number <= most) {
            Some(number) => Ok(Some(number as usize)),
            None => {
                self.next = start;
                Err(self.bad("a number of at most 10000, or 300 for a scale factor"))
            }
        }
    }
}
