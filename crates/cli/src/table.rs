//! The tables of a comparison: ranked times with bars, then traffic and processors. Must never know how columns find
//! their place, nor what the numbers show.
//!
//! Where the page is wide enough both are one table; where it is narrow, bars have lines of their own.

use anstyle::Style;
use tempest::policy::Split;
use tempest::{Mechanism, Outcome};

use crate::columns::{ALWAYS, Column, Side, Table};
use crate::measure::region;
use crate::page::{ALARM, Page, STRONG};
use crate::quantity::{count, percent, seconds, time};
use crate::ranking::{Row, ratio};
use crate::{bar, parts};

/// The head over bars.
const BARS: &str = "where it went";

/// A bar beside its row is not shorter than its head; where there is less room, it has a line of its own.
const LEAST_BAR: usize = BARS.len();

/// A bar is not longer than this.
const LONGEST_BAR: usize = 48;

/// The longest bar stands for the slowest row, but for no more than so many times the fastest: the parts of the fast
/// ones must be seen.
const LONGEST_RATIO: f64 = 4.0;

/// How wide names of policies may be: on a narrow page, and on others.
const NAMES: (usize, usize) = (17, 24);

/// Below this many columns a page is narrow.
const NARROW: usize = 72;

/// At most so many wrong results are shown of each row.
const WRONG_SHOWN: usize = 3;

/// Tables as lines, with what explains them.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) lines: Vec<String>,
    /// Heads of all columns.
    pub(crate) heads: Vec<&'static str>,
    /// Heads of columns for which there was no room.
    pub(crate) dropped: Vec<&'static str>,
    /// Whether a bar was too long.
    pub(crate) is_cut: bool,
    /// Whether a row has several policies.
    pub(crate) has_same: bool,
}

/// The tables of one machine's rows, in their order.
pub(crate) fn tables(page: &Page, rows: &[&Row]) -> Tables {
    let (times, traffic) = (times(page, rows), traffic(rows));
    let all = [times.clone(), traffic.clone()].concat();
    let mut tables = Tables {
        is_cut: Bars::of(rows).is_some_and(|bars| bars.cuts(rows)),
        has_same: rows.iter().any(|row| row.policies.len() > 1),
        ..Tables::default()
    };
    if Table::fits(&all, page, LEAST_BAR * 2) {
        tables.ranked(page, rows, all);
        return tables;
    }
    tables.ranked(page, rows, times);
    let traffic = [vec![rank(rows)], vec![names(page, rows)], traffic].concat();
    let table = Table::lay(traffic, page, 0);
    tables.lines.push(String::new());
    tables.lines.extend(table.heads(page, ""));
    for (index, row) in rows.iter().enumerate() {
        tables.lines.extend(table.row(page, index, style(rows, row), ""));
    }
    tables.note(&table);
    tables
}

impl Tables {
    /// Adds a table whose rows have bars behind or below them.
    fn ranked(&mut self, page: &Page, rows: &[&Row], columns: Vec<Column>) {
        let beside = Table::fits(&columns, page, LEAST_BAR);
        let table = Table::lay(columns, page, if beside { LEAST_BAR } else { 0 });
        let bars = Bars::of(rows);
        let cells = if beside { table.left } else { page.width - 6 }.min(LONGEST_BAR);
        self.lines.extend(table.heads(page, if beside { BARS } else { "" }));
        for (index, row) in rows.iter().enumerate() {
            let bar = bars.as_ref().map_or(String::new(), |bars| bars.draw(page, row, cells));
            let tail = if beside { bar.as_str() } else { "" };
            self.lines.extend(table.row(page, index, style(rows, row), tail));
            if !beside && !bar.is_empty() {
                self.lines.push(format!("    {bar}"));
            }
            self.lines.extend(wrong(page, row));
        }
        self.note(&table);
    }

    fn note(&mut self, table: &Table) {
        self.heads.extend(table.heads_shown());
        // The names are in the table of times already.
        self.dropped.extend(table.dropped.iter().filter(|head| **head != "policy"));
    }
}

