//! Tests `tradewind list`: it shows all entries, to people and to scripts.

use serde_json::Value;
use tempest::entry::Table;
use tempest::policy::PRESETS;

use crate::command::{good, json, refused};

fn names(list: &Value, section: &str) -> Vec<String> {
    let rows = list[section].as_array().unwrap_or_else(|| panic!("no {section} in {list}"));
    rows.iter().map(|row| row["name"].as_str().expect("a name is a text").to_owned()).collect()
}

#[test]
fn the_list_has_everything() {
    let text = good(&["list"]);
    for name in ["native", "hurricane-1", "ideal", "iccg", "fetch-add", "messages"] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    for preset in PRESETS {
        let start = format!("  {}{} ", preset.name, if preset.counted { ":COUNT" } else { "" });
        assert!(text.lines().any(|line| line.starts_with(&start)), "{start:?} starts no line of\n{text}");
    }
}

#[test]
fn the_list_is_as_wide_as_asked_for() {
    let widest = |text: String| text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest(good(&["list", "policies", "--width", "60"])) <= 60);
    assert!((81..=120).contains(&widest(good(&["list", "--width", "120"]))));
    refused(&["list", "--width", "x"], &["--width x: expected a whole number"]);
}

#[test]
fn the_list_for_scripts_has_everything() {
    let list = json(&["list"]);
    let mut machines = names(&list, "machines");
    assert_eq!(machines.remove(0), "native");
    assert_eq!(machines, crate::explain::machines());
    let programs = Table::new(&[apps::ALL, probes::ALL]).expect("each name belongs to one program");
    let known: Vec<_> = programs.entries().iter().map(|entry| entry.name).collect();
    assert_eq!(names(&list, "programs"), known);
    assert_eq!(names(&list, "mechanisms"), ["messages", "bulk", "deposit", "shared-memory"]);
    let policies = names(&list, "policies");
    assert_eq!(policies.len(), PRESETS.len());
    for preset in PRESETS {
        assert!(policies.iter().any(|name| name.trim_end_matches(":COUNT") == preset.name), "{policies:?}");
    }
    let iccg = known.iter().position(|name| *name == "iccg").unwrap();
    let inputs = list["programs"][iccg]["inputs"].as_array().unwrap();
    let keys: Vec<_> = inputs.iter().map(|input| input["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["matrix", "partition", "batch"]);
    assert!(inputs.iter().all(|input| input["default"].is_string() && input["meaning"].is_string()));
}

#[test]
fn the_list_has_a_line_for_each_entry_and_one_entry_is_shown_in_full() {
    let lines = good(&["list", "programs"]).lines().count();
    let programs = json(&["list", "programs"])["programs"].as_array().unwrap().len();
    // A title and the empty line at the end.
    assert_eq!(lines, programs + 2);
    let em3d = good(&["list", "programs", "em3d"]);
    for input in ["--input preset=", "--input degree=", "--input nodes="] {
        assert!(em3d.contains(input), "{input} is not in\n{em3d}");
    }
    assert!(!em3d.contains("iccg"), "{em3d}");
    assert_eq!(names(&json(&["list", "programs", "em3d"]), "programs"), ["em3d"]);
    assert_eq!(names(&json(&["list", "policies", "fixed:COUNT"]), "policies"), ["fixed:COUNT"]);
    assert_eq!(names(&json(&["list", "policies", "fixed"]), "policies"), ["fixed:COUNT"]);
    refused(&["list", "programs", "em3"], &["unknown program `em3`", "did you mean `em3d`?"]);
    refused(&["list", "studies", "em3d"], &["unknown study `em3d`"]);
}

#[test]
fn policies_are_listed_with_their_options_and_where_they_can_be_had() {
    let text = good(&["list", "policies", "adaptive"]);
    for option in ["+serial", "+keyed", "+poll", "+interrupt", "+every=K", "+helper", "+helper=TIME"] {
        assert!(text.contains(&format!("  {option} ")), "{option} is not in\n{text}");
    }
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in
        ["utilization says; needs adaptive-dedication, keyed-dispatch", "for 50 us; needs helper-thread"]
    {
        assert!(words.contains(told), "{told:?} is not in\n{text}");
    }
    let list = json(&["list", "policies"]);
    assert_eq!(list["policies"][0]["needs"], serde_json::json!(["poll"]));
    // A policy that no machine supports is unknown.
    refused(&["run", "fetch-add", "--policy", "alewife"], &["unknown policy `alewife`"]);
    let hurricane = good(&["list", "machines", "hurricane"]);
    assert_eq!(hurricane.matches("8 nodes").count(), 1, "{hurricane}");
}

#[test]
fn a_section_is_listed_alone() {
    let text = good(&["list", "machines"]);
    assert!(text.contains("hurricane-1") && !text.contains("fetch-add"), "{text}");
    let list = json(&["list", "policies"]);
    assert_eq!(list.as_object().unwrap().keys().collect::<Vec<_>>(), ["version", "policies"]);
}

#[test]
fn no_line_of_the_list_is_longer_than_a_narrow_terminal() {
    let text = good(&["list"]);
    let long: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}
