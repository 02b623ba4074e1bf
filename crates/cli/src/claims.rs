//! `tradewind claims`: does the necessary runs, and compares each claim with their results. This module must never know
//! how claims look.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use lab::laboratory::{Metrics, Needed};
use lab::ledger::{Entry, entry};
use lab::record::Unusable;
use lab::sensitivity::{self, Raise};
use lab::{Claim, Finding, Laboratory, Specification, specification};
use report::document::{self, Circumstances, FailedRun, Partial};
use report::{Page, text, tsv};
use serde_json::Value;
use units::names::did_you_mean;
use worlds::Target;

use crate::app::App;
use crate::arguments::Claims;
use crate::asked::{hosting_of, node_processes};
use crate::files;
use crate::own_files;
use crate::print::{code, print};
use crate::problem::{All, Problem};
use crate::reads::Reads;
use crate::runs::{self, Answer, Answers, Runs, unrecorded};
use crate::studies;

/// Does the runs and prints the claims.
pub(crate) fn claims(
    app: &App,
    arguments: &Claims,
    out: &mut (impl Write + Send),
) -> Result<ExitCode, Problem> {
    let laboratory =
        |processes| studies::laboratory(arguments.claims.as_deref(), arguments.data.as_deref(), processes);
    let laboratory = node_processes(&arguments.node_options).and_then(laboratory);
    let data = own_files::folder(arguments.data.as_deref());
    let (page, laboratory, ()) = (arguments.output.page(), laboratory, data).all()?;
    if let Some(path) = &arguments.out {
        // A path that cannot be written is told before the runs, not after them.
        files::table(path)?;
    }
    known(&laboratory, &arguments.prefixes)?;
    let needed = laboratory.needed(&arguments.prefixes);
    let held = Held { app, arguments, laboratory: &laboratory, needed: &needed, page };
    if let Some(path) = &arguments.recount {
        let code = held.print_verdicts(&recorded(&laboratory, path)?, Answered::default(), out)?;
        out.flush()?;
        return Ok(code);
    }
    let runs: Vec<_> = needed.iter().map(|needed| needed.run).collect();
    check_places(&runs)?;
    let tell = |answers, partial| match arguments.sensitivity {
        // Nothing has been raised yet.
        Some(_) => Ok(()),
        None => held.print(answers, Some(partial), out).and_then(|_| Ok(out.flush()?)),
    };
    let (answers, recorded) = numbers(app, arguments, &runs, tell)?;
    let partial = recorded.as_ref().err().map(|unusable| unrecorded(unusable, &answers));
    let code = match arguments.sensitivity {
        Some(share) => held.raised(answers, share, out)?,
        None => held.print(answers, partial, out)?,
    };
    out.flush()?;
    recorded.map(|()| code).map_err(runs::failed)
}

/// Claims that are held against the answers of runs, and the way in which the verdicts are printed.
struct Held<'a> {
    app: &'a App,
    arguments: &'a Claims,
    laboratory: &'a Laboratory,
    needed: &'a [Needed<'a>],
    page: Page,
}

/// The runs that verdicts are of.
#[derive(Default)]
struct Answered {
    /// The number of runs that the claims needed.
    runs: usize,
    /// The circumstances of the first run on this host.
    circumstances: Option<Circumstances>,
    /// The runs that yielded nothing.
    failed: Vec<FailedRun>,
    /// The mark that runs are without an answer.
    partial: Option<Partial>,
}

