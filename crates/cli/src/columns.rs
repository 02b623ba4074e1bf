//! Tables that fit their page: columns stand closer and then leave, the least wanted first, when it is narrow. Must
//! never know what is in them.
//!
//! Behind the columns a table may have room for something elastic, such as a bar, which takes what is left of a line;
//! if that is too little, the table says so, and the caller gives it a line of its own.

use anstyle::Style;

use crate::page::{Page, QUIET};

/// On which side of its column a text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A column: what it is called, how much it is wanted, and a text for each row.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Columns of one group stand together under its name; empty for none.
    pub(crate) group: &'static str,
    pub(crate) head: &'static str,
    pub(crate) side: Side,
    /// The higher, the longer it stays; [`ALWAYS`] stays.
    pub(crate) wanted: u8,
    pub(crate) cells: Vec<String>,
}

/// Of a column that no table can do without.
pub(crate) const ALWAYS: u8 = u8::MAX;

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().flat_map(|cell| cell.lines()).chain([self.head]).map(width).max().unwrap_or(0)
    }

    /// Whether it tells anything apart from nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| matches!(cell.as_str(), "" | "-" | "0"))
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// `name`, or as much of it as has room, with a dot.
fn shorten(name: &str, room: usize) -> String {
    match name.chars().count() > room {
        true => name.chars().take(room.saturating_sub(1)).chain(['.']).collect(),
        false => name.to_owned(),
    }
}

/// Columns of the page that a tail takes, its gap included.
fn reserve(tail: usize) -> usize {
    if tail > 0 { tail + 2 } else { 0 }
}

/// A line of a cell; empty below its last.
fn line_of(column: &Column, row: usize, line: usize) -> &str {
    column.cells.get(row).and_then(|cell| cell.lines().nth(line)).unwrap_or("")
}

/// Columns laid out on a page.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(Column, usize)>,
    gap: usize,
    /// Columns of the page behind the last gap.
    pub(crate) left: usize,
    /// Heads of what had to leave.
    pub(crate) dropped: Vec<&'static str>,
}

impl Table {
    /// Lays columns out, `tail` columns of the page to be left behind them.
    pub(crate) fn lay(columns: Vec<Column>, page: &Page, tail: usize) -> Self {
        let columns = columns.into_iter().map(|column| (column.width(), column));
        let columns = columns.map(|(width, column)| (column, width)).collect();
        let mut table = Self { columns, gap: 2, left: 0, dropped: Vec::new() };
        while table.width() + reserve(tail) > page.width {
            if table.gap > 1 {
                table.gap = 1;
            } else if !table.drop_least() {
                break;
            }
        }
        table.left = page.width.saturating_sub(table.width() + 2);
        table
    }

    /// Whether these columns fit as they are, with so much left.
    pub(crate) fn fits(columns: &[Column], page: &Page, tail: usize) -> bool {
        let table = Self::lay(columns.to_vec(), page, tail);
        table.dropped.is_empty() && table.width() + reserve(tail) <= page.width
    }

    fn width(&self) -> usize {
        let cells: usize = self.columns.iter().map(|(_, width)| width).sum();
        cells + self.gap * self.columns.len().saturating_sub(1)
    }

    fn drop_least(&mut self) -> bool {
        let least = self.columns.iter().enumerate().filter(|(_, (column, _))| column.wanted < ALWAYS);
        let Some((index, _)) = least.min_by_key(|(_, (column, _))| column.wanted) else { return false };
        let (column, _) = self.columns.remove(index);
        self.dropped.push(if column.head.is_empty() { column.group } else { column.head });
        true
    }

    /// The heads, and above them the groups if there are any.
    pub(crate) fn heads(&self, page: &Page, tail: &str) -> Vec<String> {
        let heads = self.join(|column| column.head, tail);
        let lines = [self.groups(page), heads];
        lines.iter().filter(|line| !line.is_empty()).map(|line| page.paint(QUIET, line)).collect()
    }

    /// The names of the groups over their first columns, cut off where the next or the page's end leaves no room.
    fn groups(&self, page: &Page) -> String {
        let (mut begins, mut start, mut last) = (Vec::new(), 0, "");
        for (column, width) in &self.columns {
            if column.group != last {
                begins.push((start, column.group));
            }
            last = column.group;
            start += width + self.gap;
        }
        let named: Vec<_> = begins.into_iter().filter(|(_, group)| !group.is_empty()).collect();
        let ends = named.iter().skip(1).map(|(start, _)| start - 1).chain([page.width]);
        named.iter().zip(ends).fold(String::new(), |line, ((start, group), end)| {
            format!("{line:start$}{}", shorten(group, end.saturating_sub(*start)))
        })
    }

