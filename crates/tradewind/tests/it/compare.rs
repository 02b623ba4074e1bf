//! Tests `tradewind compare`: it ranks its runs, checks every answer and lists the combinations that it could not run.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::{good, json, refused};
use crate::scratch::Scratch;

const COMPARE: &[&str] = &[
    "compare",
    "fetch-add",
    "--machine",
    "native,hurricane-1",
    "--input",
    "operations=1600",
    "--mechanism",
    "messages",
    "--repeat",
    "3",
];

/// A single shape on each host, for hosts of two cores, which would else have two.
const ONE_NODE: &[&str] = &["--nodes", "1", "--processors", "2"];

const MODEL: &[&str] = &[
    "compare",
    "fetch-add",
    "--machine",
    "hurricane-1",
    "--mechanism",
    "messages",
    "--input",
    "operations=1600",
];

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array").as_slice()
}

/// Under every applicable policy, on every machine that supports it.
#[test]
fn shared_memory_stands_beside_all_other_mechanisms() {
    let machines = ["--machine", "native,hurricane,hurricane-1,s-coma", "--nodes", "4"];
    let compare = ["compare", "em3d", "--repeat", "1", "--input", "nodes=320", "--input", "iterations=2"];
    let compared = json(&[&compare[..], &machines].concat());
    for world in array(&compared["worlds"]) {
        let rows = array(&world["rows"]);
        let (name, all) = (&world["machine"], ["messages", "bulk", "deposit", "shared-memory"]);
        for mechanism in all {
            // The state machine of S-COMA handles no messages of programs.
            let is_there = rows.iter().any(|row| row["mechanism"] == mechanism);
            assert_eq!(is_there, name != "s-coma" || mechanism == "shared-memory", "{mechanism} on {name}");
        }
        let policies = |mechanism| -> Vec<&Value> {
            let of_it = rows.iter().filter(|row| row["mechanism"] == mechanism);
            let mut policies: Vec<_> = of_it.map(|row| &row["policy"]).collect();
            policies.sort_unstable_by_key(|policy| policy.to_string());
            policies
        };
        if name != "s-coma" {
            assert_eq!(policies("shared-memory"), policies("messages"), "{name}");
        }
        assert!(array(&world["refused"]).is_empty() && array(&world["failed"]).is_empty(), "{world}");
        assert!(rows.iter().all(|row| row["report"]["verified"] == true), "{world}");
        // A model reports the time of protocol events.
        let shared = rows.iter().find(|row| row["mechanism"] == "shared-memory").unwrap();
        assert_eq!(shared["anatomy"]["ask"]["events"].is_u64(), name != "native", "{shared}");
    }
}

/// No run on this host has more processors than cores unless the user asks for it; and models are shown beside it in the same shapes,
/// each with its verdict.
#[test]
fn nobody_takes_turns_by_default() {
    let compared = json(&["compare", "histogram", "--repeat", "1", "--input", "values=50"]);
    let worlds = array(&compared["worlds"]);
    let shapes = |machine: &str| -> Vec<[&Value; 2]> {
        let its = worlds.iter().filter(|world| world["machine"] == machine);
        its.map(|world| [&world["nodes"], &world["processors"]]).collect()
    };
    assert_eq!(shapes("native"), shapes("paragon"));
    assert_eq!(worlds.len(), shapes("native").len() * 2);
    let rows: Vec<_> = worlds.iter().flat_map(|world| array(&world["rows"])).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["oversubscribed"] == false), "{compared}");
    let verdict = &compared["verdict"];
    assert!(verdict["text"].as_str().unwrap().starts_with("histogram"), "{verdict}");
    let ran = worlds.iter().filter(|world| !array(&world["rows"]).is_empty()).count();
    assert_eq!(array(&verdict["tables"]).len(), ran, "{verdict}");
}

