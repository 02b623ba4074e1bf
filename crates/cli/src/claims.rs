//! `tradewind claims`: runs what is needed, and holds each claim against what came of it.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, thread};

use etcetera::BaseStrategy;
use lab::campaign::Campaign;
use lab::laboratory::{Metrics, Needed};
use lab::{Finding, Laboratory, Record, Specification, record, specification};

use crate::arguments::Claims;
use crate::names::suggestion;
use crate::page::Page;
use crate::progress::Progress;
use crate::{Problem, both, ledger, numbers, studies, verdicts};
use worlds::Target;

/// A run that yielded nothing, and why.
pub(crate) struct Failure {
    /// The study that asked for it.
    pub(crate) study: String,
    /// The command line.
    pub(crate) run: String,
    /// What the run said.
    pub(crate) why: String,
}

/// What the command found out.
pub(crate) struct Outcome<'a> {
    pub(crate) laboratory: &'a Laboratory,
    pub(crate) findings: Vec<Finding<'a>>,
    pub(crate) metrics: Metrics,
    pub(crate) failures: Vec<Failure>,
    /// The runs there were, those of the record included.
    pub(crate) runs: Vec<Needed<'a>>,
}

/// Runs and reports.
pub(crate) fn claims(arguments: &Claims, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let width = numbers::width(arguments.width.as_deref());
    let (width, laboratory) = both(width, studies::laboratory(arguments.claims.as_deref()))?;
    known(&laboratory, &arguments.prefixes)?;
    let needed = laboratory.needed(&arguments.prefixes);
    let (done, failures) = run(arguments, &needed)?;
    let metrics = laboratory.metrics(&done);
    let findings = laboratory.findings(&arguments.prefixes, &metrics, &fixing(&needed));
    let outcome = Outcome { laboratory: &laboratory, findings, metrics, failures, runs: needed };
    let page = Page::find(width);
    match (arguments.ledger, arguments.json) {
        (true, json) => ledger::write(&outcome, &page, json, out)?,
        (false, true) => verdicts::json(&outcome, out)?,
        (false, false) => verdicts::text(&outcome, &page, out)?,
    }
    Ok(if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The claims that fixed values of the machines that something runs on. One that cannot be read has none: the run on it has
/// failed and was told.
fn fixing(needed: &[Needed<'_>]) -> BTreeSet<String> {
    let machines: BTreeSet<_> = needed.iter().map(|needed| needed.run.machine.as_str()).collect();
    let ids = |name: &str| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => lab::ledger::fixing(&machine).collect(),
        _ => Vec::new(),
    };
    machines.into_iter().flat_map(ids).collect()
}

/// Whether there are claims under every prefix.
fn known(laboratory: &Laboratory, prefixes: &[String]) -> Result<(), Problem> {
    let is_known = |prefix: &&String| laboratory.claims().iter().any(|claim| claim.is_under(prefix));
    let mistake = |prefix: &String| {
        // A beginning is what most people mistype, so whole ids are of no help.
        let parts = laboratory.claims().iter().flat_map(|claim| beginnings(&claim.id));
        let nearest = suggestion(prefix, parts);
        format!(
            "no claim begins with `{prefix}`:{nearest} expected a beginning such as split-c.gap2; see `tradewind list claims`"
        )
    };
    let mistakes: Vec<_> = prefixes.iter().filter(|prefix| !is_known(prefix)).map(mistake).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(Problem::Wrong(mistakes)) }
}

/// The first one and the first two parts of an id.
fn beginnings(id: &str) -> impl Iterator<Item = &str> {
    id.match_indices('.').take(2).map(|(end, _)| &id[..end])
}

/// Runs with the numbers that each yielded.
type Done<'a> = Vec<(Needed<'a>, Vec<(String, f64)>)>;

/// Does the runs, or looks them up.
fn run<'a>(arguments: &Claims, needed: &[Needed<'a>]) -> Result<(Done<'a>, Vec<Failure>), Problem> {
    if needed.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let record = open(arguments.record.as_ref())?;
    let executable = env::current_exe()
        .map_err(|error| Problem::Failed(format!("the file of this command cannot be found: {error}")))?;
    let version = record::version(env!("CARGO_PKG_VERSION"), &executable)
        .map_err(|error| Problem::Failed(format!("{}: {error}", executable.display())))?;
    let progress = Progress::new(needed.len());
    let runs: Vec<_> = needed.iter().map(|needed| needed.run).collect();
    let campaign = Campaign {
        executable: &executable,
        version: &version,
        machine: &digest,
        progress: &|run, done| match done {
            true => progress.step(),
            false => progress.begin(run.told()),
        },
        jobs: thread::available_parallelism().map_or(1, usize::from),
    };
    let answers = campaign.run(record, &runs).map_err(|error| Problem::Failed(error.to_string()))?;
    let (mut done, mut failures) = (Vec::new(), Vec::new());
    for (needed, answer) in needed.iter().zip(answers) {
        match answer {
            Ok(answer) => done.push((*needed, specification::numbers(&answer))),
            Err(why) => {
                let (study, run) = (needed.study.to_owned(), needed.run.told());
                failures.push(Failure { study, run, why });
            }
        }
    }
    Ok((done, failures))
}

/// What tells one machine with its settings from another.
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
