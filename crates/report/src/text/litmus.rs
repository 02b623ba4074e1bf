//! Memory-model tests as text: a page for one test, a table for several. This module must never run or find anything.

use std::ops::Range;

use anstyle::Style;
use units::plural::several;

use super::below;
use crate::document::{Litmus, LitmusWorld, State, Test, Trial};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::table::{Column, Table, shorten};
use crate::words::{as_processes, label};

/// The number of forbidden states that are shown of each test in a table.
const FORBIDDEN_SHOWN: usize = 4;

/// Names of tests take at most one part in so many of a page.
const NAME_SHARE: usize = 2;

/// The column that leaves a narrow page first.
const LEAST: u8 = 0;

/// The lines of tests.
pub fn litmus(litmus: &Litmus, page: &Page) -> Vec<String> {
    let mut lines = match litmus.tests.as_slice() {
        [test] => one(page, litmus, test),
        _ => many(page, litmus),
    };
    below(&mut lines, litmus.worlds.iter().map(|world| summary(page, litmus, world)));
    let how = format!(
        "{} of each test in each world, from seed {}: half with every variable in a block of its own, half with all in one; \
         {} B blocks, {}{}{}.",
        several(litmus.rounds, "round"),
        litmus.seed,
        litmus.block_bytes,
        litmus.protocol,
        litmus.frames.map_or_else(String::new, |frames| format!(", room for {}", several(frames, "page"))),
        if litmus.prefetch { ", with prefetches" } else { "" },
    );
    lines.push(page.fold_in(QUIET, "", &how));
    lines
}

fn name(world: &LitmusWorld) -> String {
    let machine = label(&world.machine, world.machine_file.as_deref());
    format!("{machine} under {}{}", world.policy, as_processes(&world.world))
}

/// The totals of all tests in a world, as text.
fn summary(page: &Page, litmus: &Litmus, world: &LitmusWorld) -> String {
    let counts = &world.counts;
    let failed = match counts.tests_failed {
        0 => String::new(),
        failed => format!(", {failed} FAILED"),
    };
    // The states of a single test are told above.
    let several_seen = match litmus.tests.len() {
        1 => String::new(),
        _ => format!(
            ", more than one in {} of {} tests that have more",
            counts.tests_showing_several, counts.tests_with_several
        ),
    };
    let coverage = match counts.states_allowed {
        0 => 1.0,
        allowed => counts.states_reached as f64 / allowed as f64,
    };
    let said = format!(
        "{}: {} ran{failed}, {}; {} of {} allowed states reached ({:.1} %){several_seen}.",
        if counts.is_clean() { "ok" } else { "NOT OK" },
        several(counts.tests_run as u64, "test"),
        several(counts.states_forbidden as u64, "forbidden state"),
        counts.states_reached,
        counts.states_allowed,
        100.0 * coverage,
    );
    let style = if counts.is_clean() { STRONG } else { ALARM };
    page.fold_in(style, &format!("{}: ", name(world)), &said)
}

fn one(page: &Page, litmus: &Litmus, test: &Test) -> Vec<String> {
    let architecture = if test.architecture == "RISCV" { "RISC-V" } else { &test.architecture };
    let threads = several(test.threads as u64, "thread");
    let mut lines = vec![
        page.paint(STRONG, &format!("{} ({architecture}, {threads})", test.name)),
        page.fold("", &test.condition),
        String::new(),
    ];
    lines.extend(states(page, litmus, test));
    lines.push(String::new());
    for (world, trial) in litmus.worlds.iter().zip(&test.results) {
        let rounds = several(trial.positive + trial.negative, "round");
        let said = match (&trial.failure, &trial.observation) {
            (Some(failure), _) => page.paint(ALARM, &format!("FAILED: {failure}")),
            (None, observed) => format!(
                "the condition held after {} of {rounds}: {}",
                trial.positive,
                observed.as_deref().unwrap_or_default()
            ),
        };
        lines.push(page.fold(&format!("{}: ", name(world)), &said));
    }
    lines
}

fn many(page: &Page, litmus: &Litmus) -> Vec<String> {
    let mut lines = tests(page, litmus);
    for test in &litmus.tests {
        for (index, world) in litmus.worlds.iter().enumerate() {
            let place = if world.world == "model" { &world.machine } else { "here" };
            let head = format!("{} ({place}): ", test.file);
            let wrong = wrong(test, index);
            lines.extend(wrong.into_iter().map(|what| page.fold_in(ALARM, &head, &what)));
        }
    }
    lines
}

