//! Tests `tradewind study`: a user's own study, from its file to tables, data and pictures.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::command::{good, json, refused, tradewind};

/// A file of this repository.
pub(crate) fn repository(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// A folder with a study in it.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn of(study: &str) -> Self {
        let place = Self(tempdir().expect("a folder"));
        place.write("mine.toml", study);
        place
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The command line that runs the study, with its record in the folder.
    pub(crate) fn call<'c>(&self, path: &'c [String; 2], more: &[&'c str]) -> Vec<&'c str> {
        [&["study", &path[0], "--record", &path[1]], more].concat()
    }

    pub(crate) fn paths(&self) -> [String; 2] {
        [self.path("mine.toml"), self.path("record")]
    }

    fn document(&self) -> Value {
        json(&self.call(&self.paths(), &[]))
    }
}

/// The text of the block of this kind that comes after a text of a page.
fn block<'p>(page: &'p str, after: &str, kind: &str) -> &'p str {
    let (_, rest) = page.split_once(after).unwrap_or_else(|| panic!("{after}"));
    let (_, rest) = rest.split_once(&format!("```{kind}\n")).expect("a block");
    rest.split_once("```").expect("an end of the block").0
}

#[test]
fn the_first_study_of_the_page_says_what_the_page_shows() {
    let page = fs::read_to_string(repository("book/src/study-files.md")).expect("the page");
    let place = Place(tempdir().expect("a folder"));
    place.write("squares.toml", block(&page, "## The smallest", "toml"));
    place.write("mine.toml", block(&page, "Save it as `squares.toml`", "text"));
    let paths = [place.path("squares.toml"), place.path("record")];
    let out = place.path("squares");
    let ran = tradewind(&place.call(&paths, &["--out", &out]));
    let told = format!("tradewind: study.txt, study.json, runs.tsv, time-by-values.svg in {out}\n");
    assert_eq!((ran.code, ran.err), (Some(0), told));
    let said = ran.out;
    assert_eq!(said, block(&page, "study squares.toml --out squares\n```", "text"));
    assert_eq!(place.read("squares/study.txt"), said);
    let svg = place.read("squares/time-by-values.svg");
    assert!(svg.contains("mine.toml") && svg.contains("time by values"), "{svg}");
    let rows: Vec<_> = place.read("squares/runs.tsv").lines().map(str::to_owned).collect();
    assert_eq!(
        rows[0],
        "machine\tvalues\tprogram\tprocs\trounds\tworld\ttime (ns)\ttime (ns) low\ttime (ns) high"
    );
    assert_eq!(
        (rows.len(), rows[1].as_str()),
        (7, "paragon\t1000\thistogram\t1\t1\tmodel\t6226551.428572\t\t")
    );
}

#[test]
fn a_shipped_study_prints_its_metrics_and_checks() {
    let said = good(&["study", "fixed-floating-model"]);
    assert!(said.starts_with("fixed-floating-model: when a dedicated protocol processor pays"), "{said}");
    assert!(said.contains("\nfixed-floating.model.meas.k ") && said.contains("\nchecks\n"), "{said}");
    refused(&["study", "fixed-floating-modl"], &["unknown study", "did you mean `fixed-floating-model`?"]);
}

#[test]
fn what_an_input_file_holds_is_part_of_the_run() {
    let study = "summary = \"s\"\n[[run]]\nprogram = \"iccg\"\nmachine = \"ideal\"\ninputs = { matrix = \"m.mtx\" }\n";
    let place = Place::of(study);
    let with = |matrix: &str| {
        place.write("m.mtx", fs::read(repository("inputs").join(matrix)).expect("a matrix"));
        place.document()["tables"][0]["rows"][0]["numbers"]["time"]["median"].as_f64().expect("a time")
    };
    let first = with("494_bus.mtx");
    assert_ne!(with("jagmesh7.mtx"), first);
    assert_eq!(with("494_bus.mtx"), first);
    place.write("m.mtx", "no matrix");
    let paths = place.paths();
    refused(&place.call(&paths, &[]), &["mine.toml:5:10: run.inputs: ", "m.mtx"]);
}

