//! Tests that the commands shown on pages exist: each subcommand, and each of its options.
//!
//! This test must never know the output of a command; `samples.rs` checks that.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::good;

/// Beginnings of the command lines on pages.
const OPENINGS: [&str; 3] = ["tradewind ", "cargo run --release -- ", "cargo run -- "];

/// The one subcommand that the example of a protocol adds to those of every binary.
const OF_AN_EXAMPLE: &str = "check";

/// The pages of a folder of the repository.
fn pages(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = files.map(|file| file.expect("the folder can be read").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The words of a line of a block, if it is a command of this project: without its opening and its comment.
fn words(line: &str) -> Option<Vec<&str>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let asked = OPENINGS.iter().find_map(|opening| line.strip_prefix(opening))?;
    let asked = asked.split(" #").next().unwrap_or_default();
    let asked = asked.split(['>', '|']).next().unwrap_or_default();
    Some(asked.split_whitespace().collect())
}

/// The first word of a command line that the command does not support.
fn unknown<'a>(asked: &[&'a str], help: &mut BTreeMap<&'a str, String>) -> Option<String> {
    let (subcommand, rest) = asked.split_first()?;
    if subcommand.starts_with('-') || *subcommand == OF_AN_EXAMPLE {
        return None;
    }
    if !help[""].contains(&format!("\n  {subcommand} ")) {
        return Some(format!("no subcommand `{subcommand}`"));
    }
    let known = help.entry(subcommand).or_insert_with(|| good(&[subcommand, "--help"]));
    let options = rest.iter().filter(|word| word.starts_with("--"));
    let names = options.map(|option| option.split('=').next().unwrap_or_default());
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let has = |name: &str| known.split(|other| !letter(other)).any(|word| word == name);
    let missing = names.into_iter().find(|name| !has(name))?;
    Some(format!("`{subcommand}` has no option `{missing}`"))
}

#[test]
fn pages_ask_for_what_the_command_has() {
    let mut complaints = Vec::new();
    let mut checked = 0;
    let texts: Vec<_> = ["", "book/src", "docs"].iter().flat_map(|folder| pages(folder)).collect();
    let texts: Vec<_> =
        texts.iter().map(|path| (path, fs::read_to_string(path).expect("a page is a text"))).collect();
    let mut help = BTreeMap::from([("", good(&["--help"]))]);
    for (path, text) in &texts {
        for line in text.split("```").skip(1).step_by(2).flat_map(str::lines) {
            let Some(asked) = words(line) else { continue };
            checked += 1;
            if let Some(what) = unknown(&asked, &mut help) {
                complaints.push(format!("{}: {line}: {what}", path.display()));
            }
        }
    }
    assert!(checked > 100, "only {checked} commands found: are these the pages?");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn a_command_that_is_not_there_is_noticed() {
    let mut help = BTreeMap::from([("", good(&["--help"]))]);
    let mut unknown = |line| words(line).and_then(|asked| unknown(&asked, &mut help));
    assert_eq!(unknown("$ cargo run --release -- run iccg --seed=1   # --sead"), None);
    assert_eq!(unknown("some words"), None);
    assert_eq!(unknown("tradewind runn iccg"), Some("no subcommand `runn`".to_owned()));
    assert_eq!(unknown("tradewind run iccg --sead=1"), Some("`run` has no option `--sead`".to_owned()));
    assert_eq!(unknown("tradewind run iccg --see 1"), Some("`run` has no option `--see`".to_owned()));
}
