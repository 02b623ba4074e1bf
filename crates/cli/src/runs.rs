//! Runs of a laboratory: looked up in the record or done as processes, with their progress. On an interrupt, finished
//! results are printed. This module must never know the use of an answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use etcetera::BaseStrategy;
use lab::campaign::{Campaign, Digests, Event};
use lab::record::Unusable;
use lab::{NoAnswer, Record, Specification, record};
use report::document::Partial;
use serde_json::Value;

use crate::app::App;
use crate::interrupt;
use crate::print::say;
use crate::problem::Problem;
use crate::processes::runner;
use crate::progress::{Progress, lock};

/// Result of a run, or the reason why there is none.
pub(crate) type Answer<T> = Result<T, NoAnswer>;

/// The answers of runs, in their order; `None` of a run that was not done.
pub(crate) type Answers<T> = Vec<Option<Answer<T>>>;

/// Runs that are to be done.
pub(crate) struct Runs<'a> {
    pub(crate) app: &'a App,
    /// The record in the file asked for.
    pub(crate) record: Option<&'a PathBuf>,
    /// The number of processes at a time for runs on models; as many as this process may use cores if not said.
    pub(crate) jobs: Option<u32>,
    /// Makes the digests of the machine and files that a run reads, or their mistakes.
    pub(crate) digests: &'a (dyn Fn(&Specification) -> Result<Digests, String> + Sync),
}

impl Runs<'_> {
    /// The answers of runs, made by `keep` from the index of the run and the output of its process; and whether all
    /// could be recorded. On an interrupt, `tell` prints the results of the finished ones.
    pub(crate) fn answers<T: Clone + Send>(
        &self,
        runs: &[&Specification],
        keep: impl Fn(usize, &Value) -> Answer<T> + Sync,
        tell: impl FnOnce(Answers<T>, Partial) -> Result<(), Problem> + Send,
    ) -> Result<(Answers<T>, Result<(), Unusable>), Problem> {
        let name = &self.app.name;
        if runs.is_empty() {
            return Ok((Vec::new(), Ok(())));
        }
        let record = open(name, self.record)?;
        let runner = runner()?;
        let version = record::version(env!("CARGO_PKG_VERSION"), runner.executable()).map_err(|error| {
            Problem::Failed(format!("{}: {error}", units::text::path(runner.executable())))
        })?;
        let finished = Mutex::new(vec![None; runs.len()]);
        let progress = Progress::begin(name);
        progress.expect(runs.len());
        let happens = |event: Event<'_>| match event {
            Event::Searched { found, all } if found > 0 && found < all => {
                say(name, &format!("{found} of {all} runs are on record"));
            }
            Event::Searched { .. } => {}
            Event::Damaged(place) => say(
                name,
                &format!("the answer of {} on record is damaged: the run is done again", runs[place].brief()),
            ),
            Event::Begins(place) => progress.start(runs[place].brief()),
            Event::Ends { place, answer, is_recorded } => {
                match is_recorded {
                    true => progress.skip(),
                    false => progress.step(),
                }
                let kept = answer.as_ref().map_err(NoAnswer::clone).and_then(|answer| keep(place, answer));
                lock(&finished)[place] = Some(kept);
            }
        };
        let jobs = self.jobs.map_or_else(worlds::cores, |jobs| jobs as usize);
        let digests = self.digests;
        let campaign = Campaign { runner: &runner, version: &version, digests, tell: &happens, jobs };
        let stop = |signal| {
            let mut answers = lock(&finished).clone();
            progress.end();
            runner.stop();
            // An interrupt at the terminal reaches the processes of the runs too: those are no failures.
            let stopped = |answer: &Option<Answer<T>>| matches!(answer, Some(Err(NoAnswer::Stopped)));
            answers.iter_mut().filter(|answer| stopped(answer)).for_each(|answer| *answer = None);
            let partial = Partial::interrupted(signal, count(&answers));
            say(name, &format!("{partial}; the same command goes on from there"));
            // A failure to print cannot be reported any more.
            let _ = tell(answers, partial);
        };
        let recorded = interrupt::or_tell(|| campaign.run(record, runs), stop);
        progress.end();
        let answers = std::mem::take(&mut *lock(&finished));
        Ok((answers, recorded))
    }
}

/// The number of answers that are there, and of all.
fn count<T>(answers: &Answers<T>) -> (usize, usize) {
    (answers.iter().flatten().count(), answers.len())
}

/// The mark of a result whose runs ended early because the record cannot be written.
pub(crate) fn unrecorded<T>(unusable: &Unusable, answers: &Answers<T>) -> Partial {
    let (done, all) = count(answers);
    Partial { reason: format!("the record ended the command ({unusable})"), done, all }
}

/// The problem of a record that cannot be read or written after all.
pub(crate) fn failed(unusable: Unusable) -> Problem {
    Problem::Failed(format!("record {unusable}"))
}

/// Opens the record in the requested file, else in the user's data folder; `None` if there is no such file. Nothing is
/// made.
pub(crate) fn existing(name: &str, asked: Option<&PathBuf>) -> Result<Option<Record>, Problem> {
    let path = path(asked)?;
    path.exists().then(|| opened(name, &path)).transpose()
}

/// Opens the record in the requested file, else in the user's data folder; makes it if there is none.
fn open(name: &str, asked: Option<&PathBuf>) -> Result<Record, Problem> {
    let path = path(asked)?;
    if asked.is_none()
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder).map_err(|error| {
            Problem::Failed(format!("{}: {error}; say --record FILE", units::text::path(folder)))
        })?;
    }
    opened(name, &path)
}

/// The file of the record.
fn path(asked: Option<&PathBuf>) -> Result<PathBuf, Problem> {
    match asked {
        Some(path) => Ok(path.clone()),
        None => {
            let folders = etcetera::choose_base_strategy()
                .map_err(|error| Problem::Failed(format!("{error}; say --record FILE")))?;
            let (home, folder) = (folders.home_dir(), folders.data_dir().join("tradewind"));
            // A home that is not there is a mistake of the environment, and nothing to be made.
            if folder.starts_with(home) && !home.is_dir() {
                let home = units::text::path(home);
                return Err(Problem::Failed(format!(
                    "HOME={home}: there is no such folder; say --record FILE"
                )));
            }
            Ok(folder.join("record.tsv"))
        }
    }
}

/// The record in a file.
fn opened(name: &str, path: &Path) -> Result<Record, Problem> {
    let (name, shown) = (name.to_owned(), units::text::path(path));
    let waits = move |waited: Duration| {
        say(
            &name,
            &format!("record {shown}: locked by another command; has waited for {} s", waited.as_secs()),
        );
    };
    Record::open(path, waits).map_err(|error| match error.is_locked() {
        true => Problem::Failed(format!("record {error}")),
        false => Problem::wrong(format!("record {error}")),
    })
}
