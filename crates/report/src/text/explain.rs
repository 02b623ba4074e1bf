//! An explanation as text: the values by section in one table, then what follows from them. This module must never derive
//! anything.
//!
//! Where the page is wide enough the sources are a column, elsewhere they stand below what they speak for.

use anstyle::Style;
use indexmap::IndexSet;

use crate::document::{Derived, Explain, Meaning, OneWay, Unable, Underived, Value};
use crate::grouped::grouped;
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::{duration, number};
use crate::table::{Column, Table};

/// The width below which sources have no column.
const LEAST_SOURCE: usize = 28;

/// The length beyond which a value, a list or a sentence, has lines of its own.
const LONGEST_VALUE: usize = 24;

/// Stands for the source of the row above.
const DITTO: &str = "\"";

/// The lines of an explanation; `refusal` says why the machine cannot run the policy that was named.
pub fn explain(explain: &Explain, refusal: Option<&str>, page: &Page) -> Vec<String> {
    let Explain { machine, machine_file, machine_digest, summary, policy, runs, .. } = explain;
    let under = policy.as_ref().map_or_else(String::new, |policy| format!(", under policy {policy}"));
    let mut lines = vec![
        page.fold_strong(machine, &format!("{machine}: "), summary),
        page.fold("  ", &format!("{machine_file}, digest {machine_digest}{under}")),
    ];
    lines.extend(refusal.map(|why| page.fold_in(ALARM, "  it cannot run so: ", why)));
    let rows = rows(&explain.values, policy.is_some());
    lines.extend(Sheet::new(page, machine_file, &rows).lines());
    lines.extend(follows(page, explain));
    lines.extend(measured(page, explain));
    lines.extend([String::new(), page.paint(STRONG, "runs")]);
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    lines.push(page.fold("  policies    ", &list(&runs.policies)));
    lines.extend(runs.default_policy.as_ref().map(|policy| page.fold("  default     ", policy)));
    lines.push(page.fold("  mechanisms  ", &list(&runs.mechanisms)));
    lines.extend(cannot_run(page, &explain.refused));
    lines.extend(sources(page, &explain.sources));
    lines
}

/// The policies that the machine cannot run, with the reasons. Policies of one reason are told together.
fn cannot_run(page: &Page, refused: &[Unable]) -> Vec<String> {
    if refused.is_empty() {
        return Vec::new();
    }
    let told = grouped(refused.iter().map(|Unable { policy, reason }| (reason, policy.as_str())));
    let lines =
        told.iter().map(|(reason, policies)| page.fold("  ", &format!("{}: {reason}", policies.join(", "))));
    [String::new(), page.paint(STRONG, "cannot run")].into_iter().chain(lines).collect()
}

/// The meanings of the marks in sources. Where two files mean different things by a mark, each meaning begins with its file.
fn sources(page: &Page, meanings: &[Meaning]) -> Vec<String> {
    let widest = meanings.iter().map(|one| one.mark.chars().count()).max();
    let Some(widest) = widest else { return Vec::new() };
    let told = meanings.iter().map(|one| {
        let Meaning { mark, file, text } = one;
        let file = file.rsplit('/').next().unwrap_or(file);
        let several = meanings.iter().filter(|other| other.mark == *mark).count() > 1;
        let text = match text {
            Some(text) if several => format!("in {file}: {text}"),
            Some(text) => text.clone(),
            None => format!("the comment at the head of {file} does not say"),
        };
        page.fold(&format!("  {mark:<widest$}  "), &text)
    });
    [String::new(), page.paint(STRONG, "sources")].into_iter().chain(told).collect()
}

/// One value in its section.
struct Row<'a> {
    value: &'a Value,
    /// The section it stands in, as a heading.
    heading: String,
    key: &'a str,
    /// The policy that has it so, where that does not stand in the heading.
    because: Option<&'a str>,
    /// The source of the value; a ditto mark if the row above has the same.
    source: &'a str,
}

