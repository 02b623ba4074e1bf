//! How trials look to programs. The format is described in `docs/json.md`; keys come in a fixed order.

use std::collections::BTreeSet;
use std::io::Write;

use apps::litmus::{Placement, State};
use formats::litmus::Architecture;
use serde_json::{Value, json};

use super::tally::Tally;
use super::trial::{Trial, Verdict};
use super::{Subject, Trials, World};
use crate::{Problem, json};
use worlds::Target;

/// Everything; `mistakes` are what was wrong with the files that were not run.
pub(super) fn write(out: &mut impl Write, trials: &Trials<'_>, mistakes: &[String]) -> Result<(), Problem> {
    let dose = trials.dose;
    let tests = trials.subjects.iter().zip(&trials.trials).map(|(subject, of_test)| test(subject, of_test));
    let worlds = trials.worlds.iter().zip(trials.tallies()).map(|(one, tally)| world(one, &tally));
    let value = json!({
        "rounds": dose.rounds,
        "seed": dose.seed,
        "block_bytes": dose.block,
        "protocol": dose.protocol.name,
        "worlds": worlds.collect::<Value>(),
        "tests": tests.collect::<Value>(),
        "unread": mistakes,
    });
    json::write(out, &value)
}

fn world(world: &World, tally: &Tally) -> Value {
    let machine_digest = match &world.target {
        Target::Native => Value::Null,
        Target::Model { machine, .. } => json!(format!("{:016x}", machine.digest())),
    };
    json!({
        "machine": world.target.name(),
        "machine_file": world.target.file(),
        "world": if world.target.is_native() { "local" } else { "model" },
        "machine_digest": machine_digest,
        "policy": world.policy.to_string(),
        "processors": world.processors,
        "tests_run": tally.ran,
        "tests_failed": tally.failed,
        "states_forbidden": tally.forbidden,
        "states_allowed": tally.allowed,
        "states_reached": tally.reached,
        "tests_with_several": tally.with_several,
        "tests_showing_several": tally.showing_several,
    })
}

fn test(subject: &Subject, of_test: &[Trial]) -> Value {
    let question = &subject.question;
    let seen = of_test.iter().flat_map(Trial::states);
    let states: BTreeSet<&State> = question.allowed.iter().chain(seen).collect();
    let state = |state: &State| {
        let count = |trial: &Trial, placement: Placement| trial.counts(state)[placement as usize];
        let counts = |placement| of_test.iter().map(|trial| count(trial, placement)).collect::<Vec<_>>();
        json!({
            "state": question.state_name(state),
            "allowed": question.allowed.contains(state),
            "holds": question.holds(&question.test.condition.formula, state),
            "apart": counts(Placement::Apart),
            "together": counts(Placement::Together),
        })
    };
    let result = |trial: &Trial| {
        let verdict = trial.verdict(question);
        json!({
            "verdict": verdict.name(),
            "reached": trial.reached(question),
            "observation": (verdict != Verdict::Failed).then(|| trial.observation()),
            "positive": trial.positive,
            "negative": trial.negative,
            "failure": trial.failure,
        })
    };
    json!({
        "file": subject.file,
        "name": question.test.name,
        "architecture": match question.test.architecture {
            Architecture::X86 => "X86",
            Architecture::RiscV => "RISCV",
        },
        "threads": question.test.threads.len(),
        "condition": question.test.condition_text(),
        "allowed": question.allowed.len(),
        "results": of_test.iter().map(result).collect::<Value>(),
        "states": states.into_iter().map(state).collect::<Value>(),
    })
}
