//! A comparison as text: all of it, or one screen of 24 lines of 80 columns. The screen has the verdict, the best rows of each machine,
//! a remedy where rows cannot be told apart, and the verdict again, or with free inputs the fate of each ranking.
//!
//! This module must never measure or find anything.

use super::comparison::{View, failures, full, head, over, refusals, title, trailer, tried};
use super::legend::Legend;
use super::ranked::Look;
use super::{below, prediction, ranked};
use crate::document::{Finding, World};
use crate::page::{Page, QUIET, STRONG};

/// Lines of a screen, without that of the prompt.
pub(super) const SCREEN: usize = 23;

/// The most rows of a machine, and the fewest beside which its finding is shown.
const ROWS: (usize, usize) = (6, 3);

/// The lines of a comparison.
pub fn comparison(view: &View<'_>, page: &Page) -> Vec<String> {
    let mut legend = Legend::of(view.command, &view.found.verdict);
    let full = full(view, page, &mut legend);
    let mut lines = if view.all || view.counters { full } else { brief(view, page) };
    if view.legend {
        below(&mut lines, legend.lines(page));
    }
    lines
}

/// The extent of a screen.
#[derive(Clone, Copy)]
struct Extent {
    /// The most rows of a machine.
    rows: usize,
    /// Whether the findings are shown.
    findings: bool,
    /// Whether tables have heads, and notes below them.
    notes: bool,
}

/// The lines of a comparison that fit a screen: as many rows of each machine as there is room for, with the findings if three rows
/// remain beside them. Errors and wrong answers are always shown, also beyond the screen.
fn brief(view: &View<'_>, page: &Page) -> Vec<String> {
    let with_findings = (ROWS.1..=ROWS.0).rev().map(|rows| Extent { rows, findings: true, notes: true });
    let without = (1..=ROWS.0).rev().map(|rows| Extent { rows, findings: false, notes: true });
    let least = Extent { rows: 1, findings: false, notes: false };
    let mut screens = with_findings.chain(without).map(|extent| screen(view, page, extent));
    screens.find(|lines| height(lines) <= SCREEN).unwrap_or_else(|| screen(view, page, least))
}

/// The number of lines that a terminal shows.
pub(super) fn height(lines: &[String]) -> usize {
    lines.iter().map(|line| line.lines().count().max(1)).sum()
}

fn screen(view: &View<'_>, page: &Page, extent: Extent) -> Vec<String> {
    let found = view.found;
    let mut lines = head(found, page);
    for it in &found.worlds {
        below(&mut lines, world(view, page, it, extent));
    }
    for it in &found.predictions {
        below(&mut lines, [prediction::conclusion(it, page)]);
    }
    lines.push(String::new());
    lines.push(
        page.paint(QUIET, &page.cut("", "--all has all rows and the causes, --legend explains the words")),
    );
    let fates = found.worlds.iter().filter_map(|world| Some(&world.fate.as_ref()?.text));
    let mut answers: Vec<_> = fates.collect();
    if answers.is_empty() {
        answers.extend(found.verdict.text.0.first());
    }
    lines.extend(answers.into_iter().map(|answer| page.fold_in(STRONG, "", answer)));
    lines
}

/// The best rows of a machine, and a remedy.
fn world(view: &View<'_>, page: &Page, world: &World, extent: Extent) -> Vec<String> {
    let rows = world.table();
    let mut lines = vec![page.cut("", &title(view, world, &rows))];
    let is_right = rows.iter().all(|row| row.is_right());
    let shown = if is_right { extent.rows.min(rows.len()) } else { rows.len() };
    if !rows.is_empty() {
        let look = Look::Brief { shown, heads: extent.notes };
        lines.extend(ranked::tables(page, &rows, world.processors, look).lines);
    }
    if !rows.is_empty() && (extent.notes || !is_right) {
        let more = rows.len() - shown;
        let more = (more > 0).then(|| format!("{more} more {}", if more == 1 { "row" } else { "rows" }));
        let (answers, style) = trailer(&rows);
        let told: Vec<_> = more.into_iter().chain([answers]).collect();
        lines.extend(over(world).map(|over| page.paint(QUIET, &page.cut("    ", &over))));
        lines.extend(tried(view.found).map(|tried| page.paint(QUIET, &page.cut("    ", &tried))));
        lines.push(page.paint(style, &page.cut("    ", &told.join("; "))));
    }
    lines.extend(refusals(world, rows.is_empty(), page));
    lines.extend(failures(world, page));
    if extent.findings && !rows.is_empty() {
        lines.push(page.fold_strong("Finding:", "Finding: ", &world.finding.text));
    } else if extent.notes && !rows.is_empty() {
        lines.extend(remedy(&world.finding).map(|remedy| page.cut("    ", remedy)));
    }
    lines
}

/// The step that would make a finding surer, if it is not sure.
fn remedy(finding: &Finding) -> Option<&'static str> {
    let remedies = [
        (finding.oversubscribed, "ask for no more processors than there are cores"),
        (finding.busy.is_some(), "rows marked ! decide nothing: compare again when this host is quiet"),
        (
            finding.runs_needed.is_some() || finding.unclear,
            "a larger --repeat, or a quieter host, tells more",
        ),
        (finding.brief, "give the program more work: runs this short are mostly their beginning and end"),
    ];
    remedies.into_iter().find(|(holds, _)| *holds).map(|(_, remedy)| remedy)
}
