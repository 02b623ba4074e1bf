//! `tradewind claims --sensitivity`: each free number of the machines a little larger, one at a time, and the claimed values that
//! move. This module must never know how the table looks.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use lab::laboratory::{Metrics, Needed};
use lab::ledger::{Entry, Parameter};
use lab::sensitivity::{Changed, Nudge, moves, nudged};
use lab::{Laboratory, Specification};
use report::document;
use report::text;

use crate::arguments::Claims;
use crate::claims::{Answer, Done, answers, fixing, known, ledger, run};
use crate::house::House;
use crate::print::{code, print};
use crate::problem::{All, Problem};
use crate::studies;

/// A free number that is changed, and the runs on its machine, by their places among the runs that are needed.
struct Trial<'a> {
    machine: &'a str,
    parameter: &'a Parameter,
    /// The number as it is set; `None` if it is none.
    to: Option<String>,
    runs: Vec<(usize, Specification)>,
}

/// Runs and reports.
pub(crate) fn sensitivity(
    house: &House,
    arguments: &Claims,
    out: &mut impl Write,
) -> Result<ExitCode, Problem> {
    let (page, (laboratory, by)) = (
        arguments.output.page(),
        (studies::laboratory(arguments.claims.as_deref()), arguments.by.get()).all(),
    )
        .all()?;
    known(&laboratory, &arguments.prefixes)?;
    let needed = laboratory.needed(&arguments.prefixes);
    let (done, failed) = run(house, arguments, &needed)?;
    let before = laboratory.metrics(&done);
    let findings = laboratory.findings(&arguments.prefixes, &before, &fixing(&needed));
    let entries = ledger(&needed, &findings, &before);
    let trials: Vec<_> = entries.iter().flat_map(|entry| trials(entry, &done, by)).collect();
    let runs: Vec<_> = trials.iter().flat_map(|trial| trial.runs.iter().map(|(_, run)| run)).collect();
    let mut answers = answers(house, arguments, &runs)?.into_iter();
    let mut nudges: BTreeMap<&str, Vec<Nudge>> = BTreeMap::new();
    for trial in &trials {
        let own: Vec<_> = answers.by_ref().take(trial.runs.len()).collect();
        let outcome = match &trial.to {
            None => Err("it is no number".to_owned()),
            Some(to) => after(&laboratory, &done, trial, own).map(|after| {
                let claims = findings.iter().map(|finding| finding.claim);
                Changed { to: to.clone(), moves: moves(claims, &before, &after) }
            }),
        };
        let nudge = Nudge { parameter: trial.parameter.clone(), outcome };
        nudges.entry(trial.machine).or_default().push(nudge);
    }
    let well = failed.is_empty();
    let found = document::Sensitivity::new(by, &nudges, failed);
    print(out, arguments.output.json, &page, &found, |page| text::sensitivity(&found, page))?;
    Ok(code(well))
}

/// One trial for each free number of a machine. A run that sets the number itself stays as it is.
fn trials<'a>(entry: &'a Entry, done: &Done<'_>, by: f64) -> Vec<Trial<'a>> {
    let of = |parameter: &'a Parameter| {
        let to = nudged(&parameter.value, by);
        let concerned = |needed: &Needed<'_>| {
            let set = needed.run.settings.iter().any(|(key, _)| *key == parameter.key);
            needed.run.machine == entry.machine && !set
        };
        let changed = |needed: &Needed<'_>, to: &String| {
            let mut run = needed.run.clone();
            run.settings.push((parameter.key.clone(), to.clone()));
            run
        };
        let concerned = done.iter().enumerate().filter(|(_, (needed, _))| concerned(needed));
        let runs = concerned.filter_map(|(place, (needed, _))| Some((place, changed(needed, to.as_ref()?))));
        Trial { machine: &entry.machine, parameter, runs: runs.collect(), to }
    };
    entry.parameters.iter().map(of).collect()
}

/// The metrics with the answers of a trial in place of those of its runs.
fn after(
    laboratory: &Laboratory,
    done: &Done<'_>,
    trial: &Trial<'_>,
    answers: Vec<Answer>,
) -> Result<Metrics, String> {
    let mut changed = done.clone();
    for ((place, _), answer) in trial.runs.iter().zip(answers) {
        changed[*place].1 = answer?;
    }
    Ok(laboratory.metrics(&changed))
}
