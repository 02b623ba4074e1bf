//! The figures of a program: one in a line, or as a table. This module must never know what a figure means.
//!
//! Figures named `load[0.1].latency`, `load[0.1].median`, `load[0.3].latency` are a table named `load` with rows `0.1` and `0.3` and
//! columns `latency` and `median`.

use indexmap::IndexMap;

use crate::document::Report;
use crate::page::Page;
use crate::quantity::number;
use crate::table::{Column, Table, dash};

/// The part of a table that a figure is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell<'n> {
    table: &'n str,
    row: &'n str,
    column: &'n str,
}

impl<'n> Cell<'n> {
    fn of(name: &'n str) -> Option<Self> {
        let (table, rest) = name.split_once('[')?;
        let (row, column) = rest.split_once("].")?;
        Some(Self { table, row, column })
    }
}

/// The names of all tables, in the order of their first figures.
pub(super) fn tables(report: &Report) -> Vec<&str> {
    let mut names = Vec::new();
    for cell in report.figures.keys().filter_map(|name| Cell::of(name)) {
        if !names.contains(&cell.table) {
            names.push(cell.table);
        }
    }
    names
}

/// The figures that are part of no table: name, and value with its unit.
pub(super) fn single(report: &Report) -> impl Iterator<Item = (&str, String)> {
    let single = report.figures.iter().filter(|(name, _)| Cell::of(name).is_none());
    single.map(|(name, value)| {
        let value = value.map_or_else(|| "not finite".to_owned(), number);
        (name.as_str(), format!("{value} {}", unit(report, name)).trim_end().to_owned())
    })
}

/// The lines of a table, its rows in the order of their first figures.
pub(super) fn table(report: &Report, table: &str, page: &Page) -> Vec<String> {
    let mut rows: IndexMap<&str, IndexMap<&str, &str>> = IndexMap::new();
    let mut heads: IndexMap<&str, &str> = IndexMap::new();
    for name in report.figures.keys() {
        if let Some(cell) = Cell::of(name).filter(|cell| cell.table == table) {
            rows.entry(cell.row).or_default().insert(cell.column, name);
            heads.entry(cell.column).or_insert(unit(report, name));
        }
    }
    let text = |row: &IndexMap<&str, &str>, column: &str| {
        let value = row.get(column).and_then(|name| report.figures[*name]);
        value.map_or_else(dash, number)
    };
    let column = |(column, unit): (&&str, &&str)| {
        let cells: Vec<_> = rows.values().map(|row| text(row, column)).collect();
        Column::right(format!("{column}\n{unit}").trim_end(), cells)
    };
    let first = Column::right(&format!("  {table}"), rows.keys().copied());
    let columns = std::iter::once(first).chain(heads.iter().map(column)).collect();
    Table::lines(columns, page, |_| anstyle::Style::new())
}

fn unit<'r>(report: &'r Report, name: &str) -> &'r str {
    report.units.get(name).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_one_table_stand_in_its_rows() {
        let figures =
            [("lone", 3.0), ("load[0.1].time", 5.0), ("load[0.1].rate", 0.25), ("load[1].time", 12.5)];
        let report = Report {
            verified: true,
            checks: 1,
            failures: Vec::new(),
            figures: figures.iter().map(|(name, value)| ((*name).to_owned(), Some(*value))).collect(),
            units: [("lone", "ns"), ("load[0.1].time", "ns")]
                .map(|(name, unit)| (name.to_owned(), unit.to_owned()))
                .into_iter()
                .collect(),
        };
        assert_eq!(single(&report).collect::<Vec<_>>(), [("lone", "3 ns".to_owned())]);
        assert_eq!(tables(&report), ["load"]);
        let page = Page { width: 60, colour: false, unicode: true };
        assert_eq!(
            table(&report, "load", &page),
            ["  load  time  rate", "          ns", "   0.1     5  0.25", "     1  12.5     -"]
        );
        assert_eq!(Cell::of("one_way.near"), None);
    }
}
