//! How results look to programs. The format is described in `docs/json.md`; keys come in a fixed order.

use std::io::Write;

use serde_json::{Value, json};
use tempest::{Breakdown, Counters, Outcome, PhaseRecord};
use units::Time;

use crate::Problem;
use crate::arguments::{Common, Compare};
use crate::compare::Ranking;
use crate::measure::{Measured, Setting, Subject};
use crate::target::Target;

/// Writes a value, indented, with a line end.
pub(crate) fn write(out: &mut impl Write, value: &Value) -> Result<(), Problem> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// One run.
pub(crate) fn run(common: &Common, setting: &Setting<'_>, measured: &Measured) -> Value {
    let mut value = asked(common, setting.subject);
    append(&mut value, combination(setting));
    append(&mut value, result(setting.target, measured));
    value
}

/// A comparison.
pub(crate) fn compare(subject: &Subject, arguments: &Compare, rankings: &[Ranking<'_>]) -> Value {
    let mut value = asked(&arguments.common, subject);
    let worlds = json!({
        "nodes": arguments.nodes,
        "processors": arguments.processors,
        "worlds": rankings.iter().map(ranking).collect::<Value>(),
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

fn ranking(ranking: &Ranking<'_>) -> Value {
    let best = ranking.rows.first().map_or(0.0, |(_, measured)| measured.median().timed().as_seconds());
    let row = |(setting, measured): &(Setting<'_>, Measured)| {
        let mut value = combination(setting);
        value["ratio_to_best"] = json!(measured.median().timed().as_seconds() / best);
        append(&mut value, result(setting.target, measured));
        value
    };
    let refused =
        |(policy, why): &(tempest::Policy, String)| json!({ "policy": policy.to_string(), "reason": why });
    json!({
        "machine": ranking.target.name(),
        "rows": ranking.rows.iter().map(row).collect::<Value>(),
        "refused": ranking.refused.iter().map(refused).collect::<Value>(),
    })
}

fn combination(setting: &Setting<'_>) -> Value {
    let machine_digest = match setting.target {
        Target::Native => Value::Null,
        Target::Model(machine) => json!(format!("{:016x}", machine.digest())),
    };
    json!({
        "machine": setting.target.name(),
        "world": if setting.target.is_native() { "local" } else { "model" },
        "machine_digest": machine_digest,
        "policy": setting.policy.to_string(),
        "mechanism": setting.subject.mechanism,
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
        },
        "events": outcome.events,
        "digest": outcome.digest.map(|digest| format!("{digest:016x}")),
        "report": report(outcome, measured),
    })
}

fn report(outcome: &Outcome, measured: &Measured) -> Value {
    let figures = outcome.report.figures.iter().map(|figure| (figure.name.to_owned(), json!(figure.value)));
    json!({
        "verified": measured.verified(),
        "checks": outcome.report.checks,
        "failures": measured.failures().collect::<Vec<_>>(),
        "figures": Value::Object(figures.collect()),
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
fn append(value: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (value, more) {
        object.extend(more);
    }
}
