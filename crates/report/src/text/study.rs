//! A study's results as text: a table for each kind of run, metrics, checks. This module must never know how a number is
//! measured.

use anstyle::Style;
use indexmap::IndexMap;
use units::median::share;
use units::plural::several;

use super::bands::bands;
use super::claims::{bounds, failed_runs};
use super::{below, partial};
use crate::document::{Check, Study, StudyNumber, StudyRow, StudyTable};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::{number, percent};
use crate::table::{Column, Table, dash};
use crate::words::{part, same};

/// The heads of the columns of intervals.
const SURE: &str = "+/-";

/// The lines of a study's results.
pub fn study(study: &Study, page: &Page) -> Vec<String> {
    let mut lines = partial(study.partial.as_ref(), page);
    lines.push(page.fold_strong(&study.study, "", &format!("{}: {}", study.study, study.summary)));
    lines.extend(study.circumstances.as_ref().map(|now| page.fold("measured: ", &now.facts().join(", "))));
    for one in &study.tables {
        below(&mut lines, table(one, page));
        lines.extend(bands(one, page));
    }
    let metrics = (!study.metrics.is_empty()).then(|| metrics(&study.metrics, page));
    let checks = (!study.checks.is_empty()).then(|| checks(&study.checks, page));
    let bounds = (!study.bounds.is_empty()).then(|| bounds(&study.bounds, page));
    [metrics, checks, bounds].into_iter().flatten().for_each(|part| below(&mut lines, part));
    lines.extend(legend(study, page));
    lines.extend(failed_runs(&study.failed_runs, page));
    lines
}

/// The table of the runs of one `[[run]]`: what is the same in all of them above it.
fn table(table: &StudyTable, page: &Page) -> Vec<String> {
    let (axes, _) = table.axes();
    let mut lines = vec![page.fold_in(STRONG, "", &same(table))];
    let cells = |cell: &dyn Fn(&StudyRow) -> String| table.rows.iter().map(cell).collect::<Vec<_>>();
    let axis =
        |name: &String| Column::left(name, cells(&|row| row.fields.get(name).cloned().unwrap_or_else(dash)));
    let mut columns: Vec<_> = axes.into_iter().map(axis).collect();
    for (at, column) in table.columns.iter().enumerate() {
        let wanted = u8::try_from(table.columns.len() - at).unwrap_or(u8::MAX);
        let value = |row: &StudyRow| row.number(column).map_or_else(dash, |it| column.shown(it.median));
        let values = Column::right(&column.head("\n"), cells(&value));
        // The first number stays, however narrow the page is.
        columns.push(if at == 0 { values } else { values.wanted(wanted) });
        let sure = Column::right(SURE, cells(&|row| row.number(column).and_then(sure).unwrap_or_else(dash)));
        let sure = if at == 0 { sure.wanted(wanted) } else { sure.following() };
        columns.extend(Some(sure).filter(|sure| !sure.is_blank()));
    }
    let rounds = Column::right("rounds", cells(&|row| row.rounds.to_string())).wanted(0);
    columns.extend(Some(rounds).filter(|_| table.rows.iter().any(|row| row.rounds > 1)));
    let dropped = Table::lay(columns.clone(), page, 0).dropped;
    lines.extend(Table::lines(columns, page, |_| Style::new()));
    let dropped: Vec<_> =
        dropped.into_iter().filter(|head| head != SURE).map(|head| head.replace('\n', " ")).collect();
    if !dropped.is_empty() {
        let note = format!("no room for: {}; see --width, --json or --out", dropped.join(", "));
        lines.push(page.fold_in(QUIET, "", &note));
    }
    lines
}

/// The distance of the farther end of the interval from the median, as a share of the median.
fn sure(number: &StudyNumber) -> Option<String> {
    let interval = number.interval?;
    share(number.median, interval.low, interval.high).map(percent)
}

fn metrics(metrics: &IndexMap<String, f64>, page: &Page) -> Vec<String> {
    let columns = vec![
        Column::left("metric", metrics.keys().map(String::as_str)),
        Column::right("value", metrics.values().map(|value| number(*value))),
    ];
    Table::lines(columns, page, |_| Style::new())
}

fn checks(checks: &[Check], page: &Page) -> Vec<String> {
    let holds = |check: &Check| match check.holds {
        Some(true) => "holds",
        Some(false) => "differs",
        None => "not measured",
    };
    let lines = |check: &Check| {
        let head = format!("  {:12}  ", holds(check));
        let blank = " ".repeat(head.len());
        let said = page.fold(&head, &format!("{}: {}", check.claim, check.because));
        let why = check.parts.iter().filter(|part| part.holds != Some(true));
        let lines: Vec<_> = [said].into_iter().chain(why.map(|it| page.fold(&blank, &part(it)))).collect();
        let style = match check.holds {
            Some(true) => Style::new(),
            Some(false) => ALARM,
            None => QUIET,
        };
        lines.into_iter().map(move |line| page.paint(style, &line)).collect::<Vec<_>>()
    };
    std::iter::once(page.paint(STRONG, "checks")).chain(checks.iter().flat_map(lines)).collect()
}

