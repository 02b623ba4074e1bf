//! How claims and their verdicts look, to people and to scripts. Must never decide a verdict.

use std::collections::BTreeMap;
use std::io::Write;

use anstyle::Style;
use lab::{Finding, Kind, Role, Stated, Value, Verdict};
use serde_json::{Value as Json, json};

use crate::claims::{Failure, Outcome};
use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::number;
use crate::{Problem, json};

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    holds: usize,
    differs: usize,
    not_measured: usize,
    held_out: usize,
}

impl Counts {
    fn of<'a>(findings: impl Iterator<Item = &'a Finding<'a>>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            match finding.verdict {
                Verdict::Holds => counts.holds += 1,
                Verdict::Differs => counts.differs += 1,
                Verdict::NotMeasured => counts.not_measured += 1,
                Verdict::HeldOut => counts.held_out += 1,
                Verdict::Input => {}
            }
        }
        counts
    }

    fn measured(self) -> usize {
        self.holds + self.differs + self.held_out
    }

    fn all(self) -> usize {
        self.measured() + self.not_measured
    }

    fn json(self) -> Json {
        json!({
            "holds": self.holds,
            "differs": self.differs,
            "not_measured": self.not_measured,
            "held_out": self.held_out,
        })
    }
}

/// The counts of each group, in the order in which groups have their names.
fn summary<'a>(
    findings: &'a [Finding<'a>],
    group: impl Fn(&Finding<'a>) -> (String, Kind),
) -> Vec<((String, Kind), Counts)> {
    let mut groups: BTreeMap<_, Vec<&Finding<'_>>> = BTreeMap::new();
    for finding in results(findings) {
        groups.entry(group(finding)).or_default().push(finding);
    }
    groups.into_iter().map(|(group, findings)| (group, Counts::of(findings.into_iter()))).collect()
}

fn results<'a>(findings: &'a [Finding<'a>]) -> impl Iterator<Item = &'a Finding<'a>> {
    of_role(findings, Role::Result)
}

fn of_role<'a>(findings: &'a [Finding<'a>], role: Role) -> impl Iterator<Item = &'a Finding<'a>> {
    findings.iter().filter(move |finding| finding.claim.role == role)
}

fn by_study_and_kind(finding: &Finding<'_>) -> (String, Kind) {
    (finding.claim.study().to_owned(), finding.claim.kind)
}

