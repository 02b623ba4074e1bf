//! A comparison as text: for each machine its tables and its finding, and what they show together. This module must never
//! measure or find anything.

use compare::refusal::{self, Group};
use compare::{Ranking, Refusal, Row, agreement, finding, prediction};
use tempest::Mechanism;

use super::partial::partial;
use super::ranked::{self, Tables};
use super::{cores, kind, prediction as predicted, sharing};
use crate::bar;
use crate::document::{Asked, Partial, Setting};
use crate::page::{ALARM, Page, QUIET};
use crate::quantity::several;
use crate::words;

/// A comparison as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The program and its input.
    pub asked: &'a Asked,
    /// One line about the program.
    pub summary: &'a str,
    /// The number of mechanisms that the program is written for.
    pub mechanisms: usize,
    /// The settings that all combinations share.
    pub setting: &'a Setting,
    /// The results of each machine.
    pub rankings: &'a [Ranking],
    /// The cores of this host.
    pub cores: usize,
    /// This host, in words.
    pub host: &'a str,
    /// The mark that not every run was done.
    pub partial: Option<&'a Partial>,
}

/// The lines of a comparison.
pub fn comparison(view: &View<'_>, page: &Page) -> Vec<String> {
    let View { asked, setting, rankings, .. } = view;
    let program = &asked.program;
    let facts: Vec<_> = asked.input.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut lines = partial(view.partial, page);
    lines.push(page.fold_strong(program, &format!("{program}: "), view.summary));
    lines.push(page.fold("input: ", &facts.join(", ")));
    let is_shared = |row: &Row| row.mechanism == Mechanism::SharedMemory;
    if rankings.iter().flat_map(Ranking::rows).any(is_shared) {
        lines.push(page.fold("shared memory: ", &sharing(setting.block_bytes, &setting.protocol)));
    }
    lines.push(bar::legend(page, "bars:"));
    let mut legend = Legend::default();
    for ranking in *rankings {
        lines.push(String::new());
        lines.extend(world(view, page, ranking, &mut legend));
    }
    for prediction in prediction::of(rankings) {
        lines.push(String::new());
        lines.extend(predicted::lines(&prediction, page, view.cores, view.host));
    }
    for agreement in agreement::of(rankings) {
        lines.push(String::new());
        lines.push(page.fold("Together: ", &words::agreement(&agreement)));
    }
    lines.push(String::new());
    lines.push(legend.line(page));
    lines
}

fn world(view: &View<'_>, page: &Page, ranking: &Ranking, legend: &mut Legend) -> Vec<String> {
    let rows = ranking.rows();
    let mut lines = vec![page.fold_strong(&ranking.machine.name, "", &title(view, ranking, &rows))];
    if !rows.is_empty() {
        let tables = ranked::tables(page, &rows);
        legend.add(&tables);
        lines.extend(tables.lines);
        lines.extend(notes(view, page, ranking, &rows));
    }
    for Group { of, reason } in refusal::groups(&ranking.refused) {
        lines.push(page.fold("    ", &format!("{}: {reason}", refused(&of))));
    }
    for Refusal { reason, .. } in &ranking.failed {
        lines.push(page.paint(ALARM, &page.fold("    FAILED: ", reason)));
    }
    if !rows.is_empty() {
        let found = words::finding(&finding::of(ranking));
        lines.push(page.fold_strong("Finding:", "Finding: ", &found));
    }
    lines
}

/// Mechanisms and policies that are refused, such as `bulk, deposit (single, floating)`.
fn refused(of: &[(Vec<Mechanism>, Vec<&str>)]) -> String {
    let name = |(mechanisms, policies): &(Vec<Mechanism>, Vec<&str>)| {
        let mechanisms: Vec<_> = mechanisms.iter().map(|mechanism| mechanism.name()).collect();
        match policies.is_empty() {
            true => mechanisms.join(", "),
            false => format!("{} ({})", mechanisms.join(", "), policies.join(", ")),
        }
    };
    of.iter().map(name).collect::<Vec<_>>().join("; ")
}

fn title(view: &View<'_>, ranking: &Ranking, rows: &[&Row]) -> String {
    let (machine, shape) = (&ranking.machine, ranking.shape);
    let mut title = format!(
        "{} ({}), {} of {}",
        machine.name,
        kind(machine.native, machine.file.as_deref()),
        several(shape.nodes, "node"),
        several(shape.processors, "processor"),
    );
    let Some(row) = rows.first() else { return title };
    // Where rows differ in the mechanism, each says its own.
    if view.mechanisms > 1 && rows.iter().all(|other| other.mechanism == row.mechanism) {
        title += &format!(", by {}", row.mechanism);
    }
    if let Some(phase) = row.outcome.phases.first() {
        title += &format!(", phase `{}`", phase.name);
    }
    match row.runs() {
        _ if !machine.native => title,
        1 => title + ", one run each",
        runs => format!("{title}, median of {runs} runs"),
    }
}

fn notes(view: &View<'_>, page: &Page, ranking: &Ranking, rows: &[&Row]) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.oversubscribed) {
        let note = format!("more processors than {}: they took turns", cores(view.cores));
        notes.push(page.paint(QUIET, &page.fold("  * ", &note)));
    }
    let (right, ran) = (ranking.right(), ranking.ran());
    let said = match right == ran {
        true if ran == 1 => "the answer agrees with the sequential one".to_owned(),
        true => format!("all {ran} answers agree with the sequential one"),
        false => format!("{right} of {ran} answers agree with the sequential one"),
    };
    let style = if right == ran { QUIET } else { ALARM };
    notes.push(page.paint(style, &page.fold("    ", &said)));
    notes
}

/// Abbreviations and marks of all tables, each explained once.
#[derive(Default)]
struct Legend {
    heads: Vec<String>,
    dropped: Vec<String>,
    is_cut: bool,
    has_same: bool,
}

impl Legend {
    fn add(&mut self, tables: &Tables) {
        self.heads.extend(tables.heads.iter().cloned());
        for head in &tables.dropped {
            if !self.dropped.contains(head) {
                self.dropped.push(head.clone());
            }
        }
        self.is_cut |= tables.is_cut;
        self.has_same |= tables.has_same;
    }

    fn line(&self, page: &Page) -> String {
        let mut said = vec![format!("{}.", ranked::meanings(&self.heads).join("; "))];
        said.push("busy and dispatch are of the whole run, the rest of the timed phase.".to_owned());
        if self.has_same {
            said.push("Policies in one row are the same there.".to_owned());
        }
        if self.is_cut {
            said.push(format!("A bar that ends in {} is cut off.", bar::cut(page)));
        }
        if !self.dropped.is_empty() {
            let heads = self.dropped.join(", ");
            said.push(format!("No room for: {heads}; see --width and --json."));
        }
        page.paint(QUIET, &page.fold("", &said.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    #[test]
    fn mechanisms_are_named_with_the_policies_under_which_they_are_refused() {
        let of = [(vec![Messages, Bulk], vec!["np"]), (vec![Deposit], vec![])];
        assert_eq!(super::refused(&of), "messages, bulk (np); deposit");
    }
}