/// A policy for which there are too few processors is a note if it was not named, and a refusal with a remedy if it was. It is never
/// measured.
#[test]
fn a_policy_without_processors_is_refused_and_not_measured() {
    let wide = ["compare", "histogram", "--machine", "ideal", "--nodes", "2", "--processors", "1"];
    let compared = json(&wide);
    let left_out = &compared["worlds"][0]["left_out"];
    assert_eq!(policies(left_out), ["fixed:1", "fixed:2", "partitioned:1", "partitioned:2"]);
    let text = good(&[&wide[..], &["--all"]].concat());
    assert!(text.contains("\n    left out for want of processors: fixed, partitioned\n"), "{text}");
    let named = [&wide[..], &["--policy", "single,fixed:1"]].concat();
    let compared = json(&named);
    assert_eq!(policies(&compared["worlds"][0]["refused"]), ["fixed:1"]);
    let reason = compared["worlds"][0]["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.ends_with("expected at least --processors 2"), "{reason}");
}

fn policies(rows: &Value) -> Vec<&str> {
    array(rows).iter().map(|row| row["policy"].as_str().expect("a policy is a text")).collect()
}

#[test]
fn rows_have_speed_ups_over_a_row_or_over_a_uniprocessor() {
    const RUN: &[&str] =
        &["compare", "em3d", "--machine", "alewife", "--nodes", "2", "--input", "iterations=1", "--baseline"];
    let speedups = |baseline| {
        let compared = json(&[RUN, &[baseline]].concat());
        let world = compared["worlds"][0].clone();
        let base = world["baseline"]["time_ns"].as_f64().expect("a time");
        assert_eq!(world["baseline"]["name"], baseline);
        for row in array(&world["rows"]) {
            let (time, speedup) = (row["time_ns"].as_f64().unwrap(), row["speedup"].as_f64().unwrap());
            assert!((speedup - base / time).abs() < 1e-9 * speedup, "{row}");
        }
        world
    };
    let world = speedups("messages:proc");
    let row = array(&world["rows"]).iter().find(|row| row["mechanism"] == "messages").expect("a row").clone();
    assert_eq!(row["speedup"], 1.0);
    assert!(speedups("uniprocessor")["baseline"]["time_ns"].as_f64() > row["time_ns"].as_f64());
    for (baseline, says) in
        [("bulk:fixed", "no machine runs that combination"), ("bulk:singel", "unknown policy")]
    {
        refused(&[RUN, &[baseline]].concat(), &[says]);
    }
}

#[test]
fn both_worlds_are_ranked_and_verified() {
    let compared = json(&[COMPARE, ONE_NODE].concat());
    let worlds = array(&compared["worlds"]);
    assert_eq!(worlds.iter().map(|world| &world["machine"]).collect::<Vec<_>>(), ["native", "hurricane-1"]);
    for world in worlds {
        let rows = array(&world["rows"]);
        assert!(rows.len() >= 4, "{world}");
        let times: Vec<_> = rows.iter().map(|row| row["time_ns"].as_f64().unwrap()).collect();
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!(rows[0]["ratio_to_best"], 1.0);
        for (row, time) in rows.iter().zip(&times) {
            let ratio = row["ratio_to_best"].as_f64().unwrap();
            assert!((ratio - time / times[0]).abs() < 1e-9 * ratio, "{ratio} of {time}");
            assert_eq!(row["report"]["verified"], true, "{row}");
            let at_work =
                ["computing_processors", "other_processors"].map(|part| row[part].as_u64().unwrap());
            assert_eq!(
                (&row["nodes"], row["processors"].as_u64()),
                (&world["nodes"], Some(at_work.iter().sum()))
            );
            assert_eq!(row["runs"], if world["machine"] == "native" { 3 } else { 1 });
        }
        assert!(array(&world["refused"]).is_empty(), "{world}");
    }
    let modelled = policies(&worlds[1]["rows"]);
    for policy in ["single", "fixed:1", "floating", "partitioned:1", "hurricane-1:2", "hurricane-1-mult"] {
        assert!(modelled.contains(&policy), "{policy} is not in {modelled:?}");
    }
}

#[test]
fn every_mechanism_is_shown_under_every_policy() {
    let compared = json(&[
        "compare",
        "em3d",
        "--machine",
        "native,hurricane-1",
        "--nodes",
        "2",
        "--repeat",
        "1",
        "--input",
        "nodes=480",
    ]);
    for world in array(&compared["worlds"]) {
        let rows = array(&world["rows"]);
        let of = |mechanism: &str| {
            let rows = rows.iter().filter(|row| row["mechanism"] == mechanism);
            let mut policies: Vec<_> = rows.map(|row| row["policy"].as_str().unwrap()).collect();
            policies.sort_unstable();
            policies
        };
        let messages = of("messages");
        assert!(messages.len() >= 3 && of("bulk") == messages && of("deposit") == messages, "{world}");
        assert!(rows.iter().all(|row| row["report"]["verified"] == true), "{world}");
        let counted = |mechanism: &str, counter: &str| {
            let row = rows.iter().find(|row| row["mechanism"] == mechanism).unwrap();
            row["counters"][counter].as_u64().unwrap()
        };
        assert!(counted("bulk", "transfers") > 0 && counted("deposit", "deposits") > 0);
        assert!(counted("messages", "transfers") == 0 && counted("messages", "deposits") == 0);
    }
    // Where processors take turns for want of cores, times agree with nothing.
    let rows = array(&compared["worlds"][0]["rows"]);
    let is_crowded = rows.iter().all(|row| row["oversubscribed"] == true);
    let agreement = &compared["agreements"][0];
    assert!(!is_crowded || agreement["on_mechanism"].is_null(), "{agreement}");
    assert_eq!(array(&agreement["choices"]).is_empty(), is_crowded, "{agreement}");
}

#[test]
fn machines_are_held_against_each_other_by_what_all_can_run() {
    let compared = json(&["compare", "em3d", "--machine", "hurricane-1,ideal", "--input", "nodes=480"]);
    let agreement = &compared["agreements"][0];
    assert!(agreement["on_mechanism"].is_boolean() && agreement["on_policy"].is_boolean(), "{agreement}");
    let choices = array(&agreement["choices"]);
    for (choice, world) in choices.iter().zip(array(&compared["worlds"])) {
        assert_eq!(choice["machine"], world["machine"]);
        let best = &array(&world["rows"])[0];
        let is_best = choice["mechanism"] == best["mechanism"] && choice["policy"] == best["policy"];
        let text = agreement["text"].as_str().unwrap();
        assert!(
            is_best || text.starts_with("of the policies that both hurricane-1 and ideal can run, "),
            "{agreement}"
        );
    }
}

#[test]
fn mechanisms_are_chosen_as_policies_are() {
    let arguments = ["compare", "em3d", "--machine", "ideal", "--input", "nodes=480"];
    let chosen = ["--mechanism", "bulk,messages,bulk", "--policy", "single,fixed,fixed:1"];
    let compared = json(&[&arguments[..], &chosen].concat());
    let rows = array(&compared["worlds"][0]["rows"]);
    let mut ways: Vec<_> =
        rows.iter().map(|row| [&row["mechanism"], &row["policy"]].map(|way| way.as_str().unwrap())).collect();
    ways.sort_unstable();
    assert_eq!(
        ways,
        [
            ["bulk", "fixed:1"],
            ["bulk", "fixed:1 (2nd)"],
            ["bulk", "single"],
            ["messages", "fixed:1"],
            ["messages", "fixed:1 (2nd)"],
            ["messages", "single"],
        ],
        "a mechanism is one however often it is listed; a policy that is listed twice is measured twice"
    );
}

#[test]
fn policies_that_make_no_difference_share_a_rank() {
    // One processor runs the handlers under both policies.
    let arguments =
        [MODEL, &["--nodes", "4", "--processors", "1", "--policy", "single,proc,hurricane-1"]].concat();
    let compared = json(&arguments);
    let rows = array(&compared["worlds"][0]["rows"]);
    let row = |policy: &str| rows.iter().find(|row| row["policy"] == policy).unwrap();
    assert_eq!(row("single")["digest"], row("proc")["digest"]);
    assert_eq!(row("single")["rank"], row("proc")["rank"]);
    assert_eq!(row("proc")["same_as"], "single");
    assert!(row("single")["same_as"].is_null() && row("hurricane-1:1")["same_as"].is_null());
    assert_ne!(row("hurricane-1:1")["rank"], row("single")["rank"]);
    assert!(good(&arguments).contains("  single, proc  "));
}

#[test]
fn each_machine_has_a_finding_that_its_rows_bear_out() {
    let size = ["--nodes", "4", "--processors", "2"];
    let compared = json(&[MODEL, &size, &["--policy", "single,fixed:1,floating"]].concat());
    let world = &compared["worlds"][0];
    let (rows, finding) = (array(&world["rows"]), &world["finding"]);
    let row = |way: &Value| rows.iter().find(|row| row["policy"] == way["policy"]).unwrap();
    let (winner, contrast) = (row(&finding["winner"]), row(&finding["contrast"]));
    assert_eq!(winner, &rows[0]);
    assert_eq!(finding["differs_in"], "policy");
    let [best, worst] = [winner, contrast].map(|row| row["time_ns"].as_f64().unwrap());
    let percent = finding["percent"].as_f64().unwrap();
    assert!((percent - (worst / best - 1.0) * 100.0).abs() < 1e-6, "{finding}");
    let because = &finding["because"];
    let spent = |row: &Value| {
        let parts = row["phases"][0]["breakdown_ns"].as_object().unwrap();
        let all: f64 = parts.values().filter_map(Value::as_f64).sum();
        parts[because["part"].as_str().unwrap()].as_f64().unwrap() / all * row["time_ns"].as_f64().unwrap()
    };
    let excess = because["excess_ns"].as_f64().unwrap();
    assert!((spent(contrast) - spent(winner) - excess).abs() < 1e-3 * excess, "{finding}");
    assert!(finding["text"].as_str().unwrap().contains(winner["policy"].as_str().unwrap()));
    assert!(array(&compared["agreements"]).is_empty(), "one machine agrees with nobody");
}

#[test]
fn a_finding_names_the_part_of_the_machine_that_is_busy_all_the_time() {
    let asked = ["compare", "fetch-add", "--machine", "hurricane-1", "--nodes", "4", "--processors", "2"];
    let asked = [&asked[..], &["--mechanism", "messages", "--policy", "single,fixed:1"]].concat();
    let compared = json(&asked);
    let (rows, finding) = (&compared["worlds"][0]["rows"], &compared["worlds"][0]["finding"]);
    assert_eq!(finding["contrast"]["policy"], "fixed:1", "{finding}");
    let bottleneck = &finding["bottleneck_of_contrast"];
    assert_eq!((&bottleneck["part"], &bottleneck["all"]), (&"dedicated-processor".into(), &true.into()));
    let row = array(rows).iter().find(|row| row["policy"] == "fixed:1").unwrap();
    let entries = array(&row["phases"][0]["utilization"]);
    let entry = entries.iter().find(|entry| entry["part"] == "dedicated-processor").unwrap();
    assert_eq!(entry["mean"], bottleneck["busy"]);
    assert!(bottleneck["busy"].as_f64().unwrap() > 0.9);
    assert!(finding["text"].as_str().unwrap().contains("% busy with fixed:1"), "{finding}");
}

#[test]
fn a_model_is_found_the_same_again() {
    let asked = [MODEL, &["--json"]].concat();
    assert_eq!(good(&asked), good(&asked));
    assert_eq!(good(MODEL), good(MODEL));
}

#[test]
fn a_policy_that_cannot_be_had_is_listed_when_asked_for() {
    let arguments = [COMPARE, ONE_NODE, &["--policy", "single,np"]].concat();
    let compared = json(&arguments);
    for world in array(&compared["worlds"]) {
        assert_eq!(policies(&world["rows"]), ["single"]);
        assert_eq!(policies(&world["refused"]), ["np"]);
        let reason = world["refused"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("network-processor"), "{reason}");
    }
    let text = good(&arguments);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("messages (np): policy `np` needs `network-processor`").count(), 2, "{text}");
}

