//! Names of the registers of each architecture, in any letter case.
//!
//! It must never know an instruction.

use crate::scan;

/// The register of RISC-V that is always zero.
pub(super) const ZERO: &str = "x0";

/// Registers of RISC-V, as a message says it.
pub(super) const RISCV: &str = "x0 to x31, or a name such as a0";

/// Registers of x86, as a message says it.
pub(super) const X86: &str = "EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, R8D to R15D, or their names of 64 bits";

/// Names of the registers of RISC-V by their use, in the order of their numbers.
const BY_USE: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The one name of a register of RISC-V.
pub(super) fn riscv(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let numbered = name.strip_prefix('x').and_then(|number| scan::unsigned(number.as_bytes()));
    let numbered = numbered.filter(|number| *number < BY_USE.len() as u64).map(|number| number as usize);
    let number = numbered.or_else(|| BY_USE.iter().position(|by_use| *by_use == name));
    number.map(|number| format!("x{number}"))
}

/// Names of the older registers of x86, without their first letter.
const OLDER: [&str; 8] = ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];

/// The one name of a register of x86: that of 32 bits.
pub(super) fn x86(name: &str) -> Option<String> {
    let name = name.to_ascii_uppercase();
    let older = OLDER.iter().find(|older| name.strip_prefix(['E', 'R']) == Some(older));
    let newer = || (8..=15).find(|number| name == format!("R{number}") || name == format!("R{number}D"));
    older.map(|older| format!("E{older}")).or_else(|| newer().map(|number| format!("R{number}D")))
}
