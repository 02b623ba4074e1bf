//! Tests `tradewind compare --free` and free axes of studies: bands over unknown values, and whether a ranking survives.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::command::{good, json, refused, tradewind};

/// The work of handlers decides here: without any a dedicated processor wins by messages, with much shared memory wins.
const FLIPS: &[&str] = &[
    "compare",
    "fetch-add",
    "--machine",
    "hurricane-1",
    "--nodes",
    "2",
    "--processors",
    "4",
    "--policy",
    "floating,fixed:1",
    "--input",
    "operations=800",
    "--free",
    "handler=0..1000",
];

/// The fate of its ranking.
const FLIPPED: &str = "The ranking does not survive: the fastest is small messages under fixed:1 at handler 0; shared memory under \
     floating at handler 1000.";

/// The delay is known: 0 to 50 % more work by bulk transfers.
const SURVIVES: &[&str] = &[
    "compare",
    "known-delay",
    "--machine",
    "paragon",
    "--nodes",
    "2",
    "--policy",
    "single",
    "--input",
    "rounds=3",
    "--free",
    "delay=20%,50%",
];

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array").as_slice()
}

fn numbers(value: &Value) -> Vec<f64> {
    array(value).iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Compares the bands of a document with runs of each case alone.
fn agrees(compared: &Value, arguments: &[&str]) {
    let (fixed, free) = arguments.split_at(arguments.len() - 2);
    let name = free[1].split('=').next().expect("a name");
    let cases = array(&compared["free"]["cases"]);
    assert!(cases.len() > 1, "{compared}");
    for (index, case) in cases.iter().enumerate() {
        let input = format!("{name}={}", case[name].as_str().expect("a value"));
        let alone = json(&[fixed, &["--input", &input]].concat());
        for row in array(&alone["worlds"][0]["rows"]) {
            let rows = array(&compared["worlds"][0]["rows"]);
            let same =
                rows.iter().find(|it| it["mechanism"] == row["mechanism"] && it["policy"] == row["policy"]);
            let band = &same.expect("the same row")["band"];
            assert_eq!(
                numbers(&band["times_ns"])[index],
                row["time_ns"].as_f64().expect("a time"),
                "{input}: {row}"
            );
            assert_eq!(
                numbers(&band["ratios"])[index],
                row["ratio_to_best"].as_f64().expect("a ratio"),
                "{input}"
            );
        }
    }
    for row in array(&compared["worlds"][0]["rows"]) {
        let (band, ratios) = (&row["band"], numbers(&row["band"]["ratios"]));
        assert_eq!(band["least"], ratios.iter().copied().fold(f64::INFINITY, f64::min));
        assert_eq!(band["greatest"], ratios.iter().copied().fold(0.0, f64::max));
    }
}

#[test]
fn a_ranking_that_a_free_input_turns_round_does_not_survive() {
    let compared = json(FLIPS);
    agrees(&compared, FLIPS);
    let fate = &compared["worlds"][0]["fate"];
    assert_eq!(fate["survives"], false, "{fate}");
    assert_eq!(fate["text"], FLIPPED);
    assert_eq!(
        (&fate["cases"][0][0]["policy"], &fate["cases"][1][0]["policy"]),
        (&"fixed:1".into(), &"floating".into())
    );
    assert!(compared["verdict"]["text"].as_str().unwrap().contains(FLIPPED), "{compared}");
    let printed = good(FLIPS);
    assert!(printed.lines().count() <= 24, "{printed}");
    assert!(printed.contains("  band") && printed.contains("1.00 .. "), "{printed}");
    assert!(printed.contains("    times at handler 0; band over 2 cases of handler 0, 1000\n"), "{printed}");
    assert!(printed.replace('\n', " ").contains(FLIPPED), "{printed}");
}

#[test]
fn a_ranking_that_is_the_same_in_every_case_survives() {
    let compared = json(SURVIVES);
    agrees(&compared, SURVIVES);
    let fate = &compared["worlds"][0]["fate"];
    assert_eq!((&fate["survives"], &fate["best"][0]["mechanism"]), (&Value::Bool(true), &"messages".into()));
    let text = fate["text"].as_str().expect("a text");
    assert!(
        text.starts_with("The ranking survives: the fastest is small messages at delay 20% and 50%, by "),
        "{text}"
    );
    assert!(fate["at_least_percent"].as_f64().is_some_and(|percent| percent > 3.0), "{fate}");
    let plain = json(&SURVIVES[..SURVIVES.len() - 2]);
    let world = &plain["worlds"][0];
    assert!([&plain["free"], &world["fate"], &world["rows"][0]["band"]].into_iter().all(Value::is_null));
}

#[test]
fn the_page_and_all_rows_have_the_band_too() {
    let folder = tempdir().expect("a folder");
    let page = folder.path().join("free.html").display().to_string();
    let all = good(&[FLIPS, &["--all", "--legend", "--out", &page]].concat());
    assert!(all.contains("  band") && all.contains("least and greatest ratio"), "{all}");
    let page = fs::read_to_string(page).expect("a page");
    assert!(page.contains(">band</th>") && page.contains("The ranking does not survive"), "{page}");
}

#[test]
fn the_range_of_a_program_is_taken_unless_another_is_given() {
    let wator = ["compare", "wator", "--machine", "meiko-cs2", "--nodes", "2", "--policy", "proc,np"];
    let small = ["--input", "fish=4", "--free"];
    let values = |free: &str| {
        let compared = json(&[&wator[..], &small, &[free]].concat());
        let values = array(&compared["free"]["inputs"][0]["values"]).to_vec();
        values.iter().map(|value| value.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(values("steps"), ["300", "2000"]);
    assert_eq!(values("steps=5..20"), ["5", "10", "20"]);
    assert_eq!(values("steps=20..30"), ["20", "30"]);
}

#[test]
fn free_inputs_that_cannot_be_are_refused_all_at_once_and_with_a_remedy() {
    let wator = |free: &[&str], says: &[&str]| {
        let compare = ["compare", "wator", "--machine", "meiko-cs2"];
        refused(&[&compare[..], free].concat(), says);
    };
    wator(&["--free", "fish"], &["--free fish: no range is known", "expected --free fish=32..128"]);
    wator(
        &["--free", "step,fish"],
        &["--free step: unknown input `step`: did you mean `steps`?", "--free fish: "],
    );
    wator(&["--free", "steps=100..10"], &["--free steps: `100..10` is no range: expected two numbers"]);
    wator(&["--free", "steps=10"], &["--free steps: expected two values or more, as LOW..HIGH or A,B"]);
    wator(&["--free", "steps=0..10"], &["input `steps=0`: expected an integer from 1 to 1000000"]);
    wator(&["--free", "steps=10,010"], &["--free steps: 10 and 010 are the same number"]);
    wator(
        &["--free", "steps", "--policy", "nop", "--free", "fish"],
        &["unknown policy `nop`", "--free fish: "],
    );
    let em3d =
        ["compare", "em3d", "--machine", "cm-5", "--mechanism", "messages", "--free", "homes=one,owner"];
    refused(
        &em3d,
        &[
            "--free homes: no mechanism of this comparison heeds the input: expected --mechanism shared-memory",
        ],
    );
}

#[test]
fn an_input_that_is_stated_twice_is_one_error() {
    for (arguments, says) in [
        (&["--free", "fish,fish"][..], "--free fish: given twice; expected once"),
        (
            &["--free", "steps", "--free", "steps=1..2", "--free", "steps"],
            "--free steps: given twice; expected once",
        ),
        (
            &["--free", "steps", "--input", "steps=500"],
            "--free steps: --input gives it a value: expected --free or --input, not both",
        ),
    ] {
        let ran = tradewind(&[&["compare", "wator", "--machine", "meiko-cs2"], arguments].concat());
        assert_eq!((ran.code, ran.err.lines().count()), (Some(2), 1), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(says), "{arguments:?}: {}", ran.err);
    }
}

/// The study states no range of its own: that of the program.
#[test]
fn the_study_of_wator_has_the_steps_that_the_program_leaves_open() {
    let programs = json(&["list", "programs", "wator"]);
    let inputs = array(&programs["programs"][0]["inputs"]);
    let steps = inputs.iter().find(|input| input["key"] == "steps").expect("steps");
    let (least, greatest) = steps["free"].as_str().and_then(|free| free.split_once("..")).expect("a range");
    let study = include_str!("../../../../studies/split-c-programs.toml");
    let bands = study.split("[[band]]").skip(1).map(|band| band.split("[[").next().unwrap_or(band));
    let bands: Vec<_> = bands.filter(|band| band.contains("open = \"steps of wator\"")).collect();
    let values = format!("steps = [\"{least}\", \"{greatest}\"]");
    assert!(!bands.is_empty() && bands.iter().all(|band| band.contains(&values)), "{values}: {bands:#?}");
}

#[test]
fn speed_ups_are_those_of_the_case_that_the_tables_show() {
    let (fixed, _) = FLIPS.split_at(FLIPS.len() - 2);
    for baseline in ["uniprocessor", "messages:floating"] {
        let baseline = ["--baseline", baseline];
        let free = json(&[FLIPS, &baseline].concat());
        let alone = json(&[fixed, &["--input", "handler=0"], &baseline].concat());
        let (free, alone) = (&free["worlds"][0], &alone["worlds"][0]);
        assert_eq!(free["baseline"], alone["baseline"]);
        let speedups = |world: &Value| {
            let rows = array(&world["rows"]).iter();
            rows.map(|row| row["speedup"].as_f64().expect("a speed-up")).collect::<Vec<_>>()
        };
        assert_eq!(speedups(free), speedups(alone));
        assert!(speedups(free).iter().any(|speedup| (speedup - 1.0).abs() > 0.01), "{free}");
    }
}

#[test]
fn a_run_that_a_further_case_alone_refuses_fails_the_comparison() {
    let sort = ["compare", "sample-sort", "--machine", "meiko-cs2", "--nodes", "4", "--mechanism", "bulk"];
    let ran = tradewind(&[&sort[..], &["--policy", "proc,np", "--free", "keys=2..20000"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("FAILED: bulk under np at keys 2: 2 keys for 4 nodes"), "{said}");
    assert!(said.contains("The ranking is not known: no run came to its end at keys 2."), "{said}");
}

#[test]
fn a_wrong_answer_in_a_further_case_fails_the_comparison() {
    // A run that stalls in one case alone: its work takes longer than the limit.
    let known = ["compare", "known-delay", "--machine", "cm-5", "--nodes", "2", "--policy", "single"];
    let limit = ["--input", "rounds=1", "--stall-limit", "1 ms", "--free", "work=10..100000000"];
    let ran = tradewind(&[&known[..], &limit].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("FAILED: messages under single at work 100000000: "), "{}", ran.out);
    assert!(ran.out.contains("no run came to its end at work 100000000"), "{}", ran.out);
}

const STUDY: &str = r#"
summary = "handlers of unknown work"

[[run]]
program = "fetch-add"
machine = ["hurricane-1", "hurricane"]
policy = "floating"
mechanism = ["messages", "shared-memory"]
nodes = 2
processors = 4
inputs = { operations = 800, handler = [0, 1000] }
free = ["handler"]
"#;

#[test]
fn a_study_has_bands_over_its_free_axes() {
    let folder = tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("mine.toml"), STUDY).expect("a file");
    let [file, record] = [path("mine.toml"), path("record.tsv")];
    let call = ["study", &file, "--record", &record];
    let found = json(&call);
    let free = &found["tables"][0]["free"];
    assert_eq!(free["axes"]["handler"], serde_json::json!(["0", "1000"]));
    let fates: Vec<_> =
        array(&free["fates"]).iter().map(|fate| fate["text"].as_str().expect("a text")).collect();
    let flipped =
        "the ranking does not survive: the fastest is messages at handler 0; shared-memory at handler 1000.";
    assert_eq!(fates[0], format!("On machine hurricane-1 {flipped}"));
    assert!(fates.len() == 2 && fates[1].starts_with("On machine hurricane the ranking "), "{fates:?}");
    for band in array(&free["bands"]) {
        let rows = array(&found["tables"][0]["rows"]);
        let same = |row: &&Value| {
            ["machine", "mechanism"].iter().all(|name| row["fields"][name] == band["fields"][name])
        };
        let times = rows.iter().filter(same);
        let times: Vec<_> = times.map(|row| row["numbers"]["time"]["median"].as_f64().unwrap()).collect();
        let ends = &band["numbers"]["time"];
        assert_eq!(ends["least"], times.iter().copied().fold(f64::INFINITY, f64::min));
        assert_eq!(ends["greatest"], times.iter().copied().fold(0.0, f64::max));
    }
    let text = good(&call);
    assert!(text.contains("least .. greatest over handler 0, 1000"), "{text}");
    let page = path("mine.html");
    good(&["report", &file, "--record", &record, "--out", &page]);
    let page = fs::read_to_string(page).expect("a page");
    assert!(page.contains("ranking does not survive: the fastest is messages"), "{page}");
}

#[test]
fn a_free_axis_without_a_range_is_told_with_its_line() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    fs::write(&path, STUDY.replace("[\"handler\"]", "[\"skew\"]")).expect("a file");
    refused(
        &["study", &path],
        &["mine.toml:12:8: run.free = [\"skew\"]: expected axes of this run with two values or more"],
    );
}
