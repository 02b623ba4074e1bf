//! Each mistake that triplets can have, with its place; and the variants that are none.

use tradewind_formats::{
    Entry, SparseMatrix, Symmetry, Values,
    triplet::{read, read_either, read_headed, read_sized},
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
    assert_eq!(
        symmetric("1 0 2\n 1 0 0.5\n").entries,
        [entry(1, 0, 2.5)],
        "an entry that comes again is added"
    );
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
        "3:1: number of entries 1: expected 2 as the size line, line 1, says; is the file truncated?",
    );
}

#[track_caller]
fn assert_either_mistake(text: &str, expected: &str) {
    let errors = read_either("m.tri", text.as_bytes()).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), format!("m.tri:{expected}"));
}

fn sized(text: &str) -> SparseMatrix {
    let matrix = read_either("m.tri", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(read_sized("m.tri", text.as_bytes()).as_ref(), Ok(&matrix));
    matrix
}

#[test]
fn a_line_of_sizes_is_told_from_an_entry() {
    let three = [entry(0, 0, 4.0), entry(1, 0, 1.0), entry(1, 1, 4.0)];
    for text in [
        "2 2 3\n0 0 4\n1 0 1\n1 1 4\n",
        "2 2 3 -1\n0 0 4\n1 0 1\n1 1 4\n",
        "% comment\n\n2 2 3\n1 1 4\n2 1 1\n2 2 4",
        "2 2 3\n0 0 4\n0 1 1\n1 1 4\n",
        "2 2 3 1\n0 0 4\n0 1 1\n1 1 4\n",
    ] {
        let matrix = sized(text);
        assert_eq!((matrix.rows, matrix.symmetry), (2, Symmetry::Symmetric), "{text}");
        assert_eq!(matrix.entries, three, "{text}");
    }
    let general = sized("2 2 4\n0 0 4\n1 0 1\n0 1 1\n1 1 4\n");
    assert_eq!((general.symmetry, general.entries.len()), (Symmetry::General, 4));
    assert_eq!(sized("2 2 1 0\n1 1 5\n").symmetry, Symmetry::General, "as it says");
    assert_eq!(sized("3 2 1\n1 1 5\n").rows, 3, "an oblong matrix is not symmetric");
    let pattern = sized("2 2 2\n0 0\n1 0\n");
    assert_eq!((pattern.values, pattern.entries.len()), (Values::Pattern, 2));
    assert_eq!(sized("3 3 0\n").rows, 3);
}

#[test]
fn an_entry_is_told_from_a_line_of_sizes() {
    for text in [
        "0 0 5\n",
        "0 0 1\n1 0 2\n",
        "1 0 4\n0 0 1\n",
        "2 2 3.0\n0 0 4\n1 0 1\n1 1 4\n",
        "1 1 2\n0 0 4\n2 2 3\n",
    ] {
        let expected = read("m.tri", text.as_bytes(), Symmetry::Symmetric);
        assert!(expected.is_ok(), "{text}");
        assert_eq!(read_either("m.tri", text.as_bytes()), expected, "{text}");
    }
    assert_eq!(read_either("m.tri", b"").map(|matrix| matrix.rows), Ok(0));
}

#[test]
fn a_first_line_that_may_be_either_is_refused_with_the_remedy() {
    let either = |found: &str, follow: usize| {
        format!(
            "1:1: first line {found}: expected the number of entries as third number if these are sizes ({follow} follow), \
             or a decimal point in it if this is an entry"
        )
    };
    assert_either_mistake("2 2 3\n0 0 4\n1 0 1\n", &either("2 2 3", 2));
    assert_either_mistake("2 2 3\n0 0 4\n1 0 1\n1 1 4\n0 1 2\n", &either("2 2 3", 4));
    assert_either_mistake("3 3 1\n", &either("3 3 1", 0));
}

#[test]
fn sized_triplets_are_checked() {
    assert_either_mistake(
        "2 2 1 2\n0 0 4\n",
        "1:7: triangle 2: expected 0 (all entries), -1 (the lower triangle of a symmetric matrix) or 1 (the upper one)",
    );
    assert_either_mistake(
        "2 2 2 -1\n0 0 4\n0 1 4\n",
        "3:1: entry (0, 1): expected entries of the lower triangle only, as the line of sizes says",
    );
    assert_either_mistake(
        "2 3 1 1\n0 0 4\n",
        "1:3: number of columns 3: expected 2 as rows, the matrix being symmetric",
    );
    assert_either_mistake("2 2 2\n1 1 4\n3 1 4\n", "3:1: row index 3: expected 1..=2");
    assert_either_mistake("2 2 2\n0 0 4\n2 1 4\n", "3:1: row index 2: expected 0..=1");
    assert_either_mistake("2 2 2\n1 1 4\n2 x 4\n", "3:3: column index x: expected 1..=2");
    assert_either_mistake("2 2 2 0\n1 1\n2 1 4\n", "3:5: trailing text 4: expected the end of the line");
}

#[test]
fn an_entry_where_sizes_should_be_is_named() {
    let expected = "rows, columns and number of entries; triplets without them are called .tri";
    for first in ["0 0 1.5", "494 494 1666.5"] {
        assert_headed_mistake(
            &format!("{first}\n1 0 2\n"),
            &format!("1:1: size line {first}: expected {expected}"),
        );
    }
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
