//! Every key that a script can meet is described in `docs/json.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::json;
use crate::compare::calibrated;

/// Objects whose keys the program chooses.
const OF_THE_PROGRAM: &[&str] = &["anatomy", "figures", "input"];

fn gather(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| gather(value, keys)),
        Value::Object(object) => {
            for (key, value) in object {
                keys.insert(key.clone());
                if !(value.is_object() && OF_THE_PROGRAM.contains(&key.as_str())) {
                    gather(value, keys);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_key_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = fs::read_to_string(&path).unwrap();
    // What stands between backticks in the tables, taken apart: `report.verified` describes `verified`.
    let tables = page.lines().filter(|line| line.starts_with('|'));
    let described: BTreeSet<_> = tables
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .flat_map(|code| code.split(['.', '[', ']']))
        .collect();
    let run = ["run", "fetch-add", "--machine", "hurricane-1", "--input", "operations=1000"];
    let roles = ["run", "iccg", "--machine", "hurricane-1", "--processors", "4", "--policy", "adaptive"];
    let compare =
        ["compare", "fetch-add", "--machine", "ideal,hurricane-1", "--policy", "single,floating,np"];
    let mut keys = BTreeSet::new();
    let explain = ["explain", "paragon", "--set", "nodes=2"];
    let claims = ["claims", "alewife.table2", "fixed-floating.model"];
    let ledger = [&claims[..], &["--ledger"]].concat();
    let models = [["model", "fixed-floating"], ["model", "alewife-tables"]];
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../inputs/litmus");
    gather(&json(&["litmus", tests, "--machine", "native,ideal", "--repeat", "2"]), &mut keys);
    let machine = calibrated();
    let both = format!("native,{}", machine.path());
    let predicted = ["compare", "fetch-add", "--processors", "1", "--nodes", "1", "--machine", &both];
    gather(&json(&predicted), &mut keys);
    let laboratory = [&["list", "claims"][..], &claims, &ledger, &models[0], &models[1]];
    for arguments in [&["list"][..], &explain, &run, &roles, &compare].into_iter().chain(laboratory) {
        gather(&json(arguments), &mut keys);
    }
    for key in [
        "transfers",
        "deposits",
        "busy",
        "mechanism",
        "of_contrast",
        "excess_ns",
        "on_policy",
        "same_as",
        "dedicated",
        "needs",
    ] {
        assert!(keys.contains(key), "{key} is not in {keys:?}");
    }
    assert!(keys.contains("inputs") && keys.contains("ratio_to_best") && keys.contains("reason"), "{keys:?}");
    let missing: Vec<_> = keys.iter().filter(|key| !described.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "{}: expected a row for each of {missing:?}", path.display());
}
