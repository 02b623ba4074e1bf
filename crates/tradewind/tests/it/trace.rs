//! Tests `--trace`: it writes all events or no file.

use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use crate::check::{self, Reading};
use crate::command::{Ran, heeding, json, refused, tradewind};

/// A folder of its own, gone with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("tradewind-trace-{}-{name}", process::id()));
        fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is UTF-8").to_owned()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder can be read");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs with a trace, and reads it.
fn traced(folder: &Folder, arguments: &[&str]) -> Reading {
    let file = folder.file("run.perfetto-trace");
    let ran = tradewind(&[arguments, &["--trace", &file]].concat());
    let asked = arguments.join(" ");
    assert!(ran.code == Some(0) && ran.err.contains("events"), "tradewind {asked}: {ran:?}");
    assert!(!ran.err.contains("found no place"), "tradewind {asked}: {}", ran.err);
    let bytes = fs::read(&file).expect("the trace is there");
    check::read(&bytes).unwrap_or_else(|wrong| panic!("tradewind {asked}: {wrong}"))
}

const MODEL: &[&str] = &["--machine", "hurricane-1", "--nodes", "3", "--processors", "3"];

#[test]
fn slices_pair_up_and_flows_end_by_every_mechanism_in_both_worlds() {
    let folder = Folder::new("worlds");
    for mechanism in ["messages", "bulk", "deposit"] {
        for policy in ["single", "fixed:1", "floating+keyed", "floating+interrupt", "hurricane-1-mult"] {
            let small = ["--input", "nodes=600", "--input", "iterations=2", "--threads", "2"];
            let asked = [&["run", "em3d", "--policy", policy, "--mechanism", mechanism], &small[..], MODEL];
            let reading = traced(&folder, &asked.concat());
            assert!(reading.flows.iter().all(|flow| flow.to.is_some()), "{policy} {mechanism}");
        }
        for policy in ["single", "fixed:1", "fixed:2+interrupt", "floating", "partitioned:1"] {
            let small = ["--input", "nodes=600", "--input", "iterations=2", "--threads", "2"];
            let shape = ["--nodes", "2", "--processors", "3"];
            let asked = [&["run", "em3d", "--policy", policy, "--mechanism", mechanism], &small[..], &shape];
            let reading = traced(&folder, &asked.concat());
            assert!(reading.flows.iter().all(|flow| flow.to.is_some()), "{policy} {mechanism}");
        }
    }
}

#[test]
fn a_model_s_trace_has_counters_and_a_run_is_the_same_however_often_they_are_sampled() {
    let folder = Folder::new("counters");
    let asked = [
        "run",
        "em3d",
        "--machine",
        "paragon",
        "--policy",
        "receive",
        "--nodes",
        "4",
        "--input",
        "nodes=400",
    ];
    let every = |interval: &str| traced(&folder, &[&asked[..], &["--trace-interval", interval]].concat());
    let (often, seldom) = (every("5 us"), every("1 ms"));
    assert_eq!((&often.slices, &often.flows, &often.tracks), (&seldom.slices, &seldom.flows, &seldom.tracks));
    assert!(often.values.len() > 4 * seldom.values.len() && !seldom.values.is_empty());
    for track in ["node 2/events that wait", "node 0/port out busy", "node 1/interface lock busy"] {
        assert!(often.values.iter().any(|value| &*value.track == track), "no values on {track}");
    }
    assert!(often.tracks.iter().any(|track| track.contains("/link ") && track.contains('→')));
    let is_share = |value: &check::Value| value.track.ends_with("busy");
    let shares = often.values.iter().filter(|value| is_share(value));
    assert!(shares.clone().all(|value| (0.0..=100.0).contains(&value.value)));
    assert!(shares.clone().any(|value| value.value > 50.0));
    refused(&[&asked[..], &["--trace-interval", "5 us"]].concat(), &["--trace <FILE>"]);
}

