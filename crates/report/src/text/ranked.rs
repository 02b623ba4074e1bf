//! The tables of a comparison: ranked times with bars, then traffic and processors. This module must never know how columns
//! find their place, nor what the numbers show.
//!
//! Where the page is wide enough both are one table; where it is narrow, bars have lines of their own.

use anstyle::Style;
use indexmap::IndexSet;
use tempest::outcome::Resource;
use tempest::policy::Split;

use crate::bar;
use crate::document::{Band, Measured, TableRow, Utilization, has_several_mechanisms};
use crate::page::{ALARM, Page, STRONG};
use crate::quantity::{self, count, percent, seconds, time};
use crate::table::{Column, Table, dash};

/// The head over bars.
const BARS: &str = "where it went";

/// The length below which a bar does not stand beside its row: that of its head. Then it has a line of its own.
const LEAST_BAR: usize = BARS.len();

/// The length of the longest bar.
const LONGEST_BAR: usize = 48;

/// The longest bar stands for the slowest row, but for at most this multiple of the fastest: the parts of the fast ones
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

/// Tables as lines, with facts for the legend.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) lines: Vec<String>,
    pub(super) marks: Marks,
}

/// The marks of tables that a legend explains.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The heads of all columns.
    pub(super) heads: IndexSet<String>,
    /// The heads of columns for which there was no room.
    pub(super) dropped: IndexSet<String>,
    /// Whether a bar was too long.
    pub(super) is_cut: bool,
    /// Whether a row has several policies.
    pub(super) has_same: bool,
    /// Whether the operating system took too much of a row's time.
    pub(super) is_disturbed: bool,
}

/// The extent of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A line for each of the first rows.
    Brief {
        /// The number of rows.
        shown: usize,
        /// Whether the columns have heads.
        heads: bool,
    },
    /// All policies of each row.
    Times,
    /// Traffic and processors too.
    Counters,
}

