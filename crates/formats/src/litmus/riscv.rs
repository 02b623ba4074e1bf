//! RISC-V instructions (*The RISC-V Instruction Set Manual*, volume I), in any letter case.
//!
//! It must never know the rest of a file.

use super::{
    Address, Comparison, Instruction, Operand, Operation, Size,
    cell::{Cell, Step},
};

/// Instructions, as a message says it.
const INSTRUCTIONS: &str = "lw, ld, sw, sd (with .aq, .rl or .aqrl), li, mv, add, sub, and, or, xor, addi, andi, ori, xori, \
                            beq, bne, blt, bge, j, nop, fence, fence.i or fence.tso";

/// Reads an instruction.
pub(super) fn instruction(cell: &mut Cell<'_, '_, '_>) -> Option<Step> {
    let word = cell.tokens.take();
    let name = word.text().to_ascii_lowercase();
    let (base, annotation) = name.split_once('.').unwrap_or((&name, ""));
    match (base, annotation) {
        ("fence", "") => return fence(cell),
        ("fence", "i" | "tso") | ("nop", "") => return Some(Step::Nothing),
        _ => {}
    }
    let ordered = matches!(annotation, "" | "aq" | "rl" | "aqrl" | "aq.rl");
    match base {
        "lw" if ordered => return load(cell, Size::Half),
        "ld" if ordered => return load(cell, Size::Whole),
        "sw" if ordered => return store(cell, Size::Half),
        "sd" if ordered => return store(cell, Size::Whole),
        _ => {}
    }
    if let Some((operation, immediate)) = operation(&name) {
        return compute(cell, operation, immediate);
    }
    if let Some(comparison) = comparison(&name) {
        let left = source(cell)?;
        cell.comma()?;
        let right = source(cell)?;
        cell.comma()?;
        return cell.branch(comparison, left, right);
    }
    match name.as_str() {
        "li" => set(cell, true),
        "mv" => set(cell, false),
        "j" => cell.branch(Comparison::Equal, Operand::Constant(0), Operand::Constant(0)),
        _ => {
            word.refuse("instruction", INSTRUCTIONS, cell.report);
            None
        }
    }
}

fn operation(word: &str) -> Option<(Operation, bool)> {
    Some(match word {
        "add" => (Operation::Add, false),
        "sub" => (Operation::Subtract, false),
        "and" => (Operation::And, false),
        "or" => (Operation::Or, false),
        "xor" => (Operation::Xor, false),
        "addi" => (Operation::Add, true),
        "andi" => (Operation::And, true),
        "ori" => (Operation::Or, true),
        "xori" => (Operation::Xor, true),
        _ => return None,
    })
}

fn comparison(word: &str) -> Option<Comparison> {
    Some(match word {
        "beq" => Comparison::Equal,
        "bne" => Comparison::NotEqual,
        "blt" => Comparison::Less,
        "bge" => Comparison::NotLess,
        _ => return None,
    })
}

/// A register as a source.
fn source(cell: &mut Cell<'_, '_, '_>) -> Option<Operand> {
    Some(cell.register()?.map_or(Operand::Constant(0), Operand::Register))
}

/// `5, 0(x6)` behind the register's comma: an address.
fn address(cell: &mut Cell<'_, '_, '_>) -> Option<Address> {
    let offset = if cell.tokens.peek().is("(") { 0 } else { cell.number()? };
    cell.expect("(")?;
    let base = source(cell)?;
    cell.expect(")")?;
    Some(Address { base, offset })
}

fn load(cell: &mut Cell<'_, '_, '_>, size: Size) -> Option<Step> {
    let to = cell.register()?;
    cell.comma()?;
    let from = address(cell)?;
    Some(Step::Do(Instruction::Load { to, from, size }))
}

fn store(cell: &mut Cell<'_, '_, '_>, size: Size) -> Option<Step> {
    let value = source(cell)?;
    cell.comma()?;
    let to = address(cell)?;
    Some(Step::Do(Instruction::Store { to, value, size }))
}

fn compute(cell: &mut Cell<'_, '_, '_>, operation: Operation, immediate: bool) -> Option<Step> {
    let to = cell.register()?;
    cell.comma()?;
    let left = source(cell)?;
    cell.comma()?;
    let right = if immediate { cell.immediate()? } else { source(cell)? };
    Some(Step::set(to, operation, left, right))
}

/// `li` and `mv`: a register, and its new value.
fn set(cell: &mut Cell<'_, '_, '_>, immediate: bool) -> Option<Step> {
    let to = cell.register()?;
    cell.comma()?;
    let value = if immediate { cell.immediate()? } else { source(cell)? };
    Some(Step::set(to, Operation::Add, value, Operand::Constant(0)))
}

/// Reads the operands of `fence`: none, or two sets of accesses.
fn fence(cell: &mut Cell<'_, '_, '_>) -> Option<Step> {
    if !cell.at_end() {
        accesses(cell)?;
        cell.comma()?;
        accesses(cell)?;
    }
    Some(Step::Nothing)
}

fn accesses(cell: &mut Cell<'_, '_, '_>) -> Option<()> {
    let token = cell.tokens.take();
    let mut order = "iorw".chars();
    let ascends = token.text().chars().all(|access| order.any(|known| known.eq_ignore_ascii_case(&access)));
    if token.text().is_empty() || !ascends {
        token.refuse("accesses", "letters of iorw, in this order", cell.report);
        return None;
    }
    Some(())
}
