//! The file of a trace: it appears whole under its name, or not at all.
//!
//! The trace is written under another name in the same folder, and the file gets its own name when it is whole. This
//! module must never know the contents of a trace.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use trace::{Recorder, Summary};

use crate::{Error, Mistake, draft};

/// A trace on its way into a file.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    /// The file that the trace is written to until it is whole; `None` for a device or pipe, which is written to as it is.
    partial: Option<NamedTempFile>,
    recorder: Recorder,
}

impl TraceFile {
    /// Checks that a trace may have this name: the run must not read a file of this name.
    ///
    /// # Errors
    /// [`Mistake::TraceName`] if it may not.
    pub fn check(path: &Path, read: &[&str]) -> Result<(), Error> {
        if path == Path::new("-") {
            return Err(wrong(path, "expected the name of a file"));
        }
        // A file that does not exist yet is no input.
        let Ok(trace) = fs::canonicalize(path) else { return Ok(()) };
        match read.iter().find(|read| fs::canonicalize(read).is_ok_and(|read| read == trace)) {
            Some(read) => Err(wrong(
                path,
                &format!("the run reads {read}, which the trace would replace; expected another file"),
            )),
            None => Ok(()),
        }
    }

    /// Opens the file, so that a mistake in its name is found before anything runs.
    ///
    /// # Errors
    /// [`Mistake::TraceName`] if there is no such folder, or nothing can be written in it.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let refused = |error: io::Error| wrong(path, &error.to_string());
        let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let (out, partial) = if is_special {
            (File::options().write(true).open(path).map_err(refused)?, None)
        } else {
            let partial = create_partial(path).map_err(refused)?;
            (partial.as_file().try_clone().map_err(refused)?, Some(partial))
        };
        Ok(Self { path: path.to_owned(), partial, recorder: Recorder::perfetto(out) })
    }

    /// The recorder to give to a run, which writes its events into this trace.
    pub fn recorder(&self) -> Recorder {
        self.recorder.clone()
    }

    /// The path of the file that the trace is written to until it is whole. The file is gone afterwards. `None` for a device
    /// or pipe.
    ///
    /// A process that is ended by a signal leaves this file behind unless it removes it.
    pub fn partial(&self) -> Option<&Path> {
        self.partial.as_ref().map(NamedTempFile::path)
    }

    /// Completes the file; how much is in it.
    ///
    /// # Errors
    /// [`Error::Trace`] if it could not be written to its end.
    pub fn finish(self) -> Result<Summary, Error> {
        let failed = |why: String| Error::Trace { path: self.path.clone(), why };
        let summary = self.recorder.finish().map_err(|error| failed(error.to_string()))?;
        if let Some(partial) = self.partial {
            partial.persist(&self.path).map_err(|error| failed(error.error.to_string()))?;
        }
        Ok(summary)
    }
}

/// A file beside the one it will be.
fn create_partial(path: &Path) -> io::Result<NamedTempFile> {
    if path.file_name().is_none() {
        return Err(io::Error::other("expected the name of a file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // The error names the folder, and not the draft in it, whose name the user has not chosen.
    if !folder.is_dir() {
        return Err(io::Error::other(format!("there is no folder {}", units::text::path(folder))));
    }
    draft::create(folder)
}

fn wrong(path: &Path, why: &str) -> Error {
    Mistake::TraceName { path: path.to_owned(), why: why.to_owned() }.into()
}