/// A machine file as it is shipped, without a capability.
fn without(capabilities: &[&str]) -> Scratch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/hurricane-1.toml");
    let mut text = fs::read_to_string(&path).expect("the machine file can be read");
    for capability in capabilities {
        let quoted = format!("\"{capability}\",");
        assert_eq!(text.matches(&quoted).count(), 1, "{quoted} in {text}");
        text = text.replace(&quoted, "");
    }
    Scratch::new("machine.toml", text)
}

#[test]
fn a_mechanism_that_cannot_be_had_is_listed_when_asked_for() {
    let machine = without(&["transfer", "deposit"]);
    let both = format!("{},ideal", machine.path());
    let asked = ["compare", "em3d", "--input", "nodes=480", "--mechanism", "bulk,deposit", "--machine"];
    let arguments = [&asked[..], &[&both]].concat();
    let compared = json(&arguments);
    let world = &compared["worlds"][0];
    assert_eq!(world["machine_file"], machine.path());
    assert!(compared["worlds"][1]["machine_file"].is_null());
    let refused = array(&world["refused"]);
    assert_eq!(refused.iter().map(|one| &one["mechanism"]).collect::<Vec<_>>(), ["bulk", "deposit"]);
    assert!(refused.iter().all(|one| one["policy"].is_null()), "{world}");
    assert!(refused[0]["reason"].as_str().unwrap().contains("transfer"), "{world}");
    assert_eq!(world["finding"]["text"], "nothing could run here.");
    assert!(array(&compared["worlds"][1]["refused"]).is_empty());
    let text = good(&arguments);
    let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert!(lines("    bulk: ") == 1 && lines("    deposit: ") == 1, "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("hurricane-1 (model, {}) bulk: ", machine.path())), "{text}");
    // Alone there is nothing to be shown, but there is a reason.
    let alone = [&asked[..], &[machine.path()]].concat();
    crate::command::refused(&alone, &[machine.path(), "transfer", "deposit"]);
    // Mechanisms that were not named are not reported as refused.
    let arguments = ["compare", "em3d", "--input", "nodes=480", "--machine", machine.path()];
    assert!(array(&json(&arguments)["worlds"][0]["refused"]).is_empty());
}

#[test]
fn each_reason_is_told_once_with_the_policies_it_concerns() {
    let machine = without(&["transfer"]);
    let asked = ["compare", "em3d", "--input", "nodes=480", "--policy", "single,floating", "--machine"];
    let text = good(&[&asked[..], &[machine.path()]].concat());
    assert!(text.contains("    bulk (single, floating): ") && !text.contains("(single)"), "{text}");
}

#[test]
fn a_setting_concerns_the_models_alone() {
    let arguments = [COMPARE, &["--policy", "single", "--set", "network.latency=10 us"]].concat();
    let compared = json(&arguments);
    let usual = json(&[COMPARE, &["--policy", "single"]].concat());
    let digest = |compared: &Value| compared["worlds"][1]["rows"][0]["machine_digest"].clone();
    assert!(digest(&compared).is_string() && digest(&compared) != digest(&usual));
}

/// A machine file that says of itself that it is a measurement of this host, which it is not.
pub(crate) fn calibrated() -> Scratch {
    calibrated_on("")
}

/// A calibrated machine file whose `[calibrated]` section has further `lines`.
fn calibrated_on(lines: &str) -> Scratch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/ideal.toml");
    let text = fs::read_to_string(path).expect("the machine file can be read");
    Scratch::new("host.toml", format!("{text}\n[calibrated]\nof = \"native\"\n{lines}\n"))
}

