//! The tables of a comparison: ranked times with bars, then traffic and processors. This module must never know how columns
//! find their place, nor what the numbers show.
//!
//! Where the page is wide enough both are one table; where it is narrow, bars have lines of their own.

use anstyle::Style;
use compare::Row;
use compare::parts::{region, shares};
use compare::ranking::ratio;
use tempest::Mechanism;
use tempest::outcome::{Outcome, Resource, Utilization};
use tempest::policy::Split;

use crate::bar;
use crate::page::{ALARM, Page, STRONG};
use crate::quantity::{count, percent, seconds, time};
use crate::table::{Column, Table, dash};

/// The head over bars.
const BARS: &str = "where it went";

/// The length below which a bar does not stand beside its row: that of its head. Then it has a line of its own.
const LEAST_BAR: usize = BARS.len();

/// The length of the longest bar.
const LONGEST_BAR: usize = 48;

/// The longest bar stands for the slowest row, but for no more than so many times the fastest: the parts of the fast ones
/// must be seen.
const LONGEST_RATIO: f64 = 4.0;

/// The width of names of policies on a narrow page, and on others.
const NAMES: (usize, usize) = (17, 24);

/// The width below which a page is narrow.
const NARROW: usize = 72;

/// The mark of a row that decides nothing, because the operating system took too much of its time.
pub(super) const DISTURBED: &str = "!";

/// The number of wrong results that are shown of each row.
const WRONG_SHOWN: usize = 3;

/// Tables as lines, with what explains them.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) lines: Vec<String>,
    /// The heads of all columns.
    pub(super) heads: Vec<String>,
    /// The heads of columns for which there was no room.
    pub(super) dropped: Vec<String>,
    /// Whether a bar was too long.
    pub(super) is_cut: bool,
    /// Whether a row has several policies.
    pub(super) has_same: bool,
    /// Whether the operating system took too much of a row's time.
    pub(super) is_disturbed: bool,
}

/// The tables of the rows of one machine, whose nodes have so many processors, in their order: of times, and of traffic and
/// processors if `counters` are asked for.
pub(super) fn tables(page: &Page, rows: &[&Row], processors: u32, counters: bool) -> Tables {
    let times = times(page, rows, processors);
    let mut tables = Tables {
        is_cut: Bars::of(rows).is_some_and(|bars| bars.cuts(rows)),
        has_same: rows.iter().any(|row| row.policies.len() > 1),
        is_disturbed: rows.iter().any(|row| row.disturbed().is_some()),
        ..Tables::default()
    };
    if !counters {
        tables.ranked(page, rows, times);
        return tables;
    }
    let traffic = traffic(rows);
    let all = [times.clone(), traffic.clone()].concat();
    if Table::fits(&all, page, LEAST_BAR * 2) {
        tables.ranked(page, rows, all);
        return tables;
    }
    tables.ranked(page, rows, times);
    let traffic = [vec![rank(rows), names(page, rows)], traffic].concat();
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
        self.heads.extend(table.heads_shown().map(str::to_owned));
        // The names are in the table of times already.
        self.dropped.extend(table.dropped.iter().filter(|head| *head != "policy").cloned());
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

/// The lengths of bars.
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
        let shares = shares(&region(&row.outcome).breakdown);
        if row.seconds() > self.full {
            return bar::bar(page, shares, cells - 1) + bar::cut(page);
        }
        let length = (row.seconds() / self.full * cells as f64).round() as usize;
        bar::bar(page, shares, length.clamp(1, cells))
    }
}

fn rank(rows: &[&Row]) -> Column {
    let rank = |(index, row): (usize, &&Row)| if row.verified { (index + 1).to_string() } else { dash() };
    Column::right("", rows.iter().enumerate().map(rank))
}

/// Mechanism and policy in one.
fn names(page: &Page, rows: &[&Row]) -> Column {
    let several = has_several_mechanisms(rows);
    let cell = |row: &&Row| match (row.policies.as_slice(), several) {
        ([policy], true) => format!("{} {policy}", short(row.mechanism)),
        ([policy, ..], true) => format!("{} {policy} ..", short(row.mechanism)),
        _ => policies(page, row).lines().next().unwrap_or_default().to_owned(),
    };
    Column::left("policy", rows.iter().map(cell)).wanted(1)
}

/// A mechanism where room is scarce.
pub(super) const fn short(mechanism: Mechanism) -> &'static str {
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
    Page { width: widest, ..*page }.fold("", &row.policies.join(", "))
}

