//! RISC-V instructions and registers (*The RISC-V Instruction Set Manual*, volume I), in any letter case.
//!
//! It must never know the rest of a file.

use super::{
    Address, Comparison, Instruction, Operand, Operation, Size,
    code::{Cell, Step},
};
use crate::scan;

/// The register that is always zero.
pub(super) const ZERO: &str = "x0";

/// Registers, as a message says it.
pub(super) const REGISTERS: &str = "x0 to x31, or a name such as a0";

/// Instructions, as a message says it.
const INSTRUCTIONS: &str = "lw, ld, sw, sd (with .aq, .rl or .aqrl), li, mv, add, sub, and, or, xor, addi, andi, ori, xori, \
                            beq, bne, blt, bge, j, nop, fence, fence.i or fence.tso";

/// Names of registers by their use, in the order of their numbers.
const BY_USE: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The one name of a register.
pub(super) fn register(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let numbered = name.strip_prefix('x').and_then(|number| scan::unsigned(number.as_bytes()));
    let numbered = numbered.filter(|number| *number < BY_USE.len() as u64).map(|number| number as usize);
    let number = numbered.or_else(|| BY_USE.iter().position(|by_use| *by_use == name));
    number.map(|number| format!("x{number}"))
}

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
