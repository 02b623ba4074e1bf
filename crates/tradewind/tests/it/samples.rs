//! Tests that the outputs on pages are real: each is the output of its command on this tree.
//!
//! `printed` defines a sample. A picture on a page must equal the picture that its command draws. `examples.rs` tests samples of the
//! book's programs.

use std::fs;
use std::path::Path;

use tempfile::tempdir;

use crate::command::good_where;
use crate::printed::{Sample, missing, samples};

/// A file of this repository.
fn read(name: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name));
    text.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn pages_print_what_their_commands_say() {
    let folder = tempdir().expect("a folder for the record of runs");
    let record = folder.path().join("record").display().to_string();
    let pages = [
        ("README.md", 1),
        ("book/src/claims.md", 2),
        ("book/src/ideas.md", 1),
        ("book/src/shared-memory.md", 1),
        ("docs/traffic.md", 4),
    ];
    for (name, expected) in pages {
        let page = read(name);
        let samples = samples(&page);
        assert_eq!(samples.len(), expected, "{name}");
        for Sample { mut arguments, lines } in samples {
            if arguments[0] == "claims" {
                arguments.extend(["--record", &record]);
            }
            let drawn = folder.path().join("drawn.svg").display().to_string();
            let picture = arguments.iter().position(|argument| *argument == "--out").map(|out| out + 1);
            let shown = picture.map(|picture| std::mem::replace(&mut arguments[picture], &drawn));
            let output = good_where(&[("LC_ALL", "C.UTF-8")], &arguments);
            let missing = missing(&lines, &output);
            assert_eq!(missing, None, "{name}: tradewind {}:\n{output}", arguments.join(" "));
            if let Some(shown) = shown {
                let same = read(shown) == fs::read_to_string(&drawn).expect("the command draws");
                assert!(same, "{shown} is another picture than that of tradewind {}", arguments.join(" "));
            }
        }
    }
}

#[test]
fn a_sample_that_differs_is_noticed() {
    let output = "one\ntwo\nthree\nfour\n";
    assert_eq!(missing(&["two", "three"], output), None);
    assert_eq!(missing(&["one", "…", "four"], output), None);
    assert_eq!(missing(&["one", "three"], output), Some("three"));
    assert_eq!(missing(&["two", "…", "one"], output), Some("one"));
}
