//! `tradewind compare`: one program by every mechanism under every policy on several machines, every answer checked,
//! ranked.

use std::io::Write;
use std::process::ExitCode;

use worlds::{Refusal, Step, Subject};

use crate::agreement::{self, Agreement, World};
use crate::arguments::{Common, Compare};
use crate::numbers::Numbers;
use crate::page::Page;
use crate::progress::Progress;
use crate::ranking::Ranking;
use crate::{House, Problem, both, json, measure, names, target, text};

/// A comparison that has been run.
pub(crate) struct Comparison<'a> {
    pub(crate) common: &'a Common,
    pub(crate) subject: &'a Subject,
    pub(crate) nodes: u32,
    pub(crate) processors: u32,
    pub(crate) rankings: &'a [Ranking],
}

/// Runs everything and reports.
pub(crate) fn compare(house: &House, arguments: &Compare, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked = both(
        names::policies(&arguments.policy),
        measure::find(house, common, &arguments.mechanism, |entry| entry.mechanisms),
    );
    let asked = both(Numbers::of_compare(arguments), asked);
    let (targets, (numbers, (policies, (subject, mechanisms)))) =
        both(target::find_all(&arguments.machine, &common.settings), asked)?;
    let [nodes, processors] = [numbers.nodes, numbers.processors].map(Option::unwrap_or_default);
    let mut plan = worlds::Comparison::new(subject, targets);
    (plan.nodes, plan.processors, plan.threads) = (nodes, processors, numbers.threads);
    (plan.policies, plan.mechanisms) = (policies, mechanisms);
    (plan.repeat, plan.seed, plan.stall_limit) = (numbers.repeat, numbers.seed, numbers.stall_limit);
    let rankings = run(&plan);
    if rankings.iter().all(|ranking| ranking.places.is_empty() && ranking.failed.is_empty()) {
        return Err(Problem::Wrong(reasons(&rankings)));
    }
    let comparison = Comparison { common, subject: &plan.subject, nodes, processors, rankings: &rankings };
    if common.json {
        json::write(out, &json::compare(&comparison))?;
    } else {
        text::compare(out, &Page::find(numbers.width), &comparison)?;
    }
    let verified =
        rankings.iter().all(|ranking| ranking.right() == ranking.ran() && ranking.failed.is_empty());
    Ok(if verified { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a comparison and ranks what came of it, machine by machine; says meanwhile how far it is.
fn run(plan: &worlds::Comparison) -> Vec<Ranking> {
    let mut progress = None;
    let mut told = 0;
    let compared = plan.run(|step| {
        let progress = progress.get_or_insert_with(|| Progress::new(step.all));
        (told..step.done).for_each(|_| progress.step());
        told = step.done;
        progress.begin(way(&step));
    });
    compared.into_iter().map(Ranking::new).collect()
}

/// What is being run, for people.
fn way(Step { target, mechanism, policy, run, runs, .. }: &Step<'_>) -> String {
    let way = format!("{} by {mechanism} under {policy}", target.label());
    if *runs == 1 { way } else { format!("{way}, run {run} of {runs}") }
}

/// What the machines say together, if there are several.
pub(crate) fn agree<'r>(rankings: &'r [Ranking]) -> Option<Agreement<'r>> {
    let world = |ranking: &'r Ranking| World {
        machine: ranking.target.name(),
        file: ranking.target.file(),
        rows: ranking.rows(),
    };
    agreement::compare(&rankings.iter().map(world).collect::<Vec<_>>())
}

/// Why nothing could run, each reason once: what is wrong with the size is wrong under every policy.
fn reasons(rankings: &[Ranking]) -> Vec<String> {
    let mut reasons = Vec::new();
    for Refusal { reason, .. } in rankings.iter().flat_map(|ranking| &ranking.refused) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    reasons
}
