//! Sensitivity as text: for each machine its free values, and the claimed values that move with each. This module must never know
//! what a value does.

use super::claims::failed_runs;
use crate::document::{MovedCell, Nudged, SensitiveMachine, Sensitivity};
use crate::page::{Page, QUIET, STRONG};

/// The largest number of claimed values that are listed for a free value; the others are counted.
const LISTED: usize = 6;

/// The lines of a table of sensitivities.
pub fn sensitivity(found: &Sensitivity, page: &Page) -> Vec<String> {
    let Sensitivity { by, least, .. } = found;
    let said = format!(
        "Each free value in turn is {:+} %. Listed are the claimed values that move by {} % or more.",
        rounded(100.0 * by),
        rounded(100.0 * least)
    );
    let mut lines = vec![page.fold("", &said), String::new()];
    lines.extend(found.machines.iter().flat_map(|machine| of_machine(machine, page)));
    lines.extend(failed_runs(&found.failed_runs, page));
    lines
}

fn of_machine(machine: &SensitiveMachine, page: &Page) -> Vec<String> {
    let SensitiveMachine { machine, parameters } = machine;
    let moving = parameters.iter().filter(|parameter| !parameter.cells.is_empty()).count();
    let refused = parameters.iter().filter(|parameter| parameter.refused.is_some()).count();
    let said = match refused {
        0 => format!("{} free values, of which {moving} move a claimed value", parameters.len()),
        _ => format!(
            "{} free values, of which {moving} move a claimed value and {refused} could not be changed",
            parameters.len()
        ),
    };
    let mut lines = vec![page.paint(STRONG, machine), page.fold("  ", &said)];
    for Nudged { key, value, to, cells, .. } in
        parameters.iter().filter(|parameter| !parameter.cells.is_empty())
    {
        lines.push(format!("  {key}  {value} -> {}", to.as_deref().unwrap_or_default()));
        lines.push(page.paint(QUIET, &page.fold("      ", &moved(cells))));
    }
    let idle =
        parameters.iter().filter(|parameter| parameter.cells.is_empty() && parameter.refused.is_none());
    let idle: Vec<_> = idle.map(|parameter| parameter.key.as_str()).collect();
    if !idle.is_empty() {
        lines.push(page.fold("  ", &format!("move nothing: {}", idle.join(", "))));
    }
    for Nudged { key, value, refused, .. } in parameters {
        let why = refused.as_ref().map(|why| format!("not changed: {key} ({value}): {why}"));
        lines.extend(why.map(|why| page.fold("  ", &why)));
    }
    lines.push(String::new());
    lines
}

fn moved(cells: &[MovedCell]) -> String {
    let told = |cell: &MovedCell| format!("{} {:+} %", cell.claim, rounded(100.0 * cell.share));
    let listed: Vec<_> = cells.iter().take(LISTED).map(told).collect();
    let more = match cells.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{}{more}", listed.join(", "))
}

/// A number to one place behind the point.
fn rounded(number: f64) -> f64 {
    (10.0 * number).round() / 10.0
}
