//! A comparison as text: for each machine its tables and its finding, and what they show together. This module must never
//! measure or find anything.

use anstyle::Style;
use indexmap::IndexMap;
use units::plural::several;

use super::legend::Legend;
use super::ranked::Look;
use super::{below, cores, kind, partial, prediction, ranked, sharing};
use crate::document::{Comparison, LeftOut, Named, Refused, Setting, TableRow, World};
use crate::grouped::grouped;
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::time;
use crate::words;

/// A comparison as it is shown, with facts that its document does not have.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The results.
    pub found: &'a Comparison,
    /// One line about the program.
    pub summary: &'a str,
    /// The number of mechanisms that the program is written for.
    pub mechanisms: usize,
    /// The settings that all combinations share.
    pub setting: &'a Setting,
    /// The models, each with one line about it.
    pub models: &'a [(Named, String)],
    /// The cores of this host.
    pub cores: usize,
    /// The name of the command that people type.
    pub command: &'a str,
    /// Whether traffic and processors are shown too.
    pub counters: bool,
    /// Whether all rows and findings are shown; otherwise as much as a screen has room for.
    pub all: bool,
    /// Whether the words and marks are explained.
    pub legend: bool,
}

/// All rows, findings and predictions; their words and marks are added to a legend.
pub(super) fn full(view: &View<'_>, page: &Page, legend: &mut Legend) -> Vec<String> {
    let View { found, setting, .. } = view;
    let program = &found.asked.program;
    let mut lines = head(found, page);
    lines.push(String::new());
    let facts: Vec<_> = found.asked.input.iter().map(|(name, value)| format!("{name} {value}")).collect();
    lines.push(page.fold_strong(program, &format!("{program}: "), view.summary));
    lines.push(page.fold("input: ", &facts.join(", ")));
    lines.extend(found.circumstances.as_ref().map(|now| page.fold("measured: ", &now.facts().join(", "))));
    let mut rows = found.worlds.iter().flat_map(|world| &world.rows);
    if rows.any(|row| row.combination.protocol.is_some()) {
        lines.push(page.fold("shared memory: ", &sharing(setting.block_bytes, &setting.protocol)));
    }
    for it in &found.worlds {
        below(&mut lines, world(view, page, it, legend));
    }
    for it in &found.predictions {
        below(&mut lines, prediction::lines(found, it, page, view.cores));
    }
    for agreement in &found.agreements {
        let head = match found.agreements.len() {
            1 => "Together: ".to_owned(),
            _ => format!("Together on {}: ", words::shape(agreement.nodes, agreement.processors)),
        };
        below(&mut lines, [page.fold_under(&head, "Together: ".len(), &agreement.text)]);
    }
    lines
}

fn world(view: &View<'_>, page: &Page, world: &World, legend: &mut Legend) -> Vec<String> {
    let rows = world.table();
    let mut lines = vec![page.fold_strong(&world.on.machine, "", &title(view, world, &rows))];
    if !rows.is_empty() {
        let look = if view.counters { Look::Counters } else { Look::Times };
        let tables = ranked::tables(page, &rows, world.processors, look);
        let model = view.models.iter().find(|(on, _)| *on == world.on);
        legend.add(world, model.map(|(_, summary)| summary.as_str()), &tables);
        lines.extend(tables.lines);
        lines.extend(notes(view, page, world, &rows));
    }
    lines.extend(refusals(world, rows.is_empty(), page));
    lines.extend(left_out(&world.left_out).into_iter().map(|line| page.fold_in(QUIET, "    ", &line)));
    lines.extend(failures(world, page));
    if !rows.is_empty() {
        lines.push(page.fold_strong("Finding:", "Finding: ", &world.finding.text));
    }
    lines
}

/// The verdict, the first sentence as a title, below the mark of missing runs.
pub(super) fn head(found: &Comparison, page: &Page) -> Vec<String> {
    let said = found.verdict.text.0.iter().enumerate();
    let said = said.map(|(at, said)| page.fold_in(if at == 0 { STRONG } else { Style::new() }, "", said));
    partial(found.partial.as_ref(), page).into_iter().chain(said).collect()
}