#[test]
fn a_model_of_another_host_is_called_one() {
    let told = |machine: &Scratch| {
        let both = format!("native,{}", machine.path());
        let shape = ["--nodes", "1", "--processors", "1", "--policy", "single", "--repeat", "1"];
        let run = ["compare", "fetch-add", "--input", "operations=100", "--machine", &both];
        let compared = json(&[&run[..], &shape].concat());
        compared["predictions"][0]["text"].as_str().expect("a text").contains("of another host")
    };
    assert!(told(&calibrated_on("host = \"a toy of 3 cores\"")));
    assert!(!told(&calibrated()));
}

#[test]
fn a_calibrated_model_stands_beside_what_it_predicts() {
    let machine = calibrated();
    let both = format!("native,{}", machine.path());
    let asked = ["compare", "em3d", "--input", "nodes=480", "--repeat", "3", "--nodes", "2"];
    let arguments = [&asked[..], &["--processors", "1", "--machine", &both]].concat();
    let compared = json(&arguments);
    let [native, model] = [0, 1].map(|index| array(&compared["worlds"][index]["rows"]));
    let predictions = array(&compared["predictions"]);
    assert_eq!(predictions.len(), 1);
    let prediction = &predictions[0];
    assert_eq!([&prediction["of"], &prediction["machine_file"]], ["native", machine.path()]);
    let rows = array(&prediction["rows"]);
    assert!(!rows.is_empty() && rows.len() <= native.len());
    assert_eq!(prediction["unpredicted"].as_u64().unwrap() as usize, native.len() - rows.len());
    let mut errors = Vec::new();
    for row in rows {
        let is_same = |other: &&Value| ["mechanism", "policy"].iter().all(|key| row[key] == other[key]);
        let [measured, predicted] =
            [native, model].map(|rows| rows.iter().find(is_same).unwrap()["time_ns"].as_f64().unwrap());
        assert_eq!([&row["measured_ns"], &row["predicted_ns"]], [measured, predicted]);
        let error = row["error"].as_f64().unwrap();
        assert!((error - (predicted - measured) / measured).abs() < 1e-9, "{row}");
        assert_eq!(row["scored"], row["cannot_tell"].is_null());
        if row["scored"] == true {
            errors.push(error.abs());
        }
    }
    errors.sort_by(f64::total_cmp);
    assert_eq!(prediction["scored"], errors.len());
    if let Some(worst) = errors.last() {
        assert_eq!(prediction["worst"]["error"].as_f64().unwrap().abs(), *worst);
        let median = prediction["median_error"].as_f64().unwrap();
        assert!(errors[0] <= median && median <= *worst);
    }
    for width in ["60", "80"] {
        let text = good(&[&arguments[..], &["--width", width, "--all"]].concat());
        assert!(text.lines().all(|line| line.chars().count() <= width.parse().unwrap()), "{text}");
        let title = text.lines().position(|line| line.starts_with("ideal (")).unwrap();
        let table = text.lines().skip(title).skip_while(|line| !line.contains("predicted"));
        let paired = table.skip(1).take_while(|line| line.starts_with("  ") && !line.contains('*')).count();
        assert!(paired == rows.len() || text.contains("cannot tell: "), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("Prediction: ")).count(), 1, "{text}");
    }
}

