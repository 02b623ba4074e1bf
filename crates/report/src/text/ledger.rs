//! The ledger as text: for each machine its free values, what fixed each, and how the claims came out that fixed none. This
//! module must never know the effect of a value.

use super::claims::failed_runs;
use super::partial;
use crate::document::{FixedMachine, FreeStudy, Ledger, OpenInput, Parameter, Score};
use crate::page::{Page, QUIET, STRONG};

/// Columns that are left for a value.
const LEAST_VALUE: usize = 20;

/// The lines of a ledger.
pub fn ledger(ledger: &Ledger, page: &Page) -> Vec<String> {
    let mut lines = partial(ledger.partial.as_ref(), page);
    lines.extend(ledger.machines.iter().flat_map(|machine| of_machine(machine, page)));
    lines.extend(ledger.studies.iter().flat_map(|study| of_study(study, page)));
    if ledger.machines.is_empty() {
        lines.push("nothing that was asked is measured on a machine".to_owned());
    }
    lines.extend(failed_runs(&ledger.failed_runs, page));
    lines
}

fn of_machine(machine: &FixedMachine, page: &Page) -> Vec<String> {
    let FixedMachine { machine, parameters, fixing, fixing_nothing } = machine;
    let fixed = parameters.iter().filter(|parameter| parameter.fixed_by.is_some()).count();
    let score = |what: &str, score: &Score| match score.of + score.undecidable {
        0 => format!("{what}: none measured"),
        _ => format!("{what}: {} of {} hold{}", score.holds, score.of, score.rest()),
    };
    let said = format!(
        "{fixed} values fixed by claims, {} chosen; {}; {}",
        parameters.len() - fixed,
        score("claims that fixed a value", fixing),
        score("claims that fixed nothing", fixing_nothing),
    );
    let mut lines = vec![page.paint(STRONG, machine), page.fold("  ", &said)];
    let width = parameters.iter().map(|parameter| parameter.key.len()).max().unwrap_or(0);
    // The longest keys push no value off a narrow page but their own.
    let width = width.min(page.width.saturating_sub(LEAST_VALUE));
    for Parameter { key, value, fixed_by, choice, .. } in parameters {
        lines.push(format!("  {key:width$}  {value}"));
        let fit = fixed_by.as_ref().map(|claims| format!("fixed by {}", claims.join(", ")));
        let by = fit.or_else(|| Some(format!("chosen; {}", choice.as_ref()?))).unwrap_or_default();
        lines.push(page.fold_in(QUIET, "      ", &by));
    }
    lines.push(String::new());
    lines
}

/// The lines of a study's inputs that claims fixed, and of the open ones.
fn of_study(study: &FreeStudy, page: &Page) -> Vec<String> {
    let FreeStudy { study, fixed_by, open } = study;
    let mut lines = vec![page.paint(STRONG, &format!("inputs of the study {study}"))];
    if !fixed_by.is_empty() {
        lines.push(page.fold("  ", &format!("fixed by {}", fixed_by.join(", "))));
    }
    for OpenInput { input, at, because } in open {
        lines.push(page.fold("  ", &format!("open: {input}, also at {}", at.join(", "))));
        lines.push(page.fold_in(QUIET, "      ", because));
    }
    lines.push(String::new());
    lines
}
