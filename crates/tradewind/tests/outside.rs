//! A crate outside the workspace that depends on `tradewind`: it is made, built and used as a stranger does.
//!
//! Its program is `examples/histogram.rs`. It is built in the target folder of the workspace so that other people's crates
//! are built once for both.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// The profile of the workspace, so that the crates of other people that it has built are reused. This workspace's crates are built
/// again, faster without optimization.
fn profile() -> String {
    let rooms = fs::read_dir(Path::new(CRATE).join("..")).expect("the folder of all crates");
    let names = rooms.map(|room| room.expect("a folder").file_name().to_string_lossy().into_owned());
    let ours = names.map(|room| if room == "tradewind" { room } else { format!("tradewind-{room}") });
    let quick = ours.map(|name| format!("[profile.dev.package.{name}]\nopt-level = 0\ndebug = false\n"));
    "[profile.dev]\nopt-level = 1\ndebug = \"line-tables-only\"\n".to_owned() + &quick.collect::<String>()
}

/// The stranger's crate.
struct Stranger {
    folder: TempDir,
    binary: PathBuf,
}

impl Stranger {
    /// Writes the crate and builds it.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for a crate");
        let write =
            |path: &str, text: &str| fs::write(folder.path().join(path), text).expect("a file of a crate");
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"stranger\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                 [dependencies]\ntradewind = {{ path = {CRATE:?} }}\n\n{}",
                profile()
            ),
        );
        fs::create_dir(folder.path().join("src")).expect("a folder for a source");
        write("src/main.rs", include_str!("../examples/histogram.rs"));
        let workspace = Path::new(CRATE).join("../..");
        // The versions of other crates are those that the workspace was tested with.
        fs::copy(workspace.join("Cargo.lock"), folder.path().join("Cargo.lock"))
            .expect("the workspace's lock file");
        let target = target();
        let built = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet"])
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .expect("cargo runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let name = Path::new("stranger").with_extension(std::env::consts::EXE_EXTENSION);
        Self { binary: target.join("debug").join(name), folder }
    }

    fn output(&self, arguments: &[&str]) -> Output {
        Command::new(&self.binary).args(arguments).current_dir(self.folder.path()).output().expect("it runs")
    }

    /// Runs a command that must succeed. Returns its standard output.
    fn said(&self, arguments: &[&str]) -> String {
        let out = self.output(arguments);
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("UTF-8")
    }
}

/// The target folder of the workspace.
fn target() -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_tradewind")).parent().expect("a binary lies in a folder");
    profile.parent().expect("a profile lies in a target folder").to_owned()
}

#[test]
fn a_stranger_has_every_subcommand_for_a_program_of_25_lines() {
    let stranger = Stranger::new();
    compares_and_ranks(&stranger);
    traces_and_writes_json(&stranger);
    explains_machines(&stranger);
    lists_and_refuses(&stranger);
    studies_from_an_empty_folder(&stranger);
    studies_on_after_being_killed(&stranger);
    refuses_studies(&stranger);
}

fn compares_and_ranks(stranger: &Stranger) {
    let compare =
        ["compare", "histogram", "--machine", "native,paragon", "--repeat", "2", "--nodes", "2", "--all"];
    let said = stranger.said(&compare);
    let summary = "histogram: threads of each node count squares into 64 bins";
    let (verdict, _) = said.split_once(summary).expect("the summary of the program");
    assert!(verdict.starts_with("histogram") && verdict.contains("paragon"), "{said}");
    // A host of two cores has one row, and so one answer.
    assert_eq!(said.matches(" with the sequential one").count(), 2, "{said}");
    assert!(said.contains("native (this host)") && said.contains("paragon (model)"), "{said}");
    assert!(said.contains("Finding: "), "{said}");
}

fn traces_and_writes_json(stranger: &Stranger) {
    let run = [
        "run",
        "histogram",
        "--machine",
        "paragon",
        "--input",
        "values=100",
        "--trace",
        "run.trace",
        "--json",
    ];
    let value: serde_json::Value = serde_json::from_str(&stranger.said(&run)).expect("JSON");
    assert_eq!(value["program"], "histogram");
    assert_eq!(value["report"]["failures"], serde_json::json!([]));
    let trace = fs::metadata(stranger.folder.path().join("run.trace")).expect("the trace is there");
    assert!(trace.len() > 1000, "{} bytes", trace.len());
}

