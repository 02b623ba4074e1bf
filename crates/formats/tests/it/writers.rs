//! Writers of the formats that the crate only reads, so that written values can be read back.
//!
//! Nothing here may know how the readers work.

use std::fmt::Write;

use tradewind_formats::{
    Entry, SparseMatrix, Symmetry, Values,
    litmus::{Address, Architecture, Comparison, Instruction, Operand, Operation, Size, Test},
    mesh::Mesh,
};

/// Panics as nothing that is written to a string can fail.
const FITS: &str = "a String takes all that is written";

/// A matrix, its entries sorted by column, as a Harwell-Boeing file or, without the fifth count on the second
/// card, a Rutherford-Boeing one. Integers are given just the columns they need, so that they touch each
/// other.
pub(crate) fn compressed_columns(matrix: &SparseMatrix, rutherford: bool) -> String {
    let SparseMatrix { rows, columns, symmetry, values, ref entries } = *matrix;
    let mut pointers = vec![0_u64; columns as usize + 2];
    for entry in entries {
        pointers[entry.column as usize + 2] += 1;
    }
    pointers[1] = 1;
    for column in 2..pointers.len() {
        pointers[column] += pointers[column - 1];
    }
    let pointers: Vec<_> = pointers[1..].iter().map(ToString::to_string).collect();
    let indices: Vec<_> = entries.iter().map(|entry| (u64::from(entry.row) + 1).to_string()).collect();
    let pointer_width = widest(&pointers);
    let index_width = widest(&indices);
    let kind = if values == Values::Pattern { 'P' } else { 'R' };
    let symmetry = if symmetry == Symmetry::Symmetric { 'S' } else { 'U' };
    let value_format = if values == Values::Pattern { "" } else { "(3E25.16)" };
    let counts = if rutherford { "" } else { "             0" };
    let [pointer_format, index_format] = [format!("(7I{pointer_width})"), format!("(16I{index_width})")];
    let mut text = format!("{:72}{:8}\n", "A title", "KEY");
    writeln!(text, "{0:14}{0:14}{0:14}{0:14}{counts}", 0).expect(FITS);
    writeln!(text, "{kind}{symmetry}A{:11}{rows:14}{columns:14}{:14}{:14}", "", entries.len(), 0)
        .expect(FITS);
    writeln!(text, "{pointer_format:16}{index_format:16}{value_format:20}").expect(FITS);
    cards(&mut text, &pointers, 7, pointer_width);
    cards(&mut text, &indices, 16, index_width);
    if values == Values::Real {
        let values: Vec<_> = entries.iter().map(|entry| format!("{:.16E}", entry.value)).collect();
        cards(&mut text, &values, 3, 25);
    }
    text
}

fn widest(numbers: &[String]) -> usize {
    numbers.iter().map(String::len).max().unwrap_or(1)
}

fn cards(text: &mut String, numbers: &[String], repeat: usize, width: usize) {
    for card in numbers.chunks(repeat) {
        for number in card {
            write!(text, "{number:>width$}").expect(FITS);
        }
        text.push('\n');
    }
}

/// The entries alone, one a line, indices from `base`.
pub(crate) fn triplets(entries: &[Entry], base: u32) -> String {
    entries
        .iter()
        .map(|entry| format!("{} {} {:?}\n", entry.row + base, entry.column + base, entry.value))
        .collect()
}

/// A matrix as triplets under a line of sizes.
pub(crate) fn headed_triplets(matrix: &SparseMatrix) -> String {
    let sizes = format!("{} {} {}\n", matrix.rows, matrix.columns, matrix.entries.len());
    sizes + &triplets(&matrix.entries, 1)
}

/// A matrix as triplets under a line of sizes that tells its triangle. An index of 0 would tell where others count from, so they
/// count from 1.
pub(crate) fn sized_triplets(matrix: &SparseMatrix) -> String {
    let SparseMatrix { rows, columns, symmetry, values, ref entries } = *matrix;
    let triangle = if symmetry == Symmetry::Symmetric { -1 } else { 0 };
    let sizes = format!("{rows} {columns} {} {triangle}\n", entries.len());
    match values {
        Values::Real => sizes + &triplets(entries, 1),
        Values::Pattern => {
            let position = |entry: &Entry| format!("{} {}\n", entry.row + 1, entry.column + 1);
            sizes + &entries.iter().map(position).collect::<String>()
        }
    }
}

/// A mesh, but for its edges, as a Medit file, with sections that readers skip.
pub(crate) fn medit(mesh: &Mesh) -> String {
    let mut text = format!("MeshVersionFormatted 2\n\nDimension\n3\n\nVertices\n{}\n", mesh.points.len());
    for [x, y, z] in &mesh.points {
        writeln!(text, "{x:?} {y:?} {z:?} 0").expect(FITS);
    }
    writeln!(text, "Corners 1\n1\n\nTriangles\n{}", mesh.faces.len()).expect(FITS);
    for face in &mesh.faces {
        let [i, j, k] = face.nodes.map(|node| node + 1);
        writeln!(text, "{i} {j} {k} {}", face.marker).expect(FITS);
    }
    writeln!(text, "Edges\n0\nTetrahedra\n{}", mesh.tetrahedra.len()).expect(FITS);
    for tetrahedron in &mesh.tetrahedra {
        let [i, j, k, l] = tetrahedron.map(|node| node + 1);
        writeln!(text, "{i} {j} {k} {l} 7").expect(FITS);
    }
    text + "# the end\nEnd\n"
}

