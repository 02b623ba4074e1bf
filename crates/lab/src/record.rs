//! The record: answers of runs, kept for good in one file. This module must never know the meaning of an answer.
//!
//! A row is found by the whole specification of its run, the digests of the machine and of the input files, and the
//! version of the command. Rows are only added: the file itself refuses to change or drop one. Several commands may use
//! it at once; if two find the same answer, the first is kept, and both go on with it.
//!
//! Each row has a check sum over its answer and its key. A row that does not agree with its sum is damaged: it stays in
//! its place, is not taken for an answer, and the answer of the repeated run stands in a table of its own.

use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension};
use serde_json::Value;

/// The bytes that are read at a time for a digest.
const CHUNK: usize = 1 << 20;

/// Mark of a record, in the field that the format of `SQLite` has for it: "TWrc".
const APPLICATION: i32 = 0x5457_7263;

/// The format of the tables below. Format 1 had a table `run` alone, whose rows lack the contents of the input files:
/// they stay, and are not found any more. Rows of format 2 have no check sum, and are taken as they are.
const FORMAT: i32 = 3;

/// The column that format 3 adds to the table of format 2.
const SUM: &str = "ALTER TABLE answer ADD COLUMN sum TEXT;";

/// Maximum time for which one command waits for another that keeps the file locked.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time between two tellings of a command that waits.
const APART: Duration = Duration::from_secs(2);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS answer (
        specification TEXT NOT NULL,
        machine TEXT NOT NULL,
        inputs TEXT NOT NULL,
        version TEXT NOT NULL,
        answer TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        PRIMARY KEY (specification, machine, inputs, version)
    ) WITHOUT ROWID;
    CREATE TRIGGER IF NOT EXISTS answer_is_not_changed BEFORE UPDATE ON answer
        BEGIN SELECT RAISE(ABORT, 'a record is only added to'); END;
    CREATE TRIGGER IF NOT EXISTS answer_is_not_dropped BEFORE DELETE ON answer
        BEGIN SELECT RAISE(ABORT, 'a record is only added to'); END;
    CREATE TABLE IF NOT EXISTS repeated (
        specification TEXT NOT NULL,
        machine TEXT NOT NULL,
        inputs TEXT NOT NULL,
        version TEXT NOT NULL,
        answer TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        sum TEXT NOT NULL,
        PRIMARY KEY (specification, machine, inputs, version)
    ) WITHOUT ROWID;
";

/// An open record.
pub struct Record {
    connection: Connection,
    path: PathBuf,
    locks: Locks,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Handling of a file that another command keeps locked.
struct Locks {
    /// Called again and again with the time waited since the beginning.
    told: Box<dyn Fn(Duration) + Send>,
    patience: Duration,
    apart: Duration,
}

impl Locks {
    /// Acts as soon as the file is not locked.
    fn wait<T>(&self, act: impl Fn() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let since = Instant::now();
        loop {
            match act() {
                Err(error) if is_locked(&error) && since.elapsed() < self.patience => {
                    (self.told)(since.elapsed());
                }
                done => return done,
            }
        }
    }
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
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
    /// An answer that does not agree with its check sum, or is no answer at all: the run has to be done again.
    Damaged,
    /// No answer: the run has not been done.
    Nothing,
}

impl Key {
    /// The check sum of a row with this key: of equal bytes, in one build of the command, which the key names.
    fn sum(&self, answer: &str) -> String {
        let mut sum = DefaultHasher::new();
        let Self { specification, machine, inputs, version } = self;
        for part in [specification, machine, inputs, version, answer] {
            sum.write_usize(part.len());
            sum.write(part.as_bytes());
        }
        format!("{:016x}", sum.finish())
    }
}

impl Record {
    /// Opens the record in a file, which is made if there is none. While another command keeps the file locked, `waits`
    /// is called every two seconds with the time waited, and after twenty seconds the record is given up. The same
    /// holds for each answer looked up or added.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, is damaged or locked, or is something else.
    pub fn open(path: &Path, waits: impl Fn(Duration) + Send + 'static) -> Result<Self, Unusable> {
        Self::open_with(path, Locks { told: Box::new(waits), patience: PATIENCE, apart: APART })
    }

