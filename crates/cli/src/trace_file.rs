//! The file of a trace: all of it appears under its name, or nothing does.
//!
//! It is written under another name in the same folder and given its own when it is whole. An interrupt removes what there
//! is of it. Must never know what is in a trace.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};
use trace::{Recorder, Summary};

use crate::{Problem, interrupt};

/// A trace on its way into a file.
pub(crate) struct TraceFile {
    path: PathBuf,
    /// Where it is written meanwhile; `None` for a device or pipe, which is written to as it is.
    partial: Option<TempPath>,
    recorder: Recorder,
}

impl TraceFile {
    /// Whether a trace may have that name: not if it is that of a file which the run reads.
    pub(crate) fn check(path: &Path, read: &[&str]) -> Result<(), Problem> {
        let wrong = |what: &str| Err(Problem::wrong(format!("--trace {}: {what}", path.display())));
        if path == Path::new("-") {
            return wrong("expected the name of a file");
        }
        // What is not there yet is nobody's input.
        let Ok(trace) = fs::canonicalize(path) else { return Ok(()) };
        match read.iter().find(|read| fs::canonicalize(read).is_ok_and(|read| read == trace)) {
            Some(read) => {
                wrong(&format!("the run reads {read}, which the trace would replace; expected another file"))
            }
            None => Ok(()),
        }
    }

    /// Opens the file, so that what is wrong with its name is known before anything runs.
    pub(crate) fn create(path: &Path) -> Result<Self, Problem> {
        let wrong = |error: io::Error| Problem::wrong(format!("--trace {}: {error}", path.display()));
        let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let (out, partial) = if is_special {
            (File::options().write(true).open(path).map_err(wrong)?, None)
        } else {
            let (out, partial) = create_partial(path).map_err(wrong)?;
            (out, Some(partial))
        };
        Ok(Self { path: path.to_owned(), partial, recorder: Recorder::perfetto(out) })
    }

    /// What the run is given.
    pub(crate) fn recorder(&self) -> Recorder {
        self.recorder.clone()
    }

    /// Completes the file and says on standard error what is in it.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        let failed = |error: &dyn std::fmt::Display| {
            Problem::Failed(format!("--trace {}: {error}", self.path.display()))
        };
        let summary = self.recorder.finish().map_err(|error| failed(&error))?;
        if let Some(partial) = self.partial {
            partial.persist(&self.path).map_err(|error| failed(&error.error))?;
        }
        tell(&self.path, summary);
        Ok(())
    }
}

/// A file beside the one it will be, which is gone when the command is interrupted.
fn create_partial(path: &Path) -> io::Result<(File, TempPath)> {
    if path.file_name().is_none() {
        return Err(io::Error::other("expected the name of a file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Says what is wrong with the folder, and not with a name in it that nobody chose.
    if !folder.is_dir() {
        return Err(io::Error::other(format!("there is no folder {}", folder.display())));
    }
    let mut builder = Builder::new();
    builder.prefix(".tradewind-").suffix(".partial");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let (out, partial) = builder.tempfile_in(folder)?.into_parts();
    // Once the file has its own name there is nothing under this one, and nothing to remove.
    let doomed = partial.to_path_buf();
    interrupt::tidy_first(move || {
        // Whatever happens to the file, the command ends.
        let _ = fs::remove_file(&doomed);
    })?;
    Ok((out, partial))
}

fn tell(path: &Path, summary: Summary) {
    let Summary { events, lost, bytes, .. } = summary;
    let mut text = format!("tradewind: {events} events, {bytes} bytes in {}", path.display());
    if lost > 0 {
        text += &format!("; {lost} events found no place");
    }
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr().lock(), "{text}; open it at https://ui.perfetto.dev");
}
