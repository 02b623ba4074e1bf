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

/// The profile of the workspace, so that what it has built of other people's crates is there; ours are built again, and faster
/// without optimization.
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

    /// What a command that must end well says on standard output.
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
}

fn compares_and_ranks(stranger: &Stranger) {
    let compare = ["compare", "histogram", "--machine", "native,paragon", "--repeat", "2", "--nodes", "2"];
    let said = stranger.said(&compare);
    assert!(said.starts_with("histogram: threads of each node count squares into 64 bins"), "{said}");
    assert_eq!(said.matches("answers agree with the sequential one").count(), 2, "{said}");
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
    assert!(programs.contains("--input values=9999") && programs.contains("message-costs"), "{programs}");
    let out = stranger.output(&["run", "histogram", "--input", "values=0"]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(told, "stranger: error: input `values=0`: expected an integer from 1 to 999999\n");
    speaks_with_its_own_name(stranger);
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
