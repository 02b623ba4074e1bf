//! From paths to tests: files as they are named, and files that end in `.litmus` anywhere below a folder. This module
//! must never stop at an unreadable file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apps::litmus::{Question, reference::Unknown};
use worlds::files;

/// Folders nested deeper than this are not looked into, so that links in a circle end.
const MAX_DEPTH: u32 = 32;

/// A test from a file.
pub(super) struct Subject {
    pub(super) file: String,
    pub(super) question: Arc<Question>,
}

/// Tests, and the mistakes of the files and folders that gave none.
#[derive(Default)]
pub(super) struct Collection {
    pub(super) subjects: Vec<Subject>,
    pub(super) mistakes: Vec<String>,
}

impl Collection {
    /// Reads all of them, folders in the order of names.
    pub(super) fn read(paths: &[PathBuf]) -> Self {
        let mut collection = Self::default();
        for path in paths {
            let before = (collection.subjects.len(), collection.mistakes.len());
            if !path.is_dir() {
                collection.file(path);
                continue;
            }
            collection.folder(path, 0);
            if before == (collection.subjects.len(), collection.mistakes.len()) {
                let mistake =
                    format!("{}: expected files that end in .litmus in it", units::text::path(path));
                collection.mistakes.push(mistake);
            }
        }
        collection
    }

    fn folder(&mut self, path: &Path, depth: u32) {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.mistakes.push(format!("{}: {error}", units::text::path(path))),
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for path in entries.into_iter().map(|entry| entry.path()) {
            if path.is_dir() {
                if depth < MAX_DEPTH {
                    self.folder(&path, depth + 1);
                }
            } else if path.extension().is_some_and(|extension| extension == "litmus") {
                self.file(&path);
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let file = units::text::path(path);
        match question(path, &file) {
            Ok(question) => self.subjects.push(Subject { file, question: Arc::new(question) }),
            Err(mistakes) => self.mistakes.extend(mistakes),
        }
    }
}

fn question(path: &Path, file: &str) -> Result<Question, Vec<String>> {
    let one = |mistake: String| vec![format!("{file}: {mistake}")];
    let bytes = files::read(path, files::MAX_TEXT_BYTES).map_err(|why| one(why.to_string()))?;
    let lines =
        |errors: formats::Errors| -> Vec<_> { errors.to_string().lines().map(str::to_owned).collect() };
    let test = formats::litmus::read(file, &bytes).map_err(lines)?;
    Question::new(test).map_err(|unknown: Unknown| one(unknown.to_string()))
}
