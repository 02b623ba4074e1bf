//! The table of code: a column for each thread, a row for each step, cells between `|`, rows ended by `;`.
//!
//! It must never know an instruction of any architecture.

use super::{
    Architecture, Instruction, MAX_THREADS,
    cell::{Cell, Step, ThreadCode},
    names::Names,
    riscv,
    tokens::{Kind, Tokens},
    x86,
};
use crate::errors::Report;

/// Words that only stand behind the code.
const BEHIND: [&str; 5] = ["locations", "filter", "exists", "forall", "~"];

/// Reads the table: the code of each thread; `None` if its shape is wrong, and reported.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    names: &mut Names,
    report: &mut Report<'_>,
) -> Option<Vec<Vec<Instruction>>> {
    let threads = head(tokens, report)?;
    let mut columns: Vec<ThreadCode<'_>> = Vec::new();
    columns.resize_with(threads, ThreadCode::default);
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
    columns: &mut [ThreadCode<'a>],
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
        if read_cell(&mut cell).is_none() {
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

/// Reads all of a cell; `None` if something is wrong, and reported.
fn read_cell(cell: &mut Cell<'_, '_, '_>) -> Option<()> {
    if cell.at_end() {
        return Some(());
    }
    let step = match cell.names.architecture {
        Architecture::RiscV => cell.labelled(riscv::instruction),
        Architecture::X86 => cell.labelled(x86::instruction),
    }?;
    if let Step::Do(instruction) = step {
        cell.column.code.push(instruction);
    }
    let token = cell.tokens.peek();
    if !cell.at_end() {
        token.refuse("instruction", "its end", cell.report);
        return None;
    }
    Some(())
}
