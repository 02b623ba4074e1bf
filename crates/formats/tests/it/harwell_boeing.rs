//! Each mistake a Harwell-Boeing file can have, with its place; and the variants that are none.

use tradewind_formats::{Entry, Errors, MAX_LISTED, SparseMatrix, Symmetry, Values, harwell_boeing::read};

/// A title, then counts of cards of which only the last, of right-hand sides, is used.
const START: &str = "A title                                                                 KEY\n\
                     \x20            9             9             9             9             0\n";

/// A lower triangle: (1,1)=4, (2,1)=-1, (2,2)=5, (3,3)=6, its integers without a blank between them.
const SYMMETRIC: &str = "RSA                        3             3             4             0\n\
                         (4I1)           (3I1)           (3E9.2)             \n\
                         1345\n122\n3\n 4.00E+00-1.00E+00 5.00E+00\n 6.00E+00\n";

fn file(body: &str) -> Result<SparseMatrix, Errors> {
    read("m.rsa", format!("{START}{body}").as_bytes())
}

fn matrix(body: &str) -> SparseMatrix {
    file(body).expect("the file is right")
}

/// Checks all mistakes of a file, given as they are displayed behind the file's name.
#[track_caller]
fn assert_mistakes(body: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|mistake| format!("m.rsa:{mistake}")).collect();
    assert_eq!(file(body).expect_err("the file has a mistake").to_string(), expected.join("\n"));
}

/// Checks all mistakes of [`SYMMETRIC`] with one piece replaced.
#[track_caller]
fn assert_replaced(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(SYMMETRIC.matches(old).count(), 1, "{old}");
    assert_mistakes(&SYMMETRIC.replace(old, new), expected);
}

fn entry(row: u32, column: u32, value: f64) -> Entry {
    Entry { row, column, value }
}

#[test]
fn fields_are_cut_by_width() {
    let symmetric = matrix(SYMMETRIC);
    assert_eq!((symmetric.rows, symmetric.columns), (3, 3));
    assert_eq!((symmetric.symmetry, symmetric.values), (Symmetry::Symmetric, Values::Real));
    let entries = [entry(0, 0, 4.0), entry(1, 0, -1.0), entry(1, 1, 5.0), entry(2, 2, 6.0)];
    assert_eq!(symmetric.entries, entries);
}

#[test]
fn every_type() {
    let pattern = SYMMETRIC.replace("RSA", "psa").replace("(3E9.2)", "       ");
    let pattern = matrix(&pattern[..pattern.find(" 4.00").unwrap_or(0)]);
    assert_eq!((pattern.values, pattern.symmetry), (Values::Pattern, Symmetry::Symmetric));
    assert_eq!(pattern.entries[1], entry(1, 0, 1.0));

    let general = SYMMETRIC.replace("RSA", "RUA").replace("122", "211");
    let general = matrix(&general);
    assert_eq!((general.values, general.symmetry), (Values::Real, Symmetry::General));
    assert_eq!(general.entries[2], entry(0, 1, 5.0));

    let wide = "PRA                        1             2             1             0\n\
                (3I4)           (16I5)\n   1   1   2\n    1\n";
    let wide = matrix(wide);
    assert_eq!((wide.rows, wide.columns, wide.symmetry), (1, 2, Symmetry::General));
    assert_eq!(wide.entries, [entry(0, 1, 1.0)]);
}

#[test]
fn accepts_what_circulates() {
    let expected = matrix(SYMMETRIC);
    assert_eq!(matrix(&SYMMETRIC.replace('\n', "\r\n")), expected);
    assert_eq!(matrix(&SYMMETRIC.replace('\n', "   \n")), expected, "blanks behind the cards");
    assert_eq!(matrix(SYMMETRIC.trim_end()), expected, "the last newline is optional");
    assert_eq!(matrix(&format!("{SYMMETRIC}\n  \n")), expected, "blank lines behind the matrix");
    let fortran = SYMMETRIC.replace("(3E9.2)", "(1P3D9.2)").replace("E+00", "D+00");
    assert_eq!(matrix(&fortran), expected);
    let no_count = format!("{START}{SYMMETRIC}").replacen("             9             0\n", "\n", 1);
    assert_eq!(read("m", no_count.as_bytes()), Ok(expected));
}

