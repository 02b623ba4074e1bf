//! Results of studies: looked up in the record, or read from folders that `study` has written. This module must never run anything.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lab::record::{self, Key, Row};
use lab::results::{Kept, Results};
use lab::specification::{NodeProcesses, native_world};
use lab::study::Origin;
use lab::{Laboratory, Record, Specification, Study};
use report::document::{self, Partial};
use serde_json::Value;
use worlds::files::{MAX_BYTES, read_text_up_to};

use crate::app::App;
use crate::arguments::Report;
use crate::asked::recorded_processes;
use crate::own_files;
use crate::print::say;
use crate::problem::{Problem, each};
use crate::processes::runner;
use crate::reads::Reads;
use crate::shipped::{STUDIES, Shipped};
use crate::study::{check, is_native, source};
use crate::{runs, studies};

/// The file that `study` writes for programs.
const FILE: &str = "study.json";

/// All requested studies and their results.
pub(super) struct Found {
    /// Studies by the laboratory that knows their claims.
    pub(super) groups: Vec<Group>,
    /// Studies of which there are results alone.
    pub(super) strangers: Vec<document::Study>,
}

/// Studies of one laboratory.
pub(super) struct Group {
    pub(super) laboratory: Laboratory,
    pub(super) studies: Vec<One>,
}

/// A study and its results.
pub(super) struct One {
    pub(super) document: document::Study,
    place: usize,
}

impl One {
    /// The study in its laboratory.
    pub(super) fn of<'l>(&self, laboratory: &'l Laboratory) -> &'l Study {
        &laboratory.studies()[self.place]
    }
}

impl Group {
    /// Every number that the studies have measured, with its study.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (&Study, &str, f64)> {
        self.studies.iter().flat_map(|one| {
            let study = one.of(&self.laboratory);
            one.document.metrics.iter().map(move |(name, number)| (study, name.as_str(), *number))
        })
    }

    /// The machines that the studies run on, as they name them.
    pub(super) fn machines(&self) -> BTreeSet<String> {
        let sources = self.studies.iter().flat_map(|one| &one.of(&self.laboratory).sources);
        let machine = |origin: &Origin| match origin {
            Origin::Run(run) => Some(crate::reads::machine(run)),
            Origin::Model { .. } | Origin::Survey { .. } => None,
        };
        sources.filter_map(|source| machine(&source.origin)).collect()
    }
}

/// The results of the studies that were asked for, or everything that is wrong with them.
pub(super) fn all(app: &App, arguments: &Report) -> Result<Found, Problem> {
    let recorded = Recorded::open(app, arguments)?;
    let (mut shipped, mut groups, mut strangers) = (Vec::new(), Vec::new(), Vec::new());
    let asked: Vec<Selection> = match arguments.of.as_slice() {
        [] => recorded.shipped()?,
        names => each(names.iter().map(|name| recorded.asked(name)))?.into_iter().flatten().collect(),
    };
    for asked in asked {
        match asked {
            Selection::Shipped(document) => shipped.push(document),
            Selection::Own(laboratory, document) => {
                groups.push(Group { laboratory: *laboratory, studies: vec![One { document, place: 0 }] });
            }
            Selection::Stranger(document) => strangers.push(document),
        }
    }
    if !shipped.is_empty() {
        let laboratory = studies::laboratory(None, None, None)?;
        let place = |document: document::Study| {
            let place = STUDIES.iter().position(|study| study.name == document.study);
            One { document, place: place.expect("the name of a shipped study") }
        };
        let studies = shipped.into_iter().map(place).collect();
        groups.insert(0, Group { laboratory, studies });
    }
    Ok(Found { groups, strangers })
}

/// The results of a study.
enum Selection {
    Shipped(document::Study),
    Own(Box<Laboratory>, document::Study),
    Stranger(document::Study),
}

/// The runs that are on record.
struct Recorded<'a> {
    app: &'a App,
    record: Option<Record>,
    reads: Reads<'a>,
    version: String,
    /// The folder of input files that do not travel with the shipped studies.
    data: Option<&'a Path>,
    /// The processes of the nodes of runs on this host.
    processes: Option<NodeProcesses>,
}

