//! The study that a person names: a shipped one, or a file. This module must never know the purpose of a study.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lab::specification::NodeProcesses;
use lab::study::{self, Origin, Study};
use lab::survey::{self, Survey};
use lab::{Claim, Laboratory, Mistakes};
use units::names::did_you_mean;
use units::text;
use worlds::files::read_text;

use crate::own_files;
use crate::problem::Problem;
use crate::shipped::STUDIES;
use crate::studies;

/// A study that was read, with its surveys and mistakes.
pub(crate) struct Read {
    /// The study; `None` if its file is no study at all.
    pub(super) study: Option<Study>,
    /// The claims of the literature that a shipped study may decide; none of a person's own study.
    pub(super) claims: Vec<Claim>,
    pub(super) surveys: BTreeMap<String, Survey>,
    /// Mistakes of its file.
    pub(super) mistakes: Mistakes,
}

impl Read {
    /// The study with the nodes of its runs on this host in these processes.
    pub(crate) fn run_in(mut self, processes: Option<NodeProcesses>) -> Self {
        self.study.iter_mut().for_each(|study| study.run_in(processes));
        self
    }

    /// A laboratory of the study alone, or every mistake in its file. Its runs are not looked at.
    pub(crate) fn alone(self) -> Result<Laboratory, Problem> {
        let told = |mistakes: &Mistakes| Problem::Wrong(mistakes.iter().map(ToString::to_string).collect());
        match self.study {
            Some(study) if self.mistakes.is_empty() => {
                studies::alone(self.claims, study, self.surveys).map_err(|mistakes| told(&mistakes))
            }
            _ => Err(told(&self.mistakes)),
        }
    }
}

/// The study of this name or file; of more runs than usual where they `are_meant`. A shipped one looks for files of a person in the
/// folder `data`, else in the current one.
pub(crate) fn read(name: &str, are_meant: bool, data: Option<&Path>) -> Result<Read, Problem> {
    let most = if are_meant { Study::MOST_ASKED } else { Study::MOST };
    match STUDIES.iter().find(|shipped| shipped.name == name) {
        Some(shipped) => {
            let text = str::from_utf8(shipped.bytes).expect("shipped texts are UTF-8");
            let (mut study, mistakes) = study::read_at_most(most, shipped.path, text);
            study.iter_mut().for_each(|study| own_files::look_in(data, study));
            Ok(Read { study, claims: studies::claims(), surveys: studies::surveys(), mistakes })
        }
        None if data.is_some() => {
            let own = "expected a shipped study; a study of your own finds its files from the folder that it lies in";
            Err(Problem::wrong(format!("--data with {name}: {own}")))
        }
        None => of_file(name, most),
    }
}

fn of_file(name: &str, most: study::Most) -> Result<Read, Problem> {
    let path = PathBuf::from(text::os(name));
    let path = path.as_path();
    if !(name.ends_with(".toml") || name.contains('/') || path.exists()) {
        return Err(Problem::wrong(unknown(name)));
    }
    let text =
        read_text(path).map_err(|why| Problem::wrong(format!("{name}: {why}; expected a study's file")))?;
    let (mut study, mut mistakes) = study::read_at_most(most, name, &text);
    let folder = folder_of(path);
    let mut surveys = BTreeMap::new();
    for source in study.iter_mut().flat_map(|study| &mut study.sources) {
        match &mut source.origin {
            Origin::Run(run) => run.folder.clone_from(&folder),
            // A survey that is not there is told with its place.
            Origin::Survey { file } => match survey(file, folder.as_deref()) {
                Some(Ok(survey)) => drop(surveys.insert(file.clone(), survey)),
                Some(Err(found)) => mistakes.extend(found),
                None => {}
            },
            Origin::Model { .. } => {}
        }
    }
    Ok(Read { study, claims: Vec::new(), surveys, mistakes })
}

/// A survey beside a study; `None` if there is no such file.
fn survey(file: &str, folder: Option<&Path>) -> Option<Result<Survey, Mistakes>> {
    let path = folder.map_or_else(|| PathBuf::from(text::os(file)), |folder| folder.join(text::os(file)));
    let text = read_text(&path).ok()?;
    Some(survey::read(&text::path(&path), &text))
}

/// The folder of a file, unless it is the current folder of the process.
fn folder_of(path: &Path) -> Option<PathBuf> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned)
}

fn unknown(name: &str) -> String {
    let known = || STUDIES.iter().map(|shipped| shipped.name);
    let nearest = did_you_mean(name, known());
    let file = format!("{name}.toml");
    let nearest =
        if Path::new(&text::os(&file)).is_file() { format!(" did you mean `{file}`?") } else { nearest };
    let known: Vec<_> = known().collect();
    format!(
        "unknown study `{name}`:{nearest} expected a file such as my-study.toml, or one of {}",
        known.join(", ")
    )
}
