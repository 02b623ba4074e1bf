//! Claims and their verdicts as text. This module must never decide a verdict.

use anstyle::Style;
use lab::Basis;

use super::{below, partial};
use crate::document::{Claim, Claims, Elsewhere, FailedRun, Grid, Predictions, Standing, Verdicts};
use crate::grouped::grouped;
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::table::{Column, Table, dash};
use crate::words::{alike, error, scalar, stated, tolerance};

/// The lines of claims: what was to be measured and what else was, under the first two parts of its ids, then how many of
/// what.
pub fn claims(claims: &Claims, page: &Page) -> Vec<String> {
    let told: Vec<_> = claims.claims.iter().filter(|claim| claim.verdict != "input").collect();
    let mut lines = partial(claims.partial.as_ref(), page);
    lines.extend(claims.circumstances.as_ref().map(|now| page.fold("measured: ", &now.facts().join(", "))));
    for (group, claims) in grouped(told.iter().map(|claim| (group(&claim.id), *claim))) {
        lines.extend(table(group, &claims, page));
        lines.push(String::new());
    }
    if !told.is_empty() {
        lines.extend(counts(claims, page));
        below(&mut lines, score(claims, page));
        below(&mut lines, apart(&claims.score, page));
    }
    let inputs = claims.claims.len() - told.len();
    if inputs > 0 {
        let are = if inputs == 1 { "is an input" } else { "are inputs" };
        let note = page.fold("", &format!("{inputs} more {are}, configured and not measured: see --json"));
        lines.push(page.paint(QUIET, &note));
    }
    lines.extend(failed_runs(&claims.failed_runs, page));
    lines
}

/// The lines of runs that yielded nothing.
pub fn failed_runs(runs: &[FailedRun], page: &Page) -> Vec<String> {
    const HEAD: &str = "FAILED ";
    let blank = " ".repeat(HEAD.len());
    let lines = |(run, others): (&FailedRun, u64)| {
        let mut said = run.said.lines();
        let first = page.fold(HEAD, &format!("{}: {}", run.command, said.next().unwrap_or_default()));
        // Each mistake has a line of its own, also where they come together.
        let more = said.map(|line| page.fold(&blank, line));
        let others = (others > 0).then(|| page.fold(&blank, &alike(others)));
        let lines: Vec<_> = [first].into_iter().chain(more).chain(others).collect();
        std::iter::once(String::new())
            .chain(lines.into_iter().map(|line| page.paint(ALARM, &line)))
            .collect::<Vec<_>>()
    };
    FailedRun::by_reason(runs).into_iter().flat_map(lines).collect()
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

fn table(group: &str, claims: &[&Claim], page: &Page) -> Vec<String> {
    let name = |claim: &&Claim| format!("  {}{}", name(claim, group), if claim.fixes { " *" } else { "" });
    let names = Column::left("", claims.iter().map(name));
    let mut lines = vec![page.paint(STRONG, group)];
    lines.extend(beside(names, claims, None, page));
    lines.extend(bands(group, claims, page));
    lines.extend(causes(group, claims, page));
    lines
}

/// The results of the claims of a group at further values of inputs that their source leaves open, a line for each claim and input.
fn bands(group: &str, claims: &[&Claim], page: &Page) -> Vec<String> {
    let of_claim = |claim: &&Claim| -> Vec<String> {
        let measured = claim.band.iter().filter(|it| it.verdict != "not measured");
        let by_input = grouped(measured.map(|it| (it.open.as_str(), it)));
        let line = |(open, values): (&str, Vec<&Elsewhere>)| {
            let value = |it: &&Elsewhere| {
                let measured = it.measured.as_ref().map(|it| format!(" {}", scalar(it))).unwrap_or_default();
                format!("at {}{measured} {}", it.at, it.verdict)
            };
            let values: Vec<_> = values.iter().map(value).collect();
            page.fold("    ", &format!("{}, {open}: {}", name(claim, group), values.join("; ")))
        };
        by_input.into_iter().map(line).collect()
    };
    claims.iter().flat_map(of_claim).collect()
}

/// Names, with the stated and measured values of these claims; `last` is a further column.
fn beside(names: Column, claims: &[&Claim], last: Option<Column>, page: &Page) -> Vec<String> {
    let cells = |cell: &dyn Fn(&Claim) -> Option<String>| {
        claims.iter().map(|claim| cell(claim).unwrap_or_else(dash)).collect::<Vec<_>>()
    };
    let columns = [
        names,
        Column::right("stated", cells(&stated)).wanted(3),
        Column::right("measured", cells(&|claim| claim.measured.as_ref().map(scalar))).wanted(4),
        Column::left("", cells(&|claim| Some(claim.unit.clone()))).wanted(1),
        Column::right("error", cells(&error)).wanted(2),
        Column::left("verdict", cells(&|claim| Some(verdict(claim)))),
    ];
    let columns = columns.into_iter().chain(last);
    let columns = columns.filter(|column| column.stays() || !column.is_blank()).collect();
    Table::lines(columns, page, |row| style(claims[row]))
}

/// The name of a claim below the heading of its group.
fn name<'a>(claim: &'a Claim, group: &str) -> &'a str {
    claim.id[group.len()..].trim_start_matches('.')
}

