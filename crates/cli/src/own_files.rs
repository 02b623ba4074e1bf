//! Input files that studies need and that do not travel with them: the folders in which they are looked for, and the
//! missing ones. This module must never know the contents of a file.

use std::path::{Path, PathBuf};

use lab::Study;
use lab::study::{Origin, OwnFile};

use crate::problem::Problem;

/// Refuses a folder of `--data` that is not there: every file of it would otherwise count as absent.
pub(crate) fn folder(data: Option<&Path>) -> Result<(), Problem> {
    match data.filter(|data| !data.is_dir()) {
        Some(data) => {
            let told = format!(
                "--data {}: expected a folder that is there, with the input files of studies",
                units::text::path(data)
            );
            Err(Problem::wrong(told))
        }
        None => Ok(()),
    }
}

/// Has the runs of a study that read files of a person read them in this folder.
pub(crate) fn look_in(folder: Option<&Path>, study: &mut Study) {
    let Study { files, sources, .. } = study;
    for source in sources {
        if let Origin::Run(run) = &mut source.origin
            && files.iter().any(|file| file.is_read_by(run))
        {
            run.folder = folder.map(Path::to_owned);
        }
    }
}

/// The files of a study that are not there.
pub(crate) fn absent(study: &Study) -> impl Iterator<Item = &OwnFile> {
    study.files.iter().filter(|file| !path(study, file).is_file())
}

/// Refuses a study some of whose files are not there.
pub(crate) fn check(study: &Study) -> Result<(), Problem> {
    let told = |file: &OwnFile| {
        let OwnFile { name, what, place } = file;
        let path = path(study, file);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.map_or_else(|| "the current folder".to_owned(), units::text::path);
        format!(
            "{}:{place}: files.{name}: the study needs this file and it is not in {folder}: expected it there ({what}) or, for a \
             shipped study, --data DIR with the folder that has it",
            study.file
        )
    };
    Problem::check(absent(study).map(told).collect())
}

/// The path at which a file is looked for.
fn path(study: &Study, file: &OwnFile) -> PathBuf {
    let folder = study.sources.iter().find_map(|source| match &source.origin {
        Origin::Run(run) if file.is_read_by(run) => run.folder.as_deref(),
        _ => None,
    });
    folder.unwrap_or(Path::new("")).join(&file.name)
}