/// A line for each combination that did not end well.
pub(super) fn failures(world: &World, page: &Page) -> impl Iterator<Item = String> {
    let failed = world.failed.iter().map(|it| page.fold_in(ALARM, "    FAILED: ", &it.reason));
    let cases = world.fate.iter().flat_map(|fate| &fate.failed);
    failed.chain(cases.map(|it| {
        let way = [Some(it.mechanism.as_str()), it.policy.as_deref()].into_iter().flatten();
        let way = way.collect::<Vec<_>>().join(" under ");
        page.fold_in(ALARM, "    FAILED: ", &format!("{way} at {}: {}", it.case, it.reason))
    }))
}

/// A line for each reason why combinations that were asked for could not run; `is_empty` tells that none ran.
pub(super) fn refusals(world: &World, is_empty: bool, page: &Page) -> Vec<String> {
    let reasons = by_reason(&world.refused);
    let is_one = reasons.len() == 1 && is_empty;
    let line = |(reason, of): (&str, Combinations<'_>)| {
        let all = is_one && of.values().flatten().all(Option::is_none);
        let what = if all { "not run".to_owned() } else { refused(of) };
        page.fold("    ", &format!("{what}: {reason}"))
    };
    reasons.into_iter().map(line).collect()
}

/// A line for each reason why a combination of the default choice could not run.
fn left_out(all: &[LeftOut]) -> Vec<String> {
    let policies: Vec<_> = all.iter().filter_map(|it| it.policy.as_deref()).collect();
    let mechanisms: Vec<_> = all.iter().filter_map(|it| it.mechanism.as_deref()).collect();
    let line =
        |what: &str, names: &[&str]| (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")));
    let lacking = line("the machine has no", &mechanisms);
    let short = line("left out for want of processors", &families(&policies));
    lacking.into_iter().chain(short).collect()
}

/// Names of policies. A policy with several counts stands once, without a count.
fn families<'n>(policies: &[&'n str]) -> Vec<&'n str> {
    let family = |policy: &'n str| policy.split_once(':').map_or(policy, |(family, _)| family);
    let families = grouped(policies.iter().map(|policy| (family(policy), *policy)));
    families.into_iter().map(|(family, of)| if let [policy] = of[..] { policy } else { family }).collect()
}

/// Mechanisms, each with the policies under which it is refused; no policy stands for all.
type Combinations<'r> = IndexMap<&'r str, Vec<Option<&'r str>>>;

/// Refused combinations by their reason, in the order in which the reasons first come.
fn by_reason(refused: &[Refused]) -> IndexMap<&str, Combinations<'_>> {
    let reasons =
        refused.iter().map(|it| (it.reason.as_str(), (it.mechanism.as_str(), it.policy.as_deref())));
    grouped(reasons).into_iter().map(|(reason, of)| (reason, grouped(of))).collect()
}

/// Mechanisms and policies that are refused, such as `bulk, deposit (single, floating)`.
fn refused(of: Combinations<'_>) -> String {
    let of = of
        .into_iter()
        .map(|(mechanism, policies)| (policies.into_iter().flatten().collect::<Vec<_>>(), mechanism));
    let name = |(policies, mechanisms): (&Vec<&str>, &Vec<&str>)| match policies.is_empty() {
        true => mechanisms.join(", "),
        false => format!("{} ({})", mechanisms.join(", "), policies.join(", ")),
    };
    grouped(of).iter().map(name).collect::<Vec<_>>().join("; ")
}

