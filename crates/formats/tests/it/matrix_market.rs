//! Each mistake a Matrix Market file can have, with its place; and the variants that are none.

use tradewind_formats::{
    Entry, Errors, MAX_LISTED, SparseMatrix, Symmetry, Values,
    matrix_market::{read, write},
};

const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";
const SYMMETRIC: &str = "%%MatrixMarket matrix coordinate real symmetric\n";
const INTEGER: &str = "%%MatrixMarket matrix coordinate integer general\n";
const PATTERN: &str = "%%MatrixMarket matrix coordinate pattern symmetric\n";

fn errors(banner: &str, body: &str) -> Errors {
    read("m.mtx", format!("{banner}{body}").as_bytes()).expect_err("the file has a mistake")
}

/// Checks the one mistake of a file, given as it is displayed behind the file's name.
#[track_caller]
fn assert_mistake(banner: &str, body: &str, expected: &str) {
    assert_eq!(errors(banner, body).to_string(), format!("m.mtx:{expected}"));
}

fn matrix(banner: &str, body: &str) -> SparseMatrix {
    read("m.mtx", format!("{banner}{body}").as_bytes()).expect("the file is right")
}

fn entry(row: u32, column: u32, value: f64) -> Entry {
    Entry { row, column, value }
}

#[test]
fn reads_every_kind() {
    let general = matrix(REAL, "2 3 2\n1 3 -0.5\n2 1 1e3\n");
    assert_eq!((general.rows, general.columns), (2, 3));
    assert_eq!((general.symmetry, general.values), (Symmetry::General, Values::Real));
    assert_eq!(general.entries, [entry(0, 2, -0.5), entry(1, 0, 1000.0)]);

    let pattern = matrix(PATTERN, "2 2 2\n1 1\n2 1\n");
    assert_eq!((pattern.symmetry, pattern.values), (Symmetry::Symmetric, Values::Pattern));
    assert_eq!(pattern.entries, [entry(0, 0, 1.0), entry(1, 0, 1.0)]);

    let integer = matrix(INTEGER, "1 1 1\n1 1 -42\n");
    assert_eq!((integer.values, integer.entries), (Values::Real, vec![entry(0, 0, -42.0)]));
}

#[test]
fn accepts_what_circulates() {
    let expected = matrix(REAL, "2 2 2\n1 1 1000\n2 2 0.25\n");
    let banner = "%%matrixmarket MATRIX Coordinate REAL General\n";
    let body = "% comment\n\n  2 2\t2\n % between\n 1 1 1.0D+03\n\n%\n\t2 2 +.25d0  \n\n";
    assert_eq!(matrix(banner, body), expected);
    assert_eq!(matrix(&banner.replace('\n', "\r\n"), &body.replace('\n', "\r\n")), expected);
    assert_eq!(matrix(banner, body.trim_end()), expected, "the last newline is optional");
}

#[test]
fn a_banner_without_its_last_word_is_of_a_general_matrix() {
    let body = "2 2 1\n1 2 3\n";
    assert_eq!(matrix("%%MatrixMarket matrix coordinate real\n", body), matrix(REAL, body));
}

#[test]
fn empty_matrices_are_matrices() {
    assert_eq!(matrix(REAL, "0 0 0\n").entries, []);
    assert_eq!(matrix(REAL, "5 0 0").columns, 0);
}

#[test]
fn banner() {
    assert_mistake("", "", "1:1: banner missing: expected %%MatrixMarket matrix coordinate …");
    assert_mistake("1 1 1\n", "", "1:1: banner 1: expected %%MatrixMarket matrix coordinate …");
    let complex = "%%MatrixMarket matrix coordinate complex hermitian\n";
    assert_eq!(
        errors(complex, "anything").to_string(),
        "m.mtx:1:34: field complex: expected real or double or integer or unsigned-integer or pattern"
    );
    assert_mistake(
        "%%MatrixMarket matrix dense real\n",
        "",
        "1:23: format dense: expected coordinate or array",
    );
    assert_mistake(
        "%%MatrixMarket matrix array pattern general\n",
        "",
        "1:29: field pattern: expected real or double or integer or unsigned-integer",
    );
    assert_mistake(
        "%%MatrixMarket matrix coordinate real skew-symmetric\n",
        "",
        "1:39: symmetry skew-symmetric: expected general or symmetric or hermitian",
    );
}

