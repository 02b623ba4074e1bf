//! Drafts: files that are written under another name, and get their own when they are whole. A draft is removed with
//! the value that holds it; the draft of a killed process is removed by the next process that writes into the folder.
//! This module must never know the contents of a file.
//!
//! A process holds a lock on each of its drafts, which the system releases when the process ends, in any way. So a
//! draft that can be locked has no owner. Without locks, as on some file systems, the drafts of killed processes stay.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Prefix of the names of drafts.
const PREFIX: &str = ".tradewind-";

/// Suffix of the names of drafts.
const SUFFIX: &str = ".partial";

/// Makes a draft in a folder, after removing drafts that killed processes have left there.
///
/// # Errors
/// The error of the operating system, if no file can be made in the folder.
pub fn create(folder: &Path) -> io::Result<NamedTempFile> {
    clean(folder);
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // Others may read it, as any file that is not written beside its name first.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let draft = builder.tempfile_in(folder)?;
        // Another command may have taken it for a draft that was left, before it was locked.
        if is_held(draft.as_file()) {
            return Ok(draft);
        }
    }
}

/// Whether a file has the name of a draft.
pub fn is_draft(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}

/// Removes the drafts in a folder that killed processes have left. Files that cannot be removed stay.
pub fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().filter(|entry| is_draft(&entry.file_name())) {
        let path = path.path();
        // The lock is held until the file is gone, so that no other process takes it for its own draft.
        if let Some(_left) = left(&path) {
            // It may be gone already.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Locks a draft of this process. Whether its file is still there.
#[cfg(unix)]
fn is_held(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;

    match lock(file) {
        Ok(()) => file.metadata().is_ok_and(|found| found.nlink() > 0),
        Err(rustix::io::Errno::WOULDBLOCK) => false,
        // The file system has no locks: no draft is removed.
        Err(_) => true,
    }
}

/// The draft of this path, locked, if its process has ended.
#[cfg(unix)]
fn left(path: &Path) -> Option<File> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let file = is_file.then(|| File::open(path).ok()).flatten()?;
    lock(&file).is_ok().then_some(file)
}

/// Locks a file, unless another process holds it.
#[cfg(unix)]
fn lock(file: &File) -> rustix::io::Result<()> {
    rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive)
}

/// Locks a draft of this process: not known on this system.
#[cfg(not(unix))]
fn is_held(_: &File) -> bool {
    true
}

/// The draft of this path, if its process has ended: not known on this system.
#[cfg(not(unix))]
fn left(_: &Path) -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_draft_is_gone_unless_it_becomes_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(create(folder.path()).expect("a draft"));
        let mut draft = create(folder.path()).expect("a draft");
        draft.write_all(b"whole").expect("written");
        draft.persist(folder.path().join("mine")).expect("it has its name");
        assert_eq!(names(folder.path()), ["mine"]);
    }

    #[cfg(unix)]
    #[test]
    fn drafts_that_were_left_are_removed_and_no_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let mine = create(folder.path()).expect("a draft");
        let write = |name: &str| fs::write(folder.path().join(name), "left").expect("written");
        write(".tradewind-x.partial");
        write(".tradewind-x");
        write("x.partial");
        let other = create(folder.path()).expect("a draft");
        let name =
            |draft: &NamedTempFile| draft.path().file_name().map(|name| name.to_string_lossy().into_owned());
        let mut expected: Vec<_> = [name(&mine), name(&other)].into_iter().flatten().collect();
        expected.extend([".tradewind-x".to_owned(), "x.partial".to_owned()]);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
    }
}
