//! Reading a whole test: its name, then initial state, code and condition.
//!
//! It must never know the effect of an instruction.

use super::{
    Architecture, Condition, Formula, Instruction, Place, Quantifier, Test, Thread, code,
    formula::Reader,
    initial,
    names::Names,
    tokens::{Kind, Tokens, comment},
};
use crate::{
    Errors,
    errors::{Excerpt, Report},
    scan::{self, Lines},
};

/// Reads a litmus test, called `file` in messages.
///
/// The first line is `X86 NAME` or `RISCV NAME`. Text between it and the line that begins with `{` (about the test or
/// its origin) is skipped. Instructions read are
///
/// * for X86: `MOV` between registers, variables and constants; `ADD`, `SUB`, `AND`, `OR`, `XOR`, `INC`, `DEC` on registers;
///   `MFENCE`, `SFENCE`, `LFENCE`, `NOP`;
/// * for RISCV: `lw`, `ld`, `sw`, `sd` with `.aq`, `.rl` or `.aqrl`; `li`, `mv`, `add`, `sub`, `and`, `or`, `xor`, `addi`,
///   `andi`, `ori`, `xori`; `beq`, `bne`, `blt`, `bge`, `j` to labels of later rows; `nop`, `fence.i`, `fence.tso` and `fence`
///   with or without the accesses that it orders.
///
/// Letter case means nothing in names of architectures, threads, instructions and registers, nor in the words `locations`, `filter`,
/// `exists` and `forall`. It distinguishes variables.
///
/// Not read are instructions that read and write memory in one step, and branches backward.
///
/// # Errors
/// All mistakes of the initial values, the instructions and the condition. A wrong first line, an initial state without
/// end, and a table of code with a wrong shape end the reading early, since the rest has no meaning without them.
pub fn read(file: &str, bytes: &[u8]) -> Result<Test, Errors> {
    let mut report = Report::new(bytes);
    let test = read_reporting(bytes, &mut report);
    report.finish_some(file, test)
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<Test> {
    let mut lines = Lines::new(bytes, None);
    let (architecture, name) = first_line(&mut lines, report)?;
    let mut tokens = Tokens::new(bytes, initial_state(bytes, lines.offset(), report)?);
    let test = sections(architecture, name, &mut tokens, report);
    if let Some(offset) = tokens.unclosed() {
        report.add(offset, "comment", "(*", "*) at its end");
        return None;
    }
    test
}

/// Reads which architecture it is, and the test's name.
fn first_line(lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<(Architecture, String)> {
    let mut fields = lines.any().trimmed();
    let architectures = [("X86", Architecture::X86), ("RISCV", Architecture::RiscV)];
    let architecture = scan::choice(fields.take(), "architecture", &architectures, report)?;
    let name = fields.rest();
    if name.text.is_empty() {
        report.add(name.offset, "name of the test", Excerpt(name.text), "one behind the architecture");
        return None;
    }
    Some((architecture, String::from_utf8_lossy(name.text).into_owned()))
}

/// Offset of the initial state, behind its `{`, the first byte of a line that is in no comment.
fn initial_state(bytes: &[u8], mut offset: usize, report: &mut Report<'_>) -> Option<usize> {
    let mut at_start = true;
    while offset < bytes.len() {
        let rest = &bytes[offset..];
        match rest[0] {
            b'{' if at_start => return Some(offset + 1),
            b'(' if rest.starts_with(b"(*") => {
                offset += comment(rest).unwrap_or(1);
                continue;
            }
            b'\n' => at_start = true,
            byte => at_start &= byte.is_ascii_whitespace(),
        }
        offset += 1;
    }
    report.add(bytes.len(), "initial state", "missing", "{ at the start of a line");
    None
}

/// Reads all that follows the first `{`.
fn sections(
    architecture: Architecture,
    name: String,
    tokens: &mut Tokens<'_>,
    report: &mut Report<'_>,
) -> Option<Test> {
    let mut names = Names::new(architecture);
    initial::read(tokens, &mut names, report)?;
    let code = code::read(tokens, &mut names, report)?;
    let Ending { condition, filter, mut observed } = asked(tokens, &mut names, report)?;
    condition.formula.places(&mut observed);
    filter.iter().for_each(|filter| filter.places(&mut observed));
    observed.sort_unstable();
    observed.dedup();
    check_threads(&names, code.len(), report)?;
    let threads = threads(code, &mut names);
    Some(Test { name, architecture, locations: names.locations, threads, filter, condition, observed })
}

/// Contents behind the code.
struct Ending {
    condition: Condition,
    filter: Option<Formula>,
    observed: Vec<Place>,
}

fn asked(tokens: &mut Tokens<'_>, names: &mut Names, report: &mut Report<'_>) -> Option<Ending> {
    let mut reader = Reader { tokens, names, report };
    let (mut filter, mut observed) = (None, Vec::new());
    loop {
        if reader.tokens.accept_word("locations") {
            reader.listed(&mut observed)?;
        } else if reader.tokens.accept_word("filter") {
            filter = Some(reader.formula(0)?);
        } else {
            break;
        }
    }
    // A test that only lists places asks for the final states; its condition is true of all of them.
    let lists_only = !observed.is_empty() && reader.tokens.peek().kind == Kind::End;
    let condition = match lists_only {
        true => Condition { quantifier: Quantifier::ForAll, formula: Formula::Constant(true) },
        false => reader.condition()?,
    };
    let rest = tokens.peek();
    if rest.kind != Kind::End {
        rest.refuse("trailing text", "the end of the file", report);
        return None;
    }
    Some(Ending { condition, filter, observed })
}

/// Reports registers of threads that have no code.
fn check_threads(names: &Names, threads: usize, report: &mut Report<'_>) -> Option<()> {
    let foreign: Vec<_> = names.mentioned.iter().filter(|(thread, _)| *thread >= threads).collect();
    for (thread, offset) in &foreign {
        report.add(*offset, "thread", thread, format_args!("one of the {threads} that have code"));
    }
    foreign.is_empty().then_some(())
}

fn threads(code: Vec<Vec<Instruction>>, names: &mut Names) -> Vec<Thread> {
    names.registers.resize_with(code.len(), Vec::new);
    let registers = names.registers.drain(..);
    registers.zip(code).map(|(registers, code)| Thread { registers, code }).collect()
}