fn style(rows: &[&Row], row: &Row) -> Style {
    match rows.first() {
        _ if !row.verified => ALARM,
        Some(first) if std::ptr::eq(*first, row) => STRONG,
        _ => Style::new(),
    }
}

fn wrong(page: &Page, row: &Row) -> Vec<String> {
    let shown = row.failures.iter().take(WRONG_SHOWN).cloned();
    let hidden = row.failures.len().saturating_sub(WRONG_SHOWN);
    let more = (hidden > 0).then(|| format!("and {hidden} more"));
    let unchecked = (!row.verified && row.failures.is_empty()).then(|| "nothing was checked".to_owned());
    let said = shown.chain(more).chain(unchecked);
    said.map(|failure| page.paint(ALARM, &page.fold("    WRONG: ", &failure))).collect()
}

/// How long bars are.
struct Bars {
    /// Seconds that the longest bar stands for.
    full: f64,
}

impl Bars {
    /// `None` if no row took any time.
    fn of(rows: &[&Row]) -> Option<Self> {
        let times = || rows.iter().map(|row| row.seconds()).filter(|seconds| *seconds > 0.0);
        let (least, greatest) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
        Some(Self { full: greatest.min(least * LONGEST_RATIO) })
    }

    fn cuts(&self, rows: &[&Row]) -> bool {
        rows.iter().any(|row| row.seconds() > self.full)
    }

    fn draw(&self, page: &Page, row: &Row, cells: usize) -> String {
        let shares = parts::shares(&row.outcome);
        if row.seconds() > self.full {
            return bar::bar(page, shares, cells - 1) + bar::cut(page);
        }
        let length = (row.seconds() / self.full * cells as f64).round() as usize;
        bar::bar(page, shares, length.clamp(1, cells))
    }
}

fn column(head: &'static str, wanted: u8, rows: &[&Row], cell: impl Fn(&Row) -> String) -> Column {
    let cells = rows.iter().map(|row| cell(row)).collect();
    Column { group: "", head, side: Side::Right, wanted, cells }
}

fn rank(rows: &[&Row]) -> Column {
    let mut column = column("", ALWAYS, rows, |_| String::new());
    let right = rows.iter().enumerate();
    column.cells = right
        .map(|(index, row)| if row.verified { (index + 1).to_string() } else { "-".to_owned() })
        .collect();
    column
}

/// Mechanism and policy in one.
fn names(page: &Page, rows: &[&Row]) -> Column {
    let several = has_several_mechanisms(rows);
    let cell = |row: &Row| match (row.policies.as_slice(), several) {
        ([policy], true) => format!("{} {policy}", short(row.mechanism)),
        ([policy, ..], true) => format!("{} {policy} ..", short(row.mechanism)),
        _ => policies(page, row).lines().next().unwrap_or_default().to_owned(),
    };
    Column { side: Side::Left, ..column("policy", 1, rows, cell) }
}

/// A mechanism where room is scarce.
pub(crate) const fn short(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::SharedMemory => "shared",
        other => other.name(),
    }
}

fn has_several_mechanisms(rows: &[&Row]) -> bool {
    rows.windows(2).any(|pair| pair[0].mechanism != pair[1].mechanism)
}

/// The policies of a row, in lines as wide as names may be.
fn policies(page: &Page, row: &Row) -> String {
    let widest = if page.width < NARROW { NAMES.0 } else { NAMES.1 };
    let page = Page { width: widest, ..*page };
    page.fold("", &row.policies.join(", "))
}

