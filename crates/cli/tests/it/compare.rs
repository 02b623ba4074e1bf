//! `tradewind compare` ranks what it ran, checks every answer and says what it could not run.

use serde_json::Value;

use crate::command::{good, json};

const COMPARE: &[&str] = &[
    "compare",
    "fetch-add",
    "--machine",
    "native,hurricane-1",
    "--input",
    "operations=1600",
    "--repeat",
    "3",
];

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array").as_slice()
}

fn policies(rows: &Value) -> Vec<&str> {
    array(rows).iter().map(|row| row["policy"].as_str().expect("a policy is a text")).collect()
}

fn assert_is_narrow(text: &str) {
    let long: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "longer than 80 columns:\n{}", long.join("\n"));
}

#[test]
fn both_worlds_are_ranked_and_verified() {
    let compared = json(COMPARE);
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
            assert!([&row["nodes"], &row["processors"]] == [4, 2]);
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
fn the_table_fits_a_narrow_terminal() {
    let text = good(COMPARE);
    assert_is_narrow(&text);
    assert!(text.contains("native (this host)") && text.contains("hurricane-1 (model)"), "{text}");
    let iccg = good(&["compare", "iccg", "--machine", "ideal,hurricane-1", "--input", "jagmesh7"]);
    assert_is_narrow(&iccg);
    assert_is_narrow(&good(&["run", "iccg", "--machine", "hurricane-1", "--repeat", "2"]));
}

#[test]
fn a_policy_that_cannot_be_had_is_listed_when_asked_for() {
    let arguments = [COMPARE, &["--policy", "single,np"]].concat();
    let compared = json(&arguments);
    for world in array(&compared["worlds"]) {
        assert_eq!(policies(&world["rows"]), ["single"]);
        assert_eq!(policies(&world["refused"]), ["np"]);
        let reason = world["refused"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("network-processor"), "{reason}");
    }
    let text = good(&arguments);
    assert_is_narrow(&text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words.matches("np: policy `np` needs `network-processor`").count(), 2, "{text}");
}

#[test]
fn a_setting_concerns_the_models_alone() {
    let arguments = [COMPARE, &["--policy", "single", "--set", "network.latency=10 us"]].concat();
    let compared = json(&arguments);
    let usual = json(&[COMPARE, &["--policy", "single"]].concat());
    let digest = |compared: &Value| compared["worlds"][1]["rows"][0]["machine_digest"].clone();
    assert!(digest(&compared).is_string() && digest(&compared) != digest(&usual));
}
