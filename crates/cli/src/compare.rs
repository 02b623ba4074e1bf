//! `tradewind compare`: one program by every mechanism under every policy on several machines, every answer checked, ranked.
//! This module must never know how a comparison looks.

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

use compare::{MachineShape, Ranking};
use report::document::Partial;
use report::text::View;
use report::{document, picture, plot, text};
use worlds::{Compared, Comparison, Step};

use crate::arguments::Compare;
use crate::asked::{asked, subject, targets};
use crate::files;
use crate::house::House;
use crate::interrupt;
use crate::print::{code, note, print};
use crate::problem::{All, Problem};
use crate::progress::Progress;
use crate::told::{distinct, every, optional};

/// Runs everything and reports.
pub(crate) fn compare(house: &House, arguments: &Compare, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let (plan, page) = (plan(house, arguments), common.output.page()).all()?;
    if let Some(path) = &arguments.out {
        // A path that cannot be written is told before a long comparison, not after it.
        files::draft(path)?;
    }
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
    };
    let found = document::Comparison::new(asked.clone(), &setting, &rankings, &host);
    print(out, common.output.json, &page, &found, |page| text::comparison(&view, page))?;
    if let Some(path) = &arguments.out {
        files::save(path, &plot::svg(&picture::comparison(&asked, &rankings)))?;
    }
    Ok(code(rankings.iter().all(Ranking::is_clean)))
}

/// The comparison that the command line asks for.
fn plan(house: &House, arguments: &Compare) -> Result<Comparison, Problem> {
    let common = &arguments.common;
    let asked = (
        targets(&arguments.machine, &common.settings),
        subject(house, common, distinct(&arguments.mechanism), |entry| entry.mechanisms),
        every(&arguments.policy),
    );
    let size = (arguments.nodes.get(), arguments.processors.get(), optional(&common.threads));
    let rest = (arguments.repeat.get(), common.seed.get(), optional(&common.stall_limit));
    let ((targets, (subject, mechanisms), policies), size, rest) =
        (asked.all(), size.all(), rest.all()).all()?;
    let least = subject.instance.least();
    let mut plan = Comparison::new(subject, targets);
    (plan.policies, plan.mechanisms) = (policies, mechanisms);
    plan.shapes = vec![MachineShape { nodes: size.0, processors: size.1 }];
    plan.threads = size.2.unwrap_or(least.threads);
    (plan.repeat, plan.seed, plan.stall_limit) = rest;
    Ok(plan)
}

/// Runs a comparison and ranks what came of it, machine by machine; says meanwhile, as the command of this name, how far it
/// is.
fn run(name: &str, plan: &Comparison) -> Vec<Ranking> {
    let progress = Progress::begin(name);
    let mut told = 0;
    let tell = |step: Step<'_>| {
        progress.expect(step.all);
        (told..step.done).for_each(|_| progress.step());
        told = step.done;
        progress.start(way(&step));
        ControlFlow::Continue(())
    };
    let stop = |signal| {
        progress.end();
        note(name, &Partial::interrupted(signal, progress.count()), "there is no result");
    };
    let compared = interrupt::or_tell(|| plan.run_with(tell), stop);
    progress.end();
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
