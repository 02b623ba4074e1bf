//! How results look to programs. The format is described in `docs/json.md`; keys come in a fixed order.

use std::io::Write;

use serde_json::{Value, json};
use tempest::{Breakdown, Counters, Outcome, PhaseRecord};
use units::Time;
use worlds::{Measured, Refusal, Setting, Subject, Target};

use crate::agreement::{Agreement, Verdict};
use crate::arguments::Common;
use crate::compare::{Comparison, agree};
use crate::finding::{Because, Differs, Finding, find};
use crate::ranking::{Place, Ranking, Row, ratio};
use crate::{Problem, adjusting, anatomy, prediction, words};

/// Writes a value, indented, with a line end.
pub(crate) fn write(out: &mut impl Write, value: &Value) -> Result<(), Problem> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// One run.
pub(crate) fn run(common: &Common, setting: &Setting, measured: &Measured) -> Value {
    let mut value = asked(common, &setting.subject);
    append(&mut value, combination(setting));
    append(&mut value, result(&setting.target, measured));
    value
}

/// A comparison.
pub(crate) fn compare(comparison: &Comparison<'_>) -> Value {
    let Comparison { common, subject, nodes, processors, rankings } = *comparison;
    let mut value = asked(common, subject);
    let worlds = json!({
        "nodes": nodes,
        "processors": processors,
        "worlds": rankings.iter().map(ranking).collect::<Value>(),
        "predictions": prediction::json(rankings),
        "agreement": agree(rankings).as_ref().map(agreement),
    });
    append(&mut value, worlds);
    value
}

/// The program, and what it and the machine were told.
fn asked(common: &Common, subject: &Subject) -> Value {
    json!({
        "program": subject.entry.name,
        "given": { "input": common.inputs, "set": common.settings },
        "input": facts(subject),
    })
}

fn ranking(ranking: &Ranking) -> Value {
    let rows = ranking.rows();
    let places = ranking.places.iter().enumerate();
    let repeatable = !ranking.target.is_native();
    json!({
        "machine": ranking.target.name(),
        "machine_file": ranking.target.file(),
        "rows": places.flat_map(|(index, place)| combinations(index, place, rows[0])).collect::<Value>(),
        "refused": ranking.refused.iter().map(refused).collect::<Value>(),
        "failed": ranking.failed.iter().map(refused).collect::<Value>(),
        "finding": finding(&find(&rows, repeatable), repeatable),
    })
}

/// Every combination of a row of the table.
fn combinations(index: usize, place: &Place, first: &Row) -> Vec<Value> {
    let row = |(same, (setting, measured)): (usize, &(Setting, Measured))| {
        let mut value = combination(setting);
        value["rank"] = json!(place.row.verified.then_some(index + 1));
        value["same_as"] = json!((same > 0).then(|| &place.row.policies[0]));
        value["ratio_to_best"] = json!(ratio(first, &place.row));
        append(&mut value, result(&setting.target, measured));
        value
    };
    place.ran.iter().enumerate().map(row).collect()
}

fn refused(Refusal { mechanism, policy, reason }: &Refusal) -> Value {
    json!({ "mechanism": mechanism.name(), "policy": policy, "reason": reason })
}

fn finding(found: &Finding<'_>, repeatable: bool) -> Value {
    let contrast = found.contrast.as_ref();
    let because = contrast.and_then(|contrast| contrast.because);
    json!({
        "text": words::finding(found, repeatable),
        "winner": found.winner.map(way),
        "contrast": contrast.map(|contrast| way(contrast.loser)),
        "differs_in": contrast.map(|contrast| match contrast.differs {
            Differs::Policy => "policy",
            Differs::Mechanism => "mechanism",
        }),
        "percent": contrast.map(|contrast| (contrast.ratio - 1.0) * 100.0),
        "computing_processors": contrast.and_then(|contrast| contrast.processors).map(
            |(of_winner, of_contrast)| json!({ "of_winner": of_winner, "of_contrast": of_contrast }),
        ),
        "because": because.as_ref().map(cause),
        "other_contrast": found.other.as_ref().map(|other| way(other.loser)),
        "other_percent": found.other.as_ref().map(|other| (other.ratio - 1.0) * 100.0),
        "tied": found.tied.iter().map(|row| way(row)).collect::<Value>(),
        "oversubscribed": found.oversubscribed,
    })
}

fn cause(because: &Because) -> Value {
    let evidence = because.evidence.as_ref();
    json!({
        "part": because.part.key(),
        "excess_ns": because.seconds * 1e9,
        "share": because.share,
        "made_up_by": because.made_up.map(|(part, _)| part.key()),
        "less_ns": because.made_up.map(|(_, seconds)| seconds * 1e9),
        "counter": evidence.map(|evidence| evidence.counter.key()),
        "of_winner": evidence.and_then(|evidence| evidence.winner),
        "of_contrast": evidence.map(|evidence| evidence.loser),
    })
}