#[test]
fn what_is_predicted_must_have_been_measured() {
    let machine = calibrated();
    let asked = ["compare", "fetch-add", "--input", "operations=400", "--policy", "single", "--machine"];
    let alone = [&asked[..], &[machine.path()]].concat();
    assert!(array(&json(&alone)["predictions"]).is_empty());
    assert!(!good(&alone).contains("Prediction: "));
    // A model that was calibrated on nothing predicts nothing.
    let others = [&asked[..], &["native,ideal", "--repeat", "1"]].concat();
    assert!(array(&json(&others)["predictions"]).is_empty());
}

#[test]
fn crowded_processors_are_shown_and_not_scored() {
    let machine = calibrated();
    let both = format!("native,{}", machine.path());
    let asked = ["compare", "fetch-add", "--input", "operations=640", "--policy", "single", "--nodes", "64"];
    let arguments = [&asked[..], &["--mechanism", "messages", "--repeat", "1", "--machine", &both]].concat();
    let compared = json(&arguments);
    let prediction = &compared["predictions"][0];
    let row = &prediction["rows"][0];
    assert!(row["error"].is_number(), "{prediction}");
    assert_eq!(row["cannot_tell"] == "turns", row["oversubscribed"] == true);
    // This host may have 64 cores.
    if row["oversubscribed"] == true {
        assert!(prediction["scored"] == 0 && prediction["median_error"].is_null(), "{prediction}");
        let words = good(&arguments).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Prediction: cannot tell, as processors took turns"), "{words}");
    }
}

#[test]
fn a_comparison_is_a_picture_too() {
    let drawn = Scratch::new(".svg", "");
    let asked =
        ["compare", "histogram", "--machine", "native,ideal", "--policy", "single,fixed:1", "--repeat", "1"];
    let compared = json(&[&asked[..], &["--out", drawn.path()]].concat());
    let picture = fs::read_to_string(drawn.path()).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for world in array(&compared["worlds"]) {
        assert!(picture.contains(world["machine"].as_str().unwrap()), "{world}");
        for row in array(&world["rows"]) {
            assert!(picture.contains(row["policy"].as_str().unwrap()), "{row}");
        }
    }
    let nowhere = format!("{}/tables.svg", drawn.path());
    refused(&[&asked[..], &["--out", &nowhere]].concat(), &["--out", "there is no folder"]);
    refused(
        &[&asked[..], &["--out", "tables.png"]].concat(),
        &["--out tables.png: expected a name that ends in .svg"],
    );
}
