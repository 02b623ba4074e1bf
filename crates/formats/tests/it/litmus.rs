//! Each mistake a litmus test can have, with its place; and the variants that are none.

use tradewind_formats::litmus::{
    Address, Architecture, Comparison, Formula, Instruction, Location, MAX_LOCATIONS, MAX_THREADS, Operand,
    Operation, Place, Quantifier, Size, Test, read,
};

/// Message passing, as the generator writes it.
const MP: &str = "\
RISCV MP+fence.w.w+popaq
\"Fence.w.wdWW Rfe PodRRPAq Fre\"
Prefetch=0:x=F,0:y=W,1:y=F,1:x=T
{
0:x5=1; 0:x6=x; 0:x8=y;
1:x6=y; 1:x8=x;
}
 P0          | P1             ;
 sw x5,0(x6) | lw.aq x5,0(x6) ;
 fence w,w   | lw x7,0(x8)    ;
 sw x5,0(x8) |                ;
exists
(1:x5=1 /\\ 1:x7=0)
";

/// Store buffering.
const SB: &str = "\
X86 SB
{ x=0; [y]=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MFENCE      | MFENCE      ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

#[track_caller]
fn test(text: &str) -> Test {
    read("t", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Checks all mistakes of a file, given as they are displayed behind the file's name.
#[track_caller]
fn assert_mistakes(text: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|mistake| format!("t.litmus:{mistake}")).collect();
    let errors = read("t.litmus", text.as_bytes()).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), expected.join("\n"));
}

/// Checks all mistakes of a good file with one piece replaced.
#[track_caller]
fn assert_replaced(file: &str, old: &str, new: &str, expected: &[&str]) {
    assert_eq!(file.matches(old).count(), 1, "{old}");
    assert_mistakes(&file.replace(old, new), expected);
}

/// The code of a test of one thread whose only row is this, and whose only variable is x.
fn code(architecture: &str, instructions: &str) -> Vec<Instruction> {
    let text = format!("{architecture} t\n{{x=0;}}\n P0 ;\n {instructions} ;\nexists (x=0)\n");
    test(&text).threads.remove(0).code
}

fn at(base: Operand) -> Address {
    Address { base, offset: 0 }
}

