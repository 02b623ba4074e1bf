//! A cell of the table of code while it is read: its tokens, its labels, and the operands that instructions consist of.
//!
//! It must never know an instruction of any architecture.

use super::{
    Comparison, Instruction, Location, Operand, Operation,
    names::Names,
    tokens::{Kind, Token, Tokens},
};
use crate::errors::{Excerpt, Report};

/// Meaning of a cell.
pub(super) enum Step {
    /// No instruction, or a fence.
    Nothing,
    /// An instruction.
    Do(Instruction),
}

impl Step {
    /// A computation, whose result goes nowhere if `to` is the register that is always zero.
    pub(super) fn set(to: Option<usize>, operation: Operation, left: Operand, right: Operand) -> Self {
        to.map_or(Self::Nothing, |to| Self::Do(Instruction::Set { to, operation, left, right }))
    }
}

/// A cell being read.
pub(super) struct Cell<'r, 't, 'a> {
    pub(super) tokens: &'r mut Tokens<'a>,
    pub(super) report: &'r mut Report<'t>,
    pub(super) names: &'r mut Names,
    pub(super) thread: usize,
    pub(super) column: &'r mut ThreadCode<'a>,
}

/// Code of a thread as read up to now.
#[derive(Default)]
pub(super) struct ThreadCode<'a> {
    pub(super) code: Vec<Instruction>,
    /// Labels, with the index of the instruction behind each.
    labels: Vec<(&'a str, usize)>,
    /// Branches, with the label that each goes to.
    branches: Vec<(usize, Token<'a>)>,
}

impl<'a> Cell<'_, '_, 'a> {
    /// An instruction, perhaps behind a label; or a label alone.
    pub(super) fn labelled(&mut self, instruction: impl FnOnce(&mut Self) -> Option<Step>) -> Option<Step> {
        if let Some(label) = self.tokens.peek_label() {
            self.label(label)?;
            if self.at_end() {
                return Some(Step::Nothing);
            }
        }
        instruction(self)
    }

    fn label(&mut self, label: Token<'a>) -> Option<()> {
        self.tokens.take();
        self.tokens.take();
        if self.column.labels.iter().any(|(known, _)| *known == label.text()) {
            label.refuse("label", "each once in a thread", self.report);
            return None;
        }
        self.column.labels.push((label.text(), self.column.code.len()));
        Some(())
    }

    /// Whether nothing is left of the cell.
    pub(super) fn at_end(&mut self) -> bool {
        let token = self.tokens.peek();
        token.is("|") || token.is(";")
    }

    pub(super) fn expect(&mut self, mark: &str) -> Option<()> {
        self.tokens.expect(mark, "instruction", self.report)
    }

    pub(super) fn comma(&mut self) -> Option<()> {
        self.expect(",")
    }

    /// Index of a register; the inner `None` is the register that is always zero.
    pub(super) fn register(&mut self) -> Option<Option<usize>> {
        self.names.register(self.thread, self.tokens.take(), self.report)
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        let token = self.tokens.take();
        let number = token.integer();
        if number.is_none() {
            token.refuse("number", "one of 64 bits", self.report);
        }
        number
    }

    pub(super) fn immediate(&mut self) -> Option<Operand> {
        self.number().map(Operand::Constant)
    }

    /// Takes a variable's name: its address.
    pub(super) fn address_of(&mut self, word: Token<'a>) -> Option<i64> {
        self.tokens.take();
        self.names.location(word, self.report).map(Location::address)
    }

    /// Takes a label to branch to.
    pub(super) fn branch(&mut self, comparison: Comparison, left: Operand, right: Operand) -> Option<Step> {
        let label = self.tokens.take();
        if label.kind != Kind::Word {
            label.refuse("label", "a name", self.report);
            return None;
        }
        self.column.branches.push((self.column.code.len(), label));
        // Where the label stands is known when all rows have been read.
        Some(Step::Do(Instruction::Branch { comparison, left, right, target: 0 }))
    }
}

impl ThreadCode<'_> {
    /// The code, with its branches led to their labels.
    pub(super) fn finish(mut self, report: &mut Report<'_>) -> Vec<Instruction> {
        for (from, label) in self.branches {
            let place = self.labels.iter().find(|(name, _)| *name == label.text());
            match place.filter(|(_, to)| *to > from) {
                Some((_, to)) => set_target(&mut self.code, from, *to),
                None => {
                    let expected = "one of a later row: threads that may run for ever are not read";
                    report.add(label.field.offset, "label", Excerpt(label.field.text), expected);
                }
            }
        }
        self.code
    }
}

fn set_target(code: &mut [Instruction], from: usize, to: usize) {
    if let Some(Instruction::Branch { target, .. }) = code.get_mut(from) {
        *target = to;
    }
}