#[test]
fn size_line() {
    assert_mistake(
        REAL,
        "% no more\n",
        "3:1: size line missing: expected rows, columns and number of entries",
    );
    assert_mistake(REAL, "x 1 0\n", "2:1: number of rows x: expected 0..=4294967295");
    assert_mistake(REAL, "1 4294967296 0\n", "2:3: number of columns 4294967296: expected 0..=4294967295");
    assert_mistake(REAL, "1 2\n", "2:4: number of entries missing: expected 0..=2");
    assert_mistake(REAL, "2 2 5\n1 1 1\n", "2:5: number of entries 5: expected 0..=4");
    assert_mistake(PATTERN, "2 2 4\n1 1\n", "2:5: number of entries 4: expected 0..=3");
    assert_mistake(
        PATTERN,
        "2 3 0\n",
        "2:3: number of columns 3: expected 2 as rows, the matrix being symmetric",
    );
    assert_mistake(REAL, "1 1 0 0\n", "2:7: trailing text 0: expected the end of the line");
}

#[test]
fn entries_are_checked_under_a_wrong_size_line() {
    assert_eq!(
        errors(REAL, "2 ? 1\n3 1 1\n").to_string(),
        "m.mtx:2:3: number of columns ?: expected 0..=4294967295\n\
         m.mtx:3:1: row index 3: expected 1..=2"
    );
}

#[test]
fn indices() {
    assert_mistake(REAL, "3 2 1\n  4 1 1\n", "3:3: row index 4: expected 1..=3");
    assert_mistake(REAL, "3 2 1\n0 1 1\n", "3:1: row index 0: expected 1..=3");
    assert_mistake(REAL, "3 2 1\n1 3 1\n", "3:3: column index 3: expected 1..=2");
    assert_mistake(REAL, "3 2 1\n1 -1 1\n", "3:3: column index -1: expected 1..=2");
    assert_mistake(
        REAL,
        "3 2 1\n1 99999999999999999999999 1\n",
        "3:3: column index 99999999999999999999999: expected 1..=2",
    );
}

#[test]
fn values() {
    for wrong in ["nan", "inf", "-Infinity", "1e999", "1,5", "0x10", "1e", "é"] {
        assert_mistake(
            REAL,
            &format!("1 1 1\n1 1 {wrong}\n"),
            &format!("3:5: value {wrong}: expected a finite number"),
        );
    }
    assert_mistake(REAL, "1 1 1\n1 1\n", "3:4: value missing: expected a finite number");
    for wrong in ["1.5", "9007199254740993", "--1"] {
        let expected = format!("3:5: value {wrong}: expected an integer of at most 2^53");
        assert_mistake(INTEGER, &format!("1 1 1\n1 1 {wrong}\n"), &expected);
    }
}

#[test]
fn trailing_text() {
    assert_mistake(REAL, "1 1 1\n1 1 1  2 x \n", "3:8: trailing text 2 x: expected the end of the line");
    assert_mistake(PATTERN, "1 1 1\n1 1 1.0\n", "3:5: trailing text 1.0: expected the end of the line");
}