/// The values but for those in the title, those of a section together. Under one policy it does not matter which of
/// them hold under that policy only.
fn rows(values: &[Value], under_one: bool) -> Vec<Row<'_>> {
    let shown = values.iter().filter(|value| !["name", "summary"].contains(&value.key.as_str()));
    let mut rows: Vec<_> = shown.map(|value| row(value, under_one)).collect();
    let order: IndexSet<String> = rows.iter().map(|row| row.heading.clone()).collect();
    rows.sort_by_key(|row| order.get_index_of(&row.heading));
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
    let (section, key) = place(value);
    let policy = value.policy.as_deref();
    let heading = match policy.filter(|_| !under_one) {
        Some(policy) => format!("[{section}] under policy {policy}"),
        None if section.is_empty() => "machine".to_owned(),
        None => format!("[{section}]"),
    };
    let because = policy.filter(|_| under_one);
    Row { value, heading, key, because, source: value.source.as_deref().unwrap_or("") }
}

/// A value's section, and its key in there.
fn place(value: &Value) -> (&str, &str) {
    let prefix = value.policy.as_ref().map_or(0, |policy| "policy.".len() + policy.len() + 1);
    let key = &value.key[prefix..];
    // A price has parts, and is no section of its own.
    const PRICES: &str = "primitives.";
    let split = match key.find(PRICES) {
        Some(at) => Some(at + PRICES.len() - 1),
        None => key.rfind('.'),
    };
    split.map_or(("", key), |at| (&key[..at], &key[at + 1..]))
}

impl Row<'_> {
    fn is_long(&self) -> bool {
        [self.written(), &self.value.value].iter().any(|text| text.chars().count() > LONGEST_VALUE)
    }

    /// The value as written, but for the brackets and quotes of a list.
    fn written(&self) -> &str {
        let Value { written, value, .. } = self.value;
        if written.starts_with('[') { value } else { written }
    }

    /// The value in units of time, if it is written in cycles.
    fn comes_to(&self) -> &str {
        let Value { written, value, .. } = self.value;
        if written.contains("cycle") && !value.starts_with("0 ") { value } else { "" }
    }

    /// The line, with its file where that is not the machine's own, and the policy that has it so.
    fn line(&self, own: &str) -> String {
        let place = match (self.value.line, self.value.file.as_deref().unwrap_or("")) {
            (None, _) => "--set".to_owned(),
            (Some(line), file) if file == own => line.to_string(),
            (Some(line), file) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
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
        let cells = |cell: &dyn Fn(&Row<'_>) -> String| {
            let short = |row: &Row<'_>| if row.is_long() { String::new() } else { cell(row) };
            rows.iter().map(short).collect::<Vec<_>>()
        };
        let mut columns = vec![
            Column::left("", cells(&|row| format!("  {}", row.key))),
            Column::left("value", cells(&|row| row.written().to_owned())),
            Column::left("comes to", cells(&|row| row.comes_to().to_owned())).wanted(2),
            Column::left("line", cells(&|row| row.line(file))).wanted(1),
        ];
        let room = Table::lay(columns.clone(), page, 0).left;
        let words = rows.iter().flat_map(|row| row.source.split_whitespace());
        let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
        let beside = room >= LEAST_SOURCE.max(longest);
        if beside {
            let narrow = Page { width: room, ..*page };
            columns.push(Column::left("source", cells(&|row| narrow.fold("", row.source))));
        }
        Self { page, file, rows, table: Table::lay(columns, page, 0), beside }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![String::new()];
        lines.extend(self.table.heads(self.page, ""));
        let mut heading = "";
        for (index, row) in self.rows.iter().enumerate() {
            if row.heading != heading {
                lines.push(self.page.paint(STRONG, &row.heading));
            }
            heading = &row.heading;
            lines.extend(self.row(index, row));
        }
        lines
    }

    fn row(&self, index: usize, row: &Row<'_>) -> Vec<String> {
        if row.is_long() {
            let said = format!("{} (line {}) {}", row.value.value, row.line(self.file), row.source);
            return vec![self.page.fold(&format!("  {}  ", row.key), &said)];
        }
        let mut lines = self.table.row(self.page, index, Style::new(), "");
        if !self.beside && !row.source.is_empty() && row.source != DITTO {
            lines.push(self.page.fold_in(QUIET, "      ", row.source));
        }
        lines
    }
}

