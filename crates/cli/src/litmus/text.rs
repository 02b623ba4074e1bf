//! How trials look to people: a page for one test, a table for several. Must never run or find anything.

use std::io::Write;

use apps::litmus::{Question, State};
use formats::litmus::Architecture;

use super::trial::Trial;
use super::{Subject, Trials, World, table};
use crate::Problem;
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::several;
use worlds::NATIVE;

/// At most so many forbidden states are shown of each test in a table.
const FORBIDDEN_SHOWN: usize = 4;

/// Everything.
pub(super) fn write(out: &mut impl Write, page: &Page, trials: &Trials<'_>) -> Result<(), Problem> {
    let lines = match trials.subjects {
        [subject] => one(page, trials, subject, &trials.trials[0]),
        _ => many(page, trials),
    };
    lines.into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)?;
    for (world, tally) in trials.worlds.iter().zip(trials.tallies()) {
        let verdict = if tally.is_clean() { "ok" } else { "NOT OK" };
        // Of one test its states are told above.
        let several_seen = match trials.subjects.len() {
            1 => String::new(),
            _ => format!(
                ", more than one in {} of {} tests that have more",
                tally.showing_several, tally.with_several
            ),
        };
        let said = format!(
            "{verdict}: {} ran{}, {}; {} of {} allowed states reached ({:.1} %){several_seen}.",
            several(tally.ran as u32, "test", "tests"),
            if tally.failed > 0 { format!(", {} FAILED", tally.failed) } else { String::new() },
            several(tally.forbidden as u32, "forbidden state", "forbidden states"),
            tally.reached,
            tally.allowed,
            100.0 * tally.coverage(),
        );
        let line = page.fold(&format!("{}: ", label(world)), &said);
        let style = if tally.is_clean() { STRONG } else { ALARM };
        writeln!(out, "{}", page.paint(style, &line))?;
    }
    let dose = trials.dose;
    let how = format!(
        "{} of each test in each world, from seed {}: half with every variable in a block of its own, half with all in one; \
         {} B blocks, {}.",
        several(dose.rounds, "round", "rounds"),
        dose.seed,
        dose.block,
        dose.protocol,
    );
    writeln!(out, "{}", page.paint(QUIET, &page.fold("", &how)))?;
    Ok(())
}

/// A world as people read it.
pub(super) fn label(world: &World) -> String {
    format!("{} under {}", world.target.label(), world.policy)
}

fn one(page: &Page, trials: &Trials<'_>, subject: &Subject, of_test: &[Trial]) -> Vec<String> {
    let test = &subject.question.test;
    let architecture = match test.architecture {
        Architecture::X86 => "X86",
        Architecture::RiscV => "RISC-V",
    };
    let threads = several(test.threads.len() as u32, "thread", "threads");
    let mut lines = vec![
        page.paint(STRONG, &format!("{} ({architecture}, {threads})", test.name)),
        page.fold("", &test.condition_text()),
        String::new(),
    ];
    lines.extend(table::states(page, &subject.question, trials.worlds, of_test));
    lines.push(String::new());
    for (world, trial) in trials.worlds.iter().zip(of_test) {
        let rounds = several((trial.positive + trial.negative) as u32, "round", "rounds");
        let said = match &trial.failure {
            Some(failure) => page.paint(ALARM, &format!("FAILED: {failure}")),
            None => {
                format!("the condition held after {} of {rounds}: {}", trial.positive, trial.observation())
            }
        };
        lines.push(page.fold(&format!("{}: ", label(world)), &said));
    }
    lines
}

fn many(page: &Page, trials: &Trials<'_>) -> Vec<String> {
    let mut lines = table::tests(page, trials);
    for (subject, of_test) in trials.subjects.iter().zip(&trials.trials) {
        for (world, trial) in trials.worlds.iter().zip(of_test) {
            let wrong = wrong(&subject.question, trial);
            let place = if world.target.name() == NATIVE { "here" } else { world.target.name() };
            let head = format!("{} ({place}): ", subject.file);
            lines.extend(wrong.into_iter().map(|what| page.paint(ALARM, &page.fold(&head, &what))));
        }
    }
    lines
}

/// What is wrong with a trial.
fn wrong(question: &Question, trial: &Trial) -> Vec<String> {
    let forbidden: Vec<&State> = trial.forbidden(question).collect();
    let shown = forbidden.iter().take(FORBIDDEN_SHOWN);
    let mut wrong: Vec<_> = shown
        .map(|state| {
            let [apart, together] = trial.counts(state);
            format!("FORBIDDEN {} seen {apart} times apart, {together} together", question.state_name(state))
        })
        .collect();
    if forbidden.len() > FORBIDDEN_SHOWN {
        wrong.push(format!("and {} more forbidden states", forbidden.len() - FORBIDDEN_SHOWN));
    }
    wrong.extend(trial.failure.iter().map(|failure| format!("FAILED: {failure}")));
    wrong
}