/// As SciPy reads them.
#[test]
fn every_triangle_of_a_symmetric_file_is_read() {
    let lower = matrix(SYMMETRIC, "3 3 4\n1 1 4\n2 1 1\n2 2 4\n3 3 4\n");
    assert_eq!(matrix(SYMMETRIC, "3 3 4\n1 1 4\n1 2 1\n2 2 4\n3 3 4\n"), lower);
    let either = matrix(SYMMETRIC, "3 3 2\n1 2 1\n3 2 5\n");
    assert_eq!(either.entries, [entry(1, 0, 1.0), entry(2, 1, 5.0)]);
    assert_mistake(
        SYMMETRIC,
        "3 3 3\n2 1 1\n3 3 1\n1 2 1\n",
        "5:1: entry (1, 2): expected one triangle of a symmetric matrix, the mirror image is on line 3; \
         a file with both triangles is general",
    );
}

#[test]
fn a_real_hermitian_matrix_is_symmetric() {
    let body = "2 2 3\n1 1 4\n2 1 1\n2 2 3\n";
    let hermitian = "%%MatrixMarket matrix coordinate real hermitian\n";
    assert_eq!(matrix(hermitian, body), matrix(SYMMETRIC, body));
}

#[test]
fn other_names_of_fields_and_banner() {
    let body = "2 2 2\n1 1 2\n2 2 2\n";
    let expected = matrix(SYMMETRIC, body);
    for field in ["double", "integer", "unsigned-integer"] {
        assert_eq!(matrix(&SYMMETRIC.replace("real", field), body), expected, "{field}");
    }
    for banner in [SYMMETRIC.replace("%%", "%"), format!("  {SYMMETRIC}"), format!("\n\t\r\n{SYMMETRIC}")] {
        assert_eq!(matrix(&banner, body), expected, "{banner}");
    }
    assert_mistake(
        &SYMMETRIC.replace("real", "unsigned-integer"),
        "2 2 1\n1 1 -2\n",
        "3:5: value -2: expected an integer of 0 to 2^53",
    );
}

#[test]
fn an_entry_that_comes_again_is_added() {
    let summed = matrix(REAL, "2 2 4\n1 2 1\n2 2 1\n 1 2 5\n1 2 -0.5\n");
    assert_eq!(summed.entries, [entry(0, 1, 5.5), entry(1, 1, 1.0)]);
    let symmetric = matrix(SYMMETRIC, "2 2 3\n1 2 1\n2 2 1\n1 2 5\n");
    assert_eq!(symmetric.entries, [entry(1, 0, 6.0), entry(1, 1, 1.0)]);
    assert_mistake(
        REAL,
        "1 2 2\n1 1 1e308\n1 1 1e308\n",
        "4:1: value 1e308 + 1e308: expected entries of one position whose sum can be represented",
    );
    assert_mistake(
        INTEGER,
        "1 2 2\n1 1 9007199254740992\n1 1 1\n",
        "4:1: value 9007199254740992.0 + 1.0: expected entries of one position whose sum can be represented",
    );
    assert_mistake(
        PATTERN,
        "2 2 3\n1 2\n2 2\n 1 2\n",
        "5:2: entry (1, 2): expected each once, this one is on line 3 too",
    );
}

/// As SciPy reads them.
#[test]
fn arrays() {
    let general = "%%MatrixMarket matrix array real general\n";
    let read = matrix(general, "% column by column\n2 3\n1\n0\n-0.5\n4\n0.0\n6\n");
    assert_eq!((read.rows, read.columns, read.symmetry), (2, 3, Symmetry::General));
    assert_eq!(read.entries, [entry(0, 0, 1.0), entry(0, 1, -0.5), entry(1, 1, 4.0), entry(1, 2, 6.0)]);
    let symmetric = matrix(&general.replace("general", "symmetric"), "2 2\n4\n1\n3\n");
    assert_eq!(symmetric, matrix(SYMMETRIC, "2 2 3\n1 1 4\n2 1 1\n2 2 3\n"));
    assert_eq!(matrix(general, "0 5\n").entries, []);
    assert_mistake(general, "", "2:1: size line missing: expected rows and columns");
    assert_mistake(general, "1 1 1\n1\n", "2:5: trailing text 1: expected the end of the line");
    assert_mistake(general, "1 2\n1\nx\n", "4:1: value x: expected a finite number");
    assert_mistake(
        general,
        "1 2\n1\n",
        "4:1: number of values 1: expected 2 as the size line, line 2, says; is the file truncated?",
    );
    assert_mistake(
        general,
        "1 1\n1\n\n2\n3\n",
        "5:1: number of values 3: expected 1 as the size line, line 2, says",
    );
}