impl<'a> Recorded<'a> {
    fn open(app: &'a App, arguments: &'a Report) -> Result<Self, Problem> {
        let processes = recorded_processes(&arguments.place)?;
        let runner = runner()?;
        let version = record::version(env!("CARGO_PKG_VERSION"), runner.executable()).map_err(|error| {
            Problem::Failed(format!("{}: {error}", units::text::path(runner.executable())))
        })?;
        let record = runs::existing(&app.name, arguments.record.as_ref())?;
        let data = arguments.data.as_deref();
        Ok(Self { app, record, reads: Reads::new(app), version, data, processes })
    }

    /// Every shipped study with runs on record. Incomplete ones are reported, and drawn as far as they go; a record
    /// without any run is a mistake.
    fn shipped(&self) -> Result<Vec<Selection>, Problem> {
        let (mut found, mut lacking) = (Vec::new(), Lacking::default());
        for Shipped { name, .. } in STUDIES {
            match self.read(name).and_then(|laboratory| Ok((self.had(&laboratory)?, laboratory))) {
                Ok((had, laboratory)) => {
                    lacking.add(name, &had);
                    let is_drawn = had.share() != Share::Nothing;
                    found.extend(is_drawn.then(|| self.drawn(name, laboratory, &had)));
                }
                Err(Problem::Wrong(mistakes)) => lacking.mistakes.extend(mistakes),
                Err(problem) => return Err(problem),
            }
        }
        let has_run = |asked: &Selection| matches!(asked, Selection::Shipped(document) if document.runs > 0);
        if !found.iter().any(has_run) {
            return Err(lacking.no_run());
        }
        lacking.lines().iter().for_each(|line| say(&self.app.name, line));
        Ok(found)
    }

    /// The studies that a name, a file of studies or a folder of results stands for.
    fn asked(&self, name: &str) -> Result<Vec<Selection>, Problem> {
        // A folder that is called like a shipped study is `./NAME`.
        let path = PathBuf::from(units::text::os(name));
        match path.is_dir() && !is_shipped(name) {
            true => each(written(&path)?.iter().map(|path| of_folder(path))),
            false => Ok(vec![self.study(name)?]),
        }
    }

    /// The results of a study, whose runs are all on record.
    fn study(&self, name: &str) -> Result<Selection, Problem> {
        let laboratory = self.read(name)?;
        let had = self.had(&laboratory)?;
        let command = format!("`tradewind study {name}{}`", self.place());
        match had.share() {
            Share::Whole => Ok(self.drawn(name, laboratory, &had)),
            Share::Nothing if had.has_other => Err(Problem::wrong(format!(
                "the record has runs of {name} by another version of the command, or on other values of a machine or an input: {command} \
                 does them anew"
            ))),
            Share::Nothing => Err(Problem::wrong(format!("no run of {name} yet: {command}"))),
            Share::Part => Err(Problem::wrong(format!(
                "the record has {} of the {} runs of {name}: {command} does the others",
                had.answers.len(),
                had.all
            ))),
        }
    }

    /// The options that choose the place of the nodes, behind a study.
    fn place(&self) -> String {
        let Some(NodeProcesses { nodes_each, .. }) = self.processes else { return String::new() };
        let each = if nodes_each > 1 { format!(" --nodes-per-process {nodes_each}") } else { String::new() };
        format!(" --world {}{each}", native_world(self.processes))
    }

    /// A laboratory of the study of this name or file. A file is held to programs, machines and inputs, as if its runs were to be done.
    fn read(&self, name: &str) -> Result<Laboratory, Problem> {
        match is_shipped(name) {
            true => source::read(name, true, self.data)?.run_in(self.processes).alone(),
            false => check::laboratory(self.app, source::read(name, true, None)?.run_in(self.processes)),
        }
    }

