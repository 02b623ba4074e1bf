//! The machine file of a measured host: a template in which every measured value has a place. This module must never know how a
//! value was measured.

use units::median::upper;

use super::measured::{Calibration, Quantity};
use super::probe::Distance;
use crate::specification::{NodeProcesses, native_world};

/// Template of the file: definitions beside the measured values, each with its reason.
const TEMPLATE: &str = include_str!("host.toml");

/// The host, its date and its command, as the file states them.
#[derive(Clone, Debug)]
pub struct Host {
    /// A one-line description for people.
    pub description: String,
    /// Cores that were seen.
    pub cores: u32,
    /// The day of the measurement.
    pub date: String,
    /// The name of the command, as people type it.
    pub name: String,
    /// The command line that measured, with the version of the command.
    pub command: String,
    /// Intended time between the native world's looks for messages.
    pub pace: units::Time,
    /// The processes of the nodes that were measured; `None` if all nodes were in one process.
    pub processes: Option<NodeProcesses>,
}

/// Text of the file. `runs`: the command lines of the runs, a line each.
pub(super) fn file(calibration: &Calibration, host: &Host, runs: &[String]) -> String {
    let quoted = |text: &str| format!("{text:?}");
    let mut places = vec![
        ("host", quoted(&host.description)),
        ("date", quoted(&host.date)),
        ("world", quoted(native_world(host.processes))),
        ("apart", if host.processes.is_some() { " with nodes as processes" } else { "" }.to_owned()),
        ("command", quoted(&host.command)),
        ("disturbed", disturbed(calibration)),
        ("pace", quoted(&format!("{} ns", host.pace.as_nanoseconds()))),
        ("processors", (host.cores / 2).max(1).to_string()),
        ("distances", told(&calibration.distances)),
        ("runs", runs.iter().map(|run| format!("#     {run}")).collect::<Vec<_>>().join("\n")),
        ("rounds", rounds(calibration.rounds)),
    ];
    places.extend(
        calibration.quantities.iter().map(|quantity| (quantity.key, written(quantity, calibration.rounds))),
    );
    places
        .into_iter()
        .fold(TEMPLATE.to_owned(), |text, (key, value)| text.replace(&format!("{{{key}}}"), &value))
}

/// A value with its unit, and behind it where it comes from and how sure it is.
fn written(quantity: &Quantity, measured: u32) -> String {
    let Quantity { median, unit, from, .. } = quantity;
    let doubt = match measured {
        0..=1 => rounds(measured),
        _ if quantity.is_vague() => {
            format!("{:.2} to {:.2}: VAGUE, as wide as the value", median.low, median.high)
        }
        _ => format!("{:.2} to {:.2}", median.low, median.high),
    };
    format!("\"{:.2} {}\"  # measured: {from}; {doubt}", median.value, unit.name())
}

/// The mark of a calibration on whose values the rounds disagree; a remark if they agree.
fn disturbed(calibration: &Calibration) -> String {
    match calibration.disturbed().as_slice() {
        [] if calibration.rounds < 2 => "# One round: whether it was disturbed is not known.".to_owned(),
        [] => "# Not disturbed: no interval reaches farther from its median than a quarter of what was measured.".to_owned(),
        keys => format!("disturbed = {:?}  # something else ran on the host: measure again", keys.join(", ")),
    }
}

fn rounds(count: u32) -> String {
    if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") }
}

/// Nearest, middle and farthest, in words.
pub fn told(distances: &[Distance]) -> String {
    let mut sorted = distances.to_vec();
    sorted.sort_by(|one, other| one.nanoseconds.total_cmp(&other.nanoseconds));
    let one = |it: &Distance| format!("cores {} and {} at {:.0} ns", it.cores.0, it.cores.1, it.nanoseconds);
    match sorted.as_slice() {
        [] => "not measured".to_owned(),
        [only] => one(only),
        [near, .., far] => {
            let middle = upper(&sorted).map(one).unwrap_or_default();
            format!("nearest {}, middle {middle}, farthest {}", one(near), one(far))
        }
    }
}