/// What a row ran, by the first of its policies.
fn way(row: &Row) -> Value {
    json!({ "mechanism": row.mechanism.name(), "policy": row.policies[0] })
}

fn agreement(agreement: &Agreement<'_>) -> Value {
    let choices = agreement.choices.iter().map(|choice| {
        let (machine, file) = choice.machine;
        json!({
            "machine": machine,
            "machine_file": file,
            "mechanism": choice.mechanism.name(),
            "policy": choice.policy,
        })
    });
    json!({
        "text": words::agreement(agreement),
        "on_mechanism": agreement.mechanism.as_ref().map(|verdict| *verdict != Verdict::Differs),
        "on_policy": agreement.policy.as_ref().map(|verdict| *verdict != Verdict::Differs),
        "choices": choices.collect::<Value>(),
    })
}

fn combination(setting: &Setting) -> Value {
    let machine_digest = match &setting.target {
        Target::Native => Value::Null,
        Target::Model { machine, .. } => json!(format!("{:016x}", machine.digest())),
    };
    let sharing = setting.sharing();
    json!({
        "machine": setting.target.name(),
        "machine_file": setting.target.file(),
        "world": if setting.target.is_native() { "local" } else { "model" },
        "machine_digest": machine_digest,
        "policy": setting.policy.to_string(),
        "mechanism": setting.mechanism.name(),
        "protocol": sharing.map(|sharing| sharing.protocol.name),
        "block_bytes": sharing.map(|sharing| sharing.block),
        "nodes": setting.nodes,
        "processors": setting.processors,
        "threads": setting.threads,
        "seed": setting.seed,
        "oversubscribed": setting.is_oversubscribed(),
    })
}

fn result(target: &Target, measured: &Measured) -> Value {
    let outcome = measured.median();
    let (least, greatest) = measured.spread();
    json!({
        "runs": measured.runs(),
        "time_ns": ns(outcome.timed()),
        "time_ns_min": ns(least),
        "time_ns_max": ns(greatest),
        "time_fs": (!target.is_native()).then(|| outcome.timed().as_femtoseconds()),
        "whole_run_ns": ns(outcome.time),
        "phases": outcome.phases.iter().map(phase).collect::<Value>(),
        "counters": counters(&outcome.counters),
        "volume_bytes": volume(&outcome.counters),
        "breakdown_ns": breakdown(&outcome.breakdown),
        "utilization": { "compute": outcome.utilization.compute, "protocol": outcome.utilization.protocol },
        "dispatching": {
            "waited_on_key": outcome.dispatching.waited_on_key,
            "mean_wait_ns": outcome.dispatching.mean_wait.map(ns),
            "busy": outcome.dispatching.busy,
        },
        "adjustments": adjusting::json(&outcome.adjustments),
        "anatomy": anatomy::json(&outcome.anatomy),
        "events": outcome.events,
        "digest": outcome.digest.map(|digest| format!("{digest:016x}")),
        "report": report(outcome, measured),
    })
}

fn report(outcome: &Outcome, measured: &Measured) -> Value {
    let figures = outcome.report.figures.iter().map(|figure| (figure.name.to_owned(), json!(figure.value)));
    let units = outcome.report.figures.iter().filter(|figure| !figure.unit.is_empty());
    let units = units.map(|figure| (figure.name.to_owned(), json!(figure.unit)));
    json!({
        "verified": measured.verified(),
        "checks": outcome.report.checks,
        "failures": measured.failures().collect::<Vec<_>>(),
        "figures": Value::Object(figures.collect()),
        "units": Value::Object(units.collect()),
    })
}

fn phase(phase: &PhaseRecord) -> Value {
    json!({
        "name": phase.name,
        "time_ns": ns(phase.time),
        "counters": counters(&phase.counters),
        "volume_bytes": volume(&phase.counters),
        "breakdown_ns": breakdown(&phase.breakdown),
    })
}

fn counters(counters: &Counters) -> Value {
    json!({
        "messages": counters.messages,
        "transfers": counters.transfers,
        "deposits": counters.deposits,
        "handlers": counters.handlers,
        "interrupts": counters.interrupts,
        "blocks": counters.blocks,
        "refused": counters.refused,
    })
}

fn volume(counters: &Counters) -> Value {
    let volume = counters.volume;
    json!({
        "data": volume.data,
        "headers": volume.headers,
        "requests": volume.requests,
        "invalidations": volume.invalidations,
    })
}

fn breakdown(spent: &Breakdown) -> Value {
    json!({
        "compute": ns(spent.compute),
        "memory": ns(spent.memory),
        "overhead": ns(spent.overhead),
        "synchronization": ns(spent.synchronization),
    })
}

fn facts(subject: &Subject) -> Value {
    let facts = subject.instance.describe().into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
    Value::Object(facts.collect())
}

fn ns(time: Time) -> f64 {
    time.as_nanoseconds()
}

/// Adds the entries of one object to another.
pub(crate) fn append(value: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (value, more) {
        object.extend(more);
    }
}
