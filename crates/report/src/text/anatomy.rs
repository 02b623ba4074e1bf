//! The time of protocol events, kind by kind and step by step, as a table. This module must never know which steps there are,
//! nor what a kind of event is for.

use anstyle::Style;
use indexmap::IndexMap;

use crate::document::{Kind, Step};
use crate::page::Page;
use crate::quantity::duration;
use crate::table::{Column, Table};

/// Stands before every line.
const INDENT: &str = "    ";

/// A mean time in the table: nothing takes no time, and not `0.0 ns` of it.
fn told(nanoseconds: f64) -> String {
    if nanoseconds > 0.0 { duration(nanoseconds * 1e-9) } else { "0".to_owned() }
}

/// A line for each step, on average, under its event.
pub(super) fn table(page: &Page, kinds: &IndexMap<String, Kind>) -> Vec<String> {
    let rows: Vec<[String; 6]> = kinds.iter().flat_map(|(name, kind)| rows(name, kind)).collect();
    let cells = |index: usize| rows.iter().map(move |row| row[index].clone());
    let columns = vec![
        Column::left("event", cells(0)),
        Column::right("times", cells(1)).wanted(3),
        Column::right("travelled", cells(2)).wanted(2),
        Column::right("waited", cells(3)).wanted(1),
        Column::left("step", cells(4)),
        Column::right("took", cells(5)),
    ];
    let indented = Page { width: page.width.saturating_sub(INDENT.len()), ..*page };
    let lines = Table::lines(columns, &indented, |_| Style::new());
    lines.into_iter().map(|line| format!("{INDENT}{line}")).collect()
}

/// The rows of a kind of event: the first begins with the event, and each has a step.
fn rows(name: &str, kind: &Kind) -> Vec<[String; 6]> {
    let event =
        [name.to_owned(), kind.events.to_string(), told(kind.mean_travel_ns), told(kind.mean_wait_ns)];
    let step = |(name, step): (&String, &Step)| {
        let often = match step.times {
            times if times == kind.events => String::new(),
            1 => " (once)".to_owned(),
            times => format!(" ({times} times)"),
        };
        [format!("{name}{often}"), told(step.mean_ns)]
    };
    let mut steps: Vec<_> = kind.steps.iter().map(step).collect();
    if steps.is_empty() {
        steps.push(Default::default());
    }
    let heads = std::iter::once(event).chain(std::iter::repeat(Default::default()));
    let row = |([name, events, travel, wait], [step, took]): ([String; 4], [String; 2])| {
        [name, events, travel, wait, step, took]
    };
    heads.zip(steps).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_line_below_its_event() {
        let step = |name: &str, times, mean_ns| (name.to_owned(), Step { times, mean_ns });
        let faulted = Kind {
            events: 2,
            mean_travel_ns: 0.0,
            mean_wait_ns: 2.5,
            steps: [step("dispatch_fault", 2, 40.0), step("send_header", 1, 10.0)].into_iter().collect(),
        };
        let asked = Kind { events: 1, mean_travel_ns: 250.0, mean_wait_ns: 0.0, steps: IndexMap::new() };
        let kinds = [("faulted".to_owned(), faulted), ("home_asked".to_owned(), asked)];
        let page = Page { width: 80, colour: false, unicode: false };
        assert_eq!(
            table(&page, &kinds.into_iter().collect()),
            [
                "    event       times  travelled  waited  step                 took",
                "    faulted         2          0  2.5 ns  dispatch_fault      40 ns",
                "                                          send_header (once)  10 ns",
                "    home_asked      1     250 ns       0",
            ]
        );
    }
}