/// The title of the table of a machine.
pub(super) fn title(view: &View<'_>, world: &World, rows: &[TableRow<'_>]) -> String {
    let (machine, native) = (&world.on, world.is_native());
    let name = format!("{} ({})", machine.machine, kind(native, machine.machine_file.as_deref()));
    let Some(row) = rows.first() else { return name };
    let apart = words::as_processes(&row.combination.world);
    let mut title = format!("{name}, {}{apart}", words::shape(world.nodes, world.processors));
    // Where rows differ in the mechanism, each says its own.
    let mechanism = &row.combination.mechanism;
    if view.mechanisms > 1 && rows.iter().all(|other| other.combination.mechanism == *mechanism) {
        title += &format!(", by {mechanism}");
    }
    if let Some(phase) = row.measured.phases.first() {
        title += &format!(", phase `{}`", phase.name);
    }
    match row.measured.runs {
        _ if !native => title,
        1 => title + ", one run each",
        runs => format!("{title}, median of {runs} runs"),
    }
}

/// The run that speed-ups are over, if there are speed-ups.
pub(super) fn over(world: &World) -> Option<String> {
    let baseline = world.baseline.as_ref()?;
    Some(format!("speed-up over {}, which takes {}", baseline.name, time(baseline.time_ns)))
}

/// The cases of the bands, if there are bands.
pub(super) fn tried(found: &Comparison) -> Option<String> {
    let free = found.free.as_ref()?;
    let cases = several(free.cases.len() as u64, "case");
    let first = free.cases.first()?.iter().map(|(name, value)| format!("{name} {value}"));
    let first = first.collect::<Vec<_>>().join(", ");
    Some(format!("times at {first}; band over {cases} of {}", found.tried()?))
}

fn notes(view: &View<'_>, page: &Page, world: &World, rows: &[TableRow<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.combination.oversubscribed) {
        let note = format!("more processors than {}: they took turns", cores(view.cores));
        notes.push(page.fold_in(QUIET, "  * ", &note));
    }
    notes.extend(over(world).map(|over| page.fold_in(QUIET, "    ", &over)));
    notes.extend(tried(view.found).map(|tried| page.fold_in(QUIET, "    ", &tried)));
    let (said, style) = trailer(rows);
    notes.push(page.fold_in(style, "    ", &said));
    notes
}

/// The number of right answers, and the style of that line.
pub(super) fn trailer(rows: &[TableRow<'_>]) -> (String, Style) {
    let (right, ran) = (rows.iter().filter(|row| row.is_right()).count(), rows.len());
    let said = match right == ran {
        true if ran == 1 => "the answer agrees with the sequential one".to_owned(),
        true => format!("all {ran} answers agree with the sequential one"),
        false => format!("{right} of {ran} answers agree with the sequential one"),
    };
    (said, if right == ran { QUIET } else { ALARM })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_told_in_a_line_for_each_reason() {
        let left_out = |mechanism: Option<&str>, policy: Option<&str>| LeftOut {
            mechanism: mechanism.map(str::to_owned),
            policy: policy.map(str::to_owned),
            reason: "needs more".to_owned(),
        };
        let policies = ["fixed:1", "fixed:2", "partitioned:2"].map(|name| left_out(None, Some(name)));
        let all: Vec<_> = policies.into_iter().chain([left_out(Some("deposit"), None)]).collect();
        assert_eq!(
            super::left_out(&all),
            ["the machine has no: deposit", "left out for want of processors: fixed, partitioned:2"]
        );
    }

    #[test]
    fn each_reason_comes_once_and_mechanisms_with_the_same_policies_stand_together() {
        let refusal = |mechanism: &str, policy: Option<&str>, reason: &str| Refused {
            mechanism: mechanism.to_owned(),
            policy: policy.map(str::to_owned),
            reason: reason.to_owned(),
        };
        let all = [
            refusal("messages", Some("np"), "no processor"),
            refusal("bulk", Some("np"), "no processor"),
            refusal("deposit", Some("np"), "no processor"),
            refusal("deposit", Some("inject"), "no processor"),
            refusal("deposit", None, "no deposit"),
        ];
        let said: Vec<_> =
            by_reason(&all).into_iter().map(|(reason, of)| format!("{}: {reason}", refused(of))).collect();
        assert_eq!(said, ["messages, bulk (np); deposit (np, inject): no processor", "deposit: no deposit"]);
    }
}