#[test]
fn right_hand_sides_are_skipped() {
    let start = START.replace("             0\n", "             2\n");
    let whole = SYMMETRIC.replacen("             \n", "             \nF                        1\n", 1);
    let with = |cards: &str| read("m.rsa", format!("{start}{whole}{cards}").as_bytes());
    for cards in ["", "anything\n", "anything\nat all\n", "anything\nat all\nmore\n", "no newline"] {
        assert_eq!(with(cards), Ok(matrix(SYMMETRIC)), "{cards}");
    }
    assert_eq!(
        read("m.rsa", format!("{start}{SYMMETRIC}").as_bytes()).expect_err("no fifth card").to_string(),
        "m.rsa:5:1: fifth card 1345: expected F or M, since the second card counts 2 cards of right-hand sides"
    );
}

/// Writers leave it there, and RBio passes over it.
#[test]
fn a_fifth_card_that_nothing_is_counted_for_is_passed_over() {
    for card in ["F ignore", "MGX           1             0", "f"] {
        let with = SYMMETRIC.replacen("             \n", &format!("             \n{card}\n"), 1);
        assert_eq!(file(&with), Ok(matrix(SYMMETRIC)), "{card}");
    }
}

#[test]
fn types_that_are_not_read() {
    for wrong in ["CSA", "RHA", "RZA", "RSE", "QSA", "ISA", "RS", "RSAA"] {
        let found = format!("{wrong:3}");
        let expected = format!(
            "3:1: matrix type {wrong}: expected R (real) or P (pattern), then S (symmetric), U (unsymmetric) \
             or R (rectangular), then A (assembled)"
        );
        let body = SYMMETRIC.replace(if wrong.len() > 3 { "RSA " } else { "RSA" }, &found);
        assert_mistakes(&body, &[&expected]);
    }
}

#[test]
fn formats_that_are_none() {
    let known = "I, E, D, F or G with a width, or X, T, P or (";
    assert_replaced("(4I1)", "(4X1)", &[&format!("4:5: pointer format (4X1): expected {known}")]);
    assert_replaced("(3I1)", "(3F1.0)", &["4:19: index format (3F1.0): expected one of integers, as (16I5)"]);
    let expected = "4:35: value format (3I9.2): expected one of reals, as (4E20.12) or (1P,5D16.8)";
    assert_replaced("(3E9.2)", "(3I9.2)", &[expected]);
    let parenthesis = "( and a format, as (16I5) or (4(1X,E15.8))";
    assert_replaced(
        "(4I1)           (3I1)           (3E9.2)",
        "é",
        &[
            &format!("4:1: pointer format é: expected {parenthesis}"),
            &format!("4:16: index format missing: expected {parenthesis}"),
            &format!("4:16: value format missing: expected {parenthesis}"),
        ],
    );
}

#[test]
fn formats_with_groups_skips_and_scale_factors() {
    let expected = matrix(SYMMETRIC);
    let values = " 4.00E+00-1.00E+00 5.00E+00\n 6.00E+00\n";
    let other = |format: &str, cards: &str| {
        let body = SYMMETRIC.replace("(3E9.2)             ", &format!("{format:20}")).replace(values, cards);
        assert_eq!(file(&body), Ok(expected.clone()), "{format}");
    };
    other("(3(1X,E8.2))", values.replace("0-1", "0 -1").replace("-1.00E", "-1.0E").as_str());
    other("(2(X,e8.2,1x,F7.2))", "x4.00E+00;  -1.00x5.00E+00;   6.00\n");
    other("(1P,2F9.1,2(F9.1))", "     40.0    -10.0     50.0     60.0\n");
    other("(T5,4G5.0)", "skip   4   -1.    5    6 \n");
    other("(2E9.2/F9.2)", " 4.00E+00-1.00E+00\n     5.00\n 6.00E+00\n");
    other("(3E9.2,53X)", " 4.00E+00-1.00E+00 5.00E+00  in columns that are skipped\n 6.00E+00\n");
}

