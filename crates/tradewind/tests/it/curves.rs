//! Shipped studies whose results are curves, from the command line to the points of their figures.

use serde_json::Value;
use tempfile::tempdir;

use crate::command::json;

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().unwrap_or_else(|| panic!("{key} is a list"))
}

/// Every line of a panel has all points, none of them empty, and as many as there are values across.
fn are_whole(study: &str, points: usize) {
    let folder = tempdir().expect("a folder can be made");
    let record = folder.path().join("record").display().to_string();
    let answer = json(&["study", study, "--record", &record]);
    let mut lines = 0;
    for figure in list(&answer, "figures") {
        for panel in list(figure, "panels") {
            for series in list(panel, "series") {
                let measured = list(series, "points").iter().filter(|point| point["y"]["median"].is_f64());
                assert_eq!(measured.count(), points, "{study}: {} {}", panel["title"], series["label"]);
                lines += 1;
            }
        }
    }
    assert!(lines >= 6, "{study}: {lines} lines");
}

#[test]
fn bandwidth_has_a_point_for_each_size_of_a_block() {
    are_whole("split-c-bandwidth", 16);
}

#[test]
fn poll_granularity_has_a_point_for_each_granularity() {
    are_whole("split-c-polling", 13);
}
