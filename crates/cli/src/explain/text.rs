//! An explanation for people: the values by section in one table, then what follows from them.
//!
//! Where the page is wide enough the sources are a column, elsewhere they stand below what they speak for.

use std::io::Write;

use anstyle::Style;
use machine::Value;

use super::derived::Derived;
use super::{Explanation, place};
use crate::Problem;
use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::number;

/// A column of sources is not narrower than this.
const LEAST_SOURCE: usize = 28;

/// Values that are longer than this, lists and sentences, have lines of their own.
const LONGEST_VALUE: usize = 24;

/// Stands for the source of the row above.
const DITTO: &str = "\"";

pub(super) fn write(out: &mut impl Write, page: &Page, explanation: &Explanation) -> Result<(), Problem> {
    let Explanation { machine, digest, policy, file, abilities, refusal, .. } = explanation;
    let title = page.fold(&format!("{}: ", machine.name), &machine.summary);
    writeln!(out, "{}", title.replacen(&machine.name, &page.paint(STRONG, &machine.name), 1))?;
    let under = policy.as_ref().map_or_else(String::new, |policy| format!(", under policy {policy}"));
    writeln!(out, "{}", page.fold("  ", &format!("{file}, digest {digest:016x}{under}")))?;
    if let Some(refusal) = refusal {
        writeln!(out, "{}", page.paint(ALARM, &page.fold("  it cannot run so: ", refusal)))?;
    }
    let rows = rows(explanation.values(), policy.is_some());
    Sheet::new(page, file, &rows).write(out)?;
    follows(out, page, explanation)?;
    writeln!(out, "\n{}", page.paint(STRONG, "runs"))?;
    let none = || "none".to_owned();
    let list = |names: &[&str]| if names.is_empty() { none() } else { names.join(", ") };
    writeln!(out, "{}", page.fold("  policies    ", &list(&abilities.policies)))?;
    writeln!(out, "{}", page.fold("  mechanisms  ", &list(&abilities.mechanisms)))?;
    Ok(())
}

/// One value in its section.
struct Row<'a> {
    value: &'a Value,
    /// The section it stands in, as a heading.
    heading: String,
    key: &'a str,
    /// The policy that has it so, where that does not stand in the heading.
    because: Option<&'a str>,
    /// Its source; a ditto mark where that is the one of the row above.
    source: &'a str,
}

/// The values but for those in the title, a section's together. Under one policy it does not matter which of them hold
/// under that policy only.
fn rows<'v>(values: impl Iterator<Item = &'v Value>, under_one: bool) -> Vec<Row<'v>> {
    let shown = values.filter(|value| !["name", "summary"].contains(&value.key.as_str()));
    let mut rows: Vec<_> = shown.map(|value| row(value, under_one)).collect();
    let mut order: Vec<String> = Vec::new();
    for row in &rows {
        if !order.contains(&row.heading) {
            order.push(row.heading.clone());
        }
    }
    rows.sort_by_key(|row| order.iter().position(|heading| *heading == row.heading));
    let same = |pair: &[Row<'_>]| {
        pair[0].heading == pair[1].heading && pair[0].source == pair[1].source && !pair[1].source.is_empty()
    };
    let repeated: Vec<_> = rows.windows(2).map(same).collect();
    for (row, _) in rows.iter_mut().skip(1).zip(repeated).filter(|(_, repeated)| *repeated) {
        row.source = DITTO;
    }
    rows
}

fn row(value: &Value, under_one: bool) -> Row<'_> {
    let (policy, section, key) = place(value);
    let heading = match policy.filter(|_| !under_one) {
        Some(policy) => format!("[{section}] under policy {policy}"),
        None if section.is_empty() => "machine".to_owned(),
        None => format!("[{section}]"),
    };
    let because = policy.filter(|_| under_one);
    Row { value, heading, key, because, source: value.source.as_deref().unwrap_or("") }
}

impl Row<'_> {
    fn is_long(&self) -> bool {
        [self.written(), &self.value.resolved].iter().any(|text| text.chars().count() > LONGEST_VALUE)
    }

    /// The value as written, but for the brackets and quotes of a list.
    fn written(&self) -> &str {
        let Value { text, resolved, .. } = self.value;
        if text.starts_with('[') { resolved } else { text }
    }

    /// What the value comes to, where cycles count.
    fn comes_to(&self) -> &str {
        let is_zero = self.value.resolved.starts_with("0 ");
        if self.value.text.contains("cycle") && !is_zero { &self.value.resolved } else { "" }
    }

    /// The line, with its file where that is not the machine's own, and the policy that has it so.
    fn line(&self, own: &str) -> String {
        let Value { line, file, .. } = self.value;
        let place = match line {
            None => "--set".to_owned(),
            Some(line) if file == own => line.to_string(),
            Some(line) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        };
        self.because.map_or(place.clone(), |policy| format!("{place} ({policy})"))
    }
}