/// Counts of claims that set a parameter or may, or of the others.
fn by_fit(findings: &[Finding<'_>], fit: bool) -> Counts {
    Counts::of(results(findings).filter(|finding| finding.fixes == fit))
}

/// For scripts.
pub(crate) fn json(outcome: &Outcome<'_>, out: &mut impl Write) -> Result<(), Problem> {
    let Outcome { laboratory, findings, failures, runs, .. } = outcome;
    let summary = summary(findings, by_study_and_kind).into_iter().map(|((study, kind), counts)| {
        let mut row = json!({ "study": study, "kind": kind.name() });
        json::append(&mut row, counts.json());
        row
    });
    let value = json!({
        "claims": findings.iter().map(|it| claim(it, laboratory.because(&it.claim.id))).collect::<Json>(),
        "summary": summary.collect::<Json>(),
        "fit": by_fit(findings, true).json(),
        "not_fit": by_fit(findings, false).json(),
        "measured": Counts::of(results(findings)).measured(),
        "results": results(findings).count(),
        "runs": runs.len(),
        "failed_runs": failed_runs(failures),
    });
    json::write(out, &value)
}

fn claim(finding: &Finding<'_>, because: Option<&str>) -> Json {
    let claim = finding.claim;
    let stated = claim.value.as_ref().map(|stated| match stated {
        Stated::Number(number, _) => json!(number),
        Stated::Text(text) => json!(text),
    });
    let measured = finding.measured.map(|measured| match measured {
        Value::Number(number) => json!(number),
        Value::Flag(flag) => json!(flag),
    });
    json!({
        "id": claim.id,
        "where": claim.place,
        "role": claim.role.name(),
        "kind": claim.kind.name(),
        "statement": claim.statement,
        "unit": claim.unit,
        "confidence": claim.confidence,
        "may_fit": claim.fit,
        "fixes": finding.fixes,
        "is_held_out": claim.held_out,
        "stated": stated,
        "measured": measured,
        "error": finding.error,
        "verdict": finding.verdict.name(),
        "because": because,
    })
}

/// For people: what was to be measured and what else was, under the first two parts of its ids, then how many of what.
pub(crate) fn text(outcome: &Outcome<'_>, page: &Page, out: &mut impl Write) -> Result<(), Problem> {
    let findings = &outcome.findings;
    let told: Vec<_> = findings.iter().filter(|finding| finding.verdict != Verdict::Input).collect();
    let mut groups: Vec<(&str, Vec<&Finding<'_>>)> = Vec::new();
    for finding in &told {
        let group = group(&finding.claim.id);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, findings)) => findings.push(finding),
            None => groups.push((group, vec![finding])),
        }
    }
    for (group, findings) in groups {
        table(group, &findings, page).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)?;
    }
    if !told.is_empty() {
        counts(outcome, page).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    let inputs = findings.len() - told.len();
    if inputs > 0 {
        let are = if inputs == 1 { "is an input" } else { "are inputs" };
        let note = page.fold("", &format!("{inputs} more {are}, configured and not measured: see --json"));
        writeln!(out, "{}", page.paint(QUIET, &note))?;
    }
    tell_failed_runs(&outcome.failures, page, out)
}

/// Runs that yielded nothing, for scripts.
pub(crate) fn failed_runs(failures: &[Failure]) -> Json {
    let one =
        |failure: &Failure| json!({ "study": failure.study, "command": failure.run, "said": failure.why });
    failures.iter().map(one).collect()
}

/// The same for people.
pub(crate) fn tell_failed_runs(
    failures: &[Failure],
    page: &Page,
    out: &mut impl Write,
) -> Result<(), Problem> {
    for failure in failures {
        let said = page.fold("FAILED ", &format!("{}: {}", failure.run, failure.why));
        writeln!(out, "\n{}", page.paint(ALARM, &said))?;
    }
    Ok(())
}

/// The first two parts of an id; the first alone if there are but two.
fn group(id: &str) -> &str {
    let dots: Vec<_> = id.match_indices('.').map(|(at, _)| at).collect();
    match dots.as_slice() {
        [_, second, ..] => &id[..*second],
        [first] => &id[..*first],
        [] => id,
    }
}

fn table(group: &str, findings: &[&Finding<'_>], page: &Page) -> Vec<String> {
    let column = |head, side, wanted, cell: &dyn Fn(&Finding<'_>) -> String| Column {
        group: "",
        head,
        side,
        wanted,
        cells: findings.iter().map(|finding| cell(finding)).collect(),
    };
    let name = |finding: &Finding<'_>| {
        let name = finding.claim.id[group.len()..].trim_start_matches('.');
        format!("  {name}{}", if finding.fixes { " *" } else { "" })
    };
    let columns = vec![
        column("", Side::Left, ALWAYS, &name),
        column("stated", Side::Right, 3, &stated),
        column("measured", Side::Right, 4, &measured),
        column("", Side::Left, 1, &|finding| finding.claim.unit.clone()),
        column("error", Side::Right, 2, &error),
        column("verdict", Side::Left, ALWAYS, &|finding| finding.verdict.name().to_owned()),
    ];
    let columns =
        columns.into_iter().filter(|column| column.wanted == ALWAYS || !column.is_blank()).collect();
    let table = Table::lay(columns, page, 0);
    let mut lines = vec![page.paint(STRONG, group)];
    lines.extend(table.heads(page, ""));
    for (index, finding) in findings.iter().enumerate() {
        lines.extend(table.row(page, index, style(finding.verdict), ""));
    }
    lines
}

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Differs => ALARM,
        Verdict::NotMeasured => QUIET,
        _ => Style::new(),
    }
}

