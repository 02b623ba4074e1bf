//! Tables that fit their page: on a narrow one, columns first stand closer and then leave, the least wanted first. This
//! module must never know what is in a table.
//!
//! Behind the columns a table may have room for something elastic, such as a bar, which takes what is left of a line;
//! if that is too little, the table says so, and the caller gives it a line of its own.

use anstyle::Style;

use crate::page::{Page, QUIET, columns};

/// The side of its column on which a text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Left,
    Right,
}

/// A column: its head, how much it is wanted, and a text for each row.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Columns of one group stand together under its name; empty for none.
    group: &'static str,
    pub(crate) head: String,
    side: Side,
    /// The least wanted column leaves first; `None` stays.
    wanted: Option<u8>,
    /// It leaves with the column before it.
    is_following: bool,
    cells: Vec<String>,
}

impl Column {
    /// A column whose texts stand on the left.
    pub(crate) fn left(head: &str, cells: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::new(head, Side::Left, cells)
    }

    /// A column whose texts stand on the right.
    pub(crate) fn right(head: &str, cells: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::new(head, Side::Right, cells)
    }

    fn new(head: &str, side: Side, cells: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let cells = cells.into_iter().map(Into::into).collect();
        Self { group: "", head: head.to_owned(), side, wanted: None, is_following: false, cells }
    }

    /// The column as one that leaves a narrow page: the lower the number, the sooner.
    pub(crate) fn wanted(self, wanted: u8) -> Self {
        Self { wanted: Some(wanted), ..self }
    }

    /// The column as one that leaves with the column before it, and stays as long as that does.
    pub(crate) fn following(self) -> Self {
        Self { is_following: true, ..self }
    }

    /// The column under the name of a group.
    pub(crate) fn group(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// Whether the column never leaves.
    pub(crate) fn stays(&self) -> bool {
        self.wanted.is_none()
    }

    /// Whether the column tells nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| matches!(cell.as_str(), "" | "-" | "0"))
    }

    fn width(&self) -> usize {
        self.cells.iter().chain([&self.head]).flat_map(|cell| cell.lines()).map(columns).max().unwrap_or(0)
    }

    /// A line of a cell; empty below its last.
    fn line(&self, row: usize, line: usize) -> &str {
        self.cells.get(row).and_then(|cell| cell.lines().nth(line)).unwrap_or("")
    }
}

/// The text of an empty cell.
pub(crate) fn dash() -> String {
    "-".to_owned()
}

/// `name`, or as much of it as has room, with `end`.
pub(crate) fn shorten(name: &str, room: usize, end: &str) -> String {
    match name.chars().count() > room {
        true => name.chars().take(room.saturating_sub(end.len())).chain(end.chars()).collect(),
        false => name.to_owned(),
    }
}

/// Columns of the page that a tail takes, its gap included.
fn reserve(tail: usize) -> usize {
    if tail > 0 { tail + 2 } else { 0 }
}

