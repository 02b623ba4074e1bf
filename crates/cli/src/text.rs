//! How results look to people: plain text of at most 80 columns, no colour.

use std::io::Write;

use tempest::{Breakdown, Counters, Outcome};
use units::Time;

use crate::Problem;
use crate::arguments::Compare;
use crate::compare::Ranking;
use crate::measure::{Measured, Setting, Subject};
use crate::target::Target;

/// One run.
pub(crate) fn run(out: &mut impl Write, setting: &Setting<'_>, measured: &Measured) -> Result<(), Problem> {
    let outcome = measured.median();
    let Setting { subject, target, nodes, processors, threads, policy, .. } = setting;
    writeln!(out, "{} by {} on {}", subject.entry.name, subject.mechanism, target.name())?;
    row(out, "policy", &policy.to_string())?;
    row(out, "size", &format!("{nodes} nodes of {processors} processors, {threads} threads each"))?;
    subject.instance.describe().iter().try_for_each(|(name, value)| row(out, name, value))?;
    writeln!(out)?;
    row(out, "answer", &answer(measured))?;
    outcome.report.figures.iter().try_for_each(|figure| row(out, figure.name, &number(figure.value)))?;
    writeln!(out)?;
    times(out, measured)?;
    counters(out, outcome)?;
    breakdown(out, &outcome.breakdown)?;
    if let Some(digest) = outcome.digest {
        row(out, "digest of the event stream", &format!("{digest:016x}"))?;
    }
    if setting.is_oversubscribed() {
        writeln!(out, "\nMore processors than this host has cores: they took turns, and times mean little.")?;
    }
    Ok(())
}

