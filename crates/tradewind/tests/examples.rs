//! Tests that the examples run, check their answers, and print the outputs that pages show.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tradewind::report::document::Comparison;

use crate::printed::{Sample, missing, samples};

mod printed;

/// The binary of an example, which cargo builds with the tests of this crate.
fn binary(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_tradewind")).parent().expect("a binary lies in a folder");
    let path = folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{}: run `cargo test -p tradewind`, which builds examples", path.display());
    path
}

fn output(name: &str, arguments: &[&str]) -> Output {
    Command::new(binary(name)).args(arguments).output().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs an example that must succeed. Returns its standard output.
fn said(name: &str, arguments: &[&str]) -> String {
    let out = output(name, arguments);
    assert!(out.status.success(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("examples print UTF-8")
}

#[test]
fn every_example_is_on_the_page_about_libraries() {
    let page = include_str!("../../../docs/library.md");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let row = format!("| `{}` |", path.file_stem().expect("a name").to_string_lossy());
        assert!(page.contains(&row), "docs/library.md lacks {row}");
    }
}

#[test]
fn the_histogram_is_right_in_both_worlds() {
    for machine in ["native", "paragon"] {
        let said = said("histogram", &["run", "histogram", "--machine", machine, "--input", "values=500"]);
        assert!(said.contains("verified against the sequential one"), "{said}");
    }
}

#[test]
fn a_search_of_a_real_graph_reaches_every_vertex() {
    let said = said("bfs", &["run", "bfs", "--machine", "hurricane", "--nodes", "8", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(value["report"]["figures"]["reached"], 1138.0, "{said}");
    let out = output("bfs", &["run", "bfs", "--input", "root=5000"]);
    assert_eq!(out.status.code(), Some(2));
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    // A debug build announces itself first.
    assert_eq!(told.lines().last(), Some("bfs: error: root=5000: expected a vertex below 1138"), "{told}");
}

#[test]
fn numbers_go_around_the_ring_in_both_worlds() {
    for machine in ["native", "paragon"] {
        let asked = ["run", "rotation", "--machine", machine, "--nodes", "2", "--input", "steps=21"];
        let said = said("rotation", &asked);
        assert!(said.contains("verified against the sequential one"), "{said}");
    }
}

#[test]
fn a_message_there_and_back_takes_the_time_that_the_model_says() {
    let said = said("ping_pong", &[]);
    let time = |machine: &str| -> f64 {
        let line = said.lines().find(|line| line.starts_with(machine)).expect("a line for each machine");
        line.split_whitespace().nth(1).and_then(|time| time.parse().ok()).expect("a number of nanoseconds")
    };
    assert!(time("native") > 0.0);
    assert!(time("ideal") < time("t3d") && time("t3d") < time("paragon"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn nodes_of_runs_from_code_are_processes() {
    assert_eq!(said("processes", &[]), "2 nodes in 2 processes\n4 nodes in 2 processes\n");
}

#[test]
fn a_comparison_from_code_is_the_document_of_the_command() {
    let out = output("library", &[]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(told.contains("paragon: ") && told.contains(" is the best of "), "{told}");
    let read: Comparison = serde_json::from_slice(&out.stdout).expect("the document that it is");
    let machines: Vec<_> = read.worlds.iter().map(|world| world.on.machine.as_str()).collect();
    assert_eq!((read.asked.program.as_str(), machines), ("sums", vec!["paragon", "hurricane"]));
    assert_eq!(read.asked.input["numbers"], "200");
    assert!(read.worlds.iter().all(|world| world.finding.winner.is_some()), "{read:?}");
}

#[test]
fn a_machine_file_of_ones_own_changes_what_it_says_and_nothing_else() {
    let shown = said("own_machine", &[]);
    assert!(shown.contains("  nodes = 4, was 8\n"), "{shown}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/own-machine.toml");
    let told = said("own_machine", &["explain", file]);
    assert!(told.contains("paragon.toml:"), "{told}");
    let compared = said(
        "own_machine",
        &["compare", "histogram", "--machine", &format!("paragon,{file}"), "--nodes", "2"],
    );
    assert!(compared.contains("own-machine"), "{compared}");
}

#[test]
fn a_protocol_of_ones_own_keeps_every_promise_of_shared_memory() {
    let checked = said("own_protocol", &["check"]);
    assert!(checked.contains("52 states of a home and 2 other nodes: nothing wrong\n"), "{checked}");
    assert_eq!(checked.matches("every promise of shared memory is kept\n").count(), 3, "{checked}");
    let run = ["run", "shared-histogram", "--protocol", "migrate", "--machine", "hurricane"];
    assert!(said("own_protocol", &run).contains("kept coherent by migrate"));
    assert!(
        said("own_protocol", &["list", "mechanisms", "shared-memory"])
            .contains("migrate: a block is at one node at a time")
    );
}

/// A chapter of the book.
fn chapter(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the binary of an example in a folder. Returns its output as a page shows it: errors begin with the name of the reader's crate.
fn printed_in(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(binary(name));
    command.args(arguments).current_dir(folder).env("LC_ALL", "C.UTF-8");
    for variable in ["COLUMNS", "NO_COLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    let out = command.output().unwrap_or_else(|error| panic!("{name}: {error}"));
    let told = if out.status.code() == Some(2) { out.stderr } else { out.stdout };
    String::from_utf8(told).expect("examples print UTF-8").replace(&format!("{name}: error"), "mine: error")
}

/// Runs the samples of a chapter, whose commands run in a folder by the binary of an example, and returns their number.
fn hold_samples(chapter: &str, name: &str, folder: &Path) -> usize {
    let samples = samples(chapter);
    for Sample { arguments, lines } in &samples {
        let name = if arguments.contains(&"histogram") { "histogram" } else { name };
        let record: &[&str] = if arguments[0] == "study" { &["--record", "record"] } else { &[] };
        let output = printed_in(folder, name, &[arguments.as_slice(), record].concat());
        assert_eq!(missing(lines, &output), None, "{name} {}:\n{output}", arguments.join(" "));
    }
    samples.len()
}

/// The text of the block of a page that begins with a line.
fn block<'p>(page: &'p str, first: &str) -> &'p str {
    let begin = page.find(first).unwrap_or_else(|| panic!("no block begins with {first}"));
    page[begin..].split("```").next().expect("a text before the end of the block")
}

#[test]
fn the_first_program_of_the_book_prints_what_the_chapter_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(hold_samples(&chapter("first-program.md"), "ask", folder.path()), 5);
}

#[test]
fn the_first_study_of_the_book_prints_and_draws_what_the_chapter_shows() {
    let page = chapter("first-study.md");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, first) in
        [("looks.toml", "summary = \"how often a thread"), ("who.toml", "summary = \"who should answer")]
    {
        fs::write(folder.path().join(name), block(&page, first)).expect("a study");
    }
    assert_eq!(hold_samples(&page, "ask", folder.path()), 2);
    let drawn = fs::read_to_string(folder.path().join("looks/time-by-every.svg")).expect("a picture");
    assert!(drawn == chapter("img/first-study.svg"), "book/src/img/first-study.svg is another picture");
}

#[test]
fn the_machine_of_the_book_is_explained_and_compared_as_the_chapter_shows() {
    let page = chapter("machine.md");
    let folder = tempfile::tempdir().expect("a folder");
    let machine = block(&page, "# A machine file of one's own");
    assert_eq!(machine, include_str!("../examples/own-machine.toml"));
    let mistakes = machine.replace("summary", "sumary").replace("nodes = 4", "nodes = \"four\"");
    let study = block(&page, "summary = \"what a cheaper interface is worth");
    for (name, text) in
        [("own-machine.toml", machine), ("mistakes.toml", &mistakes), ("interface.toml", study)]
    {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    assert_eq!(hold_samples(&page, "ask", folder.path()), 3);
}

#[test]
fn the_protocol_of_the_book_runs_and_is_checked_as_the_chapter_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(hold_samples(&chapter("protocol.md"), "own_protocol", folder.path()), 2);
}
