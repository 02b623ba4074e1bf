//! Tables of states and of tests. Must never know where they stand.

use std::collections::BTreeSet;
use std::ops::Range;

use anstyle::Style;
use apps::litmus::{Placement, Question, State};

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
    let columns = |of: Range<usize>| {
        let names = states.iter().map(|state| question.state_name(state));
        let mut columns = vec![column("final state".to_owned(), Side::Left, ALWAYS, names)];
        for (world, trial) in worlds[of.clone()].iter().zip(&trials[of]) {
            for placement in Placement::ALL {
                let head = format!("{}\n{}", world.target.name(), placement.name());
                let counts = states.iter().map(|state| trial.counts(state)[placement as usize].to_string());
                columns.push(column(head, Side::Right, ALWAYS, counts));
            }
        }
        let notes = states.iter().map(|state| note(question, trials, state).to_owned());
        columns.push(column(String::new(), Side::Left, LEAST, notes));
        columns
    };
    let style = |row: usize| match question.allowed.contains(states[row]) {
        true => Style::new(),
        false => ALARM,
    };
    fitting(page, worlds.len(), columns, |columns| lines(page, columns, states.len(), style))
}

/// One table of all worlds, or as many below each other as the page is too narrow for that.
fn fitting(
    page: &Page,
    worlds: usize,
    columns: impl Fn(Range<usize>) -> Vec<Column>,
    lines: impl Fn(Vec<Column>) -> Vec<String>,
) -> Vec<String> {
    let needed = |of| columns(of).into_iter().filter(|column| column.wanted == ALWAYS).collect::<Vec<_>>();
    let (mut all, mut from) = (Vec::new(), 0);
    while from < worlds {
        let fits = |to: &usize| Table::fits(&needed(from..*to), page, 0);
        let to = (from + 1..=worlds).rev().find(fits).unwrap_or(from + 1);
        if from > 0 {
            all.push(String::new());
        }
        // Of what is not needed all worlds have it, or none.
        let whole = columns(from..to);
        all.extend(lines(if Table::fits(&whole, page, 0) { whole } else { needed(from..to) }));
        from = to;
    }
    all
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
    let columns = |of: Range<usize>| {
        let names = rows().map(|(subject, _)| shorten(&subject.question.test.name, widest));
        let allowed = rows().map(|(subject, _)| subject.question.allowed.len().to_string());
        let mut columns = vec![
            column("\ntest".to_owned(), Side::Left, ALWAYS, names),
            column("states\nallowed".to_owned(), Side::Right, ALWAYS, allowed),
        ];
        for index in of {
            let cell = |cell: fn(&Question, &Trial) -> String| {
                rows().map(move |(subject, trials)| cell(&subject.question, &trials[index]))
            };
            let name = trials.worlds[index].target.name();
            let seen = cell(|question, trial| trial.reached(question).to_string());
            columns.push(column("\nseen".to_owned(), Side::Right, ALWAYS, seen));
            let verdict = cell(|question, trial| verdict(trial.verdict(question)).to_owned());
            columns.push(column(format!("{name}\nverdict"), Side::Left, ALWAYS, verdict));
            let condition = cell(|_, trial| trial.observation().to_owned());
            columns.push(column("\ncondition".to_owned(), Side::Left, LEAST, condition));
        }
        columns
    };
    let bad = |row: usize| {
        let (subject, of_test) = (&trials.subjects[row], &trials.trials[row]);
        of_test.iter().any(|trial| trial.verdict(&subject.question) != Verdict::Ok)
    };
    let style = |row| if bad(row) { ALARM } else { Style::new() };
    fitting(page, trials.worlds.len(), columns, |columns| lines(page, columns, trials.subjects.len(), style))
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