fn stated(finding: &Finding<'_>) -> String {
    let number = finding.claim.number().map(number);
    let text = || finding.claim.value.as_ref().map(ToString::to_string);
    number.or_else(text).unwrap_or_else(dash)
}

fn measured(finding: &Finding<'_>) -> String {
    match finding.measured {
        Some(Value::Number(measured)) => number(measured),
        Some(Value::Flag(true)) => "yes".to_owned(),
        Some(Value::Flag(false)) => "no".to_owned(),
        None => dash(),
    }
}

fn error(finding: &Finding<'_>) -> String {
    // Rounding must not leave a sign before nothing.
    let tenths = |error: f64| (error * 1000.0).round() / 10.0 + 0.0;
    finding.error.map_or_else(dash, |error| format!("{:+.1} %", tenths(error)))
}

fn dash() -> String {
    "-".to_owned()
}

/// The row of counts of all results.
const ALL: &str = "all";

/// How many of what: for each study and kind, then for claims that set a parameter, or may, and for others; last what is
/// no result.
fn counts(outcome: &Outcome<'_>, page: &Page) -> Vec<String> {
    let findings = &outcome.findings;
    let mut rows: Vec<_> = summary(findings, by_study_and_kind)
        .into_iter()
        .map(|((study, kind), counts)| (format!("{study}: {}s", kind.name()), counts))
        .collect();
    if findings.iter().any(|finding| finding.fixes) {
        rows.push(("claims that set a parameter, or may (*)".to_owned(), by_fit(findings, true)));
        rows.push(("all others".to_owned(), by_fit(findings, false)));
    }
    if results(findings).next().is_some() {
        rows.push((ALL.to_owned(), Counts::of(results(findings))));
    }
    let others =
        [("inputs that were measured", Role::Input), ("bounds that studies set themselves", Role::Bound)];
    let others = others.map(|(name, role)| (name.to_owned(), Counts::of(of_role(findings, role))));
    rows.extend(others.into_iter().filter(|(_, counts)| counts.all() > 0));
    let column = |head, cell: fn(&Counts) -> usize| Column {
        group: "",
        head,
        side: Side::Right,
        wanted: ALWAYS,
        cells: rows.iter().map(|(_, counts)| cell(counts).to_string()).collect(),
    };
    let names = rows.iter().map(|(name, _)| name.clone()).collect();
    let columns = vec![
        Column { group: "", head: "verdicts", side: Side::Left, wanted: ALWAYS, cells: names },
        column("hold", |counts| counts.holds),
        column("differ", |counts| counts.differs),
        column("held out", |counts| counts.held_out),
        column("not measured", |counts| counts.not_measured),
        column("of", |counts| counts.all()),
    ];
    let table = Table::lay(columns, page, 0);
    let mut lines = table.heads(page, "");
    for (index, (name, _)) in rows.iter().enumerate() {
        let style = if name == ALL { STRONG } else { Style::new() };
        lines.extend(table.row(page, index, style, ""));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_run_is_told_to_people_and_to_scripts() {
        let run = "tradewind run toy".to_owned();
        let failures = [Failure { study: "toy".to_owned(), run, why: "no price".to_owned() }];
        let mut out = Vec::new();
        let page = Page { width: 80, colour: false, unicode: true };
        tell_failed_runs(&failures, &page, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\nFAILED tradewind run toy: no price\n");
        let told = json!([{ "study": "toy", "command": "tradewind run toy", "said": "no price" }]);
        assert_eq!(failed_runs(&failures), told);
    }

    #[test]
    fn claims_are_grouped_by_two_parts_of_their_ids() {
        assert_eq!(group("split-c.table1.gap.get.cm5.proc"), "split-c.table1");
        assert_eq!(group("widget.overall"), "widget");
    }
}