    /// One row, with what stands behind its columns. A cell of several lines makes the row as high.
    pub(crate) fn row(&self, page: &Page, row: usize, style: Style, tail: &str) -> Vec<String> {
        let cell = |column: &'_ Column| column.cells.get(row).map_or(0, |cell| cell.lines().count());
        let height = self.columns.iter().map(|(column, _)| cell(column)).max().unwrap_or(1).max(1);
        let line = |index| {
            let cells = self.join(|column| line_of(column, row, index), "");
            let blanks = (self.width() + 2).saturating_sub(width(&cells));
            let cells = page.paint(style, &cells);
            let tail = if index == 0 { tail } else { "" };
            if tail.is_empty() { cells } else { format!("{cells}{:blanks$}{tail}", "") }
        };
        (0..height).map(line).collect()
    }

    fn join<'c>(&'c self, text: impl Fn(&'c Column) -> &'c str, tail: &str) -> String {
        let mut line = String::new();
        for (index, (column, width)) in self.columns.iter().enumerate() {
            let gap = if index == 0 { 0 } else { self.gap };
            line += &" ".repeat(gap);
            line += &match column.side {
                Side::Left => format!("{:<width$}", text(column)),
                Side::Right => format!("{:>width$}", text(column)),
            };
        }
        if !tail.is_empty() {
            line += &format!("  {tail}");
        }
        line.trim_end().to_owned()
    }

    /// The head of every column that is left.
    pub(crate) fn heads_shown(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|(column, _)| column.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(head: &'static str, wanted: u8, cells: &[&str]) -> Column {
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        Column { group: "", head, side: Side::Right, wanted, cells }
    }

    fn page(width: usize) -> Page {
        Page { width, colour: false, unicode: false }
    }

    fn columns() -> Vec<Column> {
        vec![
            column("name", ALWAYS, &["one", "three"]),
            column("least", 1, &["1", "2"]),
            column("more", 2, &["3", "4"]),
        ]
    }

    #[test]
    fn a_wide_page_has_every_column_and_the_rest_of_the_line() {
        let table = Table::lay(columns(), &page(40), 10);
        assert_eq!(table.heads(&page(40), "bar"), [" name  least  more  bar"]);
        assert_eq!(table.row(&page(40), 1, Style::new(), "###"), ["three      2     4  ###"]);
        assert_eq!(table.left, 40 - 20);
    }

    #[test]
    fn a_narrow_page_has_smaller_gaps_and_then_fewer_columns() {
        let table = Table::lay(columns(), &page(16), 0);
        assert_eq!(table.heads(&page(16), ""), [" name least more"]);
        let table = Table::lay(columns(), &page(12), 0);
        assert_eq!(table.heads(&page(12), ""), [" name more"]);
        assert_eq!(table.dropped, ["least"]);
        let table = Table::lay(columns(), &page(3), 0);
        assert_eq!(table.heads(&page(3), ""), [" name"]);
        assert!(!Table::fits(&columns(), &page(12), 0) && Table::fits(&columns(), &page(40), 10));
    }

    #[test]
    fn a_cell_of_two_lines_makes_its_row_two_lines_high() {
        let mut columns = columns();
        columns[0] = Column { side: Side::Left, ..column("name", ALWAYS, &["one,\ntwo", "three"]) };
        let table = Table::lay(columns, &page(40), 3);
        assert_eq!(table.row(&page(40), 0, Style::new(), "###"), ["one,       1     3  ###", "two"]);
        assert_eq!(table.row(&page(40), 1, Style::new(), "###").len(), 1);
    }

    #[test]
    fn groups_stand_over_their_columns() {
        let mut columns = columns();
        columns[1].group = "both";
        columns[2].group = "both";
        let table = Table::lay(columns, &page(40), 0);
        assert_eq!(table.heads(&page(40), ""), ["       both", " name  least  more"]);
    }

    #[test]
    fn every_group_is_named_however_narrow() {
        let mut columns = columns();
        columns[1].group = "bytes that went";
        columns[2].group = "busy";
        let table = Table::lay(columns, &page(16), 0);
        assert_eq!(table.heads(&page(16), ""), ["      byte. busy", " name least more"]);
    }
}