#[test]
fn risc_v() {
    let test = test(MP);
    assert_eq!((test.name.as_str(), test.architecture), ("MP+fence.w.w+popaq", Architecture::RiscV));
    let names: Vec<_> = test.locations.iter().map(|location| location.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    let [writer, reader] = &test.threads[..] else { panic!("two threads") };
    // x5 = 1, x6 = x, x8 = y.
    let initial: Vec<_> = writer.registers.iter().map(|register| register.initial).collect();
    assert_eq!(initial, [1, Location::address(0), Location::address(1)]);
    let store = |to| Instruction::Store {
        to: at(Operand::Register(to)),
        value: Operand::Register(0),
        size: Size::Half,
    };
    assert_eq!(writer.code, [store(1), store(2)]);
    // x6 = y, x8 = x, and x5 and x7 that only the code mentions.
    let load =
        |to, from| Instruction::Load { to: Some(to), from: at(Operand::Register(from)), size: Size::Half };
    assert_eq!(reader.code, [load(2, 0), load(3, 1)]);
    assert_eq!(test.observed, [Place::Register(1, 2), Place::Register(1, 3)]);
    let [first, second] =
        [(2, 1), (3, 0)].map(|(register, value)| Formula::Equal(Place::Register(1, register), value));
    assert_eq!(test.condition.quantifier, Quantifier::Exists);
    assert_eq!(test.condition.formula, Formula::And(vec![first, second]));
}

#[test]
fn x86() {
    let test = test(SB);
    assert_eq!((test.name.as_str(), test.architecture), ("SB", Architecture::X86));
    let store = Instruction::Store {
        to: at(Operand::Constant(Location::address(0))),
        value: Operand::Constant(1),
        size: Size::Half,
    };
    let load = Instruction::Load {
        to: Some(0),
        from: at(Operand::Constant(Location::address(1))),
        size: Size::Half,
    };
    assert_eq!(test.threads[0].code, [store, load]);
    let observed: Vec<_> = test.observed.iter().map(|&place| test.place_name(place)).collect();
    assert_eq!(observed, ["0:EAX", "1:EAX"]);
}

/// Tests of herdtools7 have capitals.
#[test]
fn letter_case_distinguishes_nothing_but_variables() {
    let upper = |text: &str, kept: &[&str]| {
        let (head, body) = text.split_at(text.find('{').unwrap_or(0));
        let body = kept
            .iter()
            .fold(body.to_ascii_uppercase(), |body, name| body.replace(&name.to_ascii_uppercase(), name));
        format!("{head}{body}")
    };
    let risc_v = MP.replace("=x;", "=var_a;").replace("=y;", "=var_b;");
    assert_eq!(test(&upper(&risc_v, &["var_a", "var_b"])), test(&risc_v));
    let x86 = SB.replace("x=0", "var_a=0").replace("[x]", "[var_a]").replace("[y]", "[var_b]");
    assert_eq!(test(&upper(&x86, &["var_a", "var_b"])), test(&x86));
    assert_eq!(
        test(&x86.replace("EAX", "eax").replace("MOV", "mov").replace("MFENCE", "mFence")),
        test(&x86)
    );
    let all = "LD.AQRL X1,8(A0) ; SD.RL ZERO,(T1) ; ADDI S0,X0,0X1F ; FENCE RW,W ; FENCE.TSO ; BNE X1,A0,L ; L: NOP";
    let lines = all.replace(" ; ", " ;\n ");
    assert_eq!(code("RISCV", &lines), code("riscv", &lines.to_lowercase()));
    let listed = MP.replace("exists\n(1:x5=1 /\\ 1:x7=0)", "Locations [x;]\nFilter (x=1)\nForall (y=1)");
    assert_eq!(test(&listed), test(&listed.replace("Lo", "lo").replace("Fil", "fil").replace("For", "for")));
    let two = test(&MP.replace("1:x8=x;", "1:x8=X;"));
    assert_eq!(two.locations.len(), 3, "x, y and X");
}

#[test]
fn instructions_of_risc_v() {
    let register = Operand::Register;
    let set = |operation, left, right| Instruction::Set { to: 0, operation, left, right };
    let cases = [
        ("li a0,-7", set(Operation::Add, Operand::Constant(-7), Operand::Constant(0))),
        ("mv x1,x2", set(Operation::Add, register(1), Operand::Constant(0))),
        ("sub x1,x1,x2", set(Operation::Subtract, register(0), register(1))),
        ("xor x1,x2,x2", set(Operation::Xor, register(1), register(1))),
        ("ori x1,x0,0x10", set(Operation::Or, Operand::Constant(0), Operand::Constant(16))),
        ("addi x1,x2,-1", set(Operation::Add, register(1), Operand::Constant(-1))),
        (
            "ld.aqrl x1,8(x2)",
            Instruction::Load {
                to: Some(0),
                from: Address { base: register(1), offset: 8 },
                size: Size::Whole,
            },
        ),
        (
            "sd.aq.rl zero,(x2)",
            Instruction::Store { to: at(register(0)), value: Operand::Constant(0), size: Size::Whole },
        ),
        ("lw x0,0(x1)", Instruction::Load { to: None, from: at(register(0)), size: Size::Half }),
    ];
    for (text, expected) in cases {
        assert_eq!(code("RISCV", text), [expected], "{text}");
    }
    for nothing in
        ["nop", "fence", "fence rw,rw", "fence iorw,o", "fence.i", "fence.tso", "li x0,1", "L:", ""]
    {
        assert_eq!(code("RISCV", nothing), [], "{nothing}");
    }
}

#[test]
fn branches_lead_behind_their_labels() {
    let rows = "bne x1,x0,L ; j End ; L: fence ; beq x1,x1,End ; End: L2: lw x1,0(x2)";
    let branch = |comparison, left, right, target| Instruction::Branch { comparison, left, right, target };
    let zero = Operand::Constant(0);
    let expected = [
        branch(Comparison::NotEqual, Operand::Register(0), zero, 2),
        branch(Comparison::Equal, zero, zero, 3),
        branch(Comparison::Equal, Operand::Register(0), Operand::Register(0), 3),
    ];
    // A cell has one label.
    assert_eq!(code("RISCV", &rows.replace("L2: ", ""))[..3], expected);
    let twice = read("t", format!("RISCV t\n{{}}\nP0;\n{rows};\nexists (true)\n").as_bytes());
    assert!(twice.unwrap_err().to_string().starts_with("t:4:55: instruction L2: expected lw, ld, "));
}

#[test]
fn instructions_of_x86() {
    let set = |operation, left, right| Instruction::Set { to: 0, operation, left, right };
    let (first, second) = (Operand::Register(0), Operand::Register(1));
    let x = at(Operand::Constant(Location::address(0)));
    let cases = [
        ("MOV EAX,$3", set(Operation::Add, Operand::Constant(3), Operand::Constant(0))),
        ("mov eax,ebx", set(Operation::Add, second, Operand::Constant(0))),
        ("XOR EAX,EAX", set(Operation::Xor, first, first)),
        ("SUB ECX,R8D", set(Operation::Subtract, first, second)),
        ("INC ESI", set(Operation::Add, first, Operand::Constant(1))),
        ("DEC EAX", set(Operation::Subtract, first, Operand::Constant(1))),
        ("MOV RAX,[x]", Instruction::Load { to: Some(0), from: x, size: Size::Whole }),
        ("MOV R8D,[x]", Instruction::Load { to: Some(0), from: x, size: Size::Half }),
        ("MOV [x],R8", Instruction::Store { to: x, value: first, size: Size::Whole }),
        ("MOV [EAX],EBX", Instruction::Store { to: at(first), value: second, size: Size::Half }),
    ];
    for (text, expected) in cases {
        assert_eq!(code("X86", text), [expected], "{text}");
    }
    for nothing in ["MFENCE", "sfence", "LFENCE", "NOP"] {
        assert_eq!(code("X86", nothing), [], "{nothing}");
    }
}

#[test]
fn accepts_what_circulates() {
    let expected = test(MP);
    assert_eq!(test(&MP.replace('\n', " \r\n")), expected);
    assert_eq!(test(&MP.replace(' ', "\t").replace("RISCV\t", "riscv ")), expected);
    assert_eq!(test(MP.trim_end()), expected, "the last newline is optional");
    assert_eq!(test(&MP.replace("1:x7=0)", "1:x7=0) (* (* nested { *) *)")), expected);
    assert_eq!(test(&MP.replace("Prefetch", "(* { *)\nPrefetch")), expected);
    assert_eq!(test(&MP.replace("exists\n(1:x5=1 /\\ 1:x7=0)", "exists 1:x5=1 /\\ 1:x7=0")), expected);
    let typed = "int x; uint64_t y=0; uint64_t 1:x6=y; intptr_t *1:x8=&x; 0:x5=1; 0:x6=x;\n0:x8=y";
    let typed = test(&MP.replace("0:x5=1; 0:x6=x; 0:x8=y;\n1:x6=y; 1:x8=x;", typed));
    assert_eq!(typed.threads, expected.threads);
    assert_eq!(typed.locations, expected.locations);
}

#[test]
fn conditions() {
    let condition = |text: &str| test(&SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", text)).condition;
    let equal = |value| Formula::Equal(Place::Location(0), value);
    assert_eq!(condition("~exists ([x]=1)").quantifier, Quantifier::NotExists);
    assert_eq!(condition("forall x=1").quantifier, Quantifier::ForAll);
    // And binds more tightly than or, or more tightly than implication.
    let formula = condition("exists x=1 \\/ x=2 /\\ not x=3 => false").formula;
    let and = Formula::And(vec![equal(2), Formula::Not(Box::new(equal(3)))]);
    let or = Formula::Or(vec![equal(1), and]);
    assert_eq!(formula, Formula::Or(vec![Formula::Not(Box::new(or)), Formula::Constant(false)]));
    // A variable in the place of a value means its address.
    assert_eq!(condition("exists x=y").formula, equal(Location::address(1)));
}

#[test]
fn formulas_hold_or_do_not() {
    let formula = |text: &str| {
        let text = format!("X86 t\n{{}}\nP0;\nMOV [x],$1;\nexists {text}");
        test(&text).condition.formula.holds(&|_| 1)
    };
    for (text, holds) in [
        ("x=1", true),
        ("x=2", false),
        ("~x=2", true),
        ("x=1 /\\ x=2", false),
        ("x=1 \\/ x=2", true),
        ("x=1 => x=2", false),
        ("x=2 => x=2", true),
        ("true", true),
    ] {
        assert_eq!(formula(text), holds, "{text}");
    }
}

#[test]
fn more_may_be_observed_than_the_condition_names() {
    let text = SB.replace("exists", "locations [x; 1:EAX;]\nfilter (x=1)\nexists");
    let test = test(&text);
    let names: Vec<_> = test.observed.iter().map(|&place| test.place_name(place)).collect();
    assert_eq!(names, ["0:EAX", "1:EAX", "[x]"]);
    assert_eq!(test.filter, Some(Formula::Equal(Place::Location(0), 1)));
}

#[test]
fn values_that_are_addresses_are_spelled_as_names() {
    let test = test(SB);
    assert_eq!(test.value_name(-3), "-3");
    assert_eq!(test.value_name(Location::address(1)), "y");
    // There are two variables: this is the address of none.
    assert_eq!(test.value_name(Location::address(2)), Location::address(2).to_string());
}

#[test]
fn first_line() {
    assert_mistakes("", &["1:1: architecture missing: expected X86 or RISCV"]);
    assert_mistakes("AArch64 MP\n{}\n", &["1:1: architecture AArch64: expected X86 or RISCV"]);
    assert_mistakes("X86\n{}\n", &["1:4: name of the test missing: expected one behind the architecture"]);
}

#[test]
fn initial_state() {
    assert_mistakes("X86 t\nno braces\n", &["3:1: initial state missing: expected { at the start of a line"]);
    assert_mistakes("X86 t\n{ x=1;\n", &["3:1: initial state missing: expected } at its end"]);
    assert_replaced(MP, "0:x5=1", "0:x5", &["5:5: initial value ;: expected ="]);
    assert_replaced(MP, "0:x5=1", "0:y5=1", &["5:3: register y5: expected x0 to x31, or a name such as a0"]);
    assert_replaced(
        MP,
        "0:x5=1",
        "0:x32=1",
        &["5:3: register x32: expected x0 to x31, or a name such as a0"],
    );
    assert_replaced(MP, "0:x5=1", "0:x0=1", &["5:3: register x0: expected one that can change"]);
    assert_replaced(MP, "0:x5=1", "0 x5=1", &["5:3: register x5: expected :"]);
    assert_replaced(MP, "0:x5=1", "0:x5=1 2", &["5:8: initial value 2: expected ; behind it"]);
    assert_replaced(MP, "0:x5=1", "0:x6=1", &["5:9: initial value 0: expected each place once"]);
    assert_replaced(MP, "0:x5=1", "32:x5=1", &["5:1: thread 32: expected 0..=31"]);
    assert_replaced(MP, "0:x5=1", "3:x5=1", &["5:3: thread 3: expected one of the 2 that have code"]);
    assert_replaced(MP, "0:x5=1", "[x", &["5:3: variable ;: expected ]"]);
    assert_replaced(
        MP,
        "0:x5=1",
        "char x=1",
        &["5:1: type char: expected int, long, int32_t, uint32_t, int64_t, uint64_t, intptr_t, uintptr_t"],
    );
    let value = "expected a number of 64 bits, or a variable for its address";
    assert_replaced(MP, "0:x5=1", "0:x5=1x", &[&format!("5:6: value 1x: {value}")]);
    assert_replaced(
        MP,
        "0:x5=1",
        "0:x5=18446744073709551616",
        &[&format!("5:6: value 18446744073709551616: {value}")],
    );
    // Mistakes of one entry do not hide those of the next.
    assert_replaced(
        MP,
        "0:x5=1; 0:x6=x",
        "0:x5; 0:x6",
        &["5:5: initial value ;: expected =", "5:11: initial value ;: expected ="],
    );
}

#[test]
fn numbers_are_those_of_64_bits() {
    let value = |text: &str| {
        let test = test(&format!("X86 t\n{{x={text};}}\nP0;\nNOP;\nexists true"));
        test.locations[0].initial
    };
    assert_eq!(value("-9223372036854775808"), i64::MIN);
    assert_eq!(value("18446744073709551615"), -1);
    assert_eq!(value("0xFf"), 255);
    assert_eq!(value("-0x1"), -1);
}

#[test]
fn there_are_no_more_threads_and_variables_than_may_be() {
    let threads = |count: usize| (0..count).map(|thread| format!("P{thread}")).collect::<Vec<_>>().join("|");
    let file = |count| format!("X86 t\n{{}}\n{};\nexists true\n", threads(count));
    assert_eq!(test(&file(MAX_THREADS)).threads.len(), MAX_THREADS);
    assert_mistakes(&file(MAX_THREADS + 1), &["3:119: thread 32: expected at most 32 of them"]);
    let variables = |count: usize| (0..count).map(|index| format!("v{index}=0;")).collect::<String>();
    let file = |count| format!("X86 t\n{{{}}}\nP0;\nexists true\n", variables(count));
    assert_eq!(test(&file(MAX_LOCATIONS)).locations.len(), MAX_LOCATIONS);
    assert_mistakes(&file(MAX_LOCATIONS + 1), &["2:1684: variable v256: expected at most 256 of them"]);
}

#[test]
fn the_table_of_code() {
    assert_replaced(SB, "P0 ", "T0 ", &["3:2: thread T0: expected P0"]);
    assert_replaced(SB, "| P1 ", "  P1 ", &["3:16: thread P1: expected | or ; behind it"]);
    assert_replaced(SB, "| P1 ", "| P2 ", &["3:16: thread P2: expected P1"]);
    assert_replaced(SB, "| MOV [y],$1  ;", ";", &["4:14: row ;: expected | and the next thread's code"]);
    assert_replaced(
        SB,
        "MOV [y],$1  ;",
        "MOV [y],$1  | NOP ;",
        &["4:28: row |: expected ; behind the last thread's code"],
    );
    assert_mistakes(
        "X86 t\n{}\nP0;\nNOP;\n",
        &["5:1: condition missing: expected exists, ~exists or forall"],
    );
}

#[test]
fn instructions() {
    let known =
        "expected MOV, or on registers ADD, SUB, AND, OR, XOR, INC, DEC, or MFENCE, SFENCE, LFENCE, NOP";
    let registers = "expected EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, R8D to R15D, or their names of 64 bits";
    // Every cell is looked at, whatever the mistakes of others.
    assert_mistakes(
        &SB.replace("MFENCE      |", "XCHG [x],EAX|").replace("MOV [y],$1 ", "MOV [y],$$1"),
        &["4:25: number $: expected one of 64 bits", &format!("5:2: instruction XCHG: {known}")],
    );
    assert_replaced(SB, "MOV [x],$1 ", "MOV [x] $1 ", &["4:10: instruction $: expected ,"]);
    assert_replaced(SB, "MOV [x],$1 ", "MOV [x],$1 2", &["4:13: instruction 2: expected its end"]);
    assert_replaced(SB, "MOV [x],$1 ", "MOV [x,$1 ", &["4:8: instruction ,: expected ]"]);
    assert_replaced(SB, "MOV [x],$1 ", "MOV AL,$1 ", &[&format!("4:6: register AL: {registers}")]);
    assert_replaced(SB, "MOV [x],$1 ", "MOV [x],[y] ", &[&format!("4:10: register [: {registers}")]);
    assert_replaced(MP, "lw x7,0(x8)", "lw x7,z(x8)", &["10:22: number z: expected one of 64 bits"]);
    assert_replaced(MP, "lw x7,0(x8)", "lw x7,0 x8 ", &["10:24: instruction x8: expected ("]);
    assert_replaced(
        MP,
        "fence w,w",
        "fence w,rx",
        &["10:10: accesses rx: expected letters of iorw, in this order"],
    );
    assert_replaced(MP, "fence w,w", "fence w ", &["10:13: instruction |: expected ,"]);
    let amo = read("t", MP.replace("lw.aq x5,0(x6)", "amoswap.w x5,x5,(x6)").as_bytes()).unwrap_err();
    assert!(
        amo.to_string().starts_with("t:9:16: instruction amoswap.w: expected lw, ld, sw, sd (with "),
        "{amo}"
    );
}

#[test]
fn labels() {
    let file = |rows: &str| format!("RISCV t\n{{}}\nP0;\n{rows};\nexists true\n");
    let forward = "expected one of a later row: threads that may run for ever are not read";
    assert_mistakes(&file("L: beq x1,x1,L"), &[&format!("4:14: label L: {forward}")]);
    assert_mistakes(&file("j M;L:"), &[&format!("4:3: label M: {forward}")]);
    assert_mistakes(&file("L:;L: nop"), &["4:4: label L: expected each once in a thread"]);
    assert_mistakes(&file("j 5"), &["4:3: label 5: expected a name"]);
}

#[test]
fn wrong_conditions() {
    let words = "expected exists, ~exists or forall";
    assert_replaced(SB, "exists", "~forall", &[&format!("7:1: condition ~: {words}")]);
    assert_replaced(SB, "1:EAX=0)", "1:EAX=0", &["8:1: condition missing: expected )"]);
    assert_replaced(SB, "1:EAX=0)", "1:EAX)", &["7:25: condition ): expected ="]);
    assert_replaced(SB, "1:EAX=0)", "2:EAX=0)", &["7:22: thread 2: expected one of the 2 that have code"]);
    assert_replaced(SB, "1:EAX=0)", "1:EAX=0) x", &["7:29: trailing text x: expected the end of the file"]);
    assert_replaced(SB, "1:EAX=0)", "x.y=0)", &["7:20: variable x.y: expected a name"]);
    assert_replaced(SB, "exists", "locations x exists", &["7:11: list of locations x: expected ["]);
    assert_replaced(SB, "1:EAX=0)", "1:EAX=0) (* ", &["7:29: comment (*: expected *) at its end"]);
    let deep = |levels: usize| SB.replace("(0:", &format!("{}(0:", "~".repeat(levels)));
    assert!(read("t", deep(98).as_bytes()).is_ok());
    assert_mistakes(&deep(1_000_000), &["7:108: condition ~: expected at most 100 levels"]);
}

#[test]
fn a_test_may_only_list_what_it_observes() {
    let condition = "exists (0:EAX=0 /\\ 1:EAX=0)\n";
    let listing = test(&SB.replace(condition, "locations [0:EAX; 1:EAX; x;]\n"));
    assert_eq!(listing.condition_text(), "forall true");
    let names: Vec<_> = listing.observed.iter().map(|place| listing.place_name(*place)).collect();
    assert_eq!(names, ["0:EAX", "1:EAX", "[x]"]);
    // A test that observes nothing asks nothing.
    let nothing = SB.replace(condition, "locations []\n");
    assert_mistakes(&nothing, &["8:1: condition missing: expected exists, ~exists or forall"]);
}
