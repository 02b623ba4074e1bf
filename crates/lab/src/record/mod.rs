//! The record: answers of runs, kept for good in one file. This module must never know the meaning of an answer.
//!
//! A row is found by the whole specification of its run, the digests of the machine and of the input files, and the
//! version of the command. Rows are only added. Several commands may use a record at once; if two find the same answer, the first
//! is kept, and both go on with it.
//!
//! Each row has a check sum over its answer and its key. A row that does not agree with its sum is damaged: it stays in
//! its place, is not taken for an answer, and the answer of the repeated run is added behind it.
//!
//! The file is text: a line with the format, then a line for each row, with its check sum, its key as an array in JSON, and its answer in
//! JSON, separated by tabs.

mod digest;
mod log;

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

pub use digest::{digest, version};
use log::{Failure, Locks, Log};

/// First line of a record. Formats 1 to 3 were databases of SQLite.
const HEADER: &str = "tradewind record 4\n";

/// Beginning of the first line of a record of any format since 4.
const MARK: &[u8] = b"tradewind record ";

/// Beginning of each database of SQLite.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Maximum time for which one command waits for another that keeps the file locked.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time between two tellings of a command that waits.
const APART: Duration = Duration::from_secs(2);

/// An open record.
pub struct Record {
    log: Log,
    path: PathBuf,
    patience: Duration,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Key of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Canonical text of the run: [`Specification::canonical`](crate::Specification::canonical).
    pub specification: String,
    /// Digest of the machine: [`Digests::machine`](crate::campaign::Digests::machine).
    pub machine: String,
    /// Digest of the input files: [`Digests::inputs`](crate::campaign::Digests::inputs).
    pub inputs: String,
    /// Version of the command: [`version`].
    pub version: String,
}

impl Key {
    /// The key in the file: an array in JSON, which has no tab and no end of a line.
    fn text(&self) -> String {
        let Self { specification, machine, inputs, version } = self;
        serde_json::json!([specification, machine, inputs, version]).to_string()
    }
}

/// A record that cannot be used: its file, and the expected state.
#[derive(Debug)]
pub struct Unusable {
    path: PathBuf,
    why: String,
    is_locked: bool,
}

impl Unusable {
    /// Whether another command kept the file locked for longer than this one waits: the file itself is in order.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }
}

impl Display for Unusable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", units::text::path(&self.path), self.why)
    }
}

impl std::error::Error for Unusable {}

/// The row that a record has for a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// The answer.
    Answer(Value),
    /// An answer that does not agree with its check sum: the run has to be done again.
    Damaged,
    /// No answer: the run has not been done.
    Nothing,
}

impl Record {
    /// Opens the record in a file, which is made if there is none. While another command keeps the file locked, `waits`
    /// is called every two seconds with the time waited, and after twenty seconds the record is given up. The same
    /// holds for each answer looked up or added.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, is locked, or is something else.
    pub fn open(path: &Path, waits: impl Fn(Duration) + Send + 'static) -> Result<Self, Unusable> {
        Self::open_with(path, Locks { waits: Box::new(waits), patience: PATIENCE, apart: APART })
    }

    fn open_with(path: &Path, locks: Locks) -> Result<Self, Unusable> {
        let patience = locks.patience;
        let log = Log::open(path, HEADER, locks).map_err(|failure| unusable(path, patience, failure))?;
        Ok(Self { log, path: path.to_owned(), patience })
    }

    /// The answer to a run that has been done.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn find(&self, key: &Key) -> Result<Row, Unusable> {
        Ok(match self.log.find(&key.text()).map_err(|failure| self.unusable(failure))? {
            log::Value::Kept(answer) => serde_json::from_str(&answer).map_or(Row::Damaged, Row::Answer),
            log::Value::Damaged => Row::Damaged,
            log::Value::Nothing => Row::Nothing,
        })
    }

    /// Whether a run of this specification was recorded under any other key: of another machine, another input or another version.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn has_other(&self, specification: &str) -> Result<bool, Unusable> {
        let mut start = serde_json::json!([specification]).to_string();
        // The array goes on: `["specification",`.
        start.truncate(start.len() - 1);
        start.push(',');
        self.log.has(|key| key.starts_with(&start)).map_err(|failure| self.unusable(failure))
    }

    /// Adds an answer, and gives back the one that the record has now: an earlier one if another command was faster. A
    /// damaged answer is repaired by it.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add(&self, key: &Key, answer: &Value) -> Result<Value, Unusable> {
        let kept = self.log.add(&key.text(), answer.to_string()).map_err(|failure| self.unusable(failure))?;
        Ok(serde_json::from_str(&kept).unwrap_or_else(|_| answer.clone()))
    }

    fn unusable(&self, failure: Failure) -> Unusable {
        unusable(&self.path, self.patience, failure)
    }
}

