//! The interpreter of one thread of a litmus test. This module must never know other threads, nor the content of
//! memory.

use formats::litmus::{Address, Instruction, Location, Operand, Size, Thread};

/// The state of a thread of a test: its next instruction and its registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    /// The index of the next instruction.
    next: usize,
    registers: Vec<i64>,
}

/// An access to memory that a thread makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// The thread reads a variable. [`Core::loaded`] then gives it the value.
    Load { location: usize, into: Destination },
    /// The thread writes a variable.
    Store { location: usize, value: i64 },
}

/// The register that a loaded value goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Destination {
    register: Option<usize>,
    size: Size,
}

/// The error of an access to an address at which there is no variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Astray(pub(super) i64);

impl Core {
    /// A thread before its first instruction.
    pub(super) fn new(thread: &Thread) -> Self {
        Self { next: 0, registers: thread.registers.iter().map(|register| register.initial).collect() }
    }

    /// Executes instructions up to and including the next access to memory, and returns that access; `None` at the
    /// end of the code.
    ///
    /// # Errors
    /// [`Astray`] if the address does not belong to one of the `locations` variables.
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

    /// Writes the value of a load into its register.
    pub(super) fn loaded(&mut self, into: Destination, value: i64) {
        if let Some(register) = into.register {
            self.registers[register] = into.size.truncate(value);
        }
    }

    /// The value of a register.
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
