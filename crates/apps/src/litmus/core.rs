//! One thread of a litmus test, executed step by step. Must never know who else executes, nor what memory holds.

use formats::litmus::{Address, Instruction, Location, Operand, Size, Thread};

/// Where a thread is, and what its registers hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    /// Index of the next instruction.
    next: usize,
    registers: Vec<i64>,
}

/// An access to memory that a thread makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// It reads a variable: give it the [value](Core::loaded).
    Load { location: usize, into: Destination },
    /// It writes one.
    Store { location: usize, value: i64 },
}

/// Where a loaded value goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Destination {
    register: Option<usize>,
    size: Size,
}

/// An address that is no variable's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Astray(pub(super) i64);

impl Core {
    /// Before its first instruction.
    pub(super) fn new(thread: &Thread) -> Self {
        Self { next: 0, registers: thread.registers.iter().map(|register| register.initial).collect() }
    }

    /// Executes up to the next access and past it; `None` at the end.
    ///
    /// # Errors
    /// If the address is not that of one of `locations` variables.
    pub(super) fn advance(&mut self, thread: &Thread, locations: usize) -> Result<Option<Access>, Astray> {
        while let Some(instruction) = thread.code.get(self.next) {
            self.next += 1;
            match *instruction {
                Instruction::Load { to, from, size } => {
                    let location = self.location(from, locations)?;
                    return Ok(Some(Access::Load { location, into: Destination { register: to, size } }));
                }
                Instruction::Store { to, value, size } => {
                    let location = self.location(to, locations)?;
                    return Ok(Some(Access::Store { location, value: size.truncate(self.value(value)) }));
                }
                Instruction::Set { to, operation, left, right } => {
                    self.registers[to] = operation.apply(self.value(left), self.value(right));
                }
                Instruction::Branch { comparison, left, right, target } => {
                    if comparison.holds(self.value(left), self.value(right)) {
                        self.next = target;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Gives a load its value.
    pub(super) fn loaded(&mut self, into: Destination, value: i64) {
        if let Some(register) = into.register {
            self.registers[register] = into.size.truncate(value);
        }
    }

    /// What a register holds.
    pub(super) fn register(&self, index: usize) -> i64 {
        self.registers[index]
    }

    fn value(&self, operand: Operand) -> i64 {
        match operand {
            Operand::Constant(value) => value,
            Operand::Register(register) => self.registers[register],
        }
    }

    fn location(&self, address: Address, locations: usize) -> Result<usize, Astray> {
        let sum = self.value(address.base).wrapping_add(address.offset);
        Location::at(sum).filter(|location| *location < locations).ok_or(Astray(sum))
    }
}