    fn open_with(path: &Path, locks: Locks) -> Result<Self, Unusable> {
        let unusable = |why, is_locked| Unusable { path: path.to_owned(), why, is_locked };
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(unusable("expected the name of a file".to_owned(), false));
        }
        let connection =
            Connection::open(path).map_err(|error| unusable(unusual(&error), is_locked(&error)))?;
        let record = Self { connection, path: path.to_owned(), locks };
        record.prepare()?;
        Ok(record)
    }

    /// The answer to a run that has been done.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn find(&self, key: &Key) -> Result<Row, Unusable> {
        match self.find_in("answer", key)? {
            Row::Damaged => Ok(match self.find_in("repeated", key)? {
                Row::Nothing => Row::Damaged,
                repeated => repeated,
            }),
            found => Ok(found),
        }
    }

    /// Looks the answer up in one of the two tables.
    fn find_in(&self, table: &str, key: &Key) -> Result<Row, Unusable> {
        let query = format!(
            "SELECT CAST(answer AS BLOB), CAST(sum AS BLOB) FROM {table}
            WHERE specification = ?1 AND machine = ?2 AND inputs = ?3 AND version = ?4"
        );
        let keys = [&key.specification, &key.machine, &key.inputs, &key.version];
        let find = || {
            let row = self.connection.query_row(&query, keys, |row| Ok((row.get(0)?, row.get(1)?)));
            row.optional()
        };
        let row: Option<(Vec<u8>, Option<Vec<u8>>)> =
            self.locks.wait(find).map_err(|error| self.unusable(&error))?;
        let Some((answer, sum)) = row else { return Ok(Row::Nothing) };
        let answer = String::from_utf8(answer).ok().filter(|answer| {
            // Only format 2 had rows without a sum.
            sum.is_none_or(|sum| key.sum(answer).as_bytes() == sum)
        });
        let answer = answer.and_then(|answer| serde_json::from_str(&answer).ok());
        Ok(answer.map_or(Row::Damaged, Row::Answer))
    }

    /// Whether a run of this specification was recorded under any other key: of another machine, another input or another version.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn has_other(&self, specification: &str) -> Result<bool, Unusable> {
        let query = "SELECT count(*) FROM answer WHERE specification = ?1";
        let count = || self.connection.query_row(query, [specification], |row| row.get::<_, i64>(0));
        Ok(self.locks.wait(count).map_err(|error| self.unusable(&error))? > 0)
    }

    /// Adds an answer, and gives back the one that the record has now: an earlier one if another command was faster. A
    /// damaged answer is repaired by it.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add(&self, key: &Key, answer: &Value) -> Result<Value, Unusable> {
        let text = answer.to_string();
        self.insert("INSERT OR IGNORE INTO answer", key, &text)?;
        if self.find(key)? == Row::Damaged {
            self.insert("INSERT OR REPLACE INTO repeated", key, &text)?;
        }
        match self.find(key)? {
            Row::Answer(kept) => Ok(kept),
            Row::Damaged | Row::Nothing => Err(self.wrong("the row just added is not there".to_owned())),
        }
    }

    /// Adds a row by a statement that names its table.
    fn insert(&self, statement: &str, key: &Key, answer: &str) -> Result<(), Unusable> {
        let insert = format!(
            "{statement} (specification, machine, inputs, version, answer, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        );
        let Key { specification, machine, inputs, version } = key;
        let row = [specification, machine, inputs, version, answer, &key.sum(answer)];
        let add = || self.connection.execute(&insert, row);
        self.locks.wait(add).map(drop).map_err(|error| self.unusable(&error))
    }

    /// Checks that the file is a record, or makes an empty one into a record.
    fn prepare(&self) -> Result<(), Unusable> {
        let connection = &self.connection;
        let database = |error: rusqlite::Error| self.unusable(&error);
        connection.busy_timeout(self.locks.apart).map_err(database)?;
        // No other command may make it a record between the questions and the answer.
        self.locks.wait(|| connection.execute_batch("BEGIN IMMEDIATE")).map_err(database)?;
        let number =
            |query: &str| connection.query_row(query, [], |row| row.get::<_, i32>(0)).map_err(database);
        let application = number("PRAGMA application_id")?;
        let format = number("PRAGMA user_version")?;
        let tables = number("SELECT count(*) FROM sqlite_schema")?;
        match (application, format) {
            (APPLICATION, FORMAT) => {}
            (APPLICATION, other) if other > FORMAT => {
                return Err(self.wrong(format!(
                    "expected a record of format {FORMAT} or before, found format {other} of a newer tradewind; say --record \
                     with another file"
                )));
            }
            (other, _) if tables > 0 && other != APPLICATION => {
                return Err(self.wrong("expected a record of tradewind, found another database".to_owned()));
            }
            _ => {
                let marks = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};");
                connection.execute_batch(&format!("{TABLES} {SUM} {marks}")).map_err(database)?;
            }
        }
        self.locks.wait(|| connection.execute_batch("COMMIT")).map_err(database)
    }

    /// Message for people of an error of the database.
    fn unusable(&self, error: &rusqlite::Error) -> Unusable {
        let why = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                format!("expected a record of tradewind: {error}; move the file away to begin another")
            }
            _ if is_locked(error) => {
                let waited = self.locks.patience.as_secs();
                format!(
                    "another command has kept it locked for {waited} s; expected its end, or --record with another file"
                )
            }
            _ => unusual(error),
        };
        Unusable { is_locked: is_locked(error), ..self.wrong(why) }
    }

    fn wrong(&self, why: String) -> Unusable {
        Unusable { path: self.path.clone(), why, is_locked: false }
    }
}

