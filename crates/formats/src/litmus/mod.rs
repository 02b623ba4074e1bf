//! Litmus tests: tiny parallel programs with a question about memory order.
//!
//! The format is that of the tools *diy*, *litmus* and *herd* (J. Alglave, L. Maranget and M. Tautschnig, *Herding
//! Cats*, ACM TOPLAS 36(2), 2014). Read are tests for `X86` and `RISCV` made of loads, stores, fences, arithmetic on
//! registers and, for RISC-V, branches forward; [`read()`] lists the instructions. The result is a [`Test`] in which
//! the two architectures look alike. [`log`] reads the output of *herd* about tests.
//!
//! ```
//! let file = b"X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
//!              exists (0:EAX=0 /\\ 1:EAX=0)\n";
//! let test = tradewind_formats::litmus::read("SB.litmus", file).unwrap();
//! assert_eq!((test.name.as_str(), test.threads.len()), ("SB", 2));
//! assert_eq!(test.place_name(test.observed[0]), "0:EAX");
//! ```
//!
//! Fences, and annotations of instructions such as `.aq`, are checked and dropped: a sequentially consistent memory
//! forbids the same outcomes without them. Memory is one word of 64 bits for each variable, whatever the size of the
//! instruction that touches it: tests of mixed sizes are not meant.
//!
//! This module must never know the outcomes that a memory model allows.

mod cell;
mod code;
mod condition;
mod formula;
mod initial;
mod instruction;
pub mod log;
mod names;
mod read;
mod registers;
mod riscv;
mod test;
mod tokens;
mod x86;

pub use condition::{Condition, Formula, Place, Quantifier};
pub use instruction::{Address, Comparison, Instruction, Operand, Operation, Size};
pub use read::read;
pub use test::{Architecture, Location, MAX_LOCATIONS, MAX_THREADS, Register, Test, Thread};
