//! A table of a program's figures as text. This module must never know the meaning of a figure.

use crate::figures::Grid;
use crate::page::Page;
use crate::quantity::number;
use crate::table::{Column, Table, dash};

/// The lines of a table.
pub(super) fn table(grid: &Grid<'_>, page: &Page) -> Vec<String> {
    let first = Column::right(&format!("  {}", grid.name), grid.rows.iter().copied());
    let columns = grid.columns.iter().map(|(name, values)| {
        let value = |row: &&str| values.of.get(row).copied().flatten().map_or_else(dash, number);
        Column::right(format!("{name}\n{}", values.unit).trim_end(), grid.rows.iter().map(value))
    });
    Table::lines(std::iter::once(first).chain(columns).collect(), page, |_| anstyle::Style::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{grids, tests::report};

    #[test]
    fn a_table_has_a_line_for_each_row_and_units_below_its_heads() {
        let report = report(&[("load[0.1].time", 5.0), ("load[0.1].rest", 0.25), ("load[1].time", 12.5)]);
        let page = Page { width: 60, colour: false, unicode: true };
        let lines = table(&grids(&report)[0], &page);
        assert_eq!(
            lines,
            ["  load  time  rest", "          ns    ns", "   0.1     5  0.25", "     1  12.5     -"]
        );
    }
}
