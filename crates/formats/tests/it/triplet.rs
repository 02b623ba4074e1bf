//! Each mistake that triplets can have, with its place; and the variants that are none.

use tradewind_formats::{
    Entry, SparseMatrix, Symmetry, Values,
    triplet::{read, read_headed},
};

fn symmetric(text: &str) -> SparseMatrix {
    read("m.tri", text.as_bytes(), Symmetry::Symmetric).expect("the file is right")
}

#[track_caller]
fn assert_mistake(text: &str, expected: &str) {
    let errors = read("m.tri", text.as_bytes(), Symmetry::Symmetric).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), format!("m.tri:{expected}"));
}

#[track_caller]
fn assert_headed_mistake(text: &str, expected: &str) {
    let errors = read_headed("m", text.as_bytes()).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), format!("m:{expected}"));
}

fn entry(row: u32, column: u32, value: f64) -> Entry {
    Entry { row, column, value }
}

#[test]
fn the_size_is_that_of_the_indices() {
    let general = read("m", b"0 4 1.5\r\n\n% comment\n\t2 0 -1e3", Symmetry::General).expect("right");
    assert_eq!((general.rows, general.columns), (3, 5));
    assert_eq!((general.symmetry, general.values), (Symmetry::General, Values::Real));
    assert_eq!(general.entries, [entry(0, 4, 1.5), entry(2, 0, -1000.0)]);
    assert_eq!(read("m", b"", Symmetry::General).map(|matrix| matrix.rows), Ok(0));
}

#[test]
fn either_triangle_becomes_the_lower_one() {
    let lower = symmetric("0 0 1\n3 1 2\n2 2 3\n2 0 4\n");
    assert_eq!((lower.rows, lower.columns, lower.symmetry), (4, 4, Symmetry::Symmetric));
    assert_eq!(lower.entries[1], entry(3, 1, 2.0));
    assert_eq!(symmetric("0 0 1\n1 3 2\n2 2 3\n0 2 4\n"), lower);
}

#[test]
fn both_triangles_are_none_of_one() {
    assert_mistake(
        "0 0 1\n2 1 1\n1 2 1\n0 2 1\n",
        "3:1: entry (1, 2): expected entries of the lower triangle only, as the one on line 2",
    );
    assert_mistake(
        "0 2 1\n2 0 1\n",
        "2:1: entry (2, 0): expected entries of the upper triangle only, as the one on line 1",
    );
}

#[test]
fn entries() {
    assert_mistake("0 -1 1\n", "1:3: column index -1: expected 0..=4294967294");
    assert_mistake("4294967295 0 1\n", "1:1: row index 4294967295: expected 0..=4294967294");
    assert_mistake("1 0 nan\n", "1:5: value nan: expected a finite number");
    assert_mistake("1 0\n", "1:4: value missing: expected a finite number");
    assert_mistake("1 0 2 3\n", "1:7: trailing text 3: expected the end of the line");
    assert_mistake("1 0 2\n 1 0 2\n", "2:2: entry (1, 0): expected each once, this one is on line 1 too");
}

#[test]
fn headed() {
    let matrix = read_headed("m", b"2 3 2\n2 1 -1.5\n1 3 2\n").expect("right");
    assert_eq!((matrix.rows, matrix.columns, matrix.symmetry), (2, 3, Symmetry::General));
    assert_eq!(matrix.entries, [entry(1, 0, -1.5), entry(0, 2, 2.0)]);
    assert_headed_mistake("", "1:1: size line missing: expected rows, columns and number of entries");
    assert_headed_mistake("2 2 5\n", "1:5: number of entries 5: expected 0..=4");
    assert_headed_mistake("2 2 1\n0 1 1\n", "2:1: row index 0: expected 1..=2");
    assert_headed_mistake(
        "2 2 2\n1 1 1\n",
        "3:1: number of entries 1: expected 2 as the size line says; is the file truncated?",
    );
}

/// Without a header a cut can be noticed inside a line only.
#[test]
fn truncations() {
    let bare = "0 0 1\n1 0 2\n";
    let is_right = |length: usize| read("m", &bare.as_bytes()[..length], Symmetry::Symmetric).is_ok();
    let right: Vec<_> = (0..bare.len()).filter(|&length| is_right(length)).collect();
    assert_eq!(right, [0, 5, 6, 11]);
    let headed = "2 2 2\n1 1 1\n2 1 2\n";
    for length in 0..headed.len() - 1 {
        assert!(read_headed("m", &headed.as_bytes()[..length]).is_err(), "cut at {length}");
    }
}