fn times(page: &Page, rows: &[&Row]) -> Vec<Column> {
    let mechanism = column("mechanism", ALWAYS, rows, |row| row.mechanism.to_string());
    let ratio = |row: &Row| ratio(rows[0], row).map_or_else(dash, |ratio| format!("{ratio:.2}"));
    let spread = |row: &Row| {
        row.spread.map_or_else(dash, |(least, greatest)| {
            percent((greatest.as_seconds() - least.as_seconds()) / row.seconds())
        })
    };
    let processors = |row: &Row| match row.split {
        Split { computing, dedicated: 0 } => computing.to_string(),
        Split { computing, dedicated } => format!("{computing}+{dedicated}"),
    };
    let mut columns = vec![rank(rows)];
    if has_several_mechanisms(rows) {
        columns.push(Column { side: Side::Left, ..mechanism });
    }
    columns.push(Column { side: Side::Left, ..column("policy", ALWAYS, rows, |row| policies(page, row)) });
    columns.push(Column { side: Side::Left, ..column(PROCESSORS.0, 4, rows, processors) });
    columns.push(column("", ALWAYS, rows, |row| if row.oversubscribed { "*" } else { "" }.to_owned()));
    columns.push(column("time", ALWAYS, rows, |row| time(row.outcome.timed())));
    columns.push(column("spread", 2, rows, spread));
    columns.push(column("ratio", 3, rows, ratio));
    columns
        .into_iter()
        .enumerate()
        .filter(|(index, column)| *index == 0 || !column.is_blank())
        .map(|(_, column)| column)
        .collect()
}

/// A number in every row's outcome.
struct Figure {
    group: &'static str,
    head: &'static str,
    meaning: &'static str,
    wanted: u8,
    cell: fn(&Outcome) -> String,
}

const fn figure(
    group: &'static str,
    head: &'static str,
    wanted: u8,
    meaning: &'static str,
    cell: fn(&Outcome) -> String,
) -> Figure {
    Figure { group, head, meaning, wanted, cell }
}

/// Traffic and processors, in the order of columns.
static FIGURES: &[Figure] = &[
    figure("sent", "msgs", 95, "messages", |run| count(region(run).counters.messages)),
    figure("sent", "bulk", 89, "of them block transfers", |run| count(region(run).counters.transfers)),
    figure("sent", "dep.", 88, "deposits, which are no messages", |run| count(region(run).counters.deposits)),
    figure("bytes", "data", 90, "", |run| count(region(run).counters.volume.data)),
    figure("bytes", "head", 85, "headers of data", |run| count(region(run).counters.volume.headers)),
    figure("bytes", "req.", 70, "requests, headers included", |run| {
        count(region(run).counters.volume.requests)
    }),
    figure("bytes", "inv.", 69, "invalidations and what answers them, headers included", |run| {
        count(region(run).counters.volume.invalidations)
    }),
    figure("busy", "comp", 92, "time that computing processors did not wait", |run| {
        percent(run.utilization.compute)
    }),
    figure("busy", "prot", 91, "time that protocol processors spent on events", |run| {
        run.utilization.protocol.map_or_else(dash, percent)
    }),
    figure("dispatch", "wait", 86, "mean time from arrival to handler", |run| {
        run.dispatching.mean_wait.map_or_else(dash, |wait| seconds(wait.as_seconds()))
    }),
    figure("dispatch", "queue", 87, "time in which an event waited or was handled", |run| {
        run.dispatching.busy.map_or_else(dash, percent)
    }),
    figure("dispatch", "keys", 60, "events that waited for a busy key", |run| {
        count(run.dispatching.waited_on_key)
    }),
    figure("", "intr.", 40, "interrupts", |run| count(region(run).counters.interrupts)),
    figure("", "full", 93, "sends that found no room at first", |run| count(region(run).counters.refused)),
];

fn dash() -> String {
    "-".to_owned()
}

/// How many processors a row used.
const PROCESSORS: (&str, &str) = ("procs", "processors of each node that compute + that only handle");

/// Head and meaning of the columns with these heads, in their order.
pub(crate) fn meanings(heads: &[&str]) -> Vec<(&'static str, &'static str)> {
    let processors = heads.contains(&PROCESSORS.0).then_some(PROCESSORS);
    let shown = FIGURES.iter().filter(|figure| heads.contains(&figure.head) && !figure.meaning.is_empty());
    processors.into_iter().chain(shown.map(|figure| (figure.head, figure.meaning))).collect()
}

/// Columns of figures that are nothing everywhere are left out.
fn traffic(rows: &[&Row]) -> Vec<Column> {
    let columns = FIGURES.iter().map(|figure| {
        let Figure { group, head, wanted, cell, .. } = *figure;
        Column { group, ..column(head, wanted, rows, |row| cell(&row.outcome)) }
    });
    columns.filter(|column| column.head == "msgs" || !column.is_blank()).collect()
}