/// What the columns mean that a study does not name itself, and which times mean little.
fn legend(study: &Study, page: &Page) -> Vec<String> {
    let rows = || study.tables.iter().flat_map(|table| &table.rows);
    let rounds = rows().map(|row| row.rounds).max().unwrap_or(0);
    let shared = rows().filter(|row| row.oversubscribed).count() as u64;
    let mut lines = Vec::new();
    if shared > 0 {
        let said = format!(
            "{} had more processors than this host has cores: they took turns, and times mean little.",
            several(shared, "row")
        );
        lines.extend([String::new(), page.fold_in(ALARM, "", &said)]);
    }
    if rounds < 2 {
        return lines;
    }
    let level = rows().flat_map(|row| row.numbers.values()).flatten().filter_map(|number| number.interval);
    let level = level.map(|interval| interval.level).fold(1.0, f64::min);
    let said = format!(
        "On this host a number is the median of up to {}; {SURE} says how far from it the ends of its interval lie, which encloses \
         the true median with {} or more.",
        several(rounds, "round"),
        percent(level)
    );
    lines.extend([String::new(), page.fold_in(QUIET, "", &said)]);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples::claim;
    use crate::document::{Bounds, CheckPart, Claim, Relation, StudyColumn};

    fn row(machine: &str, values: &str, samples: &[f64]) -> StudyRow {
        let fields = [("machine", machine), ("values", values), ("program", "toy")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        let interval = (samples.len() > 1).then(|| Bounds {
            low: samples[0] * 0.9,
            high: samples[0] * 1.2,
            level: 0.75,
        });
        let number = samples.first().map(|median| StudyNumber {
            median: *median,
            interval,
            samples: samples.to_vec(),
        });
        let rate = samples.first().map(|_| StudyNumber { median: 12.5, interval: None, samples: vec![12.5] });
        let numbers = [("time".to_owned(), number), ("rate".to_owned(), rate)].into_iter().collect();
        StudyRow {
            fields,
            rounds: samples.len() as u32,
            oversubscribed: samples.len() > 1,
            numbers,
            ..StudyRow::default()
        }
    }

    fn found() -> Study {
        let column = |name: &str, unit: &str| StudyColumn { name: name.to_owned(), unit: unit.to_owned() };
        let table = StudyTable {
            fields: ["machine", "values", "program"].map(str::to_owned).to_vec(),
            columns: vec![column("time", "ns"), column("rate", "MB/s")],
            rows: vec![
                row("paragon", "10", &[1500.0]),
                row("native", "10", &[2e6; 3]),
                row("native", "20", &[]),
            ],
            free: None,
        };
        Study {
            study: "toy".to_owned(),
            summary: "a toy".to_owned(),
            tables: vec![table],
            metrics: [("ratio".to_owned(), 1.25)].into_iter().collect(),
            checks: vec![Check {
                claim: "faster".to_owned(),
                holds: Some(false),
                because: "it should".to_owned(),
                parts: vec![CheckPart {
                    expression: "ratio > 2".to_owned(),
                    holds: Some(false),
                    metrics: [("ratio".to_owned(), Some(1.25))].into_iter().collect(),
                }],
            }],
            bounds: vec![Claim {
                role: "bound".to_owned(),
                relation: Relation::AtLeast,
                tolerance: Some(0.0),
                ..claim("ratio", 2.0, "bound")
            }],
            ..Study::default()
        }
    }

    #[test]
    fn a_study_is_a_table_with_what_its_runs_share_above() {
        let page = Page { width: 80, colour: false, unicode: true };
        let lines = study(&found(), &page);
        let expected = [
            "toy: a toy",
            "",
            "program toy",
            "machine  values      time   +/-  rate  rounds",
            "                                 MB/s",
            "paragon  10      1.500 us     -  12.5       1",
            "native   10      2.000 ms  20 %  12.5       3",
            "native   20             -     -     -       0",
            "",
            "metric  value",
            "ratio    1.25",
            "",
            "checks",
            "  differs       faster: it should",
            "                ratio > 2, where ratio is 1.25",
            "",
            "bound      stated  measured       error  verdict  tolerance",
            "ratio  at least 2       2.1  us  +5.0 %  holds         none",
            "",
            "1 row had more processors than this host has cores: they took turns, and times",
            "mean little.",
        ];
        let lines: Vec<_> = lines.iter().flat_map(|line| line.split('\n')).collect();
        assert_eq!(lines[..expected.len()], expected);
        assert!(lines.last().is_some_and(|line| line.contains("75 % or more")), "{lines:#?}");
    }

    #[test]
    fn a_number_leaves_a_narrow_page_with_its_interval() {
        let mut found = found();
        let columns = ["edges", "share of all that there are", "words"];
        let column = |name: &str| StudyColumn { name: name.to_owned(), unit: String::new() };
        found.tables[0].columns.extend(columns.map(column));
        for row in &mut found.tables[0].rows {
            let time = row.numbers["time"].clone();
            row.numbers.extend(columns.map(|name| (name.to_owned(), time.clone())));
        }
        for width in 30..120 {
            let page = Page { width, colour: false, unicode: true };
            let lines = table(&found.tables[0], &page);
            let heads: Vec<_> = lines[1].split_whitespace().collect();
            let shown =
                columns.iter().filter(|name| heads.contains(&name.split(' ').next().unwrap())).count();
            let sure = heads.iter().filter(|head| **head == SURE).count();
            assert!(sure == shown + 1 || sure == 0 && shown == 0, "{width}: {heads:?}");
        }
    }

    #[test]
    fn a_narrow_page_says_what_it_leaves_out() {
        let page = Page { width: 30, colour: false, unicode: true };
        let lines = study(&found(), &page);
        assert!(lines.iter().any(|line| line.starts_with("no room for: rounds, rate\nMB/s;")), "{lines:#?}");
        assert!(lines.iter().all(|line| line.lines().all(|line| line.chars().count() <= 30)), "{lines:#?}");
    }
}