#[test]
fn sizes() {
    let sizes = |rows: &str, columns: &str, entries: &str| {
        let old = "             3             3             4";
        SYMMETRIC.replace(old, &format!("{rows:>14}{columns:>14}{entries:>14}"))
    };
    assert_mistakes(
        &sizes("2", "3", "4"),
        &[
            "3:42: number of columns 3: expected 2 as rows, the matrix being symmetric",
            "3:56: number of entries 4: expected 0..=3",
        ],
    );
    assert_mistakes(&sizes("3", "3", "7"), &["3:56: number of entries 7: expected 0..=6"]);
    assert_mistakes(&sizes("3", "x", "4"), &["3:42: number of columns x: expected 0..=4294967295"]);
    assert_mistakes(&sizes("3", "\t3", "4"), &["3:41: number of columns \\t3: expected 0..=4294967295"]);
    assert_mistakes(
        &sizes("3", "", "99999999999999"),
        &[
            "3:29: number of columns missing: expected 0..=4294967295",
            "3:43: number of entries 99999999999999: expected 0..=6",
        ],
    );
    assert_mistakes(
        &sizes("4294967295", "4294967295", "4"),
        &[
            "6:4: column pointer missing: expected an integer in a field of width 1",
            "7:2: column pointer missing: expected an integer in a field of width 1",
            "10:1: number of column pointers 20: expected 4294967296 as the header, line 3, says; \
             is the file truncated?",
        ],
    );
}

#[test]
fn headers_cut_short() {
    let mistake = |complete: usize, place: &str| {
        format!("m:{place}: header of {complete} cards: expected 4 cards; is the file truncated?")
    };
    let shown = |text: &str| read("m", text.as_bytes()).expect_err("cut").to_string();
    assert_eq!(shown(""), mistake(0, "1:1"));
    assert_eq!(shown(START), mistake(2, "3:1"));
    assert_eq!(shown("title"), mistake(1, "1:6"));
}

#[test]
fn right_hand_side_counts() {
    let start = START.replace("             0\n", "            -1\n");
    let errors = read("m", format!("{start}{SYMMETRIC}").as_bytes()).expect_err("negative");
    assert_eq!(errors.to_string(), "m:2:69: number of right-hand side cards -1: expected 0..=4294967295");
}

#[test]
fn pointers() {
    assert_replaced("1345", "2345", &["5:1: column pointer 2: expected 1"]);
    assert_replaced("1345", "1325", &["5:3: column pointer 2: expected 3..=5"]);
    assert_replaced("1345", "1945", &["5:2: column pointer 9: expected 1..=5"]);
    assert_replaced("1345", "1344", &["5:4: column pointer 4: expected 5, one more than there are entries"]);
    assert_replaced(
        "1345",
        "1 45",
        &["5:2: column pointer missing: expected an integer in a field of width 1"],
    );
    assert_replaced(
        "1345",
        "134",
        &["5:4: column pointer missing: expected an integer in a field of width 1"],
    );
    assert_replaced(
        "1345",
        "1345 6",
        &["5:6: trailing text 6: expected the end of the card after 4 fields of width 1"],
    );
}

#[test]
fn row_indices() {
    assert_replaced("122", "142", &["6:2: row index 4: expected 1..=3"]);
    assert_replaced("122", "102", &["6:2: row index 0: expected 1..=3"]);
    assert_replaced("122", "1-2", &["6:2: row index -: expected an integer in a field of width 1"]);
    assert_replaced("122", "112", &["6:2: entry (1, 1): expected each once, this one is on line 6 too"]);
    let expected = "6:3: row index 1: expected at least 2 as its column, a symmetric file listing the \
                    lower triangle only";
    assert_replaced("122", "121", &[expected]);
}

