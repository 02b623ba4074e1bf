//! A file of rows to which several commands add at once. This module must never know the meaning of a row.
//!
//! The first line names the format. Each further line is a row: a check sum, a key and a value, separated by tabs. Rows
//! are only added. A lock of the file, held for the duration of one look or one addition, orders the commands: shared for a look,
//! exclusive for an addition.
//!
//! A command that is killed while it adds leaves a line without an end. The next command that adds ends that line first, and the
//! row of that line is damaged: it does not agree with its sum.
//!
//! The places of the rows are kept in memory, by their keys; before each look the rows added since the last one are read.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// Time between two attempts to lock the file.
const ATTEMPT: Duration = Duration::from_millis(5);

/// Handling of a file that another command keeps locked.
pub(super) struct Locks {
    /// Called again and again with the time waited since the beginning.
    pub(super) waits: Box<dyn Fn(Duration) + Send>,
    /// Maximum time for which a command waits.
    pub(super) patience: Duration,
    /// Time between two calls of `waits`.
    pub(super) apart: Duration,
}

/// An open file of rows.
pub(super) struct Log {
    file: File,
    locks: Locks,
    seen: RefCell<Seen>,
}

/// The rows that have been read.
#[derive(Default)]
struct Seen {
    /// Offset of the end of the last complete line.
    end: u64,
    /// For each key, the bytes of its lines in the file, without their ends.
    rows: HashMap<String, Vec<Range<u64>>>,
}

/// The value that a file of rows has for a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The value of the first row that agrees with its check sum.
    Kept(String),
    /// No value: no row of the key agrees with its check sum.
    Damaged,
    /// No value: there is no row of the key.
    Nothing,
}

/// The reason why a file of rows cannot be used.
#[derive(Debug)]
pub(super) enum Failure {
    /// The path is that of something else than a file.
    NoFile,
    /// The first line is another one: these bytes, at most 64.
    Foreign(Vec<u8>),
    /// Another command kept the file locked for longer than [`Locks::patience`].
    Locked,
    /// The operating system refused.
    System(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl Log {
    /// Opens a file of rows, and makes it if there is none or if it is empty. `header` is its first line, with the end of the line.
    pub(super) fn open(path: &Path, header: &str, locks: Locks) -> Result<Self, Failure> {
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(Failure::NoFile);
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let log = Self { file, locks, seen: RefCell::default() };
        let lock = log.lock(FlockOperation::NonBlockingLockExclusive)?;
        let mut first = vec![0; log.file.metadata()?.len().min(64) as usize];
        log.file.read_exact_at(&mut first, 0)?;
        if first.is_empty() {
            (&log.file).write_all(header.as_bytes())?;
        } else if !first.starts_with(header.as_bytes()) {
            return Err(Failure::Foreign(first));
        }
        drop(lock);
        log.seen.borrow_mut().end = header.len() as u64;
        Ok(log)
    }

    /// The value of a key.
    pub(super) fn find(&self, key: &str) -> Result<Value, Failure> {
        let _lock = self.lock(FlockOperation::NonBlockingLockShared)?;
        self.catch_up()?;
        self.look(key)
    }

    /// Whether a key that a test accepts has a row.
    pub(super) fn has(&self, accepts: impl Fn(&str) -> bool) -> Result<bool, Failure> {
        let _lock = self.lock(FlockOperation::NonBlockingLockShared)?;
        self.catch_up()?;
        Ok(self.seen.borrow().rows.keys().any(|key| accepts(key)))
    }

    /// Adds a row, unless the key has a value already. Neither text may have a tab or the end of a line. Returns the value that
    /// the key has now.
    pub(super) fn add(&self, key: &str, value: String) -> Result<String, Failure> {
        let _lock = self.lock(FlockOperation::NonBlockingLockExclusive)?;
        self.catch_up()?;
        if let Value::Kept(earlier) = self.look(key)? {
            return Ok(earlier);
        }
        let length = self.file.metadata()?.len();
        let end_of_torn = if length > self.seen.borrow().end { "\n" } else { "" };
        let line = format!("{end_of_torn}{:016x}\t{key}\t{value}\n", sum(key, &value));
        let written = (&self.file).write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // The part of the line that was written is no row. Where it stays, it is a damaged one.
            let _stays = self.file.set_len(length);
            return Err(error.into());
        }
        Ok(value)
    }

    /// Reads the complete lines that were added since the last look.
    fn catch_up(&self) -> Result<(), Failure> {
        let seen = &mut *self.seen.borrow_mut();
        let length = self.file.metadata()?.len();
        let mut added = vec![0; length.saturating_sub(seen.end) as usize];
        self.file.read_exact_at(&mut added, seen.end)?;
        for line in added.split_inclusive(|byte| *byte == b'\n') {
            let Some(row) = line.strip_suffix(b"\n") else { break };
            let place = seen.end..seen.end + row.len() as u64;
            // Without a key the line is damaged, and the run of its row is done again.
            if let Some(key) =
                row.split(|byte| *byte == b'\t').nth(1).and_then(|key| str::from_utf8(key).ok())
            {
                seen.rows.entry(key.to_owned()).or_default().push(place);
            }
            seen.end += line.len() as u64;
        }
        Ok(())
    }

    /// The value of a key among the rows that have been read.
    fn look(&self, key: &str) -> Result<Value, Failure> {
        let seen = self.seen.borrow();
        let Some(places) = seen.rows.get(key) else { return Ok(Value::Nothing) };
        for place in places {
            let mut line = vec![0; (place.end - place.start) as usize];
            self.file.read_exact_at(&mut line, place.start)?;
            if let Some(value) = String::from_utf8(line).ok().and_then(|line| checked(&line, key)) {
                return Ok(Value::Kept(value));
            }
        }
        Ok(Value::Damaged)
    }

    /// Locks the file as soon as no other command has locked it, until the result is dropped.
    fn lock(&self, operation: FlockOperation) -> Result<Lock<'_>, Failure> {
        let (since, mut told) = (Instant::now(), Duration::ZERO);
        loop {
            match flock(&self.file, operation) {
                Ok(()) => return Ok(Lock(&self.file)),
                Err(Errno::WOULDBLOCK) if since.elapsed() >= self.locks.patience => {
                    return Err(Failure::Locked);
                }
                Err(Errno::WOULDBLOCK) => {}
                Err(error) => return Err(Failure::System(error.into())),
            }
            if since.elapsed() >= told + self.locks.apart {
                told = since.elapsed();
                (self.locks.waits)(told);
            }
            std::thread::sleep(ATTEMPT.min(self.locks.apart));
        }
    }
}

/// A lock of the file, which ends when it is dropped.
struct Lock<'a>(&'a File);

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        // The lock ends with the file at the latest.
        let _unlocked = flock(self.0, FlockOperation::Unlock);
    }
}

/// The value of a line of this key, if the line agrees with its check sum.
fn checked(line: &str, key: &str) -> Option<String> {
    let mut parts = line.splitn(3, '\t');
    let (found, _, value) = (parts.next()?, parts.next()?, parts.next()?);
    (u64::from_str_radix(found, 16) == Ok(sum(key, value))).then(|| value.to_owned())
}

/// The check sum of a row: equal for equal rows within one build of the command.
fn sum(key: &str, value: &str) -> u64 {
    let mut sum = DefaultHasher::new();
    for part in [key, value] {
        sum.write_usize(part.len());
        sum.write(part.as_bytes());
    }
    sum.finish()
}
