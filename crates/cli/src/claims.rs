//! `tradewind claims`: runs what is needed, and holds each claim against what came of it. This module must never know how
//! claims look.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs, thread};

use etcetera::BaseStrategy;
use lab::campaign::Campaign;
use lab::laboratory::{Metrics, Needed};
use lab::ledger::{Entry, entry};
use lab::sensitivity::{self, Raise};
use lab::{Claim, Finding, Laboratory, Record, Specification, record, specification};
use report::document::{self, FailedRun};
use report::text;
use units::names::did_you_mean;
use worlds::Target;

use crate::arguments::Claims;
use crate::house::House;
use crate::print::{code, print, say};
use crate::problem::{All, Problem};
use crate::progress::Progress;
use crate::studies;

/// Runs and reports.
pub(crate) fn claims(house: &House, arguments: &Claims, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let (page, laboratory) =
        (arguments.output.page(), studies::laboratory(arguments.claims.as_deref())).all()?;
    known(&laboratory, &arguments.prefixes)?;
    let needed = laboratory.needed(&arguments.prefixes);
    let (done, failed) = run(house, arguments, &needed)?;
    let metrics = laboratory.metrics(&done);
    let findings = laboratory.findings(&arguments.prefixes, &metrics, &fixing(&needed));
    let well = failed.is_empty();
    let json = arguments.output.json;
    if let Some(share) = arguments.sensitivity {
        let table = Sensitive { house, arguments, laboratory: &laboratory, share };
        let entries = ledger(&needed, &findings, &metrics);
        let found = table.of(&entries, &done, &metrics, failed)?;
        print(out, json, &page, &found, |page| text::sensitivity(&found, page))?;
    } else if arguments.ledger {
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
fn ledger(needed: &[Needed<'_>], findings: &[Finding<'_>], metrics: &Metrics) -> Vec<Entry> {
    let read = |name: &str| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => Some(entry(name, &machine, findings, metrics)),
        _ => None,
    };
    machines(needed).into_iter().filter_map(read).collect()
}

/// The claims that fixed values of the machines that something runs on. One that cannot be read has none: the run on it has
/// failed and was told.
fn fixing(needed: &[Needed<'_>]) -> BTreeSet<String> {
    let ids = |name: &str| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => lab::ledger::fixing(&machine).collect(),
        _ => Vec::new(),
    };
    machines(needed).into_iter().flat_map(ids).collect()
}

/// Whether there are claims under every prefix.
fn known(laboratory: &Laboratory, prefixes: &[String]) -> Result<(), Problem> {
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
type Done<'a> = Vec<(Needed<'a>, Vec<(String, f64)>)>;

/// Does the runs, or looks them up.
fn run<'a>(
    house: &House,
    arguments: &Claims,
    needed: &[Needed<'a>],
) -> Result<(Done<'a>, Vec<FailedRun>), Problem> {
    let runs: Vec<_> = needed.iter().map(|needed| needed.run).collect();
    let (mut done, mut failures) = (Vec::new(), Vec::new());
    for (needed, answer) in needed.iter().zip(answers(house, arguments, &runs)?) {
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

/// The numbers that a run yielded, or its error text.
type Answer = Result<Vec<(String, f64)>, String>;

/// The answers of runs, in their order: looked up, or of processes.
fn answers(house: &House, arguments: &Claims, runs: &[&Specification]) -> Result<Vec<Answer>, Problem> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let record = open(&house.name, arguments.record.as_ref())?;
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
    let numbers = |answer: Result<_, String>| answer.map(|answer| specification::numbers(&answer));
    Ok(answers.into_iter().map(numbers).collect())
}

/// The table of which claims move when a free value is raised.
struct Sensitive<'a> {
    house: &'a House,
    arguments: &'a Claims,
    laboratory: &'a Laboratory,
    share: f64,
}

impl Sensitive<'_> {
    /// The least change that is listed, of the share by which a value is raised.
    const LEAST: f64 = 0.1;

    /// Raises every value of the ledger by itself. `done` and `before` are the runs and metrics without a raised value.
    fn of(
        &self,
        entries: &[Entry],
        done: &Done<'_>,
        before: &Metrics,
        failed_runs: Vec<FailedRun>,
    ) -> Result<document::Sensitivity, Problem> {
        let by_machine: Vec<_> =
            entries.iter().map(|entry| (entry, sensitivity::raises(entry, self.share))).collect();
        let raises: Vec<_> = by_machine.iter().flat_map(|(_, (raises, _))| raises).collect();
        let of_raise = |raise: &&Raise| -> Vec<_> {
            let runs = done.iter().enumerate();
            runs.filter_map(|(place, (needed, _))| Some((place, raise.of_run(needed.run)?))).collect()
        };
        let asked: Vec<Vec<(usize, Specification)>> = raises.iter().map(of_raise).collect();
        let runs: Vec<_> = asked.iter().flatten().map(|(_, run)| run).collect();
        let mut answers = answers(self.house, self.arguments, &runs)?.into_iter();
        let mut raised = raises.iter().zip(&asked).map(|(raise, asked)| {
            let answers: Vec<_> = answers.by_ref().take(asked.len()).collect();
            self.raised(raise, asked.iter().map(|(place, _)| *place).zip(answers), done, before)
        });
        let machines = by_machine.iter().map(|(entry, (raises, still))| document::SensitiveMachine {
            machine: entry.machine.clone(),
            raised: raised.by_ref().take(raises.len()).collect(),
            not_raised: still.iter().map(document::Parameter::from).collect(),
        });
        Ok(document::Sensitivity {
            version: document::VERSION,
            share: self.share,
            least: self.share * Self::LEAST,
            machines: machines.collect(),
            failed_runs,
        })
    }

    /// The row of one raised value, from the answers of the runs at these places.
    fn raised(
        &self,
        raise: &Raise,
        answers: impl Iterator<Item = (usize, Answer)>,
        done: &Done<'_>,
        before: &Metrics,
    ) -> document::Raised {
        let (mut done, mut refused) = (done.clone(), None);
        for (place, answer) in answers {
            match answer {
                Ok(numbers) => done[place].1 = numbers,
                Err(why) => refused = Some(why),
            }
        }
        let after = self.laboratory.metrics(&done);
        let prefixes = &self.arguments.prefixes;
        let is_asked =
            |claim: &&Claim| prefixes.is_empty() || prefixes.iter().any(|prefix| claim.is_under(prefix));
        let claims = self.laboratory.claims().iter().filter(is_asked);
        let moved = sensitivity::moved(claims, before, &after, self.share * Self::LEAST);
        document::Raised {
            parameter: document::Parameter::from(&raise.parameter),
            to: raise.to.clone(),
            moved: moved.iter().map(document::Moved::from).collect(),
            refused,
        }
    }
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
fn open(name: &str, asked: Option<&PathBuf>) -> Result<Record, Problem> {
    let path = match asked {
        Some(path) => path.clone(),
        None => {
            let folders = etcetera::choose_base_strategy()
                .map_err(|error| Problem::Failed(format!("{error}; say --record FILE")))?;
            let (home, folder) = (folders.home_dir(), folders.data_dir().join("tradewind"));
            // A home that is not there is a mistake of the environment, and nothing to be made.
            if folder.starts_with(home) && !home.is_dir() {
                let home = home.display();
                return Err(Problem::Failed(format!(
                    "HOME={home}: there is no such folder; say --record FILE"
                )));
            }
            fs::create_dir_all(&folder).map_err(|error| {
                Problem::Failed(format!("{}: {error}; say --record FILE", folder.display()))
            })?;
            folder.join("record.sqlite")
        }
    };
    let (name, shown) = (name.to_owned(), path.display().to_string());
    let waits = move |waited: Duration| {
        say(
            &name,
            &format!("record {shown}: locked by another command; has waited for {} s", waited.as_secs()),
        );
    };
    Record::open(&path, waits).map_err(|error| match error.is_locked() {
        true => Problem::Failed(format!("record {error}")),
        false => Problem::wrong(format!("record {error}")),
    })
}
