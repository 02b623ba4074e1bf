//! Output of *herd* about tests: for each the final states that its model allows.
//!
//! It must never know the tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Errors,
    errors::{Excerpt, Report},
    scan::{self, Field, Fields, Lines},
};

/// A final state: the value of each place, both as [`Test::place_name`](super::Test::place_name) and
/// [`Test::value_name`](super::Test::value_name) spell them.
pub type State = BTreeMap<String, String>;

/// Results of a test in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Logged {
    /// The test's name.
    pub name: String,
    /// All final states.
    pub states: BTreeSet<State>,
    /// Number of executions after which the condition holds. Several may end in one state.
    pub positive: u64,
    /// Number of executions after which it does not hold.
    pub negative: u64,
}

/// Reads a log, called `file` in messages: for each test the lines from `Test NAME …` to `Observation …`. Other lines
/// about it are skipped.
///
/// # Errors
/// All mistakes of the tests' names, their numbers of states, their states, and their numbers of positive and negative
/// executions; a test that begins inside another, and a log without any test. negative executions; a test that another
/// begins in, and no test at all.
pub fn read(file: &str, bytes: &[u8]) -> Result<Vec<Logged>, Errors> {
    let mut report = Report::new(bytes);
    let mut lines = Lines::new(bytes, None);
    let mut tests = Vec::new();
    while let Some(mut line) = lines.next() {
        if line.take().text == b"Test" {
            tests.extend(test(line, &mut lines, &mut report));
        }
    }
    if tests.is_empty() {
        report.add(bytes.len(), "test", "missing", "at least one");
    }
    report.finish(file, tests)
}

/// Reads a test from behind its first word; `None` if something is wrong, and reported.
fn test<'a>(mut first: Fields<'a>, lines: &mut Lines<'a>, report: &mut Report<'_>) -> Option<Logged> {
    let name = first.take();
    if name.text.is_empty() {
        report.add(name.offset, "name of the test", Excerpt(name.text), "one");
        return None;
    }
    let states = states(lines, report)?;
    let (positive, negative) = observation(name, lines, report)?;
    Some(Logged { name: String::from_utf8_lossy(name.text).into_owned(), states, positive, negative })
}

/// Reads `States n` and as many lines.
fn states(lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<BTreeSet<State>> {
    let mut head = lines.any().trimmed();
    let word = head.take();
    if word.text != b"States" {
        report.add(word.offset, "number of states", Excerpt(word.text), "States and their number");
        return None;
    }
    let count = scan::bounded(head.take(), "number of states", u64::from(u32::MAX), report)?;
    (0..count).map(|_| state(lines.any(), report)).collect()
}

/// Reads `0:x5=0; [x]=1;`.
fn state(line: Fields<'_>, report: &mut Report<'_>) -> Option<State> {
    let rest = line.rest();
    let Some(entries) = rest.text.strip_suffix(b";") else {
        report.add(rest.offset, "state", Excerpt(rest.text), "places and values such as 0:x5=1; [x]=2;");
        return None;
    };
    let mut state = State::new();
    for entry in entries.split(|&byte| byte == b';').map(<[u8]>::trim_ascii).filter(|entry| !entry.is_empty())
    {
        let entry = str::from_utf8(entry).ok().and_then(|entry| entry.split_once('='));
        let Some((place, value)) = entry else {
            report.add(rest.offset, "state", Excerpt(rest.text), "a place, = and a value between each two ;");
            return None;
        };
        state.insert(place.to_owned(), value.to_owned());
    }
    Some(state)
}

/// Reads on to `Observation NAME Sometimes p n`: the two numbers.
fn observation(name: Field<'_>, lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<(u64, u64)> {
    loop {
        let mut ahead = lines.clone();
        let line = ahead.next();
        let word = line.map(|line| { line }.take());
        let Some((mut line, word)) = line.zip(word).filter(|(_, word)| word.text != b"Test") else {
            report.add(name.offset, "observation", "missing", "one before the next test");
            return None;
        };
        *lines = ahead;
        if word.text != b"Observation" {
            continue;
        }
        let (_, _name, _how_often) = (line.take(), line.take(), line.take());
        let positive = scan::bounded(line.take(), "number of positive executions", u64::MAX, report)?;
        let negative = scan::bounded(line.take(), "number of negative executions", u64::MAX, report)?;
        return Some((positive, negative));
    }
}