    /// The results of a laboratory's only study, as far as its runs are on record.
    fn drawn(&self, name: &str, laboratory: Laboratory, had: &Had) -> Selection {
        let study = alone(&laboratory);
        let mut kept: Vec<Vec<&Kept>> = vec![Vec::new(); study.sources.len()];
        had.answers.iter().for_each(|(place, answer)| kept[*place].push(answer));
        let partial = (had.answers.len() < had.all).then(|| Partial::on_record((had.answers.len(), had.all)));
        let document = document::Study::new(&Results::new(&laboratory, study, &kept), Vec::new(), partial);
        if is_shipped(name) {
            Selection::Shipped(document)
        } else {
            Selection::Own(Box::new(laboratory), document)
        }
    }

    /// The numbers of every run of a laboratory's only study that is on record.
    fn had(&self, laboratory: &Laboratory) -> Result<Had, Problem> {
        let study = alone(laboratory);
        own_files::check(study)?;
        let asked = study.asked(is_native);
        let mut had = Had { answers: Vec::new(), all: asked.len(), has_other: false };
        for asked in &asked {
            let source = &study.sources[asked.source];
            let Origin::Run(run) = &source.origin else { continue };
            let run = Specification { round: asked.round, ..(**run).clone() };
            match self.answer(&run)? {
                Ok(answer) => had.answers.push((asked.source, source.kept(&answer))),
                Err(Missing { is_there_otherwise }) => had.has_other |= is_there_otherwise,
            }
        }
        Ok(had)
    }

    fn answer(&self, run: &Specification) -> Result<Result<Value, Missing>, Problem> {
        let nothing = Ok(Err(Missing { is_there_otherwise: false }));
        let Some(record) = &self.record else { return nothing };
        let digests = self.reads.digests(run).map_err(Problem::wrong)?;
        let (machine, inputs) = (digests.machine, digests.inputs);
        let key = Key { specification: run.canonical(), machine, inputs, version: self.version.clone() };
        Ok(match record.find(&key).map_err(runs::failed)? {
            Row::Answer(answer) => Ok(answer),
            Row::Damaged | Row::Nothing => {
                let is_there_otherwise = record.has_other(&key.specification).map_err(runs::failed)?;
                Err(Missing { is_there_otherwise })
            }
        })
    }
}

/// The runs of a study that are on record.
struct Had {
    /// The numbers of each, with the place of its source.
    answers: Vec<(usize, Kept)>,
    /// The number of all runs of the study.
    all: usize,
    /// Whether there is a run of the study by another version, or of another machine or input.
    has_other: bool,
}

/// Extent of a study's runs on record.
#[derive(PartialEq, Eq)]
enum Share {
    Whole,
    Part,
    Nothing,
}

impl Had {
    fn share(&self) -> Share {
        match self.answers.len() {
            all if all == self.all => Share::Whole,
            0 => Share::Nothing,
            _ => Share::Part,
        }
    }
}

/// The gaps of a record, compared with the shipped studies.
#[derive(Default)]
struct Lacking {
    /// Studies some of whose runs are there, with how many.
    in_part: Vec<String>,
    /// Studies without a run.
    without: Vec<String>,
    /// Studies whose runs are all by another version, or of another machine or input.
    outdated: Vec<String>,
    /// Messages about studies that have mistakes.
    mistakes: Vec<String>,
}

impl Lacking {
    fn add(&mut self, name: &str, had: &Had) {
        match had.share() {
            Share::Whole => {}
            Share::Part => self.in_part.push(format!("{name} ({} of {} runs)", had.answers.len(), had.all)),
            Share::Nothing if had.has_other => self.outdated.push(name.to_owned()),
            Share::Nothing => self.without.push(name.to_owned()),
        }
    }

    /// A line for each kind of missing run.
    fn lines(&self) -> Vec<String> {
        let kinds = [
            ("drawn in part", &self.in_part, "the others"),
            ("left out, without a run on record", &self.without, "the runs of one"),
            (
                "left out, with runs by another version or on other values of a machine or an input only",
                &self.outdated,
                "those of one anew",
            ),
        ];
        let kinds = kinds.into_iter().filter(|(_, names, _)| !names.is_empty());
        let line = |(what, names, does): (&str, &Vec<String>, &str)| {
            format!("{what}: {}; `tradewind study NAME` does {does}", names.join(", "))
        };
        let mistakes = self.mistakes.iter().map(|why| format!("left out: {why}"));
        kinds.map(line).chain(mistakes).collect()
    }

