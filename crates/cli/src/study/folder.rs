//! The folder for a study's results: empty, missing, or made by this command for this study. This module
//! must never know the contents of a file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use worlds::draft;

use crate::files::{self, wrong};
use crate::problem::Problem;

/// The file that marks a folder as ours: the study's name in its first line, and below it every other file of ours.
const MARK: &str = ".tradewind-study";

/// Beginning of the first line of the mark.
const OF: &str = "results of the study ";

/// A folder that may be written into.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    study: String,
    /// The names of files of ours, if there were any.
    ours: Vec<String>,
}

impl Folder {
    /// The folder of this path for the results of this study; it is made when there are results.
    pub(crate) fn open(path: &Path, study: &str) -> Result<Self, Problem> {
        let ours = match fs::read_dir(path) {
            Ok(entries) => ours(path, study, entries)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                parent(path)?;
                return Ok(Self { path: path.to_owned(), study: study.to_owned(), ours: Vec::new() });
            }
            Err(error) => return Err(wrong(path, &format!("{error}; expected a folder"))),
        };
        // A folder that cannot be written is reported before the runs, not after them. No other folder is changed.
        files::draft(&path.join(MARK))?;
        Ok(Self { path: path.to_owned(), study: study.to_owned(), ours })
    }

    /// Path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes files of these names, each whole; if one cannot be written, none takes its name. Files of ours that are none of them any
    /// more are removed. A process that is killed meanwhile leaves new files beside old ones.
    pub(crate) fn write(&self, files: &[(String, Vec<u8>)]) -> Result<(), Problem> {
        let is_new = !self.path.exists();
        if is_new {
            fs::create_dir(&self.path).map_err(|error| failed(&self.path, &error))?;
        }
        let written = self.drafts(files).and_then(|drafts| self.keep(drafts));
        if written.is_err() && is_new {
            // New contents stay, and so does the folder.
            let _ = fs::remove_dir(&self.path);
        }
        written
    }

    /// The files under other names, whole.
    fn drafts(&self, files: &[(String, Vec<u8>)]) -> Result<Vec<(String, NamedTempFile)>, Problem> {
        let taken = |name: &&String| !self.ours.contains(name) && self.path.join(name).exists();
        if let Some(name) = files.iter().map(|(name, _)| name).find(taken) {
            return Err(wrong(&self.path.join(name), &"a file of somebody else is there; expected none"));
        }
        let names = files.iter().map(|(name, _)| name.as_str());
        let mark: Vec<_> =
            [format!("{OF}{}", self.study)].into_iter().chain(names.map(str::to_owned)).collect();
        let mark = (MARK.to_owned(), (mark.join("\n") + "\n").into_bytes());
        let whole = |(name, bytes): &(String, Vec<u8>)| {
            let path = self.path.join(name);
            let mut file = files::draft(&path)?;
            // The errors of the draft itself would name the draft, which the user has not chosen.
            file.as_file_mut()
                .write_all(bytes)
                .and_then(|()| file.as_file().sync_all())
                .map_err(|error| failed(&path, &error))?;
            Ok((name.clone(), file))
        };
        // The mark comes first: a folder with any file of ours has it.
        std::iter::once(&mark).chain(files).map(whole).collect()
    }

    /// Gives every file its name.
    fn keep(&self, drafts: Vec<(String, NamedTempFile)>) -> Result<(), Problem> {
        for old in self.ours.iter().filter(|old| drafts.iter().all(|(name, _)| name != *old)) {
            // A name with a folder in it is none of ours.
            if Path::new(old).file_name() == Some(old.as_ref()) {
                // It may be gone already.
                let _ = fs::remove_file(self.path.join(old));
            }
        }
        for (name, file) in drafts {
            let path = self.path.join(name);
            file.persist(&path).map_err(|error| failed(&path, &error.error))?;
        }
        Ok(())
    }
}

/// The problem of a file that could not be written after all.
fn failed(path: &Path, error: &io::Error) -> Problem {
    Problem::Failed(format!("--out {}: {error}", units::text::path(path)))
}