/// The known causes of the claims of a group that differ, each once, after the names of its claims.
fn causes(group: &str, claims: &[&Claim], page: &Page) -> Vec<String> {
    let known = claims.iter().filter_map(|claim| Some((claim.cause.as_ref()?, name(claim, group))));
    let line = |(cause, names): (&String, Vec<&str>)| {
        page.fold("    ", &format!("why {}: {cause}", names.join(", ")))
    };
    grouped(known).into_iter().map(line).collect()
}

/// The bounds of a study, held against its metrics.
pub(super) fn bounds(bounds: &[Claim], page: &Page) -> Vec<String> {
    let names = Column::left("bound", bounds.iter().map(|bound| bound.id.clone()));
    let tolerances = bounds.iter().map(|bound| tolerance(bound).unwrap_or_else(dash));
    let tolerances = Column::right("tolerance", tolerances).wanted(0);
    beside(names, &bounds.iter().collect::<Vec<_>>(), Some(tolerances), page)
}

/// The style of the row of a claim.
fn style(claim: &Claim) -> Style {
    match claim.verdict.as_str() {
        "differs" => ALARM,
        "not measured" => QUIET,
        _ => Style::new(),
    }
}

/// The verdict; of a claim that was not measured for want of files, with their names.
fn verdict(claim: &Claim) -> String {
    match claim.needs.as_slice() {
        [] => claim.verdict.clone(),
        files => format!("{}: needs {}", claim.verdict, files.join(", ")),
    }
}

/// The row of counts of all results.
const ALL: &str = "all";

/// How many of what: for each study and kind, then for all; last what is no result.
fn counts(claims: &Claims, page: &Page) -> Vec<String> {
    let of_role = |role: &'static str| Verdicts::of(claims.claims.iter().filter(move |it| it.role == role));
    let kinds = claims.summary.iter();
    let mut rows: Vec<_> = kinds.map(|it| (format!("{}: {}s", it.study, it.kind), it.counts)).collect();
    let mut row = |name: &str, counts| rows.push((name.to_owned(), counts));
    if claims.results > 0 {
        row(ALL, of_role("result"));
    }
    for (name, role) in
        [("inputs that were measured", "input"), ("bounds that studies set themselves", "bound")]
    {
        let counts = of_role(role);
        if counts.all() > 0 {
            row(name, counts);
        }
    }
    let cells = |cell: fn(&Verdicts) -> usize| rows.iter().map(move |(_, counts)| cell(counts).to_string());
    let columns = vec![
        Column::left("verdicts", rows.iter().map(|(name, _)| name.clone())),
        Column::right("hold", cells(|counts| counts.holds)),
        Column::right("differ", cells(|counts| counts.differs)),
        Column::right("undecidable", cells(|counts| counts.undecidable)),
        Column::right("held out", cells(|counts| counts.held_out)),
        Column::right("unknown", cells(|counts| counts.unknown)),
        Column::right("not measured", cells(|counts| counts.not_measured)),
        Column::right("of", cells(|counts| counts.all())),
    ];
    Table::lines(columns, page, |index| if rows[index].0 == ALL { STRONG } else { Style::new() })
}

