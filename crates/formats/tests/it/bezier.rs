//! Each mistake that a file of patches can have, with its place; and the variants that are none.

use tradewind_formats::bezier::{Patch, read, write};

/// Newell's tea pot.
const TEAPOT: &[u8] = include_bytes!("../../../../inputs/teapot.bpt");

/// A flat patch whose points are `row column 0`, except the last, `3 3 1`.
fn whole() -> String {
    let point = |at: usize| format!("{} {} {}\n", at / 4, at % 4, u8::from(at == 15));
    format!("1\n3 3\n{}", (0..16).map(point).collect::<String>())
}

#[track_caller]
fn assert_mistakes(text: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|mistake| format!("p.bpt:{mistake}")).collect();
    let errors = read("p.bpt", text.as_bytes()).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), expected.join("\n"));
}

/// Checks all mistakes of the whole file with one piece replaced.
#[track_caller]
fn assert_replaced(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(whole().matches(old).count(), 1, "{old}");
    assert_mistakes(&whole().replace(old, new), expected);
}

#[test]
fn points_stand_row_by_row() {
    let patches = read("p", whole().as_bytes()).expect("right");
    assert_eq!(patches.len(), 1);
    assert_eq!(patches[0].control[1][2], [1.0, 2.0, 0.0]);
    assert_eq!(patches[0].control[3][3], [3.0, 3.0, 1.0]);
}

#[test]
fn accepts_what_circulates() {
    let expected = read("p", whole().as_bytes());
    for text in [whole().replace('\n', "\r\n"), whole().replace('\n', " \n\n"), whole().trim_end().into()] {
        assert_eq!(read("p", text.as_bytes()), expected, "{text}");
    }
    assert_eq!(read("p", b"0\n"), Ok(Vec::<Patch>::new()));
}

#[test]
fn the_number_of_patches() {
    assert_mistakes("\n", &["2:1: number of patches missing: expected a number on the first line"]);
    assert_mistakes(
        "x 1\n",
        &[
            "1:1: number of patches x: expected 0..=4294967295",
            "1:3: trailing text 1: expected the end of the line",
        ],
    );
    assert_replaced(
        "1\n3 3\n",
        "2\n3 3\n",
        &["19:1: number of patches 1: expected 2 as the first line says; is the file truncated?"],
    );
    let more = whole() + "3 3\n";
    assert_mistakes(&more, &["19:1: trailing text 3 3: expected the end of the file"]);
}

#[test]
fn patches_that_are_not_bicubic() {
    assert_replaced("\n3 3\n", "\n3 2\n", &["2:3: degrees of a patch 3 2: expected 3 3"]);
    assert_replaced("\n3 3\n", "\n3 3 3\n", &["2:5: degrees of a patch 3 3 3: expected 3 3"]);
    assert_replaced("\n3 3\n", "\n", &["2:1: degrees of a patch 0 0 0: expected 3 3"]);
}

#[test]
fn points_with_mistakes() {
    assert_replaced(
        "1 2 0",
        "1 nan x",
        &["9:3: coordinate nan: expected a finite number", "9:7: coordinate x: expected a finite number"],
    );
    assert_replaced("1 2 0", "1 2", &["9:1: point of 2 numbers: expected 3"]);
    assert_replaced(
        "1 2 0\n1 3 0",
        "1 2\n1 3 0 0",
        &["9:1: point of 2 numbers: expected 3", "10:1: point of 4 numbers: expected 3"],
    );
    assert_replaced(
        "3 3 1\n",
        "",
        &["18:1: number of points 15: expected 16 of each patch; is the file truncated?"],
    );
}

/// The file ends in a number of one digit, so that no cut inside a number can go unnoticed.
#[test]
fn every_truncation_is_noticed() {
    let whole = whole();
    for length in 0..whole.len() - 1 {
        assert!(read("p", &whole.as_bytes()[..length]).is_err(), "cut at {length}");
    }
}

/// The pot's rim has radius 1.4, its spout and handle reach from -3 to 3.525, and the knob of its lid is at height 3.15.
#[test]
fn a_tea_pot() {
    let patches = read("teapot.bpt", TEAPOT).expect("right");
    assert_eq!(patches.len(), 32);
    assert_eq!(patches[0].control[0][0], [1.4, 0.0, 2.4]);
    let extent = |axis: usize| {
        let all = patches.iter().flat_map(|patch| patch.control.as_flattened()).map(|point| point[axis]);
        (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
    };
    assert_eq!([0, 1, 2].map(extent), [(-3.0, 3.525), (-2.0, 2.0), (0.0, 3.15)]);
    assert_eq!(read("again", write(&patches).as_bytes()), Ok(patches));
}
