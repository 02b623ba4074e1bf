//! What protocol events took, kind by kind and step by step, as a table and as data. Must never know which steps there are,
//! nor what a kind of event is for.

use anstyle::Style;
use serde_json::{Map, Value, json};
use tempest::Stage;
use units::Time;

use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::Page;
use crate::quantity::duration;

/// The time of all, over how many they are.
fn mean(time: Time, count: u64) -> f64 {
    time.as_seconds() / count.max(1) as f64
}

/// As the table writes it: nothing takes no time, and not `0.0 ns` of it.
fn told(time: f64) -> String {
    if time > 0.0 { duration(time) } else { "0".to_owned() }
}

/// What a kind is called: the last name of the message's path, as files write it.
fn name(kind: &str) -> String {
    let last = kind.rsplit("::").next().unwrap_or(kind);
    let mut name = String::new();
    for letter in last.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// A line for each step, on average, under what its event was and how it came.
pub(crate) fn table(page: &Page, stages: &[Stage]) -> Vec<String> {
    let mut rows: Vec<[String; 6]> = Vec::new();
    for stage in stages {
        let (events, means) =
            (stage.events.to_string(), [stage.travel, stage.wait].map(|time| mean(time, stage.events)));
        let mut head = [name(stage.kind), events, told(means[0]), told(means[1])];
        for step in &stage.steps {
            let [kind, events, travel, wait] = std::mem::take(&mut head);
            let each = told(mean(step.time, step.times));
            let often = match step.times {
                times if times == stage.events => String::new(),
                1 => " (once)".to_owned(),
                times => format!(" ({times} times)"),
            };
            rows.push([kind, events, travel, wait, format!("{}{often}", step.name), each]);
        }
        if stage.steps.is_empty() {
            let [kind, events, travel, wait] = head;
            rows.push([kind, events, travel, wait, String::new(), String::new()]);
        }
    }
    let heads = [
        ("event", Side::Left, ALWAYS),
        ("times", Side::Right, 3),
        ("travelled", Side::Right, 2),
        ("waited", Side::Right, 1),
        ("step", Side::Left, ALWAYS),
        ("took", Side::Right, ALWAYS),
    ];
    let columns = heads.into_iter().enumerate().map(|(index, (head, side, wanted))| {
        let cells = rows.iter().map(|row| row[index].clone()).collect();
        Column { group: "", head, side, wanted, cells }
    });
    let indented = Page { width: page.width.saturating_sub(INDENT.len()), ..*page };
    let table = Table::lay(columns.collect(), &indented, 0);
    let rows = (0..rows.len()).flat_map(|row| table.row(page, row, Style::new(), ""));
    table.heads(page, "").into_iter().chain(rows).map(|line| format!("{INDENT}{line}")).collect()
}

const INDENT: &str = "    ";

/// By name of the event; where two would have one name the second has its whole path.
pub(crate) fn json(stages: &[Stage]) -> Value {
    let mut all = Map::new();
    for stage in stages {
        let short = name(stage.kind);
        let key = if all.contains_key(&short) { stage.kind.to_owned() } else { short };
        all.insert(key, of_stage(stage));
    }
    Value::Object(all)
}

fn of_stage(stage: &Stage) -> Value {
    let step = |step: &tempest::Step| {
        let value = json!({
            "times": step.times,
            "mean_ns": step.time.as_nanoseconds() / step.times.max(1) as f64,
        });
        (step.name.to_owned(), value)
    };
    let mean = |time: Time| time.as_nanoseconds() / stage.events.max(1) as f64;
    json!({
        "events": stage.events,
        "mean_travel_ns": mean(stage.travel),
        "mean_wait_ns": mean(stage.wait),
        "steps": stage.steps.iter().map(step).collect::<Map<_, _>>(),
    })
}

#[cfg(test)]
mod tests {
    use tempest::Step;

    use super::*;

    fn stages() -> [Stage; 2] {
        let ns = |ns: u64| Time::from_femtoseconds(ns * 1_000_000);
        let step = |name, times, time| Step { name, times, time: ns(time) };
        let faulted = Stage {
            kind: "protocols::stache::messages::Faulted",
            events: 2,
            travel: Time::ZERO,
            wait: ns(5),
            steps: vec![step("dispatch_fault", 2, 80), step("send_header", 1, 10)],
        };
        let asked =
            Stage { kind: "other::HomeAsked", events: 1, travel: ns(250), wait: ns(0), steps: vec![] };
        [faulted, asked]
    }

    #[test]
    fn every_step_has_a_line_below_its_event() {
        let page = Page { width: 80, colour: false, unicode: false };
        let expected = [
            "    event       times  travelled  waited  step                       took",
            "    faulted         2          0  2.5 ns  dispatch_fault            40 ns",
            "                                          send_header (once)        10 ns",
            "    home_asked      1     250 ns       0",
        ];
        let lines = table(&page, &stages());
        let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines.len(), expected.len());
        for (line, expected) in lines.iter().zip(expected) {
            assert_eq!(fields(line), fields(expected), "{line}");
        }
    }

    #[test]
    fn data_have_means_by_name() {
        let value = json(&stages());
        assert_eq!(value["faulted"]["steps"]["dispatch_fault"]["mean_ns"], 40.0);
        assert_eq!(value["faulted"]["mean_wait_ns"], 2.5);
        assert_eq!(value["home_asked"]["mean_travel_ns"], 250.0);
        let [one, _] = stages();
        let twice = json(&[one.clone(), Stage { kind: "other::Faulted", ..one }]);
        assert!(twice.get("other::Faulted").is_some());
    }
}
