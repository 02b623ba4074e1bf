//! A comparison as text: for each machine its tables and its finding, and what they show together. This module must never
//! measure or find anything.

use compare::refusal::{self, Group, Omitted};
use compare::{Ranking, Refusal, Row, agreement, finding, prediction, verdict};
use tempest::Mechanism;

use super::legend::Legend;
use super::partial::partial;
use super::ranked;
use super::{cores, kind, prediction as predicted, sharing};
use crate::document::{Asked, Partial, Setting};
use crate::page::{ALARM, Page, QUIET, STRONG};
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
    /// The name of the command that people type.
    pub command: &'a str,
    /// Whether traffic and processors are shown too.
    pub counters: bool,
    /// The mark that not every run was done.
    pub partial: Option<&'a Partial>,
}

/// The lines of a comparison.
pub fn comparison(view: &View<'_>, page: &Page) -> Vec<String> {
    let View { asked, setting, rankings, .. } = view;
    let program = &asked.program;
    let verdicts = verdict::of(rankings);
    let mut said = words::verdict(program, rankings).into_iter();
    let mut lines = partial(view.partial, page);
    lines.extend(said.next().map(|first| page.paint(STRONG, &page.fold("", &first))));
    lines.extend(said.map(|more| page.fold("", &more)));
    lines.push(String::new());
    let facts: Vec<_> = asked.input.iter().map(|(name, value)| format!("{name} {value}")).collect();
    lines.push(page.fold_strong(program, &format!("{program}: "), view.summary));
    lines.push(page.fold("input: ", &facts.join(", ")));
    let is_shared = |row: &Row| row.mechanism == Mechanism::SharedMemory;
    if rankings.iter().flat_map(Ranking::rows).any(is_shared) {
        lines.push(page.fold("shared memory: ", &sharing(setting.block_bytes, &setting.protocol)));
    }
    let mut legend = Legend::of(view.command, &verdicts);
    for ranking in *rankings {
        lines.push(String::new());
        lines.extend(world(view, page, ranking, &mut legend));
    }
    for prediction in prediction::of(rankings) {
        lines.push(String::new());
        lines.extend(predicted::lines(&prediction, page, view.cores, view.host));
    }
    let agreements = agreement::of(rankings);
    for agreement in &agreements {
        let head = match agreements.len() {
            1 => "Together: ".to_owned(),
            _ => format!("Together on {}: ", words::shape(agreement.shape)),
        };
        lines.push(String::new());
        lines.push(page.fold_under(&head, "Together: ".len(), &words::agreement(agreement)));
    }
    lines.push(String::new());
    lines.extend(legend.lines(page));
    lines
}

fn world(view: &View<'_>, page: &Page, ranking: &Ranking, legend: &mut Legend) -> Vec<String> {
    let rows = ranking.rows();
    let mut lines = vec![page.fold_strong(&ranking.machine.name, "", &title(view, ranking, &rows))];
    if !rows.is_empty() {
        let tables = ranked::tables(page, &rows, ranking.shape.processors, view.counters);
        legend.add(ranking, &rows, &tables);
        lines.extend(tables.lines);
        lines.extend(notes(view, page, ranking, &rows));
    }
    let groups = refusal::groups(&ranking.refused);
    let is_one = groups.len() == 1 && rows.is_empty();
    for Group { of, reason } in groups {
        let all = is_one && of.iter().all(|(_, policies)| policies.is_empty());
        let what = if all { "not run".to_owned() } else { refused(&of) };
        lines.push(page.fold("    ", &format!("{what}: {reason}")));
    }
    lines.extend(left_out(ranking).into_iter().map(|line| page.paint(QUIET, &page.fold("    ", &line))));
    for Refusal { reason, .. } in &ranking.failed {
        lines.push(page.paint(ALARM, &page.fold("    FAILED: ", reason)));
    }
    if !rows.is_empty() {
        let found = words::finding(&finding::of(ranking));
        lines.push(page.fold_strong("Finding:", "Finding: ", &found));
    }
    lines
}

/// What nobody asked for and could not run, in a line for each reason.
fn left_out(ranking: &Ranking) -> Vec<String> {
    let policies: Vec<_> = ranking
        .left_out
        .iter()
        .filter_map(|one| match &one.what {
            Omitted::Policy(policy) => Some(policy.as_str()),
            Omitted::Mechanism(_) => None,
        })
        .collect();
    let mechanisms: Vec<_> = ranking
        .left_out
        .iter()
        .filter_map(|one| match &one.what {
            Omitted::Mechanism(mechanism) => Some(mechanism.name()),
            Omitted::Policy(_) => None,
        })
        .collect();
    let line =
        |what: &str, names: &[&str]| (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")));
    let lacking = line("the machine has no", &mechanisms);
    let short = line("left out for want of processors", &families(&policies));
    lacking.into_iter().chain(short).collect()
}

/// Names of policies; one that is there with several counts stands without any, once.
fn families<'n>(policies: &[&'n str]) -> Vec<&'n str> {
    let family = |policy: &'n str| policy.split_once(':').map_or(policy, |(family, _)| family);
    let mut names: Vec<&str> = Vec::new();
    for policy in policies {
        let of_family = policies.iter().filter(|other| family(other) == family(policy)).count();
        let name = if of_family > 1 { family(policy) } else { policy };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
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
    let name = format!("{} ({})", machine.name, kind(machine.native, machine.file.as_deref()));
    let Some(row) = rows.first() else { return name };
    let mut title = format!("{name}, {}", words::shape(shape));
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

#[cfg(test)]
mod tests {
    use compare::refusal::{LeftOut, Omitted};
    use compare::samples::ranking;
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    #[test]
    fn what_is_left_out_is_told_in_a_line_for_each_reason() {
        let mut ranking = ranking("toy", &[]);
        let left_out = |what| LeftOut { what, reason: "needs more".to_owned() };
        let policies = ["fixed:1", "fixed:2", "partitioned:2"].map(|name| Omitted::Policy(name.to_owned()));
        let all = policies.into_iter().chain([Omitted::Mechanism(Deposit)]);
        ranking.left_out = all.map(left_out).collect();
        assert_eq!(
            super::left_out(&ranking),
            ["the machine has no: deposit", "left out for want of processors: fixed, partitioned:2"]
        );
    }

    #[test]
    fn mechanisms_are_named_with_the_policies_under_which_they_are_refused() {
        let of = [(vec![Messages, Bulk], vec!["np"]), (vec![Deposit], vec![])];
        assert_eq!(super::refused(&of), "messages, bulk (np); deposit");
    }
}