#[test]
fn a_trace_has_every_message_and_every_handler_once() {
    let folder = Folder::new("counts");
    for asked in [
        &["run", "iccg", "--input", "matrix=494_bus", "--policy", "fixed:1"][..],
        &["run", "fetch-add", "--input", "operations=3000", "--policy", "floating"],
        &["run", "em3d", "--mechanism", "deposit", "--policy", "single"],
    ] {
        let asked = [asked, MODEL].concat();
        let reading = traced(&folder, &asked);
        let result = json(&asked);
        let counted = |key: &str| result["counters"][key].as_u64().expect("a count");
        assert_eq!(reading.flows.len() as u64, counted("messages") + counted("deposits"));
        let on_processors = |track: &str| track.contains("processor");
        let slices = reading.slices.iter().filter(|slice| on_processors(&slice.track));
        let handlers = slices.filter(|slice| !slice.name.starts_with("thread "));
        assert_eq!(handlers.count() as u64, counted("handlers"));
    }
}

#[test]
fn tracing_changes_nothing_of_a_modelled_run() {
    let folder = Folder::new("digest");
    let asked = [&["run", "em3d", "--policy", "floating", "--json"], MODEL].concat();
    let file = folder.file("run.perfetto-trace");
    let Ran { out, .. } = tradewind(&[&asked[..], &["--trace", &file]].concat());
    // The number of the engine's events is the host's work: a traced run keeps global order, in which nodes take more turns.
    let of_the_run = |out: &str| {
        let mut result: serde_json::Value = serde_json::from_str(out).expect("a document");
        assert!(result["events"].take().as_u64().is_some_and(|events| events > 0));
        result
    };
    assert_eq!(of_the_run(&out), of_the_run(&tradewind(&asked).out));
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_runs() {
    let folder = Folder::new("refused");
    let file = folder.file("none/run.perfetto-trace");
    refused(&["run", "em3d", "--trace", &file], &["--trace", &file, "there is no folder"]);
    refused(&["run", "em3d", "--trace", &folder.file("")], &["--trace"]);
    refused(&["run", "em3d", "--trace", &folder.file("x"), "--repeat", "2"], &["--repeat 2", "one run"]);
    refused(&["run", "em3d", "--trace", &folder.file("x"), "--policy", "np"], &["network-processor"]);
    assert_eq!(folder.names(), [""; 0], "a run that is refused leaves no file");
}

#[test]
fn a_trace_never_takes_the_place_of_what_the_run_reads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Folder::new("own");
    let (matrix, machine) = (folder.file("matrix.mtx"), folder.file("machine.toml"));
    fs::copy(root.join("inputs/494_bus.mtx"), &matrix).expect("the matrix can be copied");
    fs::copy(root.join("machines/ideal.toml"), &machine).expect("the machine can be copied");
    let asked = ["run", "iccg", "--machine", &machine, "--trace"];
    let input = format!("matrix={matrix}");
    for (trace, input) in
        [(&matrix, &input), (&matrix, &matrix), (&machine, &input), (&folder.file("./matrix.mtx"), &input)]
    {
        let before = fs::read(trace).expect("the file is there");
        let fragments = ["--trace", trace, "expected another file"];
        refused(&[&asked[..], &[trace, "--input", input]].concat(), &fragments);
        assert_eq!(fs::read(trace).expect("the file is there"), before);
    }
    refused(&["run", "em3d", "--trace", "-"], &["--trace -: expected the name of a file"]);
    let all = ["run", "em3d", "--trace", "-", "--repeat", "2", "--policy", "flating"];
    refused(&all, &["--trace -", "--repeat 2", "`flating`"]);
}

#[test]
fn an_interrupted_run_leaves_no_file() {
    let folder = Folder::new("interrupted");
    let file = folder.file("run.perfetto-trace");
    let endless = ["run", "fetch-add", "--machine", "hurricane-1", "--input", "operations=100000000"];
    let mut child = heeding(&[&endless[..], &["--trace", &file]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let begun = Instant::now();
    while !has_grown(&folder) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no trace is begun");
        thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("`kill` is there").success());
    let status = child.wait().expect("the command ends");
    assert!(!status.success());
    assert_eq!(folder.names(), [""; 0]);
}

/// Whether part of a trace has been written.
fn has_grown(folder: &Folder) -> bool {
    let length = |name: &String| fs::metadata(Path::new(&folder.0).join(name)).map_or(0, |file| file.len());
    folder.names().iter().any(|name| length(name) > 0)
}
