//! The table of code: a column for each thread, a row for each step, cells between `|`, rows ended by `;`.
//!
//! It must never know an instruction of any architecture.

use super::{
    Architecture, Comparison, Instruction, Location, MAX_THREADS, Operand, Operation,
    names::Names,
    riscv,
    tokens::{Kind, Token, Tokens},
    x86,
};
use crate::errors::{Excerpt, Report};

/// Words that only stand behind the code.
const BEHIND: [&str; 5] = ["locations", "filter", "exists", "forall", "~"];

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
    names: &'r mut Names,
    thread: usize,
    column: &'r mut Column<'a>,
}

/// Code of a thread as read up to now.
#[derive(Default)]
struct Column<'a> {
    code: Vec<Instruction>,
    /// Labels, with the index of the instruction behind each.
    labels: Vec<(&'a str, usize)>,
    /// Branches, with the label that each goes to.
    branches: Vec<(usize, Token<'a>)>,
}

/// Reads the table: the code of each thread; `None` if its shape is wrong, and reported.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    names: &mut Names,
    report: &mut Report<'_>,
) -> Option<Vec<Vec<Instruction>>> {
    let threads = head(tokens, report)?;
    let mut columns: Vec<Column<'_>> = Vec::new();
    columns.resize_with(threads, Column::default);
    while !BEHIND.iter().any(|word| tokens.peek().is_word(word)) {
        row(&mut columns, tokens, names, report)?;
    }
    Some(columns.into_iter().map(|column| column.finish(report)).collect())
}

/// Reads ` P0 | P1 ;`: the number of threads.
fn head(tokens: &mut Tokens<'_>, report: &mut Report<'_>) -> Option<usize> {
    for thread in 0.. {
        let token = tokens.take();
        if thread == MAX_THREADS {
            report.add(token.field.offset, "thread", thread, format_args!("at most {MAX_THREADS} of them"));
            return None;
        }
        let name = format!("P{thread}");
        if !token.is_word(&name) {
            token.refuse("thread", &name, report);
            return None;
        }
        let end = tokens.peek();
        if tokens.accept(";") {
            return Some(thread + 1);
        }
        if !tokens.accept("|") {
            end.refuse("thread", "| or ; behind it", report);
            return None;
        }
    }
    None
}

fn row<'a>(
    columns: &mut [Column<'a>],
    tokens: &mut Tokens<'a>,
    names: &mut Names,
    report: &mut Report<'_>,
) -> Option<()> {
    let (start, count) = (tokens.peek(), columns.len());
    if start.kind == Kind::End {
        start.refuse("condition", "exists, ~exists or forall", report);
        return None;
    }
    for (thread, column) in columns.iter_mut().enumerate() {
        let mut cell = Cell { tokens, report, names, thread, column };
        if cell.read().is_none() {
            skip_cell(tokens);
        }
        let end = tokens.take();
        let is_last = thread + 1 == count;
        if !end.is(if is_last { ";" } else { "|" }) {
            let expected =
                if is_last { "; behind the last thread's code" } else { "| and the next thread's code" };
            end.refuse("row", expected, report);
            return None;
        }
    }
    Some(())
}

/// Skips the rest of a wrong cell.
fn skip_cell(tokens: &mut Tokens<'_>) {
    loop {
        let token = tokens.peek();
        if token.is("|") || token.is(";") || token.kind == Kind::End {
            return;
        }
        tokens.take();
    }
}

impl<'a> Cell<'_, '_, 'a> {
    /// Reads all of the cell; `None` if something is wrong, and reported.
    fn read(&mut self) -> Option<()> {
        if self.at_end() {
            return Some(());
        }
        let step = match self.names.architecture {
            Architecture::RiscV => self.labelled(riscv::instruction),
            Architecture::X86 => self.labelled(x86::instruction),
        }?;
        if let Step::Do(instruction) = step {
            self.column.code.push(instruction);
        }
        let token = self.tokens.peek();
        if !self.at_end() {
            token.refuse("instruction", "its end", self.report);
            return None;
        }
        Some(())
    }

    /// An instruction, perhaps behind a label; or a label alone.
    fn labelled(&mut self, instruction: impl FnOnce(&mut Self) -> Option<Step>) -> Option<Step> {
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

impl Column<'_> {
    /// The code, with its branches led to their labels.
    fn finish(mut self, report: &mut Report<'_>) -> Vec<Instruction> {
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