impl Held<'_> {
    /// Prints the verdicts, or the ledger. Where `partial` says so, runs are without an answer.
    fn print(
        &self,
        answers: Numbers,
        partial: Option<Partial>,
        out: &mut impl Write,
    ) -> Result<ExitCode, Problem> {
        let Self { arguments, laboratory, needed, page, .. } = self;
        let circumstances = circumstances(&answers);
        let (done, failed) = self.sorted(answers);
        let metrics = laboratory.metrics(&done);
        if !arguments.ledger {
            let ran = Answered { runs: needed.len(), circumstances, failed, partial };
            return self.print_verdicts(&metrics, ran, out);
        }
        let findings = laboratory.findings(&arguments.prefixes, &metrics, &fixing(needed));
        let well = failed.is_empty();
        let studies: BTreeSet<_> = needed.iter().map(|needed| needed.study).collect();
        let studies = laboratory.studies().iter().filter(|study| studies.contains(study.name.as_str()));
        let found = document::Ledger::new(&ledger(needed, &findings, &metrics), studies, failed, partial);
        print(out, arguments.output.json, page, &found, |page| text::ledger(&found, page))?;
        Ok(code(well))
    }

    /// Prints the verdicts by these metrics, and writes them into the table that was asked for.
    fn print_verdicts(
        &self,
        metrics: &Metrics,
        ran: Answered,
        out: &mut impl Write,
    ) -> Result<ExitCode, Problem> {
        let Answered { runs, circumstances, failed, partial } = ran;
        let Self { arguments, laboratory, needed, page, .. } = self;
        let findings = laboratory.findings(&arguments.prefixes, metrics, &fixing(needed));
        let well = failed.is_empty();
        let found = document::Claims::new(laboratory, &findings, runs, failed, partial);
        let found = document::Claims { circumstances, ..found };
        print(out, arguments.output.json, page, &found, |page| text::claims(&found, page))?;
        // Half of the verdicts do not take the place of all.
        if let Some(path) = arguments.out.as_ref().filter(|_| found.partial.is_none()) {
            files::save(path, &tsv::claims(&found))?;
        }
        Ok(code(well))
    }

    /// Prints the table of which claims move when a free value is raised by this share.
    fn raised(
        &self,
        answers: Numbers,
        share: f64,
        out: &mut (impl Write + Send),
    ) -> Result<ExitCode, Problem> {
        let Self { arguments, laboratory, needed, page, .. } = self;
        let (done, failed) = self.sorted(answers);
        let metrics = laboratory.metrics(&done);
        let findings = laboratory.findings(&arguments.prefixes, &metrics, &fixing(needed));
        let entries = ledger(needed, &findings, &metrics);
        let table = Sensitive { held: self, share, entries: &entries, done: &done, before: &metrics };
        let (well, json) = (failed.is_empty(), arguments.output.json);
        let show = |found: &document::Sensitivity, out: &mut _| {
            print(out, json, page, found, |page| text::sensitivity(found, page))
        };
        let (found, recorded) =
            table.of(failed.clone(), |found| show(&found, out).and_then(|()| Ok(out.flush()?)))?;
        show(&found, out)?;
        out.flush()?;
        recorded.map(|()| code(well)).map_err(runs::failed)
    }

    /// The runs with their numbers, and the failed ones.
    fn sorted(&self, answers: Numbers) -> (Done<'_>, Vec<FailedRun>) {
        let (mut done, mut failures) = (Vec::new(), Vec::new());
        for (needed, answer) in self.needed.iter().zip(answers) {
            match answer {
                None => {}
                Some(Ok((numbers, _))) => done.push((*needed, numbers)),
                Some(Err(none)) => {
                    let (study, command) = (needed.study.to_owned(), needed.run.command_line(&self.app.name));
                    failures.push(FailedRun { study, command, said: none.why() });
                }
            }
        }
        (done, failures)
    }
}

/// Checks that the nodes of all runs can be in their processes.
fn check_places(runs: &[&Specification]) -> Result<(), Problem> {
    let check = |run: &&Specification| hosting_of(run).check(run.nodes.unwrap_or(1));
    runs.iter().try_for_each(check).map_err(|refusal| Problem::wrong(refusal.to_string()))
}

/// The metrics of a record.
fn recorded(laboratory: &Laboratory, path: &Path) -> Result<Metrics, Problem> {
    let name = units::text::path(path);
    let text = worlds::files::read_text(path).map_err(|error| Problem::wrong(format!("{name}: {error}")))?;
    let mistakes =
        |mistakes: lab::Mistakes| Problem::Wrong(mistakes.iter().map(ToString::to_string).collect());
    let recorded = lab::recorded::read(&name, &text).map_err(mistakes)?;
    Ok(laboratory.metrics_recorded(&recorded))
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

/// The claims that fixed values of the machines of these runs. A machine that cannot be read has none: its runs have
/// failed and were reported.
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
        if prefix.ends_with(".toml") || Path::new(prefix).is_file() {
            return format!(
                "`{prefix}` is a file: expected the beginning of a claim's id; `tradewind study {prefix}` runs a study's file, and \
                 `tradewind report {prefix} --out FILE.html` draws what came of it"
            );
        }
        // Most people mistype a beginning, so whole ids are of no help.
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

/// The answers of runs.
type Numbers = Answers<Told>;

/// The numbers of a run, and its circumstances if it was on this host.
type Told = (Vec<(String, f64)>, Option<Circumstances>);

/// Reads the answer of a run.
fn told(answer: &Value) -> Told {
    (specification::numbers(answer), Circumstances::read(&answer["circumstances"]))
}

/// The circumstances of the first run on this host.
fn circumstances(answers: &Numbers) -> Option<Circumstances> {
    answers.iter().find_map(|answer| answer.as_ref()?.as_ref().ok()?.1.clone())
}

/// The numbers of runs, and whether all could be recorded. On an interrupt, `tell` prints the results of the finished
/// runs.
fn numbers(
    app: &App,
    arguments: &Claims,
    runs: &[&Specification],
    tell: impl FnOnce(Numbers, Partial) -> Result<(), Problem> + Send,
) -> Result<(Numbers, Result<(), Unusable>), Problem> {
    let reads = Reads::new(app);
    let digests = |run: &Specification| reads.digests(run);
    let asked = Runs { app, record: arguments.record.as_ref(), jobs: None, digests: &digests };
    asked.answers(runs, |_, answer| Ok(told(answer)), tell)
}

/// The table of which claims move when a free value is raised.
struct Sensitive<'a> {
    held: &'a Held<'a>,
    share: f64,
    entries: &'a [Entry],
    /// The runs without a raised value.
    done: &'a Done<'a>,
    /// The metrics without a raised value.
    before: &'a Metrics,
}

