//! The tables of a study's numbers. This module must never know how a number was measured.

use maud::{Markup, html};
use units::plural::several;

use super::prose::prose;
use super::shell::heads;
use crate::document::{Study, StudyColumn, StudyFree, StudyRow, StudyTable};
use crate::quantity::number;
use crate::words;

/// The tables of a study stand open if they have no more tables, rows and columns than this; else they are folded away.
const TABLES: usize = 3;
const ROWS: usize = 16;
const COLUMNS: usize = 8;
/// The metrics that follow from others stand open if they are no more than this; else they are folded away.
const DERIVED: usize = 12;

/// All tables of a study.
pub(super) fn tables(study: &Study) -> Markup {
    let rows: usize = study.tables.iter().map(|table| table.rows.len()).sum();
    let columns = |table: &StudyTable| table.axes().0.len() + table.columns.len();
    let is_small = study.tables.len() <= TABLES
        && rows <= ROWS
        && study.tables.iter().all(|table| columns(table) <= COLUMNS);
    html! {
        @if rows > 0 && is_small {
            @for table in &study.tables { (one(table)) }
        } @else if rows > 0 {
            details {
                summary { "All numbers: " (several(rows as u64, "row")) " in " (several(study.tables.len() as u64, "table")) }
                div { @for table in &study.tables { (one(table)) } }
            }
        }
    }
}

/// The metrics that follow from others.
pub(super) fn derived(study: &Study) -> Markup {
    let count = study.derived.len();
    html! {
        @if count > DERIVED {
            details {
                summary { "What follows: " (several(count as u64, "number")) " by calculation" }
                div { (derivations(study)) }
            }
        } @else if count > 0 {
            h4 { "What follows" }
            (derivations(study))
        }
    }
}

/// The table of the metrics that follow from others.
fn derivations(study: &Study) -> Markup {
    html! {
        div.wide {
            table {
                (heads(&["metric", "#value", "by"]))
                tbody {
                    @for it in &study.derived {
                        tr {
                            td.name { (it.metric) small { (prose(&it.because)) } }
                            td.number data-value=[it.value] { (it.value.map_or_else(|| "–".to_owned(), number)) }
                            td { code { (it.expression) } }
                        }
                    }
                }
            }
        }
    }
}

fn one(table: &StudyTable) -> Markup {
    let (axes, _) = table.axes();
    let rounds = table.rows.iter().any(|row| row.rounds > 1);
    html! {
        div.wide {
            table {
                caption { (prose(&words::same(table))) }
                thead {
                    tr {
                        @for name in &axes { th scope="col" { (name) } }
                        @for column in &table.columns { th.number scope="col" { (column.head(", ")) } }
                        @if rounds { th.number scope="col" { "rounds" } }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for name in &axes { td { (row.fields.get(*name).map_or("–", String::as_str)) } }
                            @for column in &table.columns { (cell(row, column)) }
                            @if rounds { td.number { (row.rounds) } }
                        }
                    }
                }
            }
        }
        @if let Some(free) = &table.free { (bands(table, free)) }
    }
}

/// The bands of a table over free axes.
fn bands(table: &StudyTable, free: &StudyFree) -> Markup {
    let axes: Vec<_> =
        free.axes.iter().map(|(name, values)| format!("{name} {}", values.join(", "))).collect();
    let fields = free.varying();
    html! {
        @for fate in &free.fates { p { (prose(&fate.text)) } }
        div.wide {
            table {
                caption { "least .. greatest over " (axes.join("; ")) }
                thead {
                    tr {
                        @for name in &fields { th scope="col" { (name) } }
                        @for column in &table.columns { th.number scope="col" { (column.head(", ")) } }
                    }
                }
                tbody {
                    @for band in &free.bands {
                        tr {
                            @for name in &fields { td { (band.fields.get(*name).map_or("–", String::as_str)) } }
                            @for column in &table.columns { td.number { (band.ends(column)) } }
                        }
                    }
                }
            }
        }
    }
}

fn cell(row: &StudyRow, column: &StudyColumn) -> Markup {
    let Some(found) = row.number(column) else {
        return html! { td.number { "–" } };
    };
    let shown = |value| column.shown(value);
    let title = found.interval.map(|it| format!("between {} and {}", shown(it.low), shown(it.high)));
    html! { td.number data-value=(found.median) title=[title] { (shown(found.median)) } }
}