/// The derived quantities with their origins, and the ones that cannot be derived.
fn follows(page: &Page, explain: &Explain) -> Vec<String> {
    let Explain { derived, not_derived, .. } = explain;
    let known = derived
        .iter()
        .enumerate()
        .map(|(index, one)| (&one.name, quantity(one), origin(&derived[..index], one)));
    let unknown = not_derived.iter().map(|one| (&one.name, "-".to_owned(), one.reason.clone()));
    let rows: Vec<_> = known.chain(unknown).collect();
    let names = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let widest = rows.iter().map(|(_, quantity, _)| quantity.chars().count()).max().unwrap_or(0);
    let mut lines = vec![String::new(), page.paint(STRONG, "follows")];
    for (name, quantity, from) in rows {
        let head = format!("  {name:<names$}  {quantity:<widest$}  ");
        if head.chars().count() + LEAST_SOURCE <= page.width {
            lines.push(page.fold(&head, &from));
        } else {
            lines.push(head.trim_end().to_owned());
            lines.push(page.fold_in(QUIET, "      ", &from));
        }
    }
    lines
}

/// The time of a message from handler to handler under each policy, and its steps; or the reason why there is none.
fn measured(page: &Page, explain: &Explain) -> Vec<String> {
    let (ways, without) = (&explain.measured, &explain.not_measured);
    let time = |nanoseconds: f64| duration(nanoseconds * 1e-9);
    let name = |way: &OneWay| format!("  one way, {}", way.policy);
    let missing = |one: &Underived| format!("  {}", one.name);
    let names = ways.iter().map(name).chain(without.iter().map(missing));
    let names = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let times = ways.iter().map(|way| time(way.time_ns).chars().count()).max().unwrap_or(0);
    let line = |(at, way): (usize, &OneWay)| {
        let head = format!("{:<names$}  {:<times$}  ", name(way), time(way.time_ns));
        let steps = way.stages.iter().map(|stage| format!("{} {}", stage.name, time(stage.time_ns)));
        let earlier = ways[..at].iter().find(|earlier| earlier.stages == way.stages);
        let said = match earlier {
            Some(earlier) => format!("as one way, {}", earlier.policy),
            None => steps.collect::<Vec<_>>().join(", "),
        };
        page.fold(&head, &said)
    };
    let head = page.paint(STRONG, "measured, from handler to handler");
    let reason =
        |one: &Underived| page.fold(&format!("{:<names$}  {:<times$}  ", missing(one), "-"), &one.reason);
    let lines = ways.iter().enumerate().map(line).chain(without.iter().map(reason));
    let head = (!ways.is_empty() || !without.is_empty()).then(|| [String::new(), head]);
    head.into_iter().flatten().chain(lines).collect()
}

/// The terms of a derived quantity, or a reference to an earlier quantity with the same terms and value.
fn origin(earlier: &[Derived], one: &Derived) -> String {
    let same = |other: &&Derived| other.from == one.from && quantity(other) == quantity(one);
    earlier.iter().find(same).map_or_else(|| one.from.clone(), |other| format!("as {}", other.name))
}

fn quantity(one: &Derived) -> String {
    match one.unit.as_str() {
        "ns" if one.number >= 1e3 => format!("{} us", number(one.number / 1e3)),
        "MB/s" if one.number >= 1e4 => format!("{} GB/s", number(one.number / 1e3)),
        unit => format!("{} {unit}", number(one.number)),
    }
}