#[test]
fn counts() {
    assert_mistake(
        REAL,
        "2 2 3\n1 1 1\n",
        "4:1: number of entries 1: expected 3 as the size line, line 2, says; is the file truncated?",
    );
    assert_mistake(
        REAL,
        "2 2 1\n1 1 1\n\n 2 2 1\n1 2 1\n",
        "5:2: number of entries 3: expected 1 as the size line, line 2, says",
    );
}

#[test]
fn all_mistakes_in_order_of_place() {
    let errors = errors(REAL, "2 2 4\n1 1 1\n1 1 1e\n3 x y\n");
    let places: Vec<_> = errors.listed().iter().map(|mistake| (mistake.line, mistake.column)).collect();
    assert_eq!(places, [(4, 5), (5, 1), (5, 3), (5, 5), (6, 1)]);
    assert_eq!((errors.name(), errors.unlisted()), ("m.mtx", 0));
}

#[test]
fn the_list_is_capped_and_says_so() {
    let body = format!("2 2 4\n{}", "9 9 9\n".repeat(30));
    let errors = errors(REAL, &body);
    assert_eq!(errors.listed().len(), MAX_LISTED);
    assert_eq!(errors.unlisted(), 2 * 30 + 1 - MAX_LISTED);
    assert!(errors.to_string().ends_with("\nm.mtx: and 41 more"));
}

#[test]
fn excerpts_are_short_and_printable() {
    let long = "x".repeat(1_000_000);
    let shown = errors(REAL, &format!("1 1 1\n1 1 {long}\n")).to_string();
    assert!(shown.len() < 120 && shown.contains("xx…: expected"), "{shown}");
    assert!(errors(REAL, "1 1 1\n1 1 \x1b[2J\n").to_string().contains(r"value \u{1b}[2J"));
    assert!(read("m", b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 \xff").is_err());
}

/// The file ends in a number of one digit, so that no cut inside a number can go unnoticed.
#[test]
fn every_truncation_is_noticed() {
    let file = format!("{SYMMETRIC}% comment\n2 2 3\n1 1 41\n2 1 -1.5\n2 2 7\n");
    let whole = read("m", file.as_bytes()).expect("whole");
    for length in 0..file.len() {
        let cut = read("m", &file.as_bytes()[..length]);
        if length == file.len() - 1 {
            assert_eq!(cut.as_ref(), Ok(&whole), "only the newline is gone");
        } else {
            assert!(cut.is_err(), "cut at {length}");
        }
    }
}

#[test]
fn shipped_files() {
    let shipped: [(&str, &[u8], _); 3] = [
        ("494_bus", include_bytes!("../../../../inputs/494_bus.mtx"), (494, 1080, Values::Real)),
        ("jagmesh7", include_bytes!("../../../../inputs/jagmesh7.mtx"), (1138, 4294, Values::Pattern)),
        ("bcsstk13", include_bytes!("../../../../inputs/bcsstk13.mtx.gz"), (2003, 42943, Values::Real)),
    ];
    for (name, bytes, expected) in shipped {
        let matrix = read(name, &tradewind_formats::decompress(bytes).expect("whole")).expect("right");
        assert_eq!((matrix.rows, matrix.entries.len(), matrix.values), expected, "{name}");
        assert_eq!(matrix.symmetry, Symmetry::Symmetric, "{name}");
        assert_eq!(read(name, write(&matrix).as_bytes()), Ok(matrix), "{name}");
    }
}