/// Columns that say the same in every row, and what the title says, are left out.
fn times(page: &Page, rows: &[&Row], processors: u32) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Row) -> String| rows.iter().map(|row| cell(row)).collect::<Vec<_>>();
    let mechanism = |row: &Row| match has_several_mechanisms(rows) {
        true => row.mechanism.to_string(),
        false => String::new(),
    };
    let all_compute = |row: &&Row| row.split == Split { computing: processors, dedicated: 0 };
    let is_plain = rows.iter().all(all_compute);
    let processors = |row: &Row| if is_plain { String::new() } else { row.split.to_string() };
    let mark = |row: &Row| match row.disturbed() {
        _ if row.oversubscribed => "*".to_owned(),
        Some(_) => DISTURBED.to_owned(),
        None => String::new(),
    };
    let ratio = |row: &Row| ratio(rows[0], row).map_or_else(dash, times_as_long);
    let columns = [
        Column::left("mechanism", cells(&mechanism)),
        Column::left("policy", cells(&|row| policies(page, row))),
        Column::left(PROCESSORS.0, cells(&processors)).wanted(4),
        Column::right("", cells(&mark)),
        Column::right("time", cells(&|row| time(row.outcome.timed().as_nanoseconds()))),
        Column::right(UNCERTAINTY.0, cells(&|row| row.uncertainty().map_or_else(dash, off))).wanted(2),
        Column::right(RATIO.0, cells(&ratio)).wanted(3),
    ];
    std::iter::once(rank(rows)).chain(columns.into_iter().filter(|column| !column.is_blank())).collect()
}

/// How many times as long, in at most as many digits as matter.
fn times_as_long(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => format!("{ratio:.0}"),
        ratio if ratio >= 10.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.2}"),
    }
}

/// How far off a median may be. What is further off than the median itself tells nothing, however far.
fn off(share: f64) -> String {
    if share > 1.0 { ">100 %".to_owned() } else { percent(share) }
}

/// A number in every row's outcome: its group, head and meaning, how much its column is wanted, and its text.
type Figure = (&'static str, &'static str, &'static str, u8, fn(&Outcome) -> String);

/// Traffic and processors, in the order of columns.
static FIGURES: &[Figure] = &[
    ("sent", "msgs", "messages", 95, |run| count(region(run).counters.messages)),
    ("sent", "bulk", "of them block transfers", 89, |run| count(region(run).counters.transfers)),
    ("sent", "dep.", "deposits, which are no messages", 88, |run| count(region(run).counters.deposits)),
    ("bytes", "data", "", 90, |run| count(region(run).counters.volume.data)),
    ("bytes", "head", "headers of data", 85, |run| count(region(run).counters.volume.headers)),
    ("bytes", "req.", "requests, headers included", 70, |run| count(region(run).counters.volume.requests)),
    ("bytes", "inv.", "invalidations and what answers them, headers included", 69, |run| {
        count(region(run).counters.volume.invalidations)
    }),
    ("busy", "comp", "time that computing processors did not wait", 92, |run| {
        let computing = Utilization::find(&run.utilization, Resource::ComputingProcessor);
        computing.map_or_else(dash, |entry| percent(entry.mean))
    }),
    ("busy", "prot", "time that protocol processors spent on events", 91, |run| {
        Utilization::protocol(&run.utilization).map_or_else(dash, |entry| percent(entry.mean))
    }),
    ("dispatch", "wait", "mean time from arrival to handler", 86, |run| {
        run.dispatching.mean_wait.map_or_else(dash, |wait| seconds(wait.as_seconds()))
    }),
    ("dispatch", "queue", "time in which an event waited or was handled", 87, |run| {
        run.dispatching.busy.map_or_else(dash, percent)
    }),
    ("dispatch", "keys", "events that waited for a busy key", 60, |run| count(run.dispatching.waited_on_key)),
    ("", "intr.", "interrupts", 40, |run| count(region(run).counters.interrupts)),
    ("", "full", "sends that found no room at first", 93, |run| count(region(run).counters.refused)),
];

/// The head and the meaning of the column of processors.
const PROCESSORS: (&str, &str) =
    ("procs", "processors of each node that compute + others, which run handlers or move messages");

/// The head and the meaning of the column of confidence intervals.
const UNCERTAINTY: (&str, &str) =
    ("+/-", "how far off the time may be; no row of a table is further off, with 95 % confidence");

/// The head and the meaning of the column of ratios.
const RATIO: (&str, &str) = ("ratio", "time divided by that of the first row");

/// Head and meaning of the columns with these heads, in their order.
pub(super) fn meanings(heads: &[String]) -> Vec<(String, String)> {
    let figures = FIGURES.iter().map(|(_, head, meaning, ..)| (*head, *meaning));
    let all = [PROCESSORS, UNCERTAINTY, RATIO].into_iter().chain(figures);
    all.filter(|(head, meaning)| !meaning.is_empty() && heads.iter().any(|shown| shown == head))
        .map(|(head, meaning)| (head.to_owned(), meaning.to_owned()))
        .collect()
}

/// Columns of figures that are nothing everywhere are left out.
fn traffic(rows: &[&Row]) -> Vec<Column> {
    let columns = FIGURES.iter().map(|(group, head, _, wanted, cell)| {
        Column::right(head, rows.iter().map(|row| cell(&row.outcome))).wanted(*wanted).group(group)
    });
    columns.filter(|column| column.head == "msgs" || !column.is_blank()).collect()
}