#[test]
fn a_run_that_lacks_a_number_of_the_study_fails_and_the_others_count() {
    let study = "summary = \"s\"\n[[run]]\nprogram = \"{p}\"\nmachine = \"ideal\"\neach = { p = [\"histogram\", \"fetch-add\"] }\n\
         metrics = [\"time\", { figure = \"no.such\", name = \"such\" }]\n";
    let place = Place::of(&study.replace("[\"histogram\", ", "["));
    let paths = place.paths();
    let ran = tradewind(&place.call(&paths, &[]));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("FAILED ") && said.contains("the program reports no figure `no.such`"), "{said}");
    place.write("mine.toml", study.replace(", { figure = \"no.such\", name = \"such\" }", ""));
    let document = place.document();
    assert_eq!(
        (document["failed_runs"].as_array().map(Vec::len), document["runs"].as_u64()),
        (Some(0), Some(2))
    );
}

#[test]
fn a_number_that_no_answer_has_is_told_once_with_its_place_and_the_nearest() {
    let study = "summary = \"s\"\n[[run]]\nprogram = \"histogram\"\nmachine = \"ideal\"\ninputs.values = [50, 60, 70]\n\
         metrics = [{ answer = \"counters.empty_pols\", name = \"empty\" }]\n";
    let place = Place::of(study);
    let paths = place.paths();
    let ran = tradewind(&place.call(&paths, &[]));
    assert_eq!((ran.code, ran.out.matches("FAILED ").count()), (Some(1), 1), "{ran:?}");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "mine.toml:6:12: the answer has no number `counters.empty_pols`: did you mean `counters.empty_polls`? expected \
         the way to a number in what `tradewind run --json` prints 2 more runs failed with the same words.";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn bounds_and_checks_are_told_with_what_was_measured() {
    let study = "summary = \"s\"\n[[run]]\nprogram = \"histogram\"\nmachine = \"ideal\"\ninputs.values = 50\n\
         metrics = [{ answer = \"time_ns\", metric = \"own.time\" }]\n\
         [[derived]]\nmetric = \"own.twice\"\nvalue = \"2 * own.time\"\nbecause = \"twice\"\n\
         [[check]]\nclaim = \"none\"\nholds = \"own.time < 1\"\nbecause = \"it is short\"\n\
         [[bound]]\nid = \"own.time\"\nwhere = \"w\"\nstatement = \"time passes\"\nat_least = \"0\"\nunit = \"ns\"\n\
         [[bound]]\nid = \"own.twice\"\nwhere = \"w\"\nstatement = \"it is short\"\nstated = \"1\"\ntolerance = 0.5\n";
    let place = Place::of(study);
    let paths = place.paths();
    let said = good(&place.call(&paths, &["--width", "120"]));
    let (_, checks) = said.split_once("\nchecks\n").expect("checks");
    assert!(checks.contains("none: it is short\n                own.time < 1, where own.time is "), "{said}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let bounds: Vec<_> = checks.lines().filter(|line| line.starts_with("own.")).map(words).collect();
    assert_eq!(bounds[0][..4], ["own.time", "at", "least", "0"]);
    assert_eq!(bounds[0][bounds[0].len() - 2..], ["holds", "none"]);
    assert_eq!(
        (bounds[1][1].as_str(), &bounds[1][bounds[1].len() - 3..]),
        ("1", &["differs", "50", "%"].map(str::to_owned)[..])
    );
    let page = place.path("page.html");
    good(&["report", &paths[0], "--record", &paths[1], "--out", &page]);
    let page = place.read("page.html");
    assert!(
        page.contains("Of 2 bounds, 1 holds, 1 differs.") && page.contains("<code>2 * own.time</code>"),
        "{page}"
    );
    assert!(!page.contains("Beside the literature"), "{page}");
    place.write("mine.toml", study.replace("id = \"own.twice\"", "id = \"own.twcie\""));
    refused(
        &place.call(&paths, &[]),
        &["mine.toml:21:1: bound.id = \"own.twcie\"", "did you mean \"own.twice\"?"],
    );
}

#[test]
fn a_native_run_has_rounds_and_an_interval() {
    let study = "summary = \"s\"\n[[run]]\nprogram = \"histogram\"\nmachine = [\"native\", \"ideal\"]\nnodes = 1\n\
         processors = 1\nrepeat = 2\ninputs.values = 50\n";
    let place = Place::of(study);
    let document = place.document();
    let rows = document["tables"][0]["rows"].as_array().expect("rows");
    let rounds: Vec<_> = rows.iter().map(|row| row["rounds"].as_u64()).collect();
    assert_eq!((rounds, document["runs"].as_u64()), (vec![Some(2), Some(1)], Some(3)));
    let time = &rows[0]["numbers"]["time"];
    assert_eq!(time["interval"]["level"], 0.5);
    assert_eq!(rows[1]["numbers"]["time"]["interval"], Value::Null);
    assert_eq!(place.document(), document, "what is recorded is not measured again");
    let paths = place.paths();
    let text = good(&place.call(&paths, &[]));
    assert!(text.contains("On this host a number is the median of up to 2 rounds"), "{text}");
}

/// Asserts that a study of one run is refused before anything is run, with these fragments in the message.
fn wrong(run: &str, fragments: &[&str]) {
    let place = Place::of(&format!("summary = \"s\"\n[[run]]\n{run}\n"));
    refused(&place.call(&place.paths(), &[]), fragments);
}

#[test]
fn sizes_and_choices_that_do_not_go_together_are_told_before_anything_runs() {
    const HISTOGRAM: &str = "program = \"histogram\"\nmachine = \"paragon\"\n";
    let histogram = |rest: &str, fragments: &[&str]| wrong(&format!("{HISTOGRAM}{rest}"), fragments);
    let many = "mine.toml:2:1: run: more than 1048576 threads in all: expected fewer --threads";
    histogram("nodes = 100000\nthreads = 9999", &[many]);
    let unused = "for `histogram`, which runs by messages: expected a program that runs by shared-memory";
    histogram(
        "protocol = \"stache\"\nblock = 32",
        &[
            &format!("mine.toml:5:12: run.protocol = \"stache\": {unused}"),
            &format!("mine.toml:6:9: run.block = 32: {unused}"),
        ],
    );
    histogram("block = 33", &["mine.toml:5:9: run.block = 33: expected 16, 32, 64 or 128 bytes"]);
    const EM3D: &str = "program = \"em3d\"\nmachine = \"paragon\"\n";
    let em3d = |rest: &str, fragments: &[&str]| wrong(&format!("{EM3D}{rest}"), fragments);
    let ignored = "run.inputs: --input values: `em3d` by bulk does nothing with it";
    em3d("mechanism = \"bulk\"\ninputs = { values = 3 }", &[ignored]);
    let few = "mine.toml:2:1: run: 100 graph nodes for 64 owners";
    em3d("nodes = 64\ninputs = { nodes = 100 }", &[few]);
    let shared = "run.block = 32: with mechanism `messages`: expected mechanism = \"shared-memory\"";
    em3d("block = 32\nmechanism = \"messages\"", &[shared]);
    let lacking = "mine.toml:5:10: run.policy: policy `floating` needs `poll`, which machine `s-coma` lacks";
    let instead = "; expected mechanism = \"shared-memory\" with policy s-coma";
    wrong("program = \"fetch-add\"\nmachine = \"s-coma\"\npolicy = \"floating\"", &[lacking, instead]);
}

#[test]
fn a_machine_that_is_not_there_hides_no_other_mistake_of_its_run() {
    let run = "program = \"histogram\"\nmachine = \"paragn\"\npolicy = \"bogus\"\nblock = 33\nmechanism = \"bulky\"";
    let told = ["unknown machine `paragn`", "unknown policy `bogus`", "run.block = 33: expected", "`bulky`"];
    wrong(run, &told);
}

#[test]
fn rounds_that_fail_alike_are_told_once() {
    let study = "summary = \"s\"\n[[run]]\nprogram = \"histogram\"\nmachine = \"native\"\nnodes = 1\nprocessors = 1\nrepeat = 3\n\
         inputs.values = 50\nmetrics = [{ figure = \"no.such\", name = \"such\" }]\n";
    let place = Place::of(study);
    let paths = place.paths();
    let ran = tradewind(&place.call(&paths, &[]));
    assert_eq!((ran.code, ran.out.matches("FAILED ").count()), (Some(1), 1), "{ran:?}");
}

#[test]
fn a_record_or_a_study_that_is_none_says_what_was_expected() {
    let place = Place::of("summary = \"s\"\n[[run]]\nprogram = \"histogram\"\nmachine = \"ideal\"\n");
    let paths = [place.path("mine.toml"), place.path("no/record")];
    refused(
        &place.call(&paths, &[]),
        &["no/record: No such file", "; expected a folder that is there, a file"],
    );
    refused(&["study", "-"], &["unknown study `-`: expected a file such as my-study.toml"]);
}
