//! `tradewind claims`: runs what is needed, and holds each claim against what came of it. This module must never know how
//! claims look.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, thread};

use etcetera::BaseStrategy;
use lab::campaign::Campaign;
use lab::laboratory::{Metrics, Needed};
use lab::ledger::{Entry, entry};
use lab::{Finding, Laboratory, Record, Specification, record, specification};
use report::document::{self, FailedRun};
use report::text;
use units::names::did_you_mean;
use worlds::Target;

use crate::arguments::Claims;
use crate::house::House;
use crate::print::{code, print};
use crate::problem::{All, Problem};
use crate::progress::Progress;
use crate::sensitivity::sensitivity;
use crate::studies;

/// Runs and reports, or has that done for the sensitivity of the claimed values.
pub(crate) fn claims(house: &House, arguments: &Claims, out: &mut impl Write) -> Result<ExitCode, Problem> {
    if arguments.sensitivity { sensitivity(house, arguments, out) } else { verdicts(house, arguments, out) }
}

fn verdicts(house: &House, arguments: &Claims, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let (page, laboratory) =
        (arguments.output.page(), studies::laboratory(arguments.claims.as_deref())).all()?;
    known(&laboratory, &arguments.prefixes)?;
    let needed = laboratory.needed(&arguments.prefixes);
    let (done, failed) = run(house, arguments, &needed)?;
    let metrics = laboratory.metrics(&done);
    let findings = laboratory.findings(&arguments.prefixes, &metrics, &fixing(&needed));
    let well = failed.is_empty();
    let json = arguments.output.json;
    if arguments.ledger {
        let found = document::Ledger::new(&ledger(&needed, &findings, &metrics), failed);
        print(out, json, &page, &found, |page| text::ledger(&found, page))?;
    } else {
        let found = document::Claims::new(&laboratory, &findings, needed.len(), failed);
        print(out, json, &page, &found, |page| text::claims(&found, page))?;
    }
    Ok(code(well))
}

/// The names of the machines that something runs on.
fn machines<'a>(needed: &'a [Needed<'_>]) -> BTreeSet<&'a str> {
    needed.iter().map(|needed| needed.run.machine.as_str()).collect()
}

/// The ledger of each machine. A machine that cannot be read has none: the run on it has failed and was told.
pub(crate) fn ledger(needed: &[Needed<'_>], findings: &[Finding<'_>], metrics: &Metrics) -> Vec<Entry> {
    let read = |name: &str| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => Some(entry(name, &machine, findings, metrics)),
        _ => None,
    };
    machines(needed).into_iter().filter_map(read).collect()
}

/// The claims that fixed values of the machines that something runs on. One that cannot be read has none: the run on it has
/// failed and was told.
pub(crate) fn fixing(needed: &[Needed<'_>]) -> BTreeSet<String> {
    let ids = |name: &str| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => lab::ledger::fixing(&machine).collect(),
        _ => Vec::new(),
    };
    machines(needed).into_iter().flat_map(ids).collect()
}

/// Whether there are claims under every prefix.
pub(crate) fn known(laboratory: &Laboratory, prefixes: &[String]) -> Result<(), Problem> {
    let is_known = |prefix: &&String| laboratory.claims().iter().any(|claim| claim.is_under(prefix));
    let mistake = |prefix: &String| {
        // A beginning is what most people mistype, so whole ids are of no help.
        let parts = laboratory.claims().iter().flat_map(|claim| beginnings(&claim.id));
        let nearest = did_you_mean(prefix, parts);
        format!(
            "no claim begins with `{prefix}`:{nearest} expected a beginning such as split-c.gap2; see `tradewind list claims`"
        )
    };
    let mistakes: Vec<_> = prefixes.iter().filter(|prefix| !is_known(prefix)).map(mistake).collect();
    Problem::check(mistakes)
}

/// The first one and the first two parts of an id.
fn beginnings(id: &str) -> impl Iterator<Item = &str> {
    id.match_indices('.').take(2).map(|(end, _)| &id[..end])
}

/// Runs with the numbers that each yielded.
pub(crate) type Done<'a> = Vec<(Needed<'a>, Vec<(String, f64)>)>;

/// Does the runs, or looks them up.
pub(crate) fn run<'a>(
    house: &House,
    arguments: &Claims,
    needed: &[Needed<'a>],
) -> Result<(Done<'a>, Vec<FailedRun>), Problem> {
    let runs: Vec<_> = needed.iter().map(|needed| needed.run).collect();
    let answers = answers(house, arguments, &runs)?;
    let (mut done, mut failures) = (Vec::new(), Vec::new());
    for (needed, answer) in needed.iter().zip(answers) {
        match answer {
            Ok(numbers) => done.push((*needed, numbers)),
            Err(why) => {
                let (study, command) = (needed.study.to_owned(), needed.run.told(&house.name));
                failures.push(FailedRun { study, command, said: why });
            }
        }
    }
    Ok((done, failures))
}

/// The numbers of a run's answer, or why there is none.
pub(crate) type Answer = Result<Vec<(String, f64)>, String>;

/// The answers of runs, in their order.
pub(crate) fn answers(
    house: &House,
    arguments: &Claims,
    runs: &[&Specification],
) -> Result<Vec<Answer>, Problem> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let record = open(arguments.record.as_ref())?;
    let executable = env::current_exe()
        .map_err(|error| Problem::Failed(format!("the file of this command cannot be found: {error}")))?;
    let version = record::version(env!("CARGO_PKG_VERSION"), &executable)
        .map_err(|error| Problem::Failed(format!("{}: {error}", executable.display())))?;
    let progress = Progress::new(&house.name, runs.len());
    let campaign = Campaign {
        executable: &executable,
        version: &version,
        machine: &digest,
        progress: &|run, done| match done {
            true => progress.step(),
            false => progress.begin(run.told(&house.name)),
        },
        jobs: thread::available_parallelism().map_or(1, usize::from),
    };
    let answers = campaign.run(record, runs).map_err(|error| Problem::Failed(error.to_string()))?;
    Ok(answers.into_iter().map(|answer| answer.map(|answer| specification::numbers(&answer))).collect())
}

/// The digest that tells one machine with its settings from another.
fn digest(run: &Specification) -> Result<String, String> {
    match Target::find(&run.machine, &run.settings) {
        Ok(Target::Native) => Ok("native".to_owned()),
        Ok(Target::Model { machine, .. }) => Ok(format!("{:016x}", machine.digest())),
        Err(error) => Err(error.to_string()),
    }
}

/// The record in the file asked for, else in the folder where programs keep what they know of this user.
fn open(asked: Option<&PathBuf>) -> Result<Record, Problem> {
    let path = match asked {
        Some(path) => path.clone(),
        None => {
            let folders = etcetera::choose_base_strategy()
                .map_err(|error| Problem::Failed(format!("{error}; say --record FILE")))?;
            let folder = folders.data_dir().join("tradewind");
            fs::create_dir_all(&folder).map_err(|error| {
                Problem::Failed(format!("{}: {error}; say --record FILE", folder.display()))
            })?;
            folder.join("record.sqlite")
        }
    };
    Record::open(&path).map_err(|error| Problem::wrong(format!("record {error}")))
}
