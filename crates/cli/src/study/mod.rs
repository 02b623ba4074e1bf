//! `tradewind study`: the runs that a file states, their numbers as tables, and its figures.
//!
//! 1. `lab::study` reads the file, shipped or a user's, and reports every mistake with its line and column. A list in place of a value is
//!    an *axis*; each combination of values is a [`Source`]. Names in figures are checked against the sources.
//! 2. `check` holds each source against programs, machines, policies and inputs, and adds those mistakes to the others. Paths begin in the
//!    folder of the file.
//! 3. `lab::campaign` makes the runs, as for claims. On this host the sources run in rounds: each run is a process, and each round begins
//!    with another source, so that drift of the host affects all sources alike.
//! 4. `lab::results` makes a row of each source, with a sample for each round. Metrics are medians. `lab::drawing` finds the points of each
//!    figure.
//! 5. `report` makes the document, the tables, tab-separated values and pictures from these; intervals come from `compare::interval`.
//! 6. With `--out` every file is written under a temporary name first, and then renamed: a folder has all of a study or none of it.
//!
//! This module must never know how results look.

pub(crate) mod check;
mod folder;
pub(crate) mod source;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use lab::results::{Kept, Results, SourceRound};
use lab::specification::{FIGURES, numbers};
use lab::study::{Mapping, Origin, Source};
use lab::{Laboratory, NoAnswer, Specification};
use report::document::{self, FailedRun, Partial};
use report::{Page, picture, text, tsv};
use serde_json::Value;
use units::names::{nearest, nearest_slip};

use crate::app::App;
use crate::arguments::Study;
use crate::asked::{node_processes, warn_of_build};
use crate::deferred::optional;
use crate::own_files;
use crate::print::{code, print, say};
use crate::problem::{All, Problem};
use crate::reads::Reads;
use crate::runs::{self, Answer, Answers, Runs, unrecorded};

pub(crate) use folder::Folder;

/// Does the runs of the study and prints its results.
pub(crate) fn study(
    app: &App,
    arguments: &Study,
    out: &mut (impl Write + Send),
) -> Result<ExitCode, Problem> {
    let read = source::read(&arguments.study, arguments.yes, arguments.data.as_deref());
    let processes = node_processes(&arguments.node_options);
    let read = (read, processes).all().map(|(read, processes)| read.run_in(processes));
    let laboratory = read.and_then(|read| check::laboratory(app, read));
    let data = own_files::folder(arguments.data.as_deref());
    let options = (arguments.output.page(), optional(&arguments.jobs), data).all();
    let ((page, jobs, ()), laboratory) = (options, laboratory).all()?;
    let [study] = laboratory.studies() else { unreachable!("a laboratory of one study") };
    let folder = arguments.out.as_deref().map(|path| Folder::open(path, &study.name)).transpose()?;
    let asked = study.asked(is_native);
    warn_of_build(&app.name, study.sources.iter().any(is_native));
    let reported = Reported { app, arguments, laboratory: &laboratory, study, asked: &asked, page, folder };
    let runs: Vec<Specification> = asked.iter().filter_map(|asked| reported.run(*asked)).collect();
    let keep = |place: usize, answer: &Value| {
        let source = &study.sources[asked[place].source];
        let kept = source.kept(answer);
        let lacks = source.missing(&kept).first().map(|mapping| lacking(&study.file, mapping, answer));
        lacks.map_or(Ok(kept), |why| Err(NoAnswer::Failed(why)))
    };
    let reads = Reads::new(app);
    let digests = |run: &Specification| reads.digests(run);
    let wanted = Runs { app, record: arguments.record.as_ref(), jobs, digests: &digests };
    let show = |answers, partial| reported.print(answers, Some(partial), out).map(drop);
    let (answers, recorded) = wanted.answers(&runs.iter().collect::<Vec<_>>(), keep, show)?;
    let partial = recorded.as_ref().err().map(|unusable| unrecorded(unusable, &answers));
    let code = reported.print(answers, partial, out)?;
    recorded.map(|()| code).map_err(runs::failed)
}

/// Whether a source runs on this host.
pub(crate) fn is_native(source: &Source) -> bool {
    matches!(&source.origin, Origin::Run(run) if run.machine == worlds::NATIVE)
}

