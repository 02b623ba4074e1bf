//! Any matrix, any mesh and any patches that keep the promises of their types.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection, num, prelude::*, sample};
use tradewind_formats::{
    Entry, SparseMatrix, Symmetry, Values,
    bezier::Patch,
    litmus::{
        Address, Architecture, Comparison, Condition, Formula, Instruction, Location, Operand, Operation,
        Place, Quantifier, Register, Size, Test, Thread,
    },
    mesh::{Face, Mesh},
};

/// Any matrix of up to 40 x 40, its entries sorted by column.
pub(crate) fn matrices() -> impl Strategy<Value = SparseMatrix> {
    let values = prop_oneof![Just(Values::Real), Just(Values::Pattern)];
    (1..40_u32, 1..40_u32, any::<bool>(), values).prop_flat_map(move |(rows, other, symmetric, values)| {
        let columns = if symmetric { rows } else { other };
        let symmetry = if symmetric { Symmetry::Symmetric } else { Symmetry::General };
        collection::vec((0..rows, 0..columns, finite()), 0..60).prop_map(move |drawn| {
            let entries = distinct(&drawn, symmetric, values);
            SparseMatrix { rows, columns, symmetry, values, entries }
        })
    })
}

fn finite() -> impl Strategy<Value = f64> + Clone {
    num::f64::NORMAL | num::f64::SUBNORMAL | num::f64::ZERO
}

fn distinct(drawn: &[(u32, u32, f64)], symmetric: bool, values: Values) -> Vec<Entry> {
    let lower =
        |row: u32, column: u32| if symmetric { (row.max(column), row.min(column)) } else { (row, column) };
    let unique: BTreeMap<_, _> = drawn
        .iter()
        .map(|&(row, column, value)| (lower(row, column), value))
        .map(|((row, column), value)| ((column, row), value))
        .collect();
    let number = |value| if values == Values::Pattern { 1.0 } else { value };
    unique.into_iter().map(|((column, row), value)| Entry { row, column, value: number(value) }).collect()
}

/// Up to four patches.
pub(crate) fn patches() -> impl Strategy<Value = Vec<Patch>> {
    let row = || [point(), point(), point(), point()];
    collection::vec([row(), row(), row(), row()].prop_map(|control| Patch { control }), 0..5)
}

fn point() -> impl Strategy<Value = [f64; 3]> + Clone {
    [finite(), finite(), finite()]
}

/// Any mesh of 4 to 20 nodes with the edges of its tetrahedra, in ascending order.
pub(crate) fn meshes() -> impl Strategy<Value = Mesh> {
    let points = collection::vec([finite(), finite(), finite()], 4..20);
    points.prop_flat_map(|points| {
        let nodes: Vec<_> = (0_u32..).take(points.len()).collect();
        let tetrahedron =
            sample::subsequence(nodes.clone(), 4).prop_map(|nodes| [0, 1, 2, 3].map(|at| nodes[at]));
        let face = sample::subsequence(nodes, 3).prop_map(|nodes| [2, 0, 1].map(|at| nodes[at]));
        let tetrahedra = collection::btree_set(tetrahedron, 0..20);
        let faces = collection::btree_map(face, any::<i32>(), 0..20);
        (tetrahedra, faces).prop_map(move |(tetrahedra, faces)| Mesh {
            points: points.clone(),
            edges: edges(&tetrahedra),
            tetrahedra: tetrahedra.into_iter().collect(),
            faces: faces.into_iter().map(|(nodes, marker)| Face { nodes, marker }).collect(),
        })
    })
}

/// By definition: every pair of nodes of every tetrahedron, whose nodes ascend.
fn edges(tetrahedra: &BTreeSet<[u32; 4]>) -> Vec<[u32; 2]> {
    let pairs = |nodes: &[u32; 4]| {
        let nodes = *nodes;
        (0..4).flat_map(move |i| (i + 1..4).map(move |j| [nodes[i], nodes[j]]))
    };
    let unique: BTreeSet<_> = tetrahedra.iter().flat_map(pairs).collect();
    unique.into_iter().collect()
}

/// Every thread of a drawn litmus test has these registers.
const REGISTERS: usize = 3;

/// Any litmus test of up to 3 threads and variables, made of instructions that its architecture has.
pub(crate) fn litmus() -> impl Strategy<Value = Test> {
    let architecture = prop_oneof![Just(Architecture::X86), Just(Architecture::RiscV)];
    (architecture, 1..4_usize, 1..4_usize).prop_flat_map(|(architecture, threads, locations)| {
        let variables = collection::vec(values(), locations).prop_map(variables);
        let code = collection::vec(instruction(architecture, locations), 0..5).prop_map(lead_forward);
        let registers =
            collection::vec(values(), REGISTERS).prop_map(move |values| registers(architecture, &values));
        let thread = (registers, code).prop_map(|(registers, code)| Thread { registers, code });
        let filter = prop_oneof![Just(None), formula(threads, locations).prop_map(Some)];
        let quantifiers = vec![Quantifier::Exists, Quantifier::NotExists, Quantifier::ForAll];
        let condition = (sample::select(quantifiers), formula(threads, locations))
            .prop_map(|(quantifier, formula)| Condition { quantifier, formula });
        let all = collection::vec(place(threads, locations), 0..3);
        ("[A-Z][-+A-Za-z0-9._]{0,9}", variables, collection::vec(thread, threads), filter, condition, all)
            .prop_map(move |(name, locations, threads, filter, condition, mut observed)| {
                named(&condition.formula, &mut observed);
                filter.iter().for_each(|filter| named(filter, &mut observed));
                observed.sort_unstable();
                observed.dedup();
                Test { name, architecture, locations, threads, filter, condition, observed }
            })
    })
}