/// The values laid out on a page.
struct Sheet<'a> {
    page: &'a Page,
    file: &'a str,
    rows: &'a [Row<'a>],
    table: Table,
    /// Whether sources have a column.
    beside: bool,
}

impl<'a> Sheet<'a> {
    fn new(page: &'a Page, file: &'a str, rows: &'a [Row<'a>]) -> Self {
        let column = |head: &'static str, wanted: u8, cell: &dyn Fn(&Row<'_>) -> String| {
            let short = |row: &Row<'_>| if row.is_long() { String::new() } else { cell(row) };
            Column { group: "", head, side: Side::Left, wanted, cells: rows.iter().map(short).collect() }
        };
        let mut columns = vec![
            column("", ALWAYS, &|row| format!("  {}", row.key)),
            column("value", ALWAYS, &|row| row.written().to_owned()),
            column("comes to", 2, &|row| row.comes_to().to_owned()),
            column("line", 1, &|row| row.line(file)),
        ];
        let room = Table::lay(columns.clone(), page, 0).left;
        let words = rows.iter().flat_map(|row| row.source.split_whitespace());
        let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
        let beside = room >= LEAST_SOURCE.max(longest);
        if beside {
            let narrow = Page { width: room, ..*page };
            columns.push(column("source", ALWAYS, &|row| narrow.fold("", row.source)));
        }
        Self { page, file, rows, table: Table::lay(columns, page, 0), beside }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Problem> {
        writeln!(out)?;
        for line in self.table.heads(self.page, "") {
            writeln!(out, "{line}")?;
        }
        let mut heading = "";
        for (index, row) in self.rows.iter().enumerate() {
            if row.heading != heading {
                writeln!(out, "{}", self.page.paint(STRONG, &row.heading))?;
            }
            heading = &row.heading;
            self.row(out, index, row)?;
        }
        Ok(())
    }

    fn row(&self, out: &mut impl Write, index: usize, row: &Row<'_>) -> Result<(), Problem> {
        if row.is_long() {
            let said = format!("{} (line {}) {}", row.value.resolved, row.line(self.file), row.source);
            writeln!(out, "{}", self.page.fold(&format!("  {}  ", row.key), &said))?;
            return Ok(());
        }
        for line in self.table.row(self.page, index, Style::new(), "") {
            writeln!(out, "{line}")?;
        }
        if !self.beside && !row.source.is_empty() && row.source != DITTO {
            writeln!(out, "{}", self.page.paint(QUIET, &self.page.fold("      ", row.source)))?;
        }
        Ok(())
    }
}

/// What follows, with where it comes from, and what does not.
fn follows(out: &mut impl Write, page: &Page, explanation: &Explanation) -> Result<(), Problem> {
    writeln!(out, "\n{}", page.paint(STRONG, "follows"))?;
    let Explanation { derived, underived, .. } = explanation;
    let known = derived
        .iter()
        .enumerate()
        .map(|(index, one)| (&one.name, quantity(one), origin(&derived[..index], one)));
    let unknown = underived.iter().map(|one| (&one.name, "-".to_owned(), one.reason.clone()));
    let rows: Vec<_> = known.chain(unknown).collect();
    let names = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let widest = rows.iter().map(|(_, quantity, _)| quantity.chars().count()).max().unwrap_or(0);
    for (name, quantity, from) in rows {
        let head = format!("  {name:<names$}  {quantity:<widest$}  ");
        if head.chars().count() + LEAST_SOURCE <= page.width {
            writeln!(out, "{}", page.fold(&head, &from))?;
        } else {
            writeln!(out, "{}", head.trim_end())?;
            writeln!(out, "{}", page.paint(QUIET, &page.fold("      ", &from)))?;
        }
    }
    Ok(())
}

/// What a quantity is made of; a reference where that has been said of another that comes to the same.
fn origin(earlier: &[Derived], one: &Derived) -> String {
    let same = |other: &&Derived| other.from == one.from && quantity(other) == quantity(one);
    earlier.iter().find(same).map_or_else(|| one.from.clone(), |other| format!("as {}", other.name))
}

fn quantity(one: &Derived) -> String {
    match one.unit {
        "ns" if one.number >= 1e3 => format!("{} us", number(one.number / 1e3)),
        "MB/s" if one.number >= 1e4 => format!("{} GB/s", number(one.number / 1e3)),
        unit => format!("{} {unit}", number(one.number)),
    }
}