/// The tables of the rows of one machine, whose nodes have `processors` processors each, in the order of the rows.
pub(super) fn tables(page: &Page, rows: &[TableRow<'_>], processors: u32, look: Look) -> Tables {
    let times = times(page, rows, processors, look);
    let (shown, heads) = match look {
        Look::Brief { shown, heads } => (shown.min(rows.len()), heads),
        Look::Times | Look::Counters => (rows.len(), true),
    };
    let marks = Marks {
        is_cut: Bars::of(rows).is_some_and(|bars| bars.cuts(rows)),
        has_same: rows.iter().any(|row| row.policies.len() > 1),
        is_disturbed: rows.iter().any(|row| row.measured.disturbed),
        ..Marks::default()
    };
    let mut tables = Tables { lines: Vec::new(), marks };
    let traffic = if look == Look::Counters { traffic(rows) } else { Vec::new() };
    let all = [times.clone(), traffic.clone()].concat();
    let is_one = traffic.is_empty() || Table::fits(&all, page, LEAST_BAR * 2);
    tables.ranked(page, rows, shown, if is_one { all } else { times }, heads);
    if is_one {
        return tables;
    }
    let traffic = [vec![rank(rows), names(page, rows)], traffic].concat();
    let table = Table::lay(traffic, page, 0);
    tables.lines.push(String::new());
    tables.lines.extend(table.heads(page, ""));
    for index in 0..rows.len() {
        tables.lines.extend(table.row(page, index, style(rows, index), ""));
    }
    tables.note(&table);
    tables
}

impl Tables {
    /// Adds a table of the first `shown` rows, with bars behind or below them on the scale of all rows.
    fn ranked(
        &mut self,
        page: &Page,
        rows: &[TableRow<'_>],
        shown: usize,
        columns: Vec<Column>,
        heads: bool,
    ) {
        let beside = Table::fits(&columns, page, LEAST_BAR);
        let table = Table::lay(columns, page, if beside { LEAST_BAR } else { 0 });
        let bars = Bars::of(rows);
        let cells = if beside { table.left } else { page.width - 6 }.min(LONGEST_BAR);
        if heads {
            self.lines.extend(table.heads(page, if beside { BARS } else { "" }));
        }
        for (index, row) in rows.iter().enumerate().take(shown) {
            let bar = bars.as_ref().map_or(String::new(), |bars| bars.draw(page, row, cells));
            let tail = if beside { bar.as_str() } else { "" };
            self.lines.extend(table.row(page, index, style(rows, index), tail));
            if !beside && !bar.is_empty() {
                self.lines.push(format!("    {bar}"));
            }
            self.lines.extend(wrong(page, row));
        }
        self.note(&table);
    }

    fn note(&mut self, table: &Table) {
        self.marks.heads.extend(table.heads_shown().map(str::to_owned));
        // The names are in the table of times already.
        self.marks.dropped.extend(table.dropped.iter().filter(|head| *head != "policy").cloned());
    }
}

fn style(rows: &[TableRow<'_>], row: usize) -> Style {
    match row {
        row if !rows[row].is_right() => ALARM,
        0 => STRONG,
        _ => Style::new(),
    }
}

fn wrong(page: &Page, row: &TableRow<'_>) -> Vec<String> {
    let failures = &row.measured.report.failures;
    let shown = failures.iter().take(WRONG_SHOWN).cloned();
    let hidden = failures.len().saturating_sub(WRONG_SHOWN);
    let more = (hidden > 0).then(|| format!("and {hidden} more"));
    let unchecked = (!row.is_right() && failures.is_empty()).then(|| "nothing was checked".to_owned());
    let said = shown.chain(more).chain(unchecked);
    said.map(|failure| page.fold_in(ALARM, "    WRONG: ", &failure)).collect()
}

/// The lengths of bars.
struct Bars {
    /// Nanoseconds that the longest bar stands for.
    full: f64,
}

impl Bars {
    /// `None` if no row took any time.
    fn of(rows: &[TableRow<'_>]) -> Option<Self> {
        let times = || rows.iter().map(|row| row.measured.time_ns).filter(|time| *time > 0.0);
        let (least, greatest) = (times().reduce(f64::min)?, times().reduce(f64::max)?);
        Some(Self { full: greatest.min(least * LONGEST_RATIO) })
    }

    fn cuts(&self, rows: &[TableRow<'_>]) -> bool {
        rows.iter().any(|row| row.measured.time_ns > self.full)
    }

    fn draw(&self, page: &Page, row: &TableRow<'_>, cells: usize) -> String {
        let (time, shares) = (row.measured.time_ns, row.measured.region().breakdown.shares());
        if time > self.full {
            return bar::bar(page, shares, cells - 1) + bar::cut(page);
        }
        let length = (time / self.full * cells as f64).round() as usize;
        bar::bar(page, shares, length.clamp(1, cells))
    }
}

fn rank(rows: &[TableRow<'_>]) -> Column {
    let rank = |row: &TableRow<'_>| row.rank.map_or_else(dash, |rank| rank.to_string());
    Column::right("", rows.iter().map(rank))
}

/// Mechanism and policy in one.
fn names(page: &Page, rows: &[TableRow<'_>]) -> Column {
    let several = has_several_mechanisms(rows);
    let cell = |row: &TableRow<'_>| match (row.policies.as_slice(), several) {
        ([policy], true) => format!("{} {policy}", short(&row.combination.mechanism)),
        ([policy, ..], true) => format!("{} {policy} ..", short(&row.combination.mechanism)),
        _ => policies(page, row, true),
    };
    Column::left("policy", rows.iter().map(cell)).wanted(1)
}

/// A mechanism where room is scarce.
pub(super) fn short(mechanism: &str) -> &str {
    mechanism.strip_suffix("-memory").unwrap_or(mechanism)
}

/// The policies of a row, in lines as wide as names may be, or in one line.
fn policies(page: &Page, row: &TableRow<'_>, in_one_line: bool) -> String {
    let widest = if page.width < NARROW { NAMES.0 } else { NAMES.1 };
    let (page, names) = (Page { width: widest, ..*page }, row.policies.join(", "));
    if in_one_line { page.cut("", &names) } else { page.fold("", &names) }
}

/// Columns that are equal in every row, or stand in the title, are left out.
fn times(page: &Page, rows: &[TableRow<'_>], processors: u32, look: Look) -> Vec<Column> {
    let in_one_line = matches!(look, Look::Brief { .. });
    let cells = |cell: &dyn Fn(&TableRow<'_>) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let mechanism = |row: &TableRow<'_>| match has_several_mechanisms(rows) {
        true => row.combination.mechanism.clone(),
        false => String::new(),
    };
    let split = |row: &TableRow<'_>| row.combination.split();
    let is_plain = rows.iter().all(|row| split(row) == Split { computing: processors, dedicated: 0 });
    let processors =
        |row: &TableRow<'_>| if is_plain { String::new() } else { split(row).out_of(processors) };
    let mark = |row: &TableRow<'_>| match row.measured.disturbed {
        _ if row.combination.oversubscribed => "*".to_owned(),
        true => DISTURBED.to_owned(),
        false => String::new(),
    };
    let ratio = |row: &TableRow<'_>| row.ratio_to_best.map_or_else(dash, quantity::times);
    let columns = [
        Column::left("mechanism", cells(&mechanism)),
        Column::left("policy", cells(&|row| policies(page, row, in_one_line))),
        Column::left(PROCESSORS.0, cells(&processors)).wanted(4),
        Column::right("", cells(&mark)),
        Column::right("time", cells(&|row| time(row.measured.time_ns))),
        Column::right(UNCERTAINTY.0, cells(&|row| row.measured.uncertainty().map_or_else(dash, off)))
            .wanted(2),
        Column::right(RATIO.0, cells(&ratio)).wanted(3),
        Column::right(BAND.0, cells(&|row| row.band.as_ref().map_or_else(String::new, Band::ends))).wanted(6),
        Column::right(SPEEDUP.0, cells(&|row| row.speedup.map_or_else(String::new, quantity::times)))
            .wanted(5),
    ];
    std::iter::once(rank(rows)).chain(columns.into_iter().filter(|column| !column.is_blank())).collect()
}

/// The error of a median; an error beyond the median itself is not told exactly.
fn off(share: f64) -> String {
    if share > 1.0 { ">100 %".to_owned() } else { percent(share) }
}

/// A number in every row's measurements: its group, head and meaning, how much its column is wanted, and its text.
type Figure = (&'static str, &'static str, &'static str, u8, fn(&Measured) -> String);

/// Traffic and processors, in the order of columns.
static FIGURES: &[Figure] = &[
    ("sent", "msgs", "messages", 95, |run| count(run.region().counters.messages)),
    ("sent", "bulk", "of them block transfers", 89, |run| count(run.region().counters.transfers)),
    ("sent", "dep.", "deposits, which are no messages", 88, |run| count(run.region().counters.deposits)),
    ("bytes", "data", "", 90, |run| count(run.region().volume.data)),
    ("bytes", "head", "headers of data", 85, |run| count(run.region().volume.headers)),
    ("bytes", "req.", "requests, headers included", 70, |run| count(run.region().volume.requests)),
    ("bytes", "inv.", "invalidations and what answers them, headers included", 69, |run| {
        count(run.region().volume.invalidations)
    }),
    ("busy", "comp", "time that computing processors did not wait", 92, |run| {
        Utilization::of_kind(&run.utilization, Resource::ComputingProcessor).map_or_else(dash, percent)
    }),
    ("busy", "prot", "time that protocol processors spent on events", 91, |run| {
        Utilization::of_protocol(&run.utilization).map_or_else(dash, percent)
    }),
    ("dispatch", "wait", "mean time from arrival to handler", 86, |run| {
        run.dispatching.mean_wait_ns.map_or_else(dash, |wait| seconds(wait * 1e-9))
    }),
    ("dispatch", "queue", "time in which an event waited or was handled", 87, |run| {
        run.dispatching.busy.map_or_else(dash, percent)
    }),
    ("dispatch", "keys", "events that waited for a busy key", 60, |run| count(run.dispatching.waited_on_key)),
    ("", "intr.", "interrupts", 40, |run| count(run.region().counters.interrupts)),
    ("", "full", "sends that found no room at first", 93, |run| count(run.region().counters.refused)),
];

/// The head and the meaning of the column of processors.
const PROCESSORS: (&str, &str) = (
    "procs",
    "processors of each node that compute + others, which run handlers or move messages; 1 of 8: the others have no work",
);

/// The head and the meaning of the column of confidence intervals.
const UNCERTAINTY: (&str, &str) =
    ("+/-", "how far off the time may be; no row of a table is further off, with 95 % confidence");

/// The head and the meaning of the column of ratios.
const RATIO: (&str, &str) = ("ratio", "time divided by that of the first row");

/// The head and the meaning of the column of speed-ups.
const SPEEDUP: (&str, &str) = ("speed-up", "time of the baseline divided by that of the row");

/// The head and the meaning of the column of bands.
const BAND: (&str, &str) = (
    "band",
    "least and greatest ratio over the cases that ran, each to the best of the same case; with ? where an answer is missing",
);

/// Head and meaning of the columns with these heads, in their order.
pub(super) fn meanings(heads: &IndexSet<String>) -> Vec<(String, String)> {
    let figures = FIGURES.iter().map(|(_, head, meaning, ..)| (*head, *meaning));
    let all = [PROCESSORS, UNCERTAINTY, RATIO, BAND, SPEEDUP].into_iter().chain(figures);
    all.filter(|(head, meaning)| !meaning.is_empty() && heads.contains(*head))
        .map(|(head, meaning)| (head.to_owned(), meaning.to_owned()))
        .collect()
}

/// Columns of figures that are nothing everywhere are left out.
fn traffic(rows: &[TableRow<'_>]) -> Vec<Column> {
    let columns = FIGURES.iter().map(|(group, head, _, wanted, cell)| {
        Column::right(head, rows.iter().map(|row| cell(&row.measured))).wanted(*wanted).group(group)
    });
    columns.filter(|column| column.head == "msgs" || !column.is_blank()).collect()
}