/// A litmus test whose instructions its architecture has. All variables and registers stand in the initial state, in their
/// order, and all that is observed in the list of locations.
pub(crate) fn litmus(test: &Test) -> String {
    let mut text = match test.architecture {
        Architecture::X86 => format!("X86 {}\n{{\n", test.name),
        Architecture::RiscV => format!("RISCV {}\n{{\n", test.name),
    };
    // Declared before any address of one is named, which would settle their order.
    test.locations.iter().for_each(|location| text += &format!("int [{}];", location.name));
    for location in &test.locations {
        writeln!(text, "[{}]={};", location.name, test.value_name(location.initial)).expect(FITS);
    }
    for (thread, at) in test.threads.iter().zip(0..) {
        for register in &thread.registers {
            write!(text, "{at}:{}={}; ", register.name, test.value_name(register.initial)).expect(FITS);
        }
    }
    text += "\n}\n";
    code(&mut text, test);
    let places: String = test.observed.iter().map(|&place| test.place_name(place) + ";").collect();
    writeln!(text, "locations [{places}]").expect(FITS);
    if let Some(filter) = &test.filter {
        writeln!(text, "filter {}", test.formula_text(filter)).expect(FITS);
    }
    writeln!(text, "{}", test.condition_text()).expect(FITS);
    text
}

fn code(text: &mut String, test: &Test) {
    let column = |thread: usize| -> Vec<String> {
        let code = &test.threads[thread].code;
        let mut cells: Vec<_> =
            code.iter().enumerate().map(|(at, one)| cell(test, thread, at, one)).collect();
        let ends =
            code.iter().any(|one| matches!(one, Instruction::Branch { target, .. } if *target == code.len()));
        cells.extend(ends.then(|| format!("L{}:", code.len())));
        cells
    };
    let columns: Vec<_> = (0..test.threads.len()).map(column).collect();
    let heads: Vec<_> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    writeln!(text, "{};", heads.join("|")).expect(FITS);
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<_> =
            columns.iter().map(|column| column.get(row).cloned().unwrap_or_default()).collect();
        writeln!(text, "{};", cells.join(" | ")).expect(FITS);
    }
}

fn cell(test: &Test, thread: usize, at: usize, instruction: &Instruction) -> String {
    match test.architecture {
        Architecture::X86 => x86(test, thread, instruction),
        Architecture::RiscV => format!("L{at}: {}", riscv(test, thread, instruction)),
    }
}

fn riscv(test: &Test, thread: usize, instruction: &Instruction) -> String {
    let name = |register: usize| test.threads[thread].registers[register].name.clone();
    let source = |operand: Operand| match operand {
        Operand::Register(register) => name(register),
        Operand::Constant(_) => "x0".to_owned(),
    };
    let size = |size| if size == Size::Half { 'w' } else { 'd' };
    let place = |Address { base, offset }| format!("{offset}({})", source(base));
    match *instruction {
        Instruction::Load { to, from, size: of } => {
            format!("l{} {},{}", size(of), to.map_or("x0".to_owned(), name), place(from))
        }
        Instruction::Store { to, value, size: of } => {
            format!("s{} {},{}", size(of), source(value), place(to))
        }
        Instruction::Set { to, left: Operand::Constant(value), .. } if value != 0 => {
            format!("li {},{value}", name(to))
        }
        Instruction::Set { to, operation, left, right: Operand::Constant(right) }
            if operation != Operation::Subtract =>
        {
            format!("{}i {},{},{right}", arithmetic(operation), name(to), source(left))
        }
        Instruction::Set { to, operation, left, right } => {
            format!("{} {},{},{}", arithmetic(operation), name(to), source(left), source(right))
        }
        Instruction::Branch { comparison, left, right, target } => {
            let word = match comparison {
                Comparison::Equal => "beq",
                Comparison::NotEqual => "bne",
                Comparison::Less => "blt",
                Comparison::NotLess => "bge",
            };
            format!("{word} {},{},L{target}", source(left), source(right))
        }
    }
}

fn arithmetic(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "add",
        Operation::Subtract => "sub",
        Operation::And => "and",
        Operation::Or => "or",
        Operation::Xor => "xor",
    }
}

fn x86(test: &Test, thread: usize, instruction: &Instruction) -> String {
    // The name of 64 bits: RAX for EAX, R8 for R8D.
    let long = |name: &str| match name.strip_prefix('E') {
        Some(rest) => format!("R{rest}"),
        None => name.trim_end_matches('D').to_owned(),
    };
    let name = |register: usize, size| {
        let name = &test.threads[thread].registers[register].name;
        if size == Size::Half { name.clone() } else { long(name) }
    };
    let source = |operand, size| match operand {
        Operand::Register(register) => name(register, size),
        Operand::Constant(value) => format!("${value}"),
    };
    let place = |Address { base, .. }| match base {
        Operand::Register(register) => format!("[{}]", name(register, Size::Half)),
        Operand::Constant(address) => format!("[{}]", test.value_name(address)),
    };
    match *instruction {
        Instruction::Load { to, from, size } => {
            format!("MOV {},{}", name(to.expect("x86 has no register zero"), size), place(from))
        }
        Instruction::Store { to, value, size } => format!("MOV {},{}", place(to), source(value, size)),
        Instruction::Set { to, operation, left, right } if left == Operand::Register(to) => {
            let word = arithmetic(operation).to_uppercase();
            format!("{word} {},{}", name(to, Size::Half), source(right, Size::Half))
        }
        Instruction::Set { to, left, .. } => {
            format!("MOV {},{}", name(to, Size::Half), source(left, Size::Half))
        }
        Instruction::Branch { .. } => panic!("branches of x86 are not read"),
    }
}