impl Sensitive<'_> {
    /// The least change that is listed, of the share by which a value is raised.
    const LEAST: f64 = 0.1;

    /// Raises every value of the ledger by itself. If the command is interrupted, `tell` prints the table of those values whose
    /// runs are all done.
    fn of(
        &self,
        failed_runs: Vec<FailedRun>,
        tell: impl FnOnce(document::Sensitivity) -> Result<(), Problem> + Send,
    ) -> Result<(document::Sensitivity, Result<(), Unusable>), Problem> {
        let raised: Vec<_> =
            self.entries.iter().map(|entry| sensitivity::raises(entry, self.share)).collect();
        let of_raise = |raise: &Raise| -> Vec<(usize, Specification)> {
            let runs = self.done.iter().enumerate();
            runs.filter_map(|(place, (needed, _))| Some((place, raise.of_run(needed.run)?))).collect()
        };
        let asked: Vec<_> = raised.iter().flat_map(|(raises, _)| raises).map(of_raise).collect();
        let runs: Vec<_> = asked.iter().flatten().map(|(_, run)| run).collect();
        let table = |answers: Numbers, partial: Option<Partial>| {
            let mut answers = answers.into_iter();
            let mut places = asked.iter();
            let machines = self.entries.iter().zip(&raised).map(|(entry, (raises, still))| {
                let rows = raises.iter().zip(places.by_ref()).filter_map(|(raise, asked)| {
                    let answers: Option<Vec<_>> =
                        answers.by_ref().take(asked.len()).collect::<Vec<_>>().into_iter().collect();
                    Some(self.raised(raise, asked.iter().map(|(place, _)| *place).zip(answers?)))
                });
                document::SensitiveMachine {
                    machine: entry.machine.clone(),
                    raised: rows.collect(),
                    not_raised: still.iter().map(document::Parameter::from).collect(),
                }
            });
            document::Sensitivity {
                version: document::VERSION,
                partial,
                share: self.share,
                least: self.share * Self::LEAST,
                machines: machines.collect(),
                failed_runs: failed_runs.clone(),
            }
        };
        let Held { app, arguments, .. } = self.held;
        let tell = |answers, partial| tell(table(answers, Some(partial)));
        let (answers, recorded) = numbers(app, arguments, &runs, tell)?;
        let partial = recorded.as_ref().err().map(|unusable| unrecorded(unusable, &answers));
        Ok((table(answers, partial), recorded))
    }

    /// The row of one raised value, from the answers of the runs at these places.
    fn raised(
        &self,
        raise: &Raise,
        answers: impl Iterator<Item = (usize, Answer<Told>)>,
    ) -> document::Raised {
        let (mut done, mut refused) = (self.done.clone(), None);
        for (place, answer) in answers {
            match answer {
                Ok((numbers, _)) => done[place].1 = numbers,
                Err(none) => refused = Some(none.why()),
            }
        }
        let Held { laboratory, arguments, .. } = self.held;
        let after = laboratory.metrics(&done);
        let prefixes = &arguments.prefixes;
        let is_asked =
            |claim: &&Claim| prefixes.is_empty() || prefixes.iter().any(|prefix| claim.is_under(prefix));
        let claims = laboratory.claims().iter().filter(is_asked);
        let moved = sensitivity::moved(claims, self.before, &after, self.share * Self::LEAST);
        document::Raised {
            parameter: document::Parameter::from(&raise.parameter),
            to: raise.to.clone(),
            moved: moved.iter().map(document::Moved::from).collect(),
            refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn verdicts_have_the_circumstances_of_the_first_run_on_this_host() {
        let answered = |answer: &Value| Some(Ok(told(answer)));
        let native = |load: f64| json!({ "circumstances": { "build": "1", "commit": null, "date": "d", "host": "h", "load": load } });
        let model = json!({ "circumstances": null });
        let all = vec![None, answered(&model), answered(&native(0.5)), answered(&native(2.0))];
        assert_eq!(circumstances(&all).and_then(|found| found.load), Some(0.5));
        assert_eq!(circumstances(&vec![answered(&model)]), None);
    }
}