/// The score of each study, and of all together where there are several: the predicted claims that hold;
/// the predicted numbers, and the near ones; then the claims predicted blind, and the undecidable ones.
fn score(claims: &Claims, page: &Page) -> Vec<String> {
    let rows = Standing::rows(&claims.score);
    let of_study = |study: &Option<&str>| Predictions::of(&claims.predictions, *study);
    let numbers = |number: fn(&Predictions) -> usize| {
        rows.iter().map(|(study, _)| number(&of_study(study)).to_string()).collect::<Vec<_>>()
    };
    let cells = |cell: fn(&Grid) -> String| rows.iter().map(|(_, grid)| cell(grid)).collect::<Vec<_>>();
    let columns = vec![
        Column::left("score", rows.iter().map(|(study, _)| study.unwrap_or(ALL).to_owned())),
        Column::right("predicted:\nhold", cells(|grid| grid.holds(Basis::Predicted))),
        Column::right("of them\nnumbers", numbers(|it| it.numbers)),
        Column::right("within\n5 %", numbers(|it| it.within_5)),
        Column::right("within\n15 %", numbers(|it| it.within_15)),
        Column::right("predicted\nblind", cells(|grid| grid.of(Basis::Blind).measured().to_string())),
        Column::right("un-\ndecidable", cells(|grid| grid.undecidable().to_string())),
    ];
    Table::lines(columns, page, |index| if rows[index].0.is_none() { STRONG } else { Style::new() })
}

/// The claims of each study that say nothing of a model if they hold, and of all together where there are several studies: the ones
/// that hold; then the numbers of unknown claims, and of claims that were not measured.
fn apart(standings: &[Standing], page: &Page) -> Vec<String> {
    let rows = Standing::rows(standings);
    let cells = |cell: &dyn Fn(&Grid) -> String| rows.iter().map(|(_, grid)| cell(grid)).collect::<Vec<_>>();
    let of = |basis: Basis| cells(&move |grid| grid.holds(basis));
    let columns = vec![
        Column::left("counted apart", rows.iter().map(|(study, _)| study.unwrap_or(ALL).to_owned())),
        Column::right("set a\nparameter (*)", of(Basis::Set)),
        Column::right("follow from\nothers", of(Basis::Follows)),
        Column::right("repeat\nothers", of(Basis::Repeated)),
        Column::right("by other\nprograms", of(Basis::Substitute)),
        Column::right("unknown", cells(&|grid| grid.unknown().to_string())),
        Column::right("not\nmeasured", cells(&|grid| grid.not_measured().to_string())),
    ];
    Table::lines(columns, page, |index| if rows[index].0.is_none() { STRONG } else { Style::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_run_is_told() {
        let run = FailedRun {
            study: "toy".to_owned(),
            command: "tradewind run toy".to_owned(),
            said: "no price".to_owned(),
        };
        let page = Page { width: 80, colour: false, unicode: true };
        assert_eq!(
            failed_runs(std::slice::from_ref(&run), &page),
            ["", "FAILED tradewind run toy: no price"]
        );
        // Mistakes that a process tells together have a line each.
        let said = "toy: error: no price\ntoy: error: no policy".to_owned();
        let lines = failed_runs(&[FailedRun { said, ..run }], &page);
        let second = "       toy: error: no policy";
        assert_eq!(lines, ["", "FAILED tradewind run toy: toy: error: no price", second]);
    }

    #[test]
    fn a_cause_stands_once_after_the_claims_that_differ_by_it() {
        let claim = |id, cause: Option<&str>| Claim {
            cause: cause.map(str::to_owned),
            ..crate::document::samples::claim(id, 1.0, "predicted")
        };
        let claims = [
            claim("toy.gap.get", Some("the bus is full")),
            claim("toy.gap.put", None),
            claim("toy.gap.read", Some("the bus is full")),
        ];
        let page = Page { width: 80, colour: false, unicode: true };
        let lines = causes("toy.gap", &claims.iter().collect::<Vec<_>>(), &page);
        assert_eq!(lines, ["    why get, read: the bus is full"]);
    }

    #[test]
    fn a_band_has_a_line_for_each_open_input_of_a_claim() {
        let there = |open: &str, at: &str, measured, verdict: &str| Elsewhere {
            open: open.to_owned(),
            at: at.to_owned(),
            measured: Some(crate::document::Scalar::Number(measured)),
            verdict: verdict.to_owned(),
        };
        let missing = Elsewhere { measured: None, ..there("steps", "5", 0.0, "not measured") };
        let band = vec![there("steps", "10", 1.5, "holds"), missing, there("steps", "99", 3.0, "differs")];
        let claim = Claim { band, ..crate::document::samples::claim("toy.gap.get", 1.0, "predicted") };
        let page = Page { width: 80, colour: false, unicode: true };
        assert_eq!(bands("toy.gap", &[&claim], &page), ["    get, steps: at 10 1.5 holds; at 99 3 differs"]);
    }

    #[test]
    fn claims_are_grouped_by_two_parts_of_their_ids() {
        assert_eq!(group("split-c.table1.gap.get.cm5.proc"), "split-c.table1");
        assert_eq!(group("widget.overall"), "widget");
    }
}