/// The error for a study's file that names a number which the answer of a run lacks.
fn lacking(file: &str, mapping: &Mapping, answer: &Value) -> String {
    let way = mapping.figure.text();
    let place = mapping.place.map_or_else(|| file.to_owned(), |place| format!("{file}:{place}"));
    let numbers = numbers(answer);
    let ways = numbers.iter().map(|(way, _)| way.as_str());
    let (told, nearest, expected) = match way.strip_prefix(FIGURES) {
        Some(figure) => {
            let nearest = nearest(figure, ways.filter_map(|way| way.strip_prefix(FIGURES)));
            (
                format!("the program reports no figure `{figure}`"),
                nearest,
                "a name that `tradewind run` prints",
            )
        }
        None => {
            let expected = "the way to a number in what `tradewind run --json` prints";
            (format!("the answer has no number `{way}`"), nearest_slip(way, ways), expected)
        }
    };
    let nearest = nearest.map_or_else(String::new, |nearest| format!(" did you mean `{nearest}`?"));
    format!("{place}: {told}:{nearest} expected {expected}")
}

/// A study whose results are printed and written.
struct Reported<'a> {
    app: &'a App,
    arguments: &'a Study,
    laboratory: &'a Laboratory,
    study: &'a lab::Study,
    asked: &'a [SourceRound],
    page: Page,
    folder: Option<Folder>,
}

impl Reported<'_> {
    /// A run of the study.
    fn run(&self, asked: SourceRound) -> Option<Specification> {
        match &self.study.sources.get(asked.source)?.origin {
            Origin::Run(run) => Some(Specification { round: asked.round, ..(**run).clone() }),
            _ => None,
        }
    }

    /// Prints the results of the finished runs, and writes them into the requested folder.
    fn print(
        &self,
        answers: Answers<Kept>,
        partial: Option<Partial>,
        out: &mut impl Write,
    ) -> Result<ExitCode, Problem> {
        let study = self.study;
        let mut kept: Vec<Vec<&Kept>> = vec![Vec::new(); study.sources.len()];
        for (asked, answer) in self.asked.iter().zip(&answers) {
            if let Some(Ok(answer)) = answer {
                kept[asked.source].push(answer);
            }
        }
        let failed = self.failed(&answers);
        let well = failed.is_empty();
        let results = Results::new(self.laboratory, study, &kept);
        let found = document::Study::new(&results, failed, partial);
        // Half of a study does not take the place of a whole one. The files written do not depend on the reader of
        // standard output.
        let written = self.folder.as_ref().filter(|_| found.partial.is_none());
        let names = written.map(|folder| self.write(folder, &found));
        print(out, self.arguments.output.json, &self.page, &found, |page| text::study(&found, page))?;
        out.flush()?;
        if let (Some(folder), Some(names)) = (written, names.transpose()?) {
            say(&self.app.name, &format!("{} in {}", names.join(", "), units::text::path(folder.path())));
        }
        Ok(code(well))
    }

    /// The runs that yielded nothing; rounds of one run that say the same are one.
    fn failed(&self, answers: &[Option<Answer<Kept>>]) -> Vec<FailedRun> {
        let mut seen = BTreeSet::new();
        let failure = |(asked, answer): (&SourceRound, &Option<Answer<Kept>>)| {
            let said = answer.as_ref()?.as_ref().err()?.clone().why();
            let is_new = seen.insert((asked.source, said.clone()));
            let command = self.run(*asked).filter(|_| is_new)?.command_line(&self.app.name);
            Some(FailedRun { study: self.study.name.clone(), command, said })
        };
        self.asked.iter().zip(answers).filter_map(failure).collect()
    }

    /// Writes everything into the folder; the result is the names of the files.
    fn write(&self, folder: &Folder, found: &document::Study) -> Result<Vec<String>, Problem> {
        const WIDE: usize = 120;
        let page = Page { width: WIDE, colour: false, unicode: true };
        let lines = |lines: Vec<String>| page.shown(&(lines.join("\n") + "\n"));
        let mut json = Vec::new();
        document::write(&mut json, found)?;
        let mut files = vec![
            ("study.txt".to_owned(), lines(text::study(found, &page)).into_bytes()),
            ("study.json".to_owned(), json),
            ("runs.tsv".to_owned(), tsv::runs(found).into_bytes()),
        ];
        if !found.metrics.is_empty() {
            files.push(("metrics.tsv".to_owned(), tsv::metrics(found).into_bytes()));
        }
        for figure in &found.figures {
            let picture = picture::study(figure, found);
            files.push((format!("{}.svg", figure.name), plot::svg(&picture).into_bytes()));
        }
        folder.write(&files)?;
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }
}
