//! Sensitivity as text: for each machine the free values that were raised, and which claims moved by how much. This module must
//! never know the effect of a value.

use super::claims::failed_runs;
use super::partial;
use crate::document::{Moved, Raised, SensitiveMachine, Sensitivity};
use crate::page::{Page, QUIET, STRONG};

/// The claims that are named of those that a value moves.
const NAMED: usize = 3;

/// The lines of a sensitivity table.
pub fn sensitivity(found: &Sensitivity, page: &Page) -> Vec<String> {
    let mut lines = partial(found.partial.as_ref(), page);
    lines.extend(found.machines.iter().flat_map(|machine| of_machine(machine, found, page)));
    if found.machines.is_empty() {
        lines.push("nothing that was asked is measured on a machine".to_owned());
    }
    lines.extend(failed_runs(&found.failed_runs, page));
    lines
}

fn of_machine(machine: &SensitiveMachine, found: &Sensitivity, page: &Page) -> Vec<String> {
    let SensitiveMachine { machine, raised, not_raised } = machine;
    let (moving, others): (Vec<_>, Vec<_>) = raised.iter().partition(|raised| !raised.moved.is_empty());
    let (refused, still): (Vec<_>, Vec<_>) = others.into_iter().partition(|raised| raised.refused.is_some());
    let said = format!(
        "{} free values, each raised by {}: {} move a claim by more than {}, {} move none, {} cannot be raised",
        raised.len() + not_raised.len(),
        percent(found.share),
        moving.len(),
        percent(found.least),
        still.len(),
        refused.len() + not_raised.len(),
    );
    let mut lines = vec![page.paint(STRONG, machine), page.fold("  ", &said)];
    for raised in moving {
        let Raised { parameter, to, moved, .. } = raised;
        lines.push(page.fold("  ", &format!("{}  {} -> {to}", parameter.key, parameter.value)));
        lines.push(page.fold("      ", &named(moved)));
    }
    for (said, raised) in [("move none", still), ("refused", refused)] {
        if !raised.is_empty() {
            let keys: Vec<_> = raised.iter().map(|raised| raised.parameter.key.as_str()).collect();
            lines.push(page.fold_in(QUIET, "  ", &format!("{said}: {}", keys.join(", "))));
        }
    }
    lines.push(String::new());
    lines
}

/// The number of claims that moved, and the names of those that moved furthest.
fn named(moved: &[Moved]) -> String {
    let name = |moved: &Moved| match moved.share {
        Some(share) => format!("{} {:+.1} %", moved.claim, share * 100.0),
        None => format!("{} comes out differently", moved.claim),
    };
    let names: Vec<_> = moved.iter().take(NAMED).map(name).collect();
    let more = match moved.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{}: {}{more}", moved.len(), names.join(", "))
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 100.0)
}