/// The files of ours in a folder: by its mark, or none where it is empty. Drafts that a command left when it was killed do not count.
fn ours(path: &Path, study: &str, entries: fs::ReadDir) -> Result<Vec<String>, Problem> {
    let Ok(mark) = worlds::files::read_text(path.join(MARK)) else {
        let is_other =
            |entry: io::Result<fs::DirEntry>| !entry.is_ok_and(|it| draft::is_draft(&it.file_name()));
        return match entries.into_iter().any(is_other) {
            false => Ok(Vec::new()),
            true => Err(wrong(path, &"expected a folder that is empty or missing, or one of this study")),
        };
    };
    let mut lines = mark.lines();
    let of = lines.next().and_then(|line| line.strip_prefix(OF)).unwrap_or("nobody knows what");
    match of == study {
        true => Ok(lines.map(str::to_owned).collect()),
        false => {
            Err(wrong(path, &format!("has the results of {of}; expected a folder that is empty or missing")))
        }
    }
}

/// Whether a folder can be made at a path, as far as one can tell without doing so.
fn parent(path: &Path) -> Result<(), Problem> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !parent.is_dir() {
        return Err(wrong(path, &format!("there is no folder {}", units::text::path(parent))));
    }
    let made = tempfile::tempdir_in(parent).map(drop);
    made.map_err(|error| {
        wrong(path, &format!("no folder can be made in {}: {}", units::text::path(parent), error.kind()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<T: std::fmt::Debug>(refused: Result<T, Problem>) -> String {
        match refused {
            Err(Problem::Wrong(mistakes)) => mistakes.concat(),
            other => panic!("{other:?}"),
        }
    }

    fn files(names: &[&str]) -> Vec<(String, Vec<u8>)> {
        names.iter().map(|name| ((*name).to_owned(), b"whole".to_vec())).collect()
    }

    #[test]
    fn a_folder_is_ours_if_we_made_it_for_this_study() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("results");
        Folder::open(&path, "toy").unwrap().write(&files(&["a.svg", "b.tsv"])).unwrap();
        let names = || {
            let mut names: Vec<_> = fs::read_dir(&path)
                .unwrap()
                .map(|it| it.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names(), [MARK, "a.svg", "b.tsv"]);
        // Files that the study no longer has are removed; other people's files stay.
        fs::write(path.join("notes"), "mine").unwrap();
        Folder::open(&path, "toy").unwrap().write(&files(&["b.tsv"])).unwrap();
        assert_eq!(names(), [MARK, "b.tsv", "notes"]);
        assert!(
            said(Folder::open(&path, "other"))
                .contains("has the results of toy; expected a folder that is empty")
        );
        assert!(
            said(Folder::open(&path, "toy").unwrap().write(&files(&["notes"]))).contains("somebody else")
        );
        assert_eq!(fs::read_to_string(path.join("notes")).unwrap(), "mine");
    }

    #[test]
    fn drafts_that_were_left_are_removed_from_a_folder_of_this_study_alone() {
        const LEFT: &str = ".tradewind-left.partial";
        let scratch = tempfile::tempdir().unwrap();
        let left = scratch.path().join(LEFT);
        let leave = || fs::write(&left, "half").unwrap();
        leave();
        let folder = Folder::open(scratch.path(), "toy").unwrap();
        folder.write(&files(&["a.svg"])).unwrap();
        leave();
        assert!(said(Folder::open(scratch.path(), "other")).contains("has the results of toy"));
        assert!(left.exists(), "the folder is that of another study");
        Folder::open(scratch.path(), "toy").unwrap();
        // Only where locks are known can a draft be told to be nobody's.
        assert!(!left.exists() || cfg!(not(unix)));
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        assert!(Folder::open(scratch.path(), "toy").is_ok(), "it is empty");
        fs::write(scratch.path().join("notes"), "mine").unwrap();
        assert!(
            said(Folder::open(scratch.path(), "toy"))
                .contains("expected a folder that is empty or missing, or one of")
        );
        assert!(said(Folder::open(&scratch.path().join("notes"), "toy")).contains("expected a folder"));
        assert!(said(Folder::open(&scratch.path().join("no/results"), "toy")).contains("there is no folder"));
        #[cfg(target_os = "linux")]
        assert!(
            said(Folder::open(Path::new("/proc/results"), "toy")).contains("no folder can be made in /proc")
        );
    }
}
