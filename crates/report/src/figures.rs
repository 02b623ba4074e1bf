//! The figures of a program, and the tables among them. This module must never know what a figure means, nor how one looks.
//!
//! Figures named `load[0.1].latency`, `load[0.1].median`, `load[0.3].latency` are a table named `load` with rows `0.1` and `0.3` and
//! columns `latency` and `median`.

use indexmap::{IndexMap, IndexSet};

use crate::document::Report;

/// A table among a program's figures.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Grid<'r> {
    /// What the rows are.
    pub(crate) name: &'r str,
    /// The names of the rows, in the order of their first figures.
    pub(crate) rows: IndexSet<&'r str>,
    /// The columns by name, in the order of their first figures.
    pub(crate) columns: IndexMap<&'r str, Values<'r>>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Values<'r> {
    /// The unit; empty for pure numbers.
    pub(crate) unit: &'r str,
    /// The values by row; `None` where one is not finite.
    pub(crate) of: IndexMap<&'r str, Option<f64>>,
}

/// The table, the row and the column that a figure is part of.
fn place(name: &str) -> Option<[&str; 3]> {
    let (table, rest) = name.split_once('[')?;
    let (row, column) = rest.split_once("].")?;
    Some([table, row, column])
}

/// The unit of a figure; empty for a pure number.
pub(crate) fn unit<'r>(report: &'r Report, name: &str) -> &'r str {
    report.units.get(name).map_or("", String::as_str)
}

/// The names and values of the figures that are part of no table.
pub(crate) fn single(report: &Report) -> impl Iterator<Item = (&str, Option<f64>)> {
    let single = report.figures.iter().filter(|(name, _)| place(name).is_none());
    single.map(|(name, value)| (name.as_str(), *value))
}

/// All tables, in the order of their first figures.
pub(crate) fn grids(report: &Report) -> Vec<Grid<'_>> {
    let mut grids: IndexMap<&str, Grid<'_>> = IndexMap::new();
    for (figure, value) in &report.figures {
        let Some([name, row, column]) = place(figure) else { continue };
        let new = || Grid { name, rows: IndexSet::new(), columns: IndexMap::new() };
        let grid = grids.entry(name).or_insert_with(new);
        grid.rows.insert(row);
        let column = grid.columns.entry(column).or_default();
        column.unit = unit(report, figure);
        column.of.insert(row, *value);
    }
    grids.into_values().collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A report with figures in ns.
    pub(crate) fn report(figures: &[(&str, f64)]) -> Report {
        Report {
            verified: true,
            checks: 1,
            failures: Vec::new(),
            figures: figures.iter().map(|(name, value)| ((*name).to_owned(), Some(*value))).collect(),
            units: figures.iter().map(|(name, _)| ((*name).to_owned(), "ns".to_owned())).collect(),
        }
    }

    #[test]
    fn figures_of_one_table_stand_in_its_rows() {
        let report = report(&[
            ("lone", 3.0),
            ("load[0.1].time", 5.0),
            ("load[0.1].rate", 0.25),
            ("load[1].time", 12.5),
        ]);
        assert_eq!(single(&report).collect::<Vec<_>>(), [("lone", Some(3.0))]);
        let grids = grids(&report);
        assert_eq!((grids.len(), grids[0].name), (1, "load"));
        assert!(grids[0].rows.iter().eq(&["0.1", "1"]) && grids[0].columns.keys().eq(&["time", "rate"]));
        let rate = &grids[0].columns["rate"];
        assert_eq!((rate.unit, rate.of.get("0.1"), rate.of.get("1")), ("ns", Some(&Some(0.25)), None));
        assert_eq!(place("one_way.near"), None);
    }
}
