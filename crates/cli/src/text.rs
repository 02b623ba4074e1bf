//! How results look to people: which pieces stand where. Must never measure or find anything.

use std::io::Write;

use tempest::policy::Servers;
use tempest::{Mechanism, Outcome};
use worlds::{Measured, Refusal, Setting, Target};

use crate::compare::{Comparison, agree};
use crate::finding;
use crate::measure::region;
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::parts::{self, Part};
use crate::quantity::{bytes, number, percent, seconds, several, time};
use crate::ranking::{Ranking, Row};
use crate::refusals::{self, Group};
use crate::target;
use crate::{Problem, adjusting, anatomy, bar, prediction, table, words};

/// The widest bar of a single run.
const LONGEST_BAR: usize = 40;

/// One run.
pub(crate) fn run(
    out: &mut impl Write,
    page: &Page,
    setting: &Setting,
    measured: &Measured,
) -> Result<(), Problem> {
    let outcome = measured.median();
    let Setting { subject, target, policy, .. } = setting;
    let mut rows = Rows { out, page };
    let title =
        format!("{} by {} on {} ({})", subject.entry.name, setting.mechanism, target.name(), kind(target));
    rows.line(&page.paint(STRONG, &title))?;
    rows.row("policy", &policy.to_string())?;
    rows.row("size", &size(setting))?;
    if let Some(sharing) = setting.sharing() {
        rows.row("shared memory", &sharing.to_string())?;
    }
    subject.instance.describe().iter().try_for_each(|(name, value)| rows.row(name, value))?;
    rows.line("")?;
    rows.answer(measured)?;
    outcome.report.figures.iter().try_for_each(|figure| {
        let value = format!("{} {}", number(figure.value), figure.unit);
        rows.row(figure.name, value.trim_end())
    })?;
    rows.line("")?;
    rows.times(measured)?;
    rows.breakdown(outcome)?;
    rows.traffic(outcome)?;
    rows.processors(outcome)?;
    rows.roles(setting, outcome)?;
    rows.anatomy(setting, outcome)?;
    if let Some(digest) = outcome.digest {
        rows.row("digest of the event stream", &format!("{digest:016x}"))?;
    }
    if setting.is_oversubscribed() {
        let note =
            format!("More processors than {}: they took turns, and times mean little.", target::cores());
        rows.line(&format!("\n{}", page.fold("* ", &note)))?;
    }
    Ok(())
}

fn size(setting: &Setting) -> String {
    format!(
        "{} of {}, {} each",
        several(setting.nodes, "node", "nodes"),
        several(setting.processors, "processor", "processors"),
        several(setting.threads, "thread", "threads"),
    )
}

/// Lines of a name and a value.
struct Rows<'a, W> {
    out: &'a mut W,
    page: &'a Page,
}

