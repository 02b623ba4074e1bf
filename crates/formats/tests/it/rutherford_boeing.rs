//! Differences of Rutherford-Boeing files from Harwell-Boeing ones; the rest is the same reader.

use tradewind_formats::{
    Entry, Errors, SparseMatrix, Symmetry, Values, harwell_boeing, matrix, rutherford_boeing::read,
};

const INTEGERS: &str = "Title                                                                   |7\n\
                        \x20            3             1             1             1\n\
                        isa                        2             2             2             0\n\
                        (3I2)           (2I1)           (1I3)\n 1 2 3\n12\n-12\n  7\n";

fn mistakes(file: &str) -> String {
    read("m.rb", file.as_bytes()).expect_err("the file has a mistake").to_string()
}

fn shown(matrix: Result<SparseMatrix, Errors>) -> String {
    matrix.expect_err("the file has a mistake").to_string()
}

#[test]
fn integers() {
    let matrix = read("m.rb", INTEGERS.as_bytes()).expect("the file is right");
    assert_eq!((matrix.rows, matrix.symmetry, matrix.values), (2, Symmetry::Symmetric, Values::Real));
    let entry = |at, value| Entry { row: at, column: at, value };
    assert_eq!(matrix.entries, [entry(0, -12.0), entry(1, 7.0)]);
    assert_eq!(
        mistakes(&INTEGERS.replace("  7\n", "7.0\n")),
        "m.rb:8:1: value 7.0: expected an integer of at most 2^53 in a field of width 3"
    );
    assert_eq!(
        mistakes(&INTEGERS.replace("(1I3)", "(1E3.0)")),
        "m.rb:4:35: value format (1E3.0): expected one of integers, as (16I5)"
    );
}

#[test]
fn types() {
    assert_eq!(
        mistakes(&INTEGERS.replace("isa", "isx")),
        "m.rb:3:1: matrix type isx: expected R (real), I (integer) or P (pattern), then S (symmetric), \
         U (unsymmetric) or R (rectangular), then A (assembled)"
    );
    let pattern = INTEGERS.replace("isa", "psa").replace("-12\n  7\n", "");
    assert_eq!(read("m", pattern.as_bytes()).expect("right").values, Values::Pattern);
    assert_eq!(harwell_boeing::read("m", pattern.as_bytes()), read("m", pattern.as_bytes()));
}

#[test]
fn there_are_no_right_hand_sides() {
    let none = INTEGERS.replacen("1\nisa", "1             0\nisa", 1);
    assert_eq!(matrix::read("m", none.as_bytes()), read("m", INTEGERS.as_bytes()));
    let counted = INTEGERS.replacen("1\nisa", "1             1\nisa", 1);
    assert_eq!(
        mistakes(&counted),
        "m.rb:2:70: number of right-hand side cards 1: expected none: a Rutherford-Boeing matrix has no \
         right-hand sides"
    );
}

#[test]
fn every_truncation_is_noticed() {
    for length in 0..INTEGERS.len() - 1 {
        assert!(!shown(read("m", &INTEGERS.as_bytes()[..length])).is_empty(), "cut at {length}");
    }
}
