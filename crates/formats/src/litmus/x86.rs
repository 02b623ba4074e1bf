//! x86 instructions, in the assembler syntax of Intel.
//!
//! It must never know the rest of a file.

use super::{
    Address, Instruction, Operand, Operation, Size,
    cell::{Cell, Step},
    registers,
    tokens::Kind,
};

/// Instructions, as a message says it.
const INSTRUCTIONS: &str =
    "MOV, or on registers ADD, SUB, AND, OR, XOR, INC, DEC, or MFENCE, SFENCE, LFENCE, NOP";

/// Size of an access by the register of this name.
fn size(name: &str) -> Size {
    let name = name.to_ascii_uppercase();
    let is_whole = name.starts_with('R') && !name.ends_with('D');
    if is_whole { Size::Whole } else { Size::Half }
}

/// Reads an instruction.
pub(super) fn instruction(cell: &mut Cell<'_, '_, '_>) -> Option<Step> {
    let word = cell.tokens.take();
    match word.text().to_ascii_uppercase().as_str() {
        "MFENCE" | "SFENCE" | "LFENCE" | "NOP" => Some(Step::Nothing),
        "MOV" => mov(cell),
        "ADD" => compute(cell, Operation::Add),
        "SUB" => compute(cell, Operation::Subtract),
        "AND" => compute(cell, Operation::And),
        "OR" => compute(cell, Operation::Or),
        "XOR" => compute(cell, Operation::Xor),
        "INC" => step(cell, Operation::Add),
        "DEC" => step(cell, Operation::Subtract),
        _ => {
            word.refuse("instruction", INSTRUCTIONS, cell.report);
            None
        }
    }
}

/// A register as a target: its index, and how much it holds.
fn target(cell: &mut Cell<'_, '_, '_>) -> Option<(usize, Size)> {
    let size = size(cell.tokens.peek().text());
    Some((cell.register()??, size))
}

/// `$1` or `EAX`, and how much it moves.
fn source(cell: &mut Cell<'_, '_, '_>) -> Option<(Operand, Size)> {
    let token = cell.tokens.peek();
    if cell.tokens.accept("$") || token.kind == Kind::Number {
        return Some((cell.immediate()?, Size::Half));
    }
    target(cell).map(|(register, size)| (Operand::Register(register), size))
}

/// `[x]` or `[EAX]` behind the bracket.
fn memory(cell: &mut Cell<'_, '_, '_>) -> Option<Address> {
    let word = cell.tokens.peek();
    let base = match registers::x86(word.text()) {
        Some(_) => Operand::Register(cell.register()??),
        None => Operand::Constant(cell.address_of(word)?),
    };
    cell.expect("]")?;
    Some(Address { base, offset: 0 })
}

fn mov(cell: &mut Cell<'_, '_, '_>) -> Option<Step> {
    if cell.tokens.accept("[") {
        let to = memory(cell)?;
        cell.comma()?;
        let (value, size) = source(cell)?;
        return Some(Step::Do(Instruction::Store { to, value, size }));
    }
    let (to, size) = target(cell)?;
    cell.comma()?;
    if cell.tokens.accept("[") {
        let from = memory(cell)?;
        return Some(Step::Do(Instruction::Load { to: Some(to), from, size }));
    }
    let (value, _) = source(cell)?;
    Some(Step::set(Some(to), Operation::Add, value, Operand::Constant(0)))
}

fn compute(cell: &mut Cell<'_, '_, '_>, operation: Operation) -> Option<Step> {
    let (to, _) = target(cell)?;
    cell.comma()?;
    let (right, _) = source(cell)?;
    Some(Step::set(Some(to), operation, Operand::Register(to), right))
}

fn step(cell: &mut Cell<'_, '_, '_>, operation: Operation) -> Option<Step> {
    let (to, _) = target(cell)?;
    Some(Step::set(Some(to), operation, Operand::Register(to), Operand::Constant(1)))
}