impl<W: Write> Rows<'_, W> {
    fn line(&mut self, line: &str) -> Result<(), Problem> {
        writeln!(self.out, "{line}")?;
        Ok(())
    }

    fn row(&mut self, name: &str, value: &str) -> Result<(), Problem> {
        // Long names take half of a narrow page, and no more than they need of others.
        let names = 30.min(self.page.width * 3 / 8);
        self.line(&self.page.fold(&format!("  {name:<names$} "), value))
    }

    fn answer(&mut self, measured: &Measured) -> Result<(), Problem> {
        if measured.verified() {
            let checks = measured.median().report.checks;
            return self.row("answer", &format!("verified against the sequential one ({checks} checks)"));
        }
        let failures: Vec<_> = measured.failures().collect();
        let said = self.page.fold("  WRONG: ", &failures.join("; "));
        self.line(&self.page.paint(ALARM, &said))
    }

    fn roles(&mut self, setting: &Setting, outcome: &Outcome) -> Result<(), Problem> {
        if setting.policy.servers != Servers::Adaptive {
            return Ok(());
        }
        let lines = adjusting::lines(&outcome.adjustments, setting.processors, setting.is_oversubscribed());
        let names = std::iter::once("roles").chain(std::iter::repeat(""));
        names.zip(&lines).try_for_each(|(name, line)| self.row(name, line))
    }

    fn times(&mut self, measured: &Measured) -> Result<(), Problem> {
        let outcome = measured.median();
        for (index, phase) in outcome.phases.iter().enumerate() {
            let counts = if index == 0 { "  <- what counts" } else { "" };
            self.row(&format!("phase `{}`", phase.name), &format!("{}{counts}", time(phase.time)))?;
        }
        self.row("whole run", &time(outcome.time))?;
        if measured.runs() > 1 {
            let (least, greatest) = measured.spread();
            let name = format!("spread of {} runs", measured.runs());
            self.row(&name, &format!("{} to {}", time(least), time(greatest)))?;
        }
        Ok(())
    }

    /// Where the time that counts went.
    fn breakdown(&mut self, outcome: &Outcome) -> Result<(), Problem> {
        let shares = parts::shares(outcome);
        let cells = self.page.width.saturating_sub(self.page.width * 3 / 8 + 4).min(LONGEST_BAR);
        self.row("where it went", &bar::bar(self.page, shares, cells))?;
        Part::ALL.iter().zip(shares).try_for_each(|(part, share)| {
            let key = bar::key(self.page, *part);
            self.row(&format!("  {}", part.name()), &format!("{key} {}", percent(share)))
        })
    }

    /// What was sent in the time that counts.
    fn traffic(&mut self, outcome: &Outcome) -> Result<(), Problem> {
        let counted = region(outcome).counters;
        let mut sent = vec![counted.messages.to_string()];
        if counted.transfers > 0 {
            sent.push(format!("{} of them block transfers", counted.transfers));
        }
        if counted.deposits > 0 {
            sent.push(format!("and {} deposits", counted.deposits));
        }
        self.row("messages", &sent.join(", "))?;
        let volume = counted.volume;
        let parts = [
            ("data", volume.data),
            ("headers", volume.headers),
            ("requests", volume.requests),
            ("invalidations", volume.invalidations),
        ];
        let parts: Vec<_> = parts.iter().map(|(name, size)| format!("{name} {}", bytes(*size))).collect();
        self.row("volume", &parts.join(", "))?;
        let events = [
            ("handlers", counted.handlers),
            ("interrupts", counted.interrupts),
            ("waits of threads", counted.blocks),
            ("refused sends", counted.refused),
        ];
        let events: Vec<_> = events.iter().map(|(name, count)| format!("{name} {count}")).collect();
        self.row("events", &events.join(", "))
    }

    /// What accesses to shared memory were made of.
    fn anatomy(&mut self, setting: &Setting, outcome: &Outcome) -> Result<(), Problem> {
        if setting.sharing().is_none() || outcome.anatomy.is_empty() {
            return Ok(());
        }
        self.row("protocol events", "on average, in the whole run:")?;
        anatomy::table(self.page, &outcome.anatomy).iter().try_for_each(|line| self.line(line))
    }

    fn processors(&mut self, outcome: &Outcome) -> Result<(), Problem> {
        let mut busy = vec![format!("computing {}", percent(outcome.utilization.compute))];
        busy.extend(outcome.utilization.protocol.map(|share| format!("protocol {}", percent(share))));
        busy.extend(outcome.dispatching.busy.map(|share| format!("dispatch queue {}", percent(share))));
        self.row("busy in the whole run", &busy.join(", "))?;
        let wait =
            outcome.dispatching.mean_wait.map(|wait| format!("{} on average", seconds(wait.as_seconds())));
        let keys = format!("{} on a busy key", outcome.dispatching.waited_on_key);
        self.row("wait for dispatch", &wait.into_iter().chain([keys]).collect::<Vec<_>>().join(", "))
    }
}

/// A comparison: for each machine its tables and its finding, and what they show together.
pub(crate) fn compare(out: &mut impl Write, page: &Page, comparison: &Comparison<'_>) -> Result<(), Problem> {
    let Comparison { subject, rankings, .. } = comparison;
    let name = page.paint(STRONG, subject.entry.name);
    let summary = page.fold(&format!("{}: ", subject.entry.name), subject.entry.summary);
    writeln!(out, "{}", summary.replacen(subject.entry.name, &name, 1))?;
    let facts: Vec<_> =
        subject.instance.describe().iter().map(|(name, value)| format!("{name} {value}")).collect();
    writeln!(out, "{}", page.fold("input: ", &facts.join(", ")))?;
    let is_shared = |row: &&Row| row.mechanism == Mechanism::SharedMemory;
    if rankings.iter().any(|ranking| ranking.rows().iter().any(is_shared)) {
        writeln!(out, "{}", page.fold("shared memory: ", &subject.sharing.to_string()))?;
    }
    writeln!(out, "{}", bar::legend(page, "bars:"))?;
    let mut legend = Legend::default();
    for ranking in *rankings {
        world(out, page, comparison, ranking, &mut legend)?;
    }
    prediction::write(out, page, rankings)?;
    if let Some(agreement) = agree(rankings) {
        writeln!(out, "\n{}", page.fold("Together: ", &words::agreement(&agreement)))?;
    }
    legend.write(out, page)
}

fn kind(target: &Target) -> String {
    match target.file() {
        Some(file) => format!("model, {file}"),
        None if target.is_native() => "this host".to_owned(),
        None => "model".to_owned(),
    }
}