#[test]
fn values() {
    let expected = |place: &str, found: &str| {
        format!(
            "{place}: value {found}: expected a finite number with its decimal point in a field of width 9"
        )
    };
    for (new, found) in [
        ("      NaN", "NaN"),
        ("      inf", "inf"),
        (" 1.0E+999", "1.0E+999"),
        ("  4.0 E+0", "4.0 E+0"),
        ("        4", "4"),
        ("\t4.00E+00", "\\t4.00E+00"),
    ] {
        let indent = new.len() - new.trim_start_matches(' ').len();
        assert_replaced(" 4.00E+00", new, &[&expected(&format!("8:{}", indent + 1), found)]);
    }
    // One byte too few: the card is cut, and every number on it stands in the wrong columns.
    assert_replaced(" 4.00E+00", "4.00E+00", &[&expected("8:1", "4.00E+00-")]);
    assert_replaced(" 6.00E+00\n", " 6.00E+0\n", &[&expected("9:2", "6.00E+0")]);
}

#[test]
fn one_mistake_does_not_hide_another_part() {
    let body = SYMMETRIC.replace("1345", "1355").replace("122", "922").replace(" 6.00E+00", "  6.0E+ 0");
    assert_mistakes(
        &body,
        &[
            "6:1: row index 9: expected 1..=3",
            "9:3: value 6.0E+ 0: expected a finite number with its decimal point in a field of width 9",
        ],
    );
}

#[test]
fn counts() {
    let indices = SYMMETRIC.find("122").unwrap_or(0);
    let expected =
        "6:1: number of row indices 0: expected 4 as the header, line 3, says; is the file truncated?";
    assert_mistakes(&SYMMETRIC[..indices], &[expected]);
    let trailing = format!("{SYMMETRIC}\n 7.0\n");
    assert_mistakes(&trailing, &["11:2: trailing text 7.0: expected the end of the file"]);
}

/// A format that is not that of the cards is told by two of them, not by each.
#[test]
fn a_wrong_format_is_reported_twice() {
    let cards = "  1  1  1  1\n".repeat(500);
    let body = format!(
        "PUA                        1          1999             0             0\n\
         (4I4)           (4I4)\n{cards}"
    );
    let errors = file(&body).expect_err("the fields are 3 wide");
    assert_eq!((errors.listed().len(), errors.unlisted()), (2, 0), "{errors}");
}

#[test]
fn the_list_is_capped_and_says_so() {
    let cards = "   9\n".repeat(50);
    let body = "PUA                        1             1             1             0\n\
                (2I4)           (1I4)\n   1   2\n   9\n";
    assert_mistakes(body, &["6:4: row index 9: expected 1..=1"]);
    let body = format!(
        "PUA                        8            50            50             0\n\
         (60I3)          (1I4)\n{}\n{cards}",
        (1..=51).map(|pointer| format!("{pointer:3}")).collect::<String>()
    );
    let errors = file(&body).expect_err("every row is out of range");
    assert_eq!((errors.listed().len(), errors.unlisted()), (MAX_LISTED, 50 - MAX_LISTED));
}

/// A claimed size costs neither memory nor time.
#[test]
fn claims_beyond_the_file_are_cheap() {
    let body = format!(
        "RUA               4294967295             1 9999999999999             0\n\
         (10000I1)       (10000I1)       (10000E1.0)\n{}",
        "\n".repeat(1000)
    );
    let errors = file(&body).expect_err("nothing is there");
    assert!(errors.listed().len() <= 6, "{errors}");
}

#[test]
fn every_truncation_is_noticed() {
    let file = format!("{START}{SYMMETRIC}");
    let whole = read("m", file.as_bytes());
    for length in 0..file.len() {
        let cut = read("m", &file.as_bytes()[..length]);
        if length == file.len() - 1 {
            assert_eq!(cut, whole, "only the newline is gone");
        } else {
            assert!(cut.is_err(), "cut at {length}");
        }
    }
}

#[test]
fn a_file_of_the_collection() {
    let matrix = read("bcsstk02.rsa", include_bytes!("../data/bcsstk02.rsa")).expect("right");
    assert_eq!((matrix.rows, matrix.columns, matrix.entries.len()), (66, 66, 66 * 67 / 2));
    assert_eq!((matrix.symmetry, matrix.values), (Symmetry::Symmetric, Values::Real));
    assert_eq!(matrix.entries[2210], entry(65, 65, 1363.07691486));
}
