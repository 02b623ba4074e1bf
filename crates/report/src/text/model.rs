//! Analytic models and surveys as text. This module must never evaluate a model.

use anstyle::Style;
use lab::model::Figure;
use lab::model::fixed_floating::{Node, SETTINGS};
use lab::survey::{COLUMNS, Cell, Survey, Surveyed};

use super::below;
use crate::page::{Page, QUIET, STRONG};
use crate::quantity::number;
use crate::table::{Column, Table, dash};

/// The lines of the model of fixed and floating processors.
pub fn fixed_floating(node: &Node, page: &Page) -> Vec<String> {
    let setting = |setting: &lab::model::fixed_floating::Setting| {
        let unit = if setting.is_time { " us" } else { "" };
        let line = format!("  {:14}  {:>10}{unit:3}  ", setting.name, number(setting.of(node)));
        page.fold(&line, setting.meaning)
    };
    let figure = |Figure { name, value, unit, meaning }: Figure| {
        let value = value.map_or_else(dash, |value| format!("{value:.4}"));
        page.fold(&format!("  {name:15} {value:>10} {unit:2}  "), meaning)
    };
    let mut lines = vec![page.paint(STRONG, "Single, Fixed and Floating, by the equations of the study")];
    lines.extend(SETTINGS.iter().map(setting));
    below(&mut lines, node.figures().into_iter().map(figure));
    lines
}

/// The lines that print surveys of machines. Each survey has two tables: the published numbers, and the bytes and the
/// network latency that they give for each miss to local memory.
pub fn surveys<'s>(surveys: impl Iterator<Item = &'s Survey>, page: &Page) -> Vec<String> {
    surveys.flat_map(|survey| tables(survey, page)).collect()
}

fn tables(survey: &Survey, page: &Page) -> Vec<String> {
    let cells = |cell: &dyn Fn(&Surveyed) -> String| survey.machines.iter().map(cell).collect::<Vec<_>>();
    // What stands in brackets gets a line of its own: the longest title would push columns off a narrow page.
    let names = || Column::left("", cells(&|machine| machine.title.replace(" (", "\n  (")));
    let published = COLUMNS.iter().map(|it| {
        let column = Column::right(it.head, cells(&|machine| published(machine.cell(it.key))));
        match wanted(it.key) {
            Some(wanted) => column.wanted(wanted),
            None => column,
        }
    });
    let topology = Column::left("32 processors", cells(&|machine| machine.topology.clone())).wanted(1);
    let first = std::iter::once(names()).chain(published).chain([topology]);
    let decimals =
        |number: Option<f64>, decimals: usize| number.map_or_else(dash, |it| format!("{it:.decimals$}"));
    let second = [
        names(),
        Column::right("bytes per miss", cells(&|machine| decimals(machine.bytes_per_local_miss(), 0))),
        Column::right("latency in misses", cells(&|machine| decimals(machine.latency_in_local_misses(), 1))),
    ];
    let units = "clock in MHz, bisection in MB/s and bytes per cycle of the processor, the others in its cycles; \
         ~: recalled, not read; ?: cannot be read";
    let mut lines = vec![page.fold_in(STRONG, "", &survey.summary), page.fold_in(QUIET, "", units)];
    lines.extend(lay(first.collect(), page));
    below(&mut lines, [page.paint(STRONG, "The same in terms of a miss to local memory")]);
    lines.extend(lay(second.into(), page));
    lines
}

/// How much a column is wanted: on a narrow page those leave first that the second table does not need.
fn wanted(key: &str) -> Option<u8> {
    match key {
        "clock" => Some(2),
        "remote_miss" => Some(3),
        "bisection" => Some(4),
        _ => None,
    }
}

/// A table, below a note of the columns for which there is no room.
fn lay(columns: Vec<Column>, page: &Page) -> Vec<String> {
    let dropped = Table::lay(columns.clone(), page, 0).dropped;
    let note = format!("no room for: {}; see --width", dropped.join(", "));
    let note = (!dropped.is_empty()).then(|| page.fold_in(QUIET, "", &note));
    note.into_iter().chain(Table::lines(columns, page, |_| Style::new())).collect()
}

fn published(cell: &Cell) -> String {
    let sure = |confidence: &str| if confidence == "exact" { "" } else { "~" };
    match cell {
        Cell::Number(number, confidence) => format!("{}{number}", sure(confidence)),
        Cell::Range(from, to, confidence) => format!("{}{from}-{to}", sure(confidence)),
        Cell::Unknown => "?".to_owned(),
        Cell::None => dash(),
    }
}
