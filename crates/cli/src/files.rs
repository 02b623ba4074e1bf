//! Files that appear whole or not at all. This module must never know their contents.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use signal_hook::consts::SIGXFSZ;
use tempfile::NamedTempFile;

use crate::problem::Problem;

/// Has a write beyond the limit of file sizes (`ulimit -f`) end in an error, as on a full disk, and not in a signal that kills the
/// command.
pub(crate) fn survive_limits() {
    // A signal with a handler does not kill. Without one the command works, but for that.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Writes a file whole or not at all.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), Problem> {
    let mut file = draft(path)?;
    let failed = |error: io::Error| Problem::Failed(format!("--out {}: {error}", units::text::path(path)));
    // The errors of the draft itself would name the draft, which the user has not chosen.
    file.as_file_mut().write_all(text.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// The file beside a path that takes its name when it is whole; it is gone if it never is. That there is one shows that the
/// path can be written.
pub(crate) fn draft(path: &Path) -> Result<NamedTempFile, Problem> {
    let folder = folder_of(path)?;
    let refused = |error: io::Error| {
        wrong(path, &format!("no file can be made in {}: {}", units::text::path(folder), error.kind()))
    };
    worlds::draft::create(folder).map_err(refused)
}

/// The file beside a path to which a picture is to be written, as [`draft`]. A picture has the name of one.
pub(crate) fn picture(path: &Path) -> Result<NamedTempFile, Problem> {
    let file = draft(path)?;
    if is_picture(path) { Ok(file) } else { Err(wrong(path, &"expected a name that ends in .svg")) }
}

/// The file beside a path to which a picture or a page is to be written, as [`draft`]. Either has the name of one.
pub(crate) fn drawing(path: &Path) -> Result<NamedTempFile, Problem> {
    let file = draft(path)?;
    let is_drawing = is_picture(path) || is_page(path);
    if is_drawing { Ok(file) } else { Err(wrong(path, &"expected a name that ends in .svg or .html")) }
}

/// The file beside a path to which a table is to be written, as [`draft`]. A table has the name of one.
pub(crate) fn table(path: &Path) -> Result<NamedTempFile, Problem> {
    let file = draft(path)?;
    if ends_in(path, "tsv") { Ok(file) } else { Err(wrong(path, &"expected a name that ends in .tsv")) }
}

fn is_picture(path: &Path) -> bool {
    ends_in(path, "svg")
}

/// Whether a file is to be a page.
pub(crate) fn is_page(path: &Path) -> bool {
    ends_in(path, "html")
}

fn ends_in(path: &Path, kind: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(kind))
}

/// The folder that a file is to be written in, which must be there.
fn folder_of(path: &Path) -> Result<&Path, Problem> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A special file, such as a device, must not be replaced by a file, nor be read to its end.
    let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if path.file_name().is_none() || is_special {
        return Err(wrong(path, &"expected the name of a file"));
    }
    if !folder.is_dir() {
        return Err(wrong(path, &format!("there is no folder {}", units::text::path(folder))));
    }
    Ok(folder)
}

/// The problem of a path that `--out` names.
pub(crate) fn wrong(path: &Path, why: &dyn Display) -> Problem {
    Problem::wrong(format!("--out {}: {why}", units::text::path(path)))
}