/// A comparison: one ranked table for each machine.
pub(crate) fn compare(
    out: &mut impl Write,
    subject: &Subject,
    arguments: &Compare,
    rankings: &[Ranking<'_>],
) -> Result<(), Problem> {
    writeln!(out, "{}", fold(&format!("{}: ", subject.entry.name), subject.entry.summary))?;
    let facts: Vec<_> =
        subject.instance.describe().iter().map(|(name, value)| format!("{name} {value}")).collect();
    writeln!(out, "{}", wrap(&facts))?;
    for ranking in rankings {
        table(out, arguments, ranking)?;
    }
    writeln!(out, "\nbusy: share of the computing processors' time not spent waiting; proto: the same")?;
    writeln!(out, "for processors that only run handlers. Under single a node uses one processor.")?;
    Ok(())
}

fn table(out: &mut impl Write, arguments: &Compare, ranking: &Ranking<'_>) -> Result<(), Problem> {
    let Compare { nodes, processors, .. } = arguments;
    let kind = if ranking.target.is_native() { "this host" } else { "model" };
    writeln!(
        out,
        "\n{} ({kind}), {nodes} nodes of {processors} processors{}",
        ranking.target.name(),
        what_is_timed(ranking)
    )?;
    writeln!(
        out,
        "{:>3} {:<16}  {:>8} {:>6} {:>5} {:>8} {:>9} {:>5} {:>5}",
        "", "policy", "time", "spread", "ratio", "messages", "bytes", "busy", "proto"
    )?;
    let best = ranking.rows.first().map_or(0.0, |(_, measured)| measured.median().timed().as_seconds());
    for (rank, (setting, measured)) in ranking.rows.iter().enumerate() {
        writeln!(out, "{}", line(rank + 1, setting, measured, best))?;
        for failure in measured.failures() {
            writeln!(out, "{}", fold("      WRONG: ", failure))?;
        }
    }
    notes(out, ranking)
}

fn line(rank: usize, setting: &Setting<'_>, measured: &Measured, best: f64) -> String {
    let outcome = measured.median();
    let counters = region(outcome);
    let mark = if setting.is_oversubscribed() { "*" } else { " " };
    let proto = outcome.utilization.protocol.map_or("-".to_owned(), percent);
    format!(
        "{rank:>3} {:<16}{mark} {:>8} {:>6} {:>5.2} {:>8} {:>9} {:>5} {proto:>5} {}",
        setting.policy.to_string(),
        time(outcome.timed()),
        spread(setting.target, measured),
        outcome.timed().as_seconds() / best,
        counters.messages,
        bytes(counters.volume.total()),
        percent(outcome.utilization.compute),
        if measured.verified() { "ok" } else { "WRONG" },
    )
}

fn notes(out: &mut impl Write, ranking: &Ranking<'_>) -> Result<(), Problem> {
    let rows = &ranking.rows;
    let runs = rows.first().map_or(1, |(_, measured)| measured.runs());
    if ranking.target.is_native() {
        let runs = if runs == 1 {
            "one run each".to_owned()
        } else {
            format!("median and spread of {runs} runs each")
        };
        writeln!(out, "    {runs}")?;
    }
    if rows.iter().any(|(setting, _)| setting.is_oversubscribed()) {
        let cores = native::Local::cores();
        writeln!(out, "  * more processors than the {cores} cores of this host: they take turns")?;
    }
    let checked = rows.iter().filter(|(_, measured)| measured.verified()).count();
    writeln!(out, "    answers checked against the sequential one: {checked} of {} right", rows.len())?;
    for (policy, why) in &ranking.refused {
        writeln!(out, "{}", fold(&format!("    {policy}: "), why))?;
    }
    Ok(())
}

fn what_is_timed(ranking: &Ranking<'_>) -> String {
    let first = ranking.rows.first().and_then(|(_, measured)| measured.median().phases.first());
    first.map_or(String::new(), |phase| format!(", phase `{}`", phase.name))
}

fn times(out: &mut impl Write, measured: &Measured) -> Result<(), Problem> {
    let outcome = measured.median();
    for (index, phase) in outcome.phases.iter().enumerate() {
        let counts = if index == 0 { "  <- what counts" } else { "" };
        row(out, &format!("phase `{}`", phase.name), &format!("{}{counts}", time(phase.time)))?;
    }
    row(out, "whole run", &time(outcome.time))?;
    if measured.runs() > 1 {
        let (least, greatest) = measured.spread();
        row(
            out,
            &format!("spread of {} runs", measured.runs()),
            &format!("{} to {}", time(least), time(greatest)),
        )?;
    }
    Ok(())
}

fn counters(out: &mut impl Write, outcome: &Outcome) -> Result<(), Problem> {
    let Counters { messages, handlers, interrupts, blocks, refused, volume } = outcome.counters;
    let sent = format!(
        "{messages} ({handlers} handlers, {interrupts} interrupts, {blocks} waits, {refused} refusals)"
    );
    row(out, "messages", &sent)?;
    let parts = [
        ("data", volume.data),
        ("headers", volume.headers),
        ("requests", volume.requests),
        ("invalidations", volume.invalidations),
    ];
    let parts: Vec<_> = parts.iter().map(|(name, size)| format!("{name} {}", bytes(*size))).collect();
    row(out, "volume", &parts.join(", "))?;
    let mut busy = format!("computing {}", percent(outcome.utilization.compute));
    if let Some(protocol) = outcome.utilization.protocol {
        busy += &format!(", protocol {}", percent(protocol));
    }
    row(out, "processors busy", &busy)?;
    if let Some(wait) = outcome.dispatching.mean_wait {
        let waited = outcome.dispatching.waited_on_key;
        row(out, "wait for dispatch", &format!("{} on average, {waited} on a busy key", time(wait)))?;
    }
    Ok(())
}

fn breakdown(out: &mut impl Write, spent: &Breakdown) -> Result<(), Problem> {
    let parts = [
        ("compute", spent.compute),
        ("memory and interface wait", spent.memory),
        ("message overhead", spent.overhead),
        ("synchronization", spent.synchronization),
    ];
    let all: f64 = parts.iter().map(|(_, time)| time.as_seconds()).sum();
    let share = |part: Time| if all > 0.0 { part.as_seconds() / all } else { 0.0 };
    let parts: Vec<_> =
        parts.iter().map(|(name, part)| format!("{name} {}", percent(share(*part)))).collect();
    row(out, "time", &parts.join(", "))
}

fn row(out: &mut impl Write, name: &str, value: &str) -> Result<(), Problem> {
    writeln!(out, "{}", fold(&format!("  {name:<30} "), value))?;
    Ok(())
}

fn answer(measured: &Measured) -> String {
    if measured.verified() {
        return format!("verified against the sequential one ({} checks)", measured.median().report.checks);
    }
    let failures: Vec<_> = measured.failures().collect();
    format!("WRONG: {}", failures.join("; "))
}

/// Counts of what is timed.
pub(crate) fn region(outcome: &Outcome) -> Counters {
    outcome.phases.first().map_or(outcome.counters, |phase| phase.counters)
}

fn spread(target: &Target, measured: &Measured) -> String {
    if !target.is_native() || measured.runs() < 2 {
        return "-".to_owned();
    }
    let (least, greatest) = measured.spread();
    let median = measured.median().timed().as_seconds();
    percent((greatest.as_seconds() - least.as_seconds()) / median)
}

/// Four significant digits and a unit.
fn time(time: Time) -> String {
    let text = format!("{time:.3}");
    match text.split_once(' ') {
        Some((number, unit)) => format!("{} {unit}", number.get(..5).unwrap_or(number).trim_end_matches('.')),
        None => text,
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn number(value: f64) -> String {
    match value.abs() {
        size if value == value.trunc() && size < 1e15 => format!("{value:.0}"),
        1e-3..1e6 => format!("{value:.6}"),
        _ => format!("{value:.3e}"),
    }
}

/// `text` after `head`, broken between words into lines of at most 80 columns, those after the first indented as far.
pub(crate) fn fold(head: &str, text: &str) -> String {
    const COLUMNS: usize = 80;
    let indent = head.chars().count();
    let (mut folded, mut column) = (head.to_owned(), indent);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > indent && column + 1 + width > COLUMNS {
            folded += &format!("\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            folded.push(' ');
            column += 1;
        }
        folded += word;
        column += width;
    }
    folded
}

/// Joins facts with commas into lines of at most 78 columns.
fn wrap(facts: &[String]) -> String {
    let mut lines = vec![String::from("input:")];
    for (index, fact) in facts.iter().enumerate() {
        let comma = if index + 1 < facts.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.len() + fact.len() < 77 => *line += &format!(" {fact}{comma}"),
            _ => lines.push(format!("  {fact}{comma}")),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_between_words() {
        let folded = fold("  why: ", &"eight88 ".repeat(12));
        let lines: Vec<_> = folded.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  why: eight88") && lines[0].len() <= 80);
        assert!(lines[1].starts_with("       eight88") && !lines[1].ends_with(' '));
        assert_eq!(fold("a: ", "b"), "a: b");
        // A word is never broken.
        assert_eq!(fold("", &"x".repeat(99)).len(), 99);
    }
}