/// The complaints about a test in a world, a line each.
fn wrong(test: &Test, world: usize) -> Vec<String> {
    let seen = |state: &State| {
        let (apart, together) = (state.apart[world], state.together[world]);
        format!("FORBIDDEN {} seen {apart} times apart, {together} together", state.state)
    };
    let mut wrong: Vec<_> = test.forbidden(world).map(seen).collect();
    if wrong.len() > FORBIDDEN_SHOWN {
        let more = wrong.len() - FORBIDDEN_SHOWN;
        wrong.truncate(FORBIDDEN_SHOWN);
        wrong.push(format!("and {more} more forbidden states"));
    }
    wrong.extend(test.results[world].failure.iter().map(|failure| format!("FAILED: {failure}")));
    wrong
}

/// The number of times that each state of a test was seen in each world.
fn states(page: &Page, litmus: &Litmus, test: &Test) -> Vec<String> {
    let columns = |of: Range<usize>| {
        let mut columns = vec![Column::left("final state", test.states.iter().map(|it| it.state.clone()))];
        for index in of {
            let machine = &litmus.worlds[index].machine;
            let counts = |counts: fn(&State) -> &Vec<u64>| {
                test.states.iter().map(move |state| counts(state)[index].to_string())
            };
            columns.push(Column::right(&format!("{machine}\napart"), counts(|state| &state.apart)));
            columns.push(Column::right(&format!("{machine}\ntogether"), counts(|state| &state.together)));
        }
        columns.push(Column::left("", test.states.iter().map(note)).wanted(LEAST));
        columns
    };
    let style = |row: usize| if test.states[row].allowed { Style::new() } else { ALARM };
    fitting(page, litmus.worlds.len(), columns, style)
}

fn note(state: &State) -> &'static str {
    if !state.allowed {
        "FORBIDDEN"
    } else if !(0..state.apart.len()).any(|world| state.is_seen(world)) {
        "allowed, not seen"
    } else if state.holds {
        "the condition holds"
    } else {
        ""
    }
}

/// A line for each test: how many states it allows, and of each world how many of them were seen, the verdict, and how
/// often the condition held.
fn tests(page: &Page, litmus: &Litmus) -> Vec<String> {
    let tests = &litmus.tests;
    let columns = |of: Range<usize>| {
        let widest = page.width / NAME_SHARE;
        let mut columns = vec![
            Column::left("\ntest", tests.iter().map(|test| shorten(&test.name, widest, ".."))),
            Column::right("states\nallowed", tests.iter().map(|test| test.allowed.to_string())),
        ];
        for index in of {
            let machine = &litmus.worlds[index].machine;
            let cells = |cell: fn(&Trial) -> String| tests.iter().map(move |test| cell(&test.results[index]));
            columns.push(Column::right("\nseen", cells(|trial| trial.reached.to_string())));
            columns.push(Column::left(&format!("{machine}\nverdict"), cells(verdict)));
            let observed = cells(|trial| trial.observation.clone().unwrap_or_default());
            columns.push(Column::left("\ncondition", observed).wanted(LEAST));
        }
        columns
    };
    let is_bad = |row: usize| tests[row].results.iter().any(|trial| trial.verdict != "ok");
    fitting(page, litmus.worlds.len(), columns, |row| if is_bad(row) { ALARM } else { Style::new() })
}

/// Nothing is said in colour alone.
fn verdict(trial: &Trial) -> String {
    if trial.verdict == "ok" { trial.verdict.clone() } else { trial.verdict.to_uppercase() }
}

/// One table of all worlds, or as many below each other as the page is too narrow for that.
fn fitting(
    page: &Page,
    worlds: usize,
    columns: impl Fn(Range<usize>) -> Vec<Column>,
    style: impl Fn(usize) -> Style,
) -> Vec<String> {
    let needed = |of| columns(of).into_iter().filter(Column::stays).collect::<Vec<_>>();
    let (mut all, mut from) = (Vec::new(), 0);
    while from < worlds {
        let fits = |to: &usize| Table::fits(&needed(from..*to), page, 0);
        let to = (from + 1..=worlds).rev().find(fits).unwrap_or(from + 1);
        if from > 0 {
            all.push(String::new());
        }
        // All worlds have the columns that are not needed, or none has.
        let whole = columns(from..to);
        let shown = if Table::fits(&whole, page, 0) { whole } else { needed(from..to) };
        all.extend(Table::lines(shown, page, &style));
        from = to;
    }
    all
}
