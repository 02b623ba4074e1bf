//! `tradewind compare`: one program by every mechanism under every policy on several machines, every answer checked, ranked.
//! This module must never know how a comparison looks.

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

use compare::Ranking;
use report::text::View;
use report::{document, text};
use worlds::shape::{self, Asked};
use worlds::{Compared, Comparison, Step, Target};

use crate::arguments::Compare;
use crate::asked::{asked, subject, targets};
use crate::house::House;
use crate::print::{code, print};
use crate::problem::{All, Problem};
use crate::progress::Progress;
use crate::told::{distinct, every, optional};

/// Runs everything and reports.
pub(crate) fn compare(house: &House, arguments: &Compare, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let (plan, page) = (plan(house, arguments), common.output.page()).all()?;
    let rankings = run(&house.name, &plan);
    if rankings.iter().all(|ranking| ranking.places.is_empty() && ranking.failed.is_empty()) {
        return Err(Problem::Wrong(reasons(&rankings)));
    }
    let asked = asked(common, &plan.subject);
    let setting = document::Setting {
        threads: plan.threads,
        seed: plan.seed,
        protocol: plan.subject.sharing.protocol.to_string(),
        block_bytes: plan.subject.sharing.block,
    };
    let host = worlds::host();
    let entry = &plan.subject.entry;
    let view = View {
        asked: &asked,
        summary: entry.summary,
        mechanisms: entry.mechanisms.len(),
        setting: &setting,
        rankings: &rankings,
        cores: worlds::cores(),
        host: &host,
        counters: arguments.counters,
    };
    let found = document::Comparison::new(asked.clone(), &setting, &rankings, &host);
    print(out, common.output.json, &page, &found, |page| text::comparison(&view, page))?;
    Ok(code(rankings.iter().all(Ranking::is_clean)))
}

/// The comparison that the command line asks for.
fn plan(house: &House, arguments: &Compare) -> Result<Comparison, Problem> {
    let common = &arguments.common;
    let machines = machines(house, arguments);
    let asked = (
        targets(&machines, &common.settings),
        subject(house, common, distinct(&arguments.mechanism), |entry| entry.mechanisms),
        every(&arguments.policy),
    );
    let size = (optional(&arguments.nodes), optional(&arguments.processors), optional(&common.threads));
    let rest = (arguments.repeat.get(), common.seed.get(), optional(&common.stall_limit));
    let ((targets, (subject, mechanisms), policies), size, rest) =
        (asked.all(), size.all(), rest.all()).all()?;
    let size = (Asked { nodes: size.0, processors: size.1 }, size.2);
    let least = subject.instance.least();
    let mut plan = Comparison::new(subject, targets);
    (plan.policies, plan.mechanisms) = (policies, mechanisms);
    plan.shapes = shape::of_comparison(size.0, least, &plan.targets);
    plan.crowded = !size.0.is_nothing();
    plan.threads = size.1.unwrap_or(least.threads);
    (plan.repeat, plan.seed, plan.stall_limit) = rest;
    Ok(plan)
}

/// The machines that were asked for, or else the usual ones for the program.
fn machines(house: &House, arguments: &Compare) -> Vec<String> {
    if !arguments.machine.is_empty() {
        return arguments.machine.clone();
    }
    let usual = house.programs.find(&arguments.common.program).map(Target::usual);
    usual.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Runs a comparison and ranks what came of it, machine by machine; says meanwhile, as the command of this name, how far it
/// is.
fn run(name: &str, plan: &Comparison) -> Vec<Ranking> {
    let mut progress = None;
    let mut told = 0;
    let compared = plan.run_with(|step| {
        let progress = progress.get_or_insert_with(|| Progress::new(name, step.all));
        (told..step.done).for_each(|_| progress.step());
        told = step.done;
        progress.begin(way(&step));
        ControlFlow::Continue(())
    });
    compared.into_iter().map(Compared::ranking).collect()
}

/// The run that begins, in words.
fn way(Step { target, mechanism, policy, run, runs, .. }: &Step<'_>) -> String {
    let way = format!("{} by {mechanism} under {policy}", target.label());
    match *run {
        0 => format!("{way}, warming up"),
        1 if *runs == 1 => way,
        run => format!("{way}, run {run} of {runs}"),
    }
}

/// The reasons why nothing could run, each once: what is wrong with the size is wrong under every policy.
fn reasons(rankings: &[Ranking]) -> Vec<String> {
    let mut reasons = Vec::new();
    for refusal in rankings.iter().flat_map(|ranking| &ranking.refused) {
        if !reasons.contains(&refusal.reason) {
            reasons.push(refusal.reason.clone());
        }
    }
    reasons
}
