//! A litmus test as a value, whatever architecture it was written for.
//!
//! It must never know its spelling in a file.

use super::{
    condition::{Condition, Formula, Place},
    instruction::Instruction,
};

/// The most threads of a test.
pub const MAX_THREADS: usize = 32;

/// The most variables of a test.
pub const MAX_LOCATIONS: usize = 256;

/// Addresses are numbers that no test counts up to, far enough apart that small offsets do not meet.
const FIRST_ADDRESS: i64 = 1 << 40;
const ADDRESS_STEP: i64 = 1 << 20;

/// A litmus test. Indices in it are in range: of threads, of registers of their thread, of locations, of instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Name of the test, from its file: `SB+fence.rw.rws`.
    pub name: String,
    /// Architecture of the instructions in its file.
    pub architecture: Architecture,
    /// Shared variables, at most [`MAX_LOCATIONS`].
    pub locations: Vec<Location>,
    /// Threads, from 1 to [`MAX_THREADS`].
    pub threads: Vec<Thread>,
    /// Final states that do not satisfy it are passed over.
    pub filter: Option<Formula>,
    /// Condition on the final states.
    pub condition: Condition,
    /// Parts of a final state: all places that condition and filter name or the file lists, ascending, each once.
    pub observed: Vec<Place>,
}

/// Architecture of a test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Architecture {
    /// `X86`, in the assembler syntax of Intel.
    X86,
    /// `RISCV`.
    RiscV,
}

/// A shared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Name of the variable.
    pub name: String,
    /// Initial value.
    pub initial: i64,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// All registers that the test mentions.
    pub registers: Vec<Register>,
    /// Instructions of the thread.
    pub code: Vec<Instruction>,
}

/// A register of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Name of the register: `x5`, `EAX`.
    pub name: String,
    /// Initial value.
    pub initial: i64,
}

impl Test {
    /// Spelling of a place in a final state: `0:x5` or `[x]`.
    pub fn place_name(&self, place: Place) -> String {
        match place {
            Place::Register(thread, register) => {
                format!("{thread}:{}", self.threads[thread].registers[register].name)
            }
            Place::Location(location) => format!("[{}]", self.locations[location].name),
        }
    }

    /// A spelling of a formula of this test in files.
    pub fn formula_text(&self, formula: &Formula) -> String {
        let list = |several: &[Formula], between: &str| {
            let several: Vec<_> = several.iter().map(|one| self.formula_text(one)).collect();
            format!("({})", several.join(between))
        };
        match formula {
            Formula::Constant(holds) => holds.to_string(),
            Formula::Equal(place, value) => {
                format!("{}={}", self.place_name(*place), self.value_name(*value))
            }
            Formula::And(all) => list(all, " /\\ "),
            Formula::Or(any) => list(any, " \\/ "),
            Formula::Not(one) => format!("not {}", self.formula_text(one)),
        }
    }

    /// A spelling of the test's condition in files.
    pub fn condition_text(&self) -> String {
        let Condition { quantifier, formula } = &self.condition;
        format!("{} {}", quantifier.word(), self.formula_text(formula))
    }

    /// Spelling of a value in a final state: the name of the variable whose address it is, else the number.
    pub fn value_name(&self, value: i64) -> String {
        match Location::at(value).and_then(|index| self.locations.get(index)) {
            Some(location) => location.name.clone(),
            None => value.to_string(),
        }
    }
}

impl Location {
    /// The address of the variable of this index in its test, as a register holds it.
    pub fn address(index: usize) -> i64 {
        FIRST_ADDRESS + index as i64 * ADDRESS_STEP
    }

    /// The index of the variable that has this address, of as many as a test may have.
    pub fn at(address: i64) -> Option<usize> {
        let distance = address.checked_sub(FIRST_ADDRESS).filter(|distance| distance % ADDRESS_STEP == 0)?;
        usize::try_from(distance / ADDRESS_STEP).ok().filter(|index| *index < MAX_LOCATIONS)
    }
}
