//! The words of doc comments, as STYLE.md has them: each comment stands alone, and no retired word comes back.
//!
//! rustdoc sorts the items of a module by name, so a comment that begins with "The same," or "As [`x`]" stands beside a
//! neighbour that it does not mean. This test reads sources as text; it must never know what they do.

use std::fs;
use std::path::{Path, PathBuf};

/// First words that lean on another comment.
const OPENINGS: &[&str] = &["The same,", "The same ", "As [`"];

/// The first word of a sentence that has no subject.
const SUBJECTLESS: &str = "Must";

/// A retired word and the one that the field has for it.
const RETIRED: &[(&str, &str)] = &[
    ("arrears", "backlog"),
    ("digested", "acknowledged"),
    ("takeaway", "downgrade"),
    ("takeaways", "downgrades"),
    ("muster", "start"),
];

/// A line of a doc comment: its number, its text, and whether the comment begins with it.
struct Line<'a> {
    number: usize,
    text: &'a str,
    begins: bool,
}

/// The lines of all doc comments of a source file.
fn doc_lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut last = None;
    source.lines().enumerate().filter_map(move |(at, line)| {
        let line = line.trim_start();
        let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(mark));
        let begins = mark.is_some() && mark != last;
        last = mark;
        Some(Line { number: at + 1, text: line.strip_prefix(mark?)?.trim(), begins })
    })
}

/// What is wrong with the words of a source file.
fn complaints(path: &Path, source: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for Line { number, text, begins } in doc_lines(source) {
        let mut say = |what: String| complaints.push(format!("{}:{number}: {what}", path.display()));
        if let Some(opening) = OPENINGS.iter().find(|opening| begins && text.starts_with(**opening)) {
            say(format!(
                "a doc comment begins with “{opening}”: expected one that stands alone (STYLE.md, rule 1)"
            ));
        }
        let mut begins = text.split(". ").filter_map(|sentence| sentence.split(' ').next());
        if begins.any(|first| first == SUBJECTLESS) {
            say(format!("a sentence begins with “{SUBJECTLESS}”: expected its subject first (STYLE.md)"));
        }
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        for word in words.map(str::to_lowercase) {
            if let Some((retired, noun)) = RETIRED.iter().find(|(retired, _)| *retired == word) {
                say(format!("“{retired}”: expected the field's word, {noun} (STYLE.md, retired words)"));
            }
        }
    }
    complaints
}

/// The paths in a folder.
fn paths(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("the folder can be read").path())
}

/// Every `.rs` file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths(folder) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn doc_comments_stand_alone_and_use_the_fields_words() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate lies beside the others");
    let mut found = Vec::new();
    for room in paths(crates).filter(|path| path.is_dir()) {
        let files = sources(&room);
        assert!(!files.is_empty(), "{} has no sources: is it still a room?", room.display());
        for path in files {
            let source =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let shown = Path::new("crates").join(path.strip_prefix(crates).expect("it lies in the room"));
            found.extend(complaints(&shown, &source));
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn a_bad_comment_is_reported_with_its_line() {
    let source = "//! A room.\n//!\n//! The same, as text in the middle.\n\n/// The same, but faster.\nfn a() {}\n\
                  \n    /// As [`a`].\n    /// Its arrears are many.\n    b: u32, // The same, and no doc comment\n\
                  \t//! A part of it. Must never know the rest, and “Must never” is well in a quotation.\n\
                  \t//! Another part of it. Must\n";
    let found = complaints(Path::new("crates/x/src/lib.rs"), source);
    let lines: Vec<_> =
        found.iter().map(|complaint| complaint.split_once(": ").expect("a place").0).collect();
    assert_eq!(lines, [5, 8, 9, 11, 12].map(|line| format!("crates/x/src/lib.rs:{line}")));
    assert!(
        found[0].contains("“The same,”")
            && found[2].contains("“arrears”")
            && found[3..].iter().all(|complaint| complaint.contains("subject first")),
        "{found:?}"
    );
}
