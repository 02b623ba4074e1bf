//! Names that a test's file has mentioned so far: variables, and registers of threads, each with its first value.
//!
//! It must never know where in a file a name may stand.

use super::{
    Architecture, Location, MAX_LOCATIONS, MAX_THREADS, Place, Register, registers,
    tokens::{Kind, Token, Tokens},
};
use crate::{
    errors::{Excerpt, Report},
    scan,
};

/// Names, in the order in which they were first met.
pub(super) struct Names {
    pub(super) architecture: Architecture,
    pub(super) locations: Vec<Location>,
    /// Registers of each thread.
    pub(super) registers: Vec<Vec<Register>>,
    /// Threads with registers, and where the file first mentions each.
    pub(super) mentioned: Vec<(usize, usize)>,
}

impl Names {
    pub(super) fn new(architecture: Architecture) -> Self {
        Self { architecture, locations: Vec::new(), registers: Vec::new(), mentioned: Vec::new() }
    }

    /// The variable that a word names.
    pub(super) fn location(&mut self, word: Token<'_>, report: &mut Report<'_>) -> Option<usize> {
        if word.kind != Kind::Word || word.field.text.contains(&b'.') {
            word.refuse("variable", "a name", report);
            return None;
        }
        let name = word.text();
        let known = self.locations.iter().position(|location| location.name == name);
        if known.is_none() && self.locations.len() == MAX_LOCATIONS {
            let expected = format!("at most {MAX_LOCATIONS} of them");
            report.add(word.field.offset, "variable", Excerpt(word.field.text), expected);
            return None;
        }
        Some(known.unwrap_or_else(|| {
            self.locations.push(Location { name: name.to_owned(), initial: 0 });
            self.locations.len() - 1
        }))
    }

    /// The register of a thread that a word names; the inner `None` is the register that is always zero.
    pub(super) fn register(
        &mut self,
        thread: usize,
        word: Token<'_>,
        report: &mut Report<'_>,
    ) -> Option<Option<usize>> {
        let name = match self.architecture {
            Architecture::RiscV => registers::riscv(word.text()),
            Architecture::X86 => registers::x86(word.text()),
        };
        let Some(name) = name else {
            let expected = match self.architecture {
                Architecture::RiscV => registers::RISCV,
                Architecture::X86 => registers::X86,
            };
            word.refuse("register", expected, report);
            return None;
        };
        let is_zero = self.architecture == Architecture::RiscV && name == registers::ZERO;
        Some((!is_zero).then(|| self.slot(thread, word.field.offset, name)))
    }

    /// Index of a register in its thread, to which it is added if it is new.
    fn slot(&mut self, thread: usize, offset: usize, name: String) -> usize {
        if !self.mentioned.iter().any(|(known, _)| *known == thread) {
            self.mentioned.push((thread, offset));
        }
        if self.registers.len() <= thread {
            self.registers.resize_with(thread + 1, Vec::new);
        }
        let registers = &mut self.registers[thread];
        registers.iter().position(|register| register.name == name).unwrap_or_else(|| {
            registers.push(Register { name, initial: 0 });
            registers.len() - 1
        })
    }

    /// A place as files spell it: `0:x5`, `x` or `[x]`.
    pub(super) fn place(&mut self, tokens: &mut Tokens<'_>, report: &mut Report<'_>) -> Option<Place> {
        let token = tokens.take();
        if token.is("[") {
            let location = self.location(tokens.take(), report)?;
            tokens.expect("]", "variable", report)?;
            return Some(Place::Location(location));
        }
        if token.kind != Kind::Number {
            return self.location(token, report).map(Place::Location);
        }
        let thread = scan::unsigned(token.field.text).filter(|thread| *thread < MAX_THREADS as u64);
        let Some(thread) = thread else {
            let expected = format!("0..={}", MAX_THREADS - 1);
            report.add(token.field.offset, "thread", Excerpt(token.field.text), expected);
            return None;
        };
        tokens.expect(":", "register", report)?;
        let word = tokens.take();
        let register = self.register(thread as usize, word, report)?;
        if register.is_none() {
            word.refuse("register", "one that can change", report);
        }
        Some(Place::Register(thread as usize, register?))
    }

    /// A value as files spell it: a number, or the address of a variable.
    pub(super) fn value(&mut self, tokens: &mut Tokens<'_>, report: &mut Report<'_>) -> Option<i64> {
        tokens.accept("&");
        let token = tokens.take();
        if token.kind == Kind::Word {
            return self.location(token, report).map(Location::address);
        }
        let number = token.integer();
        if number.is_none() {
            token.refuse("value", "a number of 64 bits, or a variable for its address", report);
        }
        number
    }
}