fn explains_machines(stranger: &Stranger) {
    assert!(stranger.said(&["explain", "paragon"]).contains("machines/paragon.toml"));
    let text =
        "extends = \"paragon\"\nname = \"mine\"\nsummary = \"a small Paragon\"\nnodes = 2  # assumption\n";
    fs::write(stranger.folder.path().join("mine.toml"), text).expect("a machine file");
    assert!(stranger.said(&["explain", "mine.toml"]).contains("a small Paragon"));
    let run = ["run", "histogram", "--machine", "mine.toml", "--input", "values=100"];
    assert!(stranger.said(&run).contains("2 nodes of 1 processor"));
    let shipped =
        fs::read_to_string(Path::new(CRATE).join("../../machines/paragon.toml")).expect("a machine file");
    assert_eq!(stranger.said(&["machine", "paragon"]), shipped);
}

fn lists_and_refuses(stranger: &Stranger) {
    let programs = stranger.said(&["list", "programs"]);
    assert!(programs.contains("message-costs"), "{programs}");
    assert!(stranger.said(&["list", "programs", "histogram"]).contains("--input values=9999"));
    let out = stranger.output(&["run", "histogram", "--input", "values=0"]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(told, "stranger: error: input `values=0`: expected an integer from 1 to 999999\n");
    speaks_with_its_own_name(stranger);
}

/// A program of the stranger's own on this host and on two models, one of them a file beside the study.
const STUDY: &str = r#"
summary = "squares on three machines, by the number of values"

[[run]]
program = "histogram"
machine = ["paragon", "mine.toml", "native"]
nodes = 2
processors = 1
inputs = { values = [250, 500, 1000] }
repeat = 3

[[figure]]
x = "values"
y = "time"
series = "machine"
"#;

const MINE: &str =
    "extends = \"paragon\"\nname = \"mine\"\nsummary = \"a small Paragon\"\nnodes = 2  # assumption\n";

fn studies_from_an_empty_folder(stranger: &Stranger) {
    let elsewhere = tempfile::tempdir().expect("an empty folder");
    let at = |name: &str| elsewhere.path().join(name).display().to_string();
    fs::write(at("squares.toml"), STUDY).expect("a study");
    fs::write(at("mine.toml"), MINE).expect("a machine file");
    // The study lies in another folder than the one that the command is called in.
    let (study, out, record) = (at("squares.toml"), at("out"), at("record"));
    let call = ["study", &study, "--out", &out, "--record", &record];
    let first = stranger.said(&call);
    assert!(first.starts_with("squares: squares on three machines, by the number of values"), "{first}");
    assert_eq!(first.lines().filter(|line| line.starts_with("mine.toml ")).count(), 3, "{first}");
    let read = |name: &str| fs::read_to_string(Path::new(&out).join(name)).expect("a file of the study");
    let document: serde_json::Value = serde_json::from_str(&read("study.json")).expect("JSON");
    let rows = document["tables"][0]["rows"].as_array().expect("rows");
    let samples = |row: &serde_json::Value| row["numbers"]["time"]["samples"].as_array().map(Vec::len);
    let counts: Vec<_> = rows.iter().map(samples).collect();
    assert_eq!(counts, [[Some(1); 6].as_slice(), &[Some(3); 3]].concat());
    assert!(rows[8]["numbers"]["time"]["interval"]["low"].is_number(), "{document}");
    assert_eq!((document["runs"].as_u64(), read("runs.tsv").lines().count()), (Some(6 + 9), 1 + 9));
    let svg = read("time-by-values.svg");
    assert!(svg.starts_with("<svg") && svg.contains("paragon") && svg.contains("mine.toml"), "{svg}");
    // Nothing is run again: on this host the times would differ.
    assert_eq!((stranger.said(&call), read("study.json")), (first, document_text(&document)));
    // A machine file that was changed is another machine, and its runs alone are done again.
    fs::write(at("mine.toml"), MINE.replace("nodes = 2", "nodes = 2\nprimitives.send_header = \"90 us\""))
        .expect("a file");
    let changed: serde_json::Value =
        serde_json::from_str(&stranger.said(&[&call[..], &["--json"]].concat())).expect("JSON");
    let time = |of: &serde_json::Value, row: usize| of["tables"][0]["rows"][row]["numbers"]["time"].clone();
    assert_ne!(time(&changed, 3), time(&document, 3));
    assert_eq!(time(&changed, 8), time(&document, 8));
}

/// A document as it is printed.
fn document_text(document: &serde_json::Value) -> String {
    serde_json::to_string_pretty(document).expect("JSON") + "\n"
}

#[cfg(unix)]
fn studies_on_after_being_killed(stranger: &Stranger) {
    let elsewhere = tempfile::tempdir().expect("an empty folder");
    let at = |name: &str| elsewhere.path().join(name).display().to_string();
    let sizes: Vec<_> = (1..=24).map(|size| (size * 500).to_string()).collect();
    let text = STUDY.replace("250, 500, 1000", &sizes.join(", ")).replace(", \"native\"]", "]");
    fs::write(at("squares.toml"), text).expect("a study");
    fs::write(at("mine.toml"), MINE).expect("a machine file");
    let study = at("squares.toml");
    let call = |record: &str| -> Vec<String> {
        ["study", &study, "--jobs", "1", "--json", "--record", record].map(str::to_owned).to_vec()
    };
    let said = |record: &str| {
        let call = call(record);
        stranger.said(&call.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (killed, whole) = (at("killed"), at("whole"));
    let size = || fs::metadata(&killed).map_or(0, |found| found.len());
    for _ in 0..2 {
        let before = size();
        let mut child = Command::new(&stranger.binary)
            .args(call(&killed))
            .current_dir(stranger.folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("it runs");
        // As soon as it has recorded a run, at any point of its work.
        while size() <= before.max(20_000) && child.try_wait().expect("a process").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(child.try_wait().expect("a process").is_none(), "it ended before it could be killed");
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
    }
    assert!(size() > 20_000, "something was recorded");
    assert_eq!(said(&killed), said(&whole));
}

#[cfg(not(unix))]
fn studies_on_after_being_killed(_: &Stranger) {}

fn refuses_studies(stranger: &Stranger) {
    let elsewhere = tempfile::tempdir().expect("an empty folder");
    let path = elsewhere.path().join("squares.toml").display().to_string();
    let record = elsewhere.path().join("record").display().to_string();
    let refused = |text: &str, more: &[&str]| {
        fs::write(&path, text).expect("a study");
        let out = stranger.output(&[&["study", &path, "--record", &record], more].concat());
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{out:?}");
        String::from_utf8_lossy(&out.stderr).replace(&path, "squares.toml")
    };
    let wrong = STUDY
        .replace("histogram", "histogrm")
        .replace("\"paragon\", ", "\"paragn\", ")
        .replace("x = \"values\"", "x = \"valuse\"");
    let said = refused(&wrong, &["--out", &elsewhere.path().join("out").display().to_string()]);
    for line in [
        "squares.toml:5:11: run.program: unknown program `histogrm`: did you mean `histogram`?",
        "squares.toml:6:11: run.machine: unknown machine `paragn`: did you mean `paragon`?",
        "mine.toml: No such file",
        "squares.toml:13:5: figure.x = \"valuse\": expected an axis or a value of the runs: did you mean `values`?",
    ] {
        assert!(said.contains(line), "{line:?} is not in\n{said}");
    }
    let named = STUDY.replace("\"mine.toml\", ", "");
    let said = refused(&named, &["--out", &elsewhere.path().display().to_string()]);
    assert!(said.contains("expected a folder that is empty or missing, or one of this study"), "{said}");
    let thousand: Vec<_> = (1..=1000).map(|size| size.to_string()).collect();
    let seeds = format!("seed = [{0}]\ninputs = {{ values = [{0}] }}", thousand.join(", "));
    let huge = named.replace("inputs = { values = [250, 500, 1000] }", &seeds);
    let said = refused(&huge, &[]);
    assert!(
        said.contains("run = 2000000 runs: expected at most 10000 in a study; --yes allows 100000"),
        "{said}"
    );
    assert!(!Path::new(&record).exists(), "nothing was run");
}

fn speaks_with_its_own_name(stranger: &Stranger) {
    let run = ["run", "histogram", "--machine", "ideal", "--input", "values=9", "--trace", "named.trace"];
    let told = stranger.output(&run).stderr;
    assert!(told.starts_with(b"stranger: "), "{}", String::from_utf8_lossy(&told));
    let told = stranger.output(&["explain", "native"]).stderr;
    assert!(String::from_utf8_lossy(&told).contains("`stranger calibrate`"), "{told:?}");
    let help = stranger.said(&["run", "--help"]);
    assert!(help.contains("`stranger list programs`") && !help.contains("fetch-add"), "{help}");
}