/// Columns laid out on a page.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(Column, usize)>,
    gap: usize,
    /// Columns of the page behind the last gap.
    pub(crate) left: usize,
    /// Heads of the columns that had to leave.
    pub(crate) dropped: Vec<String>,
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

    /// Columns on a page as lines: the heads, then every row in its style.
    pub(crate) fn lines(columns: Vec<Column>, page: &Page, style: impl Fn(usize) -> Style) -> Vec<String> {
        let rows = columns.first().map_or(0, |column| column.cells.len());
        let table = Self::lay(columns, page, 0);
        let rows = (0..rows).flat_map(|row| table.row(page, row, style(row), "")).collect();
        [table.heads(page, ""), rows].concat()
    }

    fn width(&self) -> usize {
        let cells: usize = self.columns.iter().map(|(_, width)| width).sum();
        cells + self.gap * self.columns.len().saturating_sub(1)
    }

    fn drop_least(&mut self) -> bool {
        let wanted =
            self.columns.iter().enumerate().filter_map(|(at, (column, _))| Some((column.wanted?, at)));
        let Some((_, least)) = wanted.min() else { return false };
        let (column, _) = self.columns.remove(least);
        while self.columns.get(least).is_some_and(|(next, _)| next.is_following) {
            self.columns.remove(least);
        }
        self.dropped.push(if column.head.is_empty() { column.group.to_owned() } else { column.head });
        true
    }

    /// The heads, and above them the groups if there are any; `tail` behind the last line of heads.
    pub(crate) fn heads(&self, page: &Page, tail: &str) -> Vec<String> {
        let height = self.columns.iter().map(|(column, _)| column.head.lines().count()).max().unwrap_or(0);
        let heads = (0..height.max(1)).map(|line| {
            let head = self.join(|column| column.head.lines().nth(line).unwrap_or(""));
            let width = self.width() + 2;
            if line + 1 < height || tail.is_empty() { head } else { format!("{head:width$}{tail}") }
        });
        let lines = std::iter::once(self.groups(page)).chain(heads).filter(|line| !line.is_empty());
        lines.map(|line| page.paint(QUIET, &line)).collect()
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
            format!("{line:start$}{}", shorten(group, end.saturating_sub(*start), "."))
        })
    }

    /// One row, with `tail` behind its first line. A cell of several lines makes the row as high.
    pub(crate) fn row(&self, page: &Page, row: usize, style: Style, tail: &str) -> Vec<String> {
        let height = |column: &Column| column.cells.get(row).map_or(0, |cell| cell.lines().count());
        let height = self.columns.iter().map(|(column, _)| height(column)).max().unwrap_or(1).max(1);
        let line = |index| {
            let cells = self.join(|column| column.line(row, index));
            let blanks = (self.width() + 2).saturating_sub(columns(&cells));
            let cells = page.paint(style, &cells);
            if tail.is_empty() || index > 0 { cells } else { format!("{cells}{:blanks$}{tail}", "") }
        };
        (0..height).map(line).collect()
    }

    fn join<'c>(&'c self, text: impl Fn(&'c Column) -> &'c str) -> String {
        let mut line = String::new();
        for (index, (column, width)) in self.columns.iter().enumerate() {
            let text = text(column);
            let blanks = " ".repeat(width.saturating_sub(columns(text)));
            line += &" ".repeat(if index == 0 { 0 } else { self.gap });
            line += &match column.side {
                Side::Left => format!("{text}{blanks}"),
                Side::Right => format!("{blanks}{text}"),
            };
        }
        line.trim_end().to_owned()
    }

    /// The heads of the columns that are left.
    pub(crate) fn heads_shown(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(column, _)| column.head.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> Page {
        Page { width, colour: false, unicode: false }
    }

    fn three() -> Vec<Column> {
        vec![
            Column::right("name", ["one", "three"]),
            Column::right("least", ["1", "2"]).wanted(1),
            Column::right("more", ["3", "4"]).wanted(2),
        ]
    }

    #[test]
    fn a_wide_page_has_every_column_and_the_rest_of_the_line() {
        let table = Table::lay(three(), &page(40), 10);
        assert_eq!(table.heads(&page(40), "bar"), [" name  least  more  bar"]);
        assert_eq!(table.row(&page(40), 1, Style::new(), "###"), ["three      2     4  ###"]);
        assert_eq!(table.left, 40 - 20);
    }

    #[test]
    fn a_narrow_page_has_smaller_gaps_and_then_fewer_columns() {
        let table = Table::lay(three(), &page(16), 0);
        assert_eq!(table.heads(&page(16), ""), [" name least more"]);
        let table = Table::lay(three(), &page(12), 0);
        assert_eq!(table.heads(&page(12), ""), [" name more"]);
        assert_eq!(table.dropped, ["least"]);
        let table = Table::lay(three(), &page(3), 0);
        assert_eq!(table.heads(&page(3), ""), [" name"]);
        assert!(!Table::fits(&three(), &page(12), 0) && Table::fits(&three(), &page(40), 10));
    }

    #[test]
    fn a_cell_of_two_lines_makes_its_row_two_lines_high() {
        let mut columns = three();
        columns[0] = Column::left("first\nname", ["one,\ntwo", "three"]);
        let table = Table::lay(columns.clone(), &page(40), 3);
        assert_eq!(table.row(&page(40), 0, Style::new(), "###"), ["one,       1     3  ###", "two"]);
        assert_eq!(table.row(&page(40), 1, Style::new(), "###").len(), 1);
        let lines = Table::lines(columns, &page(40), |_| Style::new());
        assert_eq!(lines, ["first  least  more", "name", "one,       1     3", "two", "three      2     4"]);
    }

    #[test]
    fn groups_stand_over_their_columns_however_narrow() {
        let mut columns = three();
        columns[1].group = "both";
        columns[2].group = "both";
        let table = Table::lay(columns.clone(), &page(40), 0);
        assert_eq!(table.heads(&page(40), ""), ["       both", " name  least  more"]);
        columns[1].group = "bytes that went";
        columns[2].group = "busy";
        let table = Table::lay(columns, &page(16), 0);
        assert_eq!(table.heads(&page(16), ""), ["      byte. busy", " name least more"]);
    }
}