/// Message for people of a file that cannot be used.
fn unusable(path: &Path, patience: Duration, failure: Failure) -> Unusable {
    let is_locked = matches!(failure, Failure::Locked);
    let why = match failure {
        Failure::NoFile => "expected the name of a file".to_owned(),
        Failure::Foreign(first) => foreign(&first),
        Failure::Locked => format!(
            "another command has kept it locked for {} s; expected its end, or --record with another file",
            patience.as_secs()
        ),
        Failure::System(error) => format!(
            "{error}; expected a folder that is there, a file that can be written, and room for it; --record takes another file"
        ),
    };
    Unusable { path: path.to_owned(), why, is_locked }
}

/// Message for people of a file that begins with these bytes.
fn foreign(first: &[u8]) -> String {
    let found = if first.starts_with(DATABASE) {
        "a database, as tradewind kept its records in before 0.1.0".to_owned()
    } else if let Some(format) = first.strip_prefix(MARK) {
        let format: String =
            format.iter().map_while(|byte| byte.is_ascii_digit().then_some(*byte as char)).collect();
        format!("format {format} of another tradewind")
    } else {
        "another file".to_owned()
    };
    format!(
        "expected a record of tradewind of format 4, found {found}; move the file away to begin another, or say --record with another file"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc;
    use std::thread;

    use rustix::fs::{FlockOperation, flock};
    use serde_json::json;

    use super::*;

    /// Opens a record that no other command has locked.
    fn open(path: &Path) -> Result<Record, Unusable> {
        Record::open(path, |_| ())
    }

    fn key(machine: &str) -> Key {
        let text = str::to_owned;
        Key { specification: text("a run"), machine: text(machine), inputs: text(""), version: text("1") }
    }

    #[test]
    fn an_answer_is_found_by_everything_it_depends_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let record = open(&path).unwrap();
        assert_eq!(record.find(&key("a")).unwrap(), Row::Nothing);
        assert_eq!(record.add(&key("a"), &json!({ "x": 0.1 })).unwrap(), json!({ "x": 0.1 }));
        // The first answer stays.
        assert_eq!(record.add(&key("a"), &json!({ "x": 2 })).unwrap(), json!({ "x": 0.1 }));
        drop(record);
        let record = open(&path).unwrap();
        assert_eq!(record.find(&key("a")).unwrap(), Row::Answer(json!({ "x": 0.1 })));
        assert_eq!(record.find(&key("b")).unwrap(), Row::Nothing);
        assert!(record.has_other("a run").unwrap() && !record.has_other("another").unwrap());
        assert_eq!(record.find(&Key { version: "2".to_owned(), ..key("a") }).unwrap(), Row::Nothing);
        assert_eq!(record.find(&Key { inputs: "matrix=0".to_owned(), ..key("a") }).unwrap(), Row::Nothing);
    }

    #[test]
    fn records_of_other_formats_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        for (bytes, name) in [
            (
                &b"SQLite format 3\0 and pages"[..],
                "found a database, as tradewind kept its records in before 0.1.0;",
            ),
            (b"tradewind record 5\n", "found format 5 of another tradewind;"),
        ] {
            fs::write(&path, bytes).unwrap();
            let said = open(&path).unwrap_err().to_string();
            assert!(
                said.contains("expected a record of tradewind of format 4") && said.contains(name),
                "{said}"
            );
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    /// Writes over the first byte of a text in the last line of a file.
    fn damage(path: &Path, part: &str) {
        let mut text = fs::read_to_string(path).unwrap();
        let line = text.trim_end().rfind('\n').unwrap() + 1;
        let at = line + text[line..].find(part).unwrap();
        text.replace_range(at..=at, "~");
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_damaged_answer_is_none_and_is_repaired_by_the_repeated_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        // Damage of the answer, of the sum, and of the key, whose row is not found any more.
        let places = [("\"x\"", Row::Damaged), ("", Row::Damaged), ("run", Row::Nothing)];
        for (place, (text, row)) in places.into_iter().enumerate() {
            let key = key(&place.to_string());
            open(&path).unwrap().add(&key, &json!({ "x": 7 })).unwrap();
            damage(&path, text);
            let record = open(&path).unwrap();
            assert_eq!(record.find(&key).unwrap(), row, "damage {place}");
            assert_eq!(record.add(&key, &json!({ "x": 7 })).unwrap(), json!({ "x": 7 }));
            assert_eq!(open(&path).unwrap().find(&key).unwrap(), Row::Answer(json!({ "x": 7 })));
        }
    }

    #[test]
    fn a_row_cut_anywhere_loses_nothing_but_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        open(&path).unwrap().add(&key("a"), &json!(1)).unwrap();
        let kept = fs::read(&path).unwrap();
        open(&path).unwrap().add(&key("b"), &json!(2)).unwrap();
        let whole = fs::read(&path).unwrap();
        for cut in kept.len()..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let record = open(&path).unwrap();
            assert_eq!(record.find(&key("b")).unwrap(), Row::Nothing, "cut at {cut}");
            // A line that lacks nothing but its end is ended by the next row, and is a row again.
            let b = if cut + 1 == whole.len() { 2 } else { 4 };
            for (machine, answer, kept) in [("c", 3, 3), ("b", 4, b)] {
                assert_eq!(record.add(&key(machine), &json!(answer)).unwrap(), json!(kept), "cut at {cut}");
            }
            let record = open(&path).unwrap();
            for (machine, kept) in [("a", 1), ("b", b), ("c", 3)] {
                assert_eq!(record.find(&key(machine)).unwrap(), Row::Answer(json!(kept)), "cut at {cut}");
            }
        }
    }

    #[test]
    fn several_commands_may_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let write = |writer: u32| {
            let record = open(&path).unwrap();
            (0..50).map(|run| record.add(&key(&run.to_string()), &json!(writer)).unwrap()).collect::<Vec<_>>()
        };
        let answers = thread::scope(|scope| {
            let write = &write;
            let writers: Vec<_> = (0..4).map(|writer| scope.spawn(move || write(writer))).collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    }

    #[test]
    fn a_file_that_is_no_record_is_one_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        fs::write(&path, "This is a text that somebody wrote.").unwrap();
        let said = open(&path).unwrap_err().to_string();
        assert!(said.contains("found another file; move the file away"), "{said}");
        // A record whose middle was written over: what is left of it is found, the rest is damaged or gone.
        let ours = folder.path().join("ours");
        let record = open(&ours).unwrap();
        (0..200).for_each(|run| drop(record.add(&key(&run.to_string()), &json!("x".repeat(200))).unwrap()));
        drop(record);
        let mut bytes = fs::read(&ours).unwrap();
        let middle = bytes.len() / 8;
        bytes[middle..].fill(0xff);
        fs::write(&ours, bytes).unwrap();
        let record = open(&ours).unwrap();
        assert_eq!(record.find(&key("7")).unwrap(), Row::Answer(json!("x".repeat(200))));
        assert_eq!(record.find(&key("150")).unwrap(), Row::Nothing);
    }

    #[test]
    fn a_locked_record_is_waited_for_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        open(&path).unwrap().add(&key("a"), &json!(1)).unwrap();
        let (told, waited) = mpsc::channel();
        let [patience, apart] = [500, 5].map(Duration::from_millis);
        let locks = || {
            let told = told.clone();
            Locks { waits: Box::new(move |waited| told.send(waited).unwrap_or_default()), patience, apart }
        };
        let other = fs::File::open(&path).unwrap();
        flock(&other, FlockOperation::LockExclusive).unwrap();
        let error = Record::open_with(&path, locks()).unwrap_err();
        assert!(
            error.is_locked() && error.to_string().contains("another command has kept it locked"),
            "{error}"
        );
        let tellings: Vec<Duration> = waited.try_iter().collect();
        assert!(tellings.len() > 1 && tellings.is_sorted(), "{tellings:?}");
        // The other command ends, when this one has waited for a while.
        thread::scope(|scope| {
            scope.spawn(move || {
                waited.recv().unwrap();
                drop(other);
            });
            let record = Record::open_with(&path, Locks { patience: PATIENCE, ..locks() }).unwrap();
            assert_eq!(record.find(&key("a")).unwrap(), Row::Answer(json!(1)));
        });
    }

    #[test]
    fn a_record_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = open(folder.path()).unwrap_err();
        assert!(!error.is_locked() && error.to_string().ends_with("expected the name of a file"), "{error}");
    }
}
