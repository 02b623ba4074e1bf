//! The outputs that pages print are real: each is what its command says on this tree.
//!
//! A sample is a block of a page whose first line is `$ cargo run --release -- …`, or a block of `text` after a block that ends
//! with such a command. A line `…` stands for any number of lines that are left out. A picture that a command draws is the one that
//! the page shows. A block of `text host` is a sample too, of a comparison on a host of 2 cores: what was measured there is not
//! measured again, and what follows of the models is held.

use std::fs;
use std::path::Path;

use tempfile::tempdir;

use crate::command::good_where;

/// What a command line of a page begins with.
const COMMAND: &str = "cargo run --release -- ";

/// A printed output, and the arguments of its command.
struct Sample<'a> {
    arguments: Vec<&'a str>,
    lines: Vec<&'a str>,
}

/// The shape of a comparison on a host of 2 cores.
const OF_TWO_CORES: [&str; 4] = ["--nodes", "2", "--processors", "1"];

/// The samples of a page.
fn samples(page: &str) -> Vec<Sample<'_>> {
    let mut samples = Vec::new();
    let mut before = None;
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').expect("a block begins with a line of its own");
        let command = text.lines().next().and_then(|line| line.strip_prefix("$ ")?.strip_prefix(COMMAND));
        let is_host = kind == "text host";
        let prints = (kind == "text" || is_host) && !text.starts_with(COMMAND);
        let command_before = before.take().filter(|_| prints);
        let (command, skipped) = match command {
            Some(command) => (Some(command), 1),
            None => (command_before, 0),
        };
        if let Some(command) = command {
            let mut lines: Vec<_> = text.lines().skip(skipped).collect();
            let mut arguments: Vec<_> = command.split_whitespace().collect();
            if is_host {
                let model = lines.iter().position(|line| line.contains(" (model)"));
                lines = lines.split_off(model.expect("a sample of a host shows a model too"));
                arguments.extend(OF_TWO_CORES);
            }
            samples.push(Sample { arguments, lines });
        }
        before = text.lines().last().and_then(|line| line.strip_prefix(COMMAND));
    }
    samples
}

/// The first line of a sample that the output does not have where it should be.
fn missing<'a>(sample: &[&'a str], output: &str) -> Option<&'a str> {
    let mut rest = output.lines();
    let mut skips = true;
    for line in sample {
        if *line == "…" {
            skips = true;
            continue;
        }
        let found = if skips { rest.any(|found| found == *line) } else { rest.next() == Some(*line) };
        if !found {
            return Some(line);
        }
        skips = false;
    }
    None
}

/// A file of this repository.
fn read(name: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name));
    text.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn pages_print_what_their_commands_say() {
    let folder = tempdir().expect("a folder for the record of runs");
    let record = folder.path().join("record").display().to_string();
    let pages =
        [("README.md", 1), ("book/src/claims.md", 2), ("book/src/programs.md", 1), ("docs/traffic.md", 4)];
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
