//! Tables of states and of tests. Must never know where they stand.

use std::collections::BTreeSet;

use anstyle::Style;
use programs::litmus::{Placement, Question, State};

use super::trial::{Trial, Verdict};
use super::{Trials, World};
use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::{ALARM, Page, QUIET};

/// Names of tests take at most one part in so many of a page.
const NAME_SHARE: usize = 2;

/// What leaves a narrow page first.
const LEAST: u8 = 0;

/// A column under a head of one or two lines, which differs from run to run and so is a cell like the others.
fn column(head: String, side: Side, wanted: u8, cells: impl Iterator<Item = String>) -> Column {
    Column { group: "", head: "", side, wanted, cells: [head].into_iter().chain(cells).collect() }
}

/// How often each state of a test was seen in each world.
pub(super) fn states(page: &Page, question: &Question, worlds: &[World], trials: &[Trial]) -> Vec<String> {
    let seen = trials.iter().flat_map(Trial::states);
    let states: BTreeSet<&State> = question.allowed.iter().chain(seen).collect();
    let states: Vec<_> = states.into_iter().collect();
    let names = states.iter().map(|state| question.state_name(state));
    let mut columns = vec![column("final state".to_owned(), Side::Left, ALWAYS, names)];
    for (world, trial) in worlds.iter().zip(trials) {
        for placement in Placement::ALL {
            let head = format!("{}\n{}", world.target.name(), placement.name());
            let counts = states.iter().map(|state| trial.counts(state)[placement as usize].to_string());
            columns.push(column(head, Side::Right, ALWAYS, counts));
        }
    }
    let notes = states.iter().map(|state| note(question, trials, state).to_owned());
    columns.push(column(String::new(), Side::Left, LEAST, notes));
    lines(page, columns, states.len(), |row| match question.allowed.contains(states[row]) {
        true => Style::new(),
        false => ALARM,
    })
}

fn note(question: &Question, trials: &[Trial], state: &State) -> &'static str {
    let reached = |trial: &Trial| trial.counts(state).iter().any(|count| *count > 0);
    if !question.allowed.contains(state) {
        "FORBIDDEN"
    } else if !trials.iter().any(reached) {
        "allowed, not seen"
    } else if question.holds(&question.test.condition.formula, state) {
        "the condition holds"
    } else {
        ""
    }
}

/// A line for each test: how many states it allows, and of each world how many of them were seen, the verdict, and how often
/// the condition held.
pub(super) fn tests(page: &Page, trials: &Trials<'_>) -> Vec<String> {
    let rows = || trials.subjects.iter().zip(&trials.trials);
    let widest = page.width / NAME_SHARE;
    let names = rows().map(|(subject, _)| shorten(&subject.question.test.name, widest));
    let allowed = rows().map(|(subject, _)| subject.question.allowed.len().to_string());
    let mut columns = vec![
        column("\ntest".to_owned(), Side::Left, ALWAYS, names),
        column("states\nallowed".to_owned(), Side::Right, ALWAYS, allowed),
    ];
    for (index, world) in trials.worlds.iter().enumerate() {
        let cell = |cell: fn(&Question, &Trial) -> String| {
            rows().map(move |(subject, trials)| cell(&subject.question, &trials[index]))
        };
        let name = world.target.name();
        let seen = cell(|question, trial| trial.reached(question).to_string());
        columns.push(column("\nseen".to_owned(), Side::Right, ALWAYS, seen));
        let verdict = cell(|question, trial| verdict(trial.verdict(question)).to_owned());
        columns.push(column(format!("{name}\nverdict"), Side::Left, ALWAYS, verdict));
        let condition = cell(|_, trial| trial.observation().to_owned());
        columns.push(column("\ncondition".to_owned(), Side::Left, LEAST, condition));
    }
    let bad = |row: usize| {
        let (subject, of_test) = (&trials.subjects[row], &trials.trials[row]);
        of_test.iter().any(|trial| trial.verdict(&subject.question) != Verdict::Ok)
    };
    lines(page, columns, trials.subjects.len(), |row| if bad(row) { ALARM } else { Style::new() })
}

/// Nothing is said in colour alone.
fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Forbidden => "FORBIDDEN",
        Verdict::Failed => "FAILED",
    }
}

fn shorten(name: &str, room: usize) -> String {
    match name.chars().count() > room {
        true => name.chars().take(room.saturating_sub(2)).chain("..".chars()).collect(),
        false => name.to_owned(),
    }
}

/// The heads, and so many rows below them.
fn lines(page: &Page, columns: Vec<Column>, rows: usize, style: impl Fn(usize) -> Style) -> Vec<String> {
    let table = Table::lay(columns, page, 0);
    let mut lines = table.row(page, 0, QUIET, "");
    (0..rows).for_each(|row| lines.extend(table.row(page, row + 1, style(row), "")));
    lines
}
