//! How the ledger looks: for each machine its free values, what fixed each, and how the claims came out that fixed none.
//! Must never know what a value does.

use std::collections::BTreeSet;
use std::io::Write;

use lab::ledger::{Entry, FixedBy, Parameter, Score, entry};
use serde_json::{Value, json};

use crate::claims::Outcome;
use crate::page::{Page, QUIET, STRONG};
use crate::{Problem, json, verdicts};
use worlds::Target;

/// Columns that are left for a value.
const LEAST_VALUE: usize = 20;

/// Writes the ledger of every machine that something asked was run on.
pub(crate) fn write(
    outcome: &Outcome<'_>,
    page: &Page,
    for_scripts: bool,
    out: &mut impl Write,
) -> Result<(), Problem> {
    let entries = entries(outcome);
    if for_scripts {
        let machines: Value = entries.iter().map(as_json).collect();
        let failed = verdicts::failed_runs(&outcome.failures);
        return json::write(out, &json!({ "machines": machines, "failed_runs": failed }));
    }
    if entries.is_empty() {
        writeln!(out, "nothing that was asked is measured on a machine")?;
    }
    entries.iter().flat_map(|entry| lines(entry, page)).try_for_each(|line| writeln!(out, "{line}"))?;
    verdicts::tell_failed_runs(&outcome.failures, page, out)
}

/// A machine that cannot be read has no entry: the run on it has failed and was told.
fn entries(outcome: &Outcome<'_>) -> Vec<Entry> {
    let machines: BTreeSet<_> = outcome.runs.iter().map(|needed| needed.run.machine.as_str()).collect();
    let read = |name: &str| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => Some(entry(name, &machine, &outcome.findings, &outcome.metrics)),
        _ => None,
    };
    machines.into_iter().filter_map(read).collect()
}

fn as_json(entry: &Entry) -> Value {
    let parameter = |parameter: &Parameter| {
        let (claims, choice) = match &parameter.fixed_by {
            FixedBy::Claims(claims) => (Some(claims), None),
            FixedBy::Choice(choice) => (None, Some(choice)),
        };
        json!({
            "key": parameter.key,
            "value": parameter.value,
            "line": parameter.line,
            "fixed_by": claims,
            "choice": choice,
        })
    };
    let score = |score: Score| json!({ "holds": score.holds, "of": score.of });
    json!({
        "machine": entry.machine,
        "parameters": entry.parameters.iter().map(parameter).collect::<Value>(),
        "fixing": score(entry.fixing),
        "fixing_nothing": score(entry.free),
    })
}

fn lines(entry: &Entry, page: &Page) -> Vec<String> {
    let (fixed, chosen) = entry.counts();
    let mut lines = vec![page.paint(STRONG, &entry.machine)];
    let score = |what: &str, Score { of, holds }: Score| match of {
        0 => format!("{what}: none measured"),
        _ => format!("{what}: {holds} of {of} hold"),
    };
    let said = format!(
        "{fixed} values fixed by claims, {chosen} chosen; {}; {}",
        score("claims that fixed a value", entry.fixing),
        score("claims that fixed nothing", entry.free),
    );
    lines.push(page.fold("  ", &said));
    let width = entry.parameters.iter().map(|parameter| parameter.key.len()).max().unwrap_or(0);
    // The longest keys push no value off a narrow page but their own.
    let width = width.min(page.width.saturating_sub(LEAST_VALUE));
    for Parameter { key, value, fixed_by, .. } in &entry.parameters {
        lines.push(format!("  {key:width$}  {value}"));
        let by = match fixed_by {
            FixedBy::Claims(claims) => claims.join(", "),
            FixedBy::Choice(choice) => choice.clone(),
        };
        lines.push(page.paint(QUIET, &page.fold("      ", &by)));
    }
    lines.push(String::new());
    lines
}