fn world(
    out: &mut impl Write,
    page: &Page,
    comparison: &Comparison<'_>,
    ranking: &Ranking,
    legend: &mut Legend,
) -> Result<(), Problem> {
    let rows = ranking.rows();
    let name = ranking.target.name();
    let title = page.fold("", &title(comparison, ranking, &rows));
    writeln!(out, "\n{}", title.replacen(name, &page.paint(STRONG, name), 1))?;
    if !rows.is_empty() {
        let tables = table::tables(page, &rows);
        tables.lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        notes(out, page, ranking, &rows)?;
        legend.add(&tables);
    }
    for Group { of, reason } in refusals::groups(&ranking.refused) {
        writeln!(out, "{}", page.fold("    ", &format!("{of}: {reason}")))?;
    }
    for Refusal { reason, .. } in &ranking.failed {
        writeln!(out, "{}", page.paint(ALARM, &page.fold("    FAILED: ", reason)))?;
    }
    if !rows.is_empty() {
        let repeatable = !ranking.target.is_native();
        let found = words::finding(&finding::find(&rows, repeatable), repeatable);
        let found = page.fold("Finding: ", &found);
        writeln!(out, "{}", found.replacen("Finding:", &page.paint(STRONG, "Finding:"), 1))?;
    }
    Ok(())
}

fn title(comparison: &Comparison<'_>, ranking: &Ranking, rows: &[&Row]) -> String {
    let mut title = format!(
        "{} ({}), {} of {}",
        ranking.target.name(),
        kind(&ranking.target),
        several(comparison.nodes, "node", "nodes"),
        several(comparison.processors, "processor", "processors"),
    );
    let Some(row) = rows.first() else { return title };
    // Where rows differ in it, each says its own.
    let is_one = rows.iter().all(|other| other.mechanism == row.mechanism);
    if is_one && comparison.subject.entry.mechanisms.len() > 1 {
        title += &format!(", by {}", row.mechanism);
    }
    if let Some(phase) = row.outcome.phases.first() {
        title += &format!(", phase `{}`", phase.name);
    }
    if ranking.target.is_native() {
        title += &match row.runs {
            1 => ", one run each".to_owned(),
            runs => format!(", median of {runs} runs"),
        };
    }
    title
}

fn notes(out: &mut impl Write, page: &Page, ranking: &Ranking, rows: &[&Row]) -> Result<(), Problem> {
    if rows.iter().any(|row| row.oversubscribed) {
        let note = format!("more processors than {}: they took turns", target::cores());
        writeln!(out, "{}", page.paint(QUIET, &page.fold("  * ", &note)))?;
    }
    let (right, ran) = (ranking.right(), ranking.ran());
    let said = match right == ran {
        true if ran == 1 => "the answer agrees with the sequential one".to_owned(),
        true => format!("all {ran} answers agree with the sequential one"),
        false => format!("{right} of {ran} answers agree with the sequential one"),
    };
    let style = if right == ran { QUIET } else { ALARM };
    writeln!(out, "{}", page.paint(style, &page.fold("    ", &said)))?;
    Ok(())
}

/// What needs explaining, of all tables.
#[derive(Default)]
struct Legend {
    heads: Vec<&'static str>,
    dropped: Vec<&'static str>,
    is_cut: bool,
    has_same: bool,
}

impl Legend {
    fn add(&mut self, tables: &table::Tables) {
        self.heads.extend(&tables.heads);
        for head in &tables.dropped {
            if !self.dropped.contains(head) {
                self.dropped.push(head);
            }
        }
        self.is_cut |= tables.is_cut;
        self.has_same |= tables.has_same;
    }

    fn write(&self, out: &mut impl Write, page: &Page) -> Result<(), Problem> {
        let meanings = table::meanings(&self.heads);
        let meanings: Vec<_> = meanings.iter().map(|(head, meaning)| format!("{head}: {meaning}")).collect();
        let mut said = vec![format!("{}.", meanings.join("; "))];
        said.push("busy and dispatch are of the whole run, the rest of the timed phase.".to_owned());
        if self.has_same {
            said.push("Policies in one row ran exactly the same.".to_owned());
        }
        if self.is_cut {
            said.push(format!("A bar that ends in {} is cut off.", bar::cut(page)));
        }
        if !self.dropped.is_empty() {
            let heads = self.dropped.join(", ");
            said.push(format!("No room for: {heads}; see --width and --json."));
        }
        writeln!(out, "\n{}", page.paint(QUIET, &page.fold("", &said.join(" "))))?;
        Ok(())
    }
}