fn values() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -2..3_i64, (0..3_usize).prop_map(Location::address)]
}

fn variables(values: Vec<i64>) -> Vec<Location> {
    let names = ["x", "y", "flag_1"];
    names.iter().zip(values).map(|(name, initial)| Location { name: (*name).to_owned(), initial }).collect()
}

fn registers(architecture: Architecture, values: &[i64]) -> Vec<Register> {
    let names = match architecture {
        Architecture::X86 => ["EBX", "R9D", "EAX"],
        Architecture::RiscV => ["x5", "x31", "x10"],
    };
    let register = |(name, initial): (&&str, &i64)| Register { name: (*name).to_owned(), initial: *initial };
    names.iter().zip(values).map(register).collect()
}

fn instruction(architecture: Architecture, locations: usize) -> BoxedStrategy<Instruction> {
    match architecture {
        Architecture::X86 => x86(locations).boxed(),
        Architecture::RiscV => riscv().boxed(),
    }
}

fn register() -> impl Strategy<Value = Operand> {
    (0..REGISTERS).prop_map(Operand::Register)
}

fn size() -> impl Strategy<Value = Size> {
    sample::select(&[Size::Half, Size::Whole][..])
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::{Add, And, Or, Subtract, Xor};
    sample::select(&[Add, Subtract, And, Or, Xor][..])
}

fn riscv() -> impl Strategy<Value = Instruction> {
    let source = || prop_oneof![register(), Just(Operand::Constant(0))];
    let address = || (source(), -8..9_i64).prop_map(|(base, offset)| Address { base, offset });
    let comparison = {
        use Comparison::{Equal, Less, NotEqual, NotLess};
        sample::select(&[Equal, NotEqual, Less, NotLess][..])
    };
    let constant = (any::<i64>(), 0..REGISTERS).prop_map(|(value, to)| Instruction::Set {
        to,
        operation: Operation::Add,
        left: Operand::Constant(value),
        right: Operand::Constant(0),
    });
    let immediate =
        (0..REGISTERS, operation(), source(), any::<i64>()).prop_map(|(to, operation, left, value)| {
            let value = if operation == Operation::Subtract { 0 } else { value };
            Instruction::Set { to, operation, left, right: Operand::Constant(value) }
        });
    prop_oneof![
        (prop_oneof![Just(None), (0..REGISTERS).prop_map(Some)], address(), size())
            .prop_map(|(to, from, size)| Instruction::Load { to, from, size }),
        (address(), source(), size()).prop_map(|(to, value, size)| Instruction::Store { to, value, size }),
        (0..REGISTERS, operation(), source(), register())
            .prop_map(|(to, operation, left, right)| Instruction::Set { to, operation, left, right }),
        constant,
        immediate,
        (comparison, source(), source(), 0..5_usize).prop_map(|(comparison, left, right, target)| {
            Instruction::Branch { comparison, left, right, target }
        }),
    ]
}

fn x86(locations: usize) -> impl Strategy<Value = Instruction> {
    let base = move || {
        prop_oneof![register(), (0..locations).prop_map(|index| Operand::Constant(Location::address(index)))]
    };
    let address = move || base().prop_map(|base| Address { base, offset: 0 });
    let value = || prop_oneof![register(), any::<i64>().prop_map(Operand::Constant)];
    prop_oneof![
        (0..REGISTERS, address(), size()).prop_map(|(to, from, size)| Instruction::Load {
            to: Some(to),
            from,
            size
        }),
        (address(), register(), size()).prop_map(|(to, value, size)| Instruction::Store { to, value, size }),
        (address(), any::<i64>()).prop_map(|(to, value)| Instruction::Store {
            to,
            value: Operand::Constant(value),
            size: Size::Half
        }),
        (0..REGISTERS, operation(), value()).prop_map(|(to, operation, right)| Instruction::Set {
            to,
            operation,
            left: Operand::Register(to),
            right
        }),
        (0..REGISTERS, any::<i64>()).prop_map(|(to, value)| Instruction::Set {
            to,
            operation: Operation::Add,
            left: Operand::Constant(value),
            right: Operand::Constant(0)
        }),
    ]
}

/// Drawn targets are distances behind the next instruction, as far as there are any.
fn lead_forward(mut code: Vec<Instruction>) -> Vec<Instruction> {
    let end = code.len();
    for (at, instruction) in code.iter_mut().enumerate() {
        if let Instruction::Branch { target, .. } = instruction {
            *target = (at + 1 + *target).min(end);
        }
    }
    code
}

fn place(threads: usize, locations: usize) -> impl Strategy<Value = Place> {
    prop_oneof![
        (0..threads, 0..REGISTERS).prop_map(|(thread, register)| Place::Register(thread, register)),
        (0..locations).prop_map(Place::Location)
    ]
}

fn formula(threads: usize, locations: usize) -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Formula::Constant),
        (place(threads, locations), values()).prop_map(|(place, value)| Formula::Equal(place, value)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 2..4).prop_map(Formula::And),
            collection::vec(inner.clone(), 2..4).prop_map(Formula::Or),
            inner.prop_map(|one| Formula::Not(Box::new(one))),
        ]
    })
}

/// Adds the places that a formula names.
fn named(formula: &Formula, places: &mut Vec<Place>) {
    match formula {
        Formula::Constant(_) => {}
        Formula::Equal(place, _) => places.push(*place),
        Formula::And(several) | Formula::Or(several) => several.iter().for_each(|one| named(one, places)),
        Formula::Not(one) => named(one, places),
    }
}