/// Message for people of any other error: a missing folder, a full disk, a file of another user.
fn unusual(error: &rusqlite::Error) -> String {
    format!(
        "{error}; expected a folder that is there, a file that can be written, and room for it; --record takes another file"
    )
}

/// The version of a command: that of its package and a digest of its file, so that a model that was changed counts as
/// another.
///
/// # Errors
///
/// If the file cannot be read.
pub fn version(package: &str, executable: &Path) -> io::Result<String> {
    Ok(format!("{package} {}", digest(File::open(executable)?)?))
}

/// The digest of everything that can be read, as 16 hexadecimal digits: equal within one build of the command, which is all that a
/// record asks for, since its keys name the build.
///
/// # Errors
///
/// If it cannot be read to its end.
pub fn digest(mut bytes: impl Read) -> io::Result<String> {
    let mut digest = DefaultHasher::new();
    let mut chunk = Vec::with_capacity(CHUNK);
    loop {
        chunk.clear();
        // However the stream is divided, equal bytes make equal chunks.
        if bytes.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)? == 0 {
            return Ok(format!("{:016x}", digest.finish()));
        }
        digest.write(&chunk);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc;
    use std::thread;

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
    fn a_record_of_the_first_format_is_kept_and_one_of_a_later_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let first = Connection::open(&path).unwrap();
        let made = "CREATE TABLE run (specification, machine, version, answer); INSERT INTO run VALUES (1, 2, 3, 4);";
        let marks =
            |format| format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {format};");
        first.execute_batch(&format!("{made} {}", marks(1))).unwrap();
        let record = open(&path).unwrap();
        assert_eq!(record.add(&key("a"), &json!(5)).unwrap(), json!(5));
        drop(record);
        assert_eq!(open(&path).unwrap().find(&key("a")).unwrap(), Row::Answer(json!(5)));
        let rows: i32 = first.query_row("SELECT count(*) FROM run", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1);
        first.execute_batch(&marks(FORMAT + 1)).unwrap();
        let said = open(&path).unwrap_err().to_string();
        assert!(
            said.contains("found format 4 of a newer tradewind; say --record with another file"),
            "{said}"
        );
    }

    #[test]
    fn a_damaged_answer_is_none_and_is_repaired_by_the_repeated_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let damages: [&[u8]; 3] = [br#"{"x":8}"#, br#"{"x":"#, b"\"\xff\""];
        for (place, damage) in damages.into_iter().enumerate() {
            let key = key(&place.to_string());
            let record = open(&path).unwrap();
            record.add(&key, &json!({ "x": 7 })).unwrap();
            drop(record);
            // As a disk would: the triggers stand against commands.
            let raw = Connection::open(&path).unwrap();
            raw.execute_batch("DROP TRIGGER answer_is_not_changed").unwrap();
            let (damage, machine) = (damage.to_vec(), &key.machine);
            raw.execute("UPDATE answer SET answer = CAST(?1 AS TEXT) WHERE machine = ?2", (damage, machine))
                .unwrap();
            let record = open(&path).unwrap();
            assert_eq!(record.find(&key).unwrap(), Row::Damaged, "damage {place}");
            assert_eq!(record.add(&key, &json!({ "x": 7 })).unwrap(), json!({ "x": 7 }));
            assert_eq!(open(&path).unwrap().find(&key).unwrap(), Row::Answer(json!({ "x": 7 })));
            raw.execute_batch(TABLES).unwrap();
        }
    }

    #[test]
    fn answers_of_the_second_format_have_no_sum_and_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let second = Connection::open(&path).unwrap();
        let marks = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 2;");
        let row = "INSERT INTO answer (specification, machine, inputs, version, answer)
            VALUES ('a run', 'a', '', '1', '5');";
        second.execute_batch(&format!("{TABLES} {row} {marks}")).unwrap();
        for _ in 0..2 {
            let record = open(&path).unwrap();
            assert_eq!(record.find(&key("a")).unwrap(), Row::Answer(json!(5)));
            assert_eq!(record.add(&key("a"), &json!(6)).unwrap(), json!(5));
        }
    }

    #[test]
    fn a_change_far_from_the_end_of_a_file_changes_its_digest() {
        // As in an executable: a constant, then sections padded by zeros, then tables of ones.
        let file = |constant: u8| {
            let sections = std::iter::repeat_n([[0_u8; 4096], [0xff; 4096]], 4).flatten().flatten();
            std::iter::once(constant).chain(sections).collect::<Vec<_>>()
        };
        let digests: std::collections::BTreeSet<_> =
            (0..=255).map(|constant| digest(&file(constant)[..]).unwrap()).collect();
        assert_eq!(digests.len(), 256);
    }

    #[test]
    fn equal_bytes_have_equal_digests_whatever_pieces_they_come_in() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|it| it as u8).collect();
        let (one, other) = bytes.split_at(33_333);
        assert_eq!(digest(&bytes[..]).unwrap(), digest(one.chain(other)).unwrap());
        assert_ne!(digest(&[0_u8; 15][..]).unwrap(), digest(&[0_u8; 16][..]).unwrap());
    }

    #[test]
    fn a_row_is_neither_changed_nor_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let record = open(&folder.path().join("record")).unwrap();
        record.add(&key("a"), &json!(1)).unwrap();
        for statement in ["UPDATE answer SET answer = '2'", "DELETE FROM answer"] {
            let error = record.connection.execute(statement, []).unwrap_err();
            assert!(error.to_string().contains("only added to"), "{error}");
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
        fs::write(&path, "This is a text that somebody wrote, and it is long enough. ".repeat(40)).unwrap();
        let said = open(&path).unwrap_err().to_string();
        assert!(
            said.contains("expected a record of tradewind") && said.contains("move the file away"),
            "{said}"
        );
        let other = folder.path().join("other");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
        assert!(open(&other).unwrap_err().to_string().ends_with("found another database"));
        // A record whose middle was written over.
        let ours = folder.path().join("ours");
        let record = open(&ours).unwrap();
        (0..200).for_each(|run| drop(record.add(&key(&run.to_string()), &json!("x".repeat(200))).unwrap()));
        drop(record);
        let mut bytes = fs::read(&ours).unwrap();
        let middle = bytes.len() / 8;
        bytes[middle..].fill(0xff);
        fs::write(&ours, bytes).unwrap();
        let record = open(&ours);
        let said = record.and_then(|record| record.find(&key("7")).map(drop)).unwrap_err().to_string();
        assert!(said.contains("ours: "), "{said}");
    }

    #[test]
    fn another_executable_is_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let digest = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            version("0.1.0", &path).unwrap()
        };
        let (one, other) = (digest(&[1; 5000]), digest(&[[1; 4999].as_slice(), &[2]].concat()));
        assert!(one != other && one.starts_with("0.1.0 "), "{one} {other}");
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
            Locks { told: Box::new(move |waited| told.send(waited).unwrap_or_default()), patience, apart }
        };
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
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