    /// The mistake that there is no run at all. A study that has a mistake of its own is not worth a line then.
    fn no_run(&self) -> Problem {
        Problem::wrong(match self.outdated.is_empty() {
            false => {
                "the record has runs of shipped studies by another version of the command only, or on other values of a machine or an \
                 input: `tradewind study NAME` does those of one anew"
            }
            true => "no run of a shipped study is on record: `tradewind study NAME` does those of one",
        })
    }
}

/// The study of a laboratory of one.
fn alone(laboratory: &Laboratory) -> &Study {
    let [study] = laboratory.studies() else { unreachable!("a laboratory of one study") };
    study
}

fn is_shipped(name: &str) -> bool {
    STUDIES.iter().any(|study| study.name == name)
}

/// A run that is not on record.
struct Missing {
    /// The record has a run of the same specification with another version, machine or input.
    is_there_otherwise: bool,
}

/// The files of studies in a folder: its own, or its subfolders' files, by their names.
fn written(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let own = folder.join(FILE);
    if own.is_file() {
        return Ok(vec![own]);
    }
    let entries = fs::read_dir(folder)
        .map_err(|error| Problem::wrong(format!("{}: {error}", units::text::path(folder))))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path().join(FILE)));
    let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
    files.sort();
    if files.is_empty() {
        return Err(Problem::wrong(format!(
            "{}: there is no {FILE} in it, nor in a folder of it; expected a folder that `tradewind study NAME --out DIR` has written",
            units::text::path(folder)
        )));
    }
    Ok(files)
}

/// The results of a study by the file in its folder.
fn of_folder(path: &Path) -> Result<Selection, Problem> {
    let wrong = |why: String| Problem::wrong(format!("{}: {why}", units::text::path(path)));
    // The results of many runs are longer than hand-written files.
    let text = read_text_up_to(path, MAX_BYTES).map_err(|why| wrong(why.to_string()))?;
    let study = match serde_json::from_str::<document::Study>(&text) {
        Ok(study) if study.version == document::VERSION => study,
        read => return Err(wrong(unlike_results(&text, read.err()))),
    };
    if let Some(partial) = &study.partial {
        return Err(wrong(format!("PARTIAL: {partial}; expected the results of all runs")));
    }
    let is_shipped = STUDIES.iter().any(|shipped| shipped.name == study.study && shipped.path == study.file);
    Ok(if is_shipped { Selection::Shipped(study) } else { Selection::Stranger(study) })
}

/// The error for a text that is not the results of a study in this form. `error` is that of reading it as such.
fn unlike_results(text: &str, error: Option<serde_json::Error>) -> String {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            return format!(
                "{error}; expected the whole of a study's results, as `tradewind study NAME --out DIR` writes them"
            );
        }
    };
    let version = value["version"].as_u64();
    match error {
        Some(error) if version == Some(document::VERSION.into()) => {
            format!("{error}; expected the results of a study: `tradewind study NAME --out DIR`")
        }
        _ => {
            let found = version.map_or("no version".to_owned(), |version| format!("version {version}"));
            let expected = document::VERSION;
            format!("{found}; expected version {expected}: `tradewind study NAME --out DIR` writes it anew")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_with_runs_by_another_version_only_is_not_called_one_without_runs() {
        let mut lacking = Lacking::default();
        for (name, has_other) in [("old", true), ("new", false)] {
            lacking.add(name, &Had { answers: Vec::new(), all: 3, has_other });
        }
        let [without, outdated] = &lacking.lines()[..] else { panic!("a line each") };
        assert!(
            without.ends_with("on record: new; `tradewind study NAME` does the runs of one"),
            "{without}"
        );
        assert!(outdated.ends_with("only: old; `tradewind study NAME` does those of one anew"), "{outdated}");
    }
}
