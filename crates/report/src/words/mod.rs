//! Findings, agreements and predictions as English sentences. This module must never find anything itself, and never
//! say more than the data does.

use compare::Margin;
use units::plural::several;

#[cfg(feature = "command")]
use crate::document::{CheckPart, Claim, Relation, Scalar, StudyTable};
#[cfg(feature = "command")]
use crate::quantity::number;

mod agreement;
mod finding;
mod free;
mod prediction;
mod verdict;

pub use agreement::agreement;
pub use finding::finding;
#[cfg(feature = "command")]
pub(crate) use free::fate_of;
pub(crate) use free::{fate, on};
#[cfg(feature = "command")]
pub(crate) use prediction::DOUBTS;
pub(crate) use prediction::DoubtWords;
pub use prediction::prediction;
pub use verdict::verdict;
#[cfg(feature = "command")]
pub(crate) use verdict::{NAMED, busy};

/// Nodes and processors: `2 nodes of 1 processor`.
pub(crate) fn shape(nodes: u32, processors: u32) -> String {
    format!("{} of {}", several(nodes, "node"), several(processors, "processor"))
}

/// The place of the nodes of a world, behind its size, unless all are in one process or modelled.
#[cfg(feature = "command")]
pub(crate) fn as_processes(world: &str) -> &'static str {
    if world == PROCESSES { ", nodes as processes" } else { "" }
}

/// The name in documents of the world whose nodes are processes.
#[cfg(feature = "command")]
const PROCESSES: &str = "processes";

/// The processors of each node at work, such as `2+1 procs`.
#[cfg(feature = "command")]
pub(crate) fn procs(split: &str) -> String {
    format!("{split} proc{}", if split == "1" { "" } else { "s" })
}

/// The words before a margin of which only the least is known.
fn sure(margin: &Margin) -> &'static str {
    if margin.at_least.is_some() { "at least " } else { "" }
}

/// A machine's name, and its file if it has one.
pub fn label(machine: &str, file: Option<&str>) -> String {
    file.map_or_else(|| machine.to_owned(), |file| format!("{machine} ({file})"))
}

/// The fields that are the same in all rows of a table, with their values.
#[cfg(feature = "command")]
pub(crate) fn same(table: &StudyTable) -> String {
    let (_, same) = table.axes();
    let said = |name: &String| Some(format!("{name} {}", table.rows.first()?.fields.get(name)?));
    let apart = table.rows.iter().find_map(|row| row.world.as_deref().filter(|world| *world == PROCESSES));
    same.into_iter().filter_map(said).collect::<Vec<_>>().join(", ") + as_processes(apart.unwrap_or_default())
}

/// The value of a claim: a number with few digits, a text, `yes` or `no`.
#[cfg(feature = "command")]
pub(crate) fn scalar(value: &Scalar) -> String {
    match value {
        Scalar::Number(value) => number(*value),
        Scalar::Text(text) => text.clone(),
        Scalar::Flag(true) => "yes".to_owned(),
        Scalar::Flag(false) => "no".to_owned(),
    }
}

/// The stated value of a claim; a limit says on which side of it the metric must lie.
#[cfg(feature = "command")]
pub(crate) fn stated(claim: &Claim) -> Option<String> {
    let value = scalar(claim.stated.as_ref()?);
    Some(match claim.relation {
        Relation::About => value,
        Relation::AtLeast => format!("at least {value}"),
        Relation::AtMost => format!("at most {value}"),
    })
}

/// The greatest accepted distance of a metric from a stated value: a share of the value, or a number if the value is 0.
#[cfg(feature = "command")]
pub(crate) fn tolerance(claim: &Claim) -> Option<String> {
    let most = claim.tolerance?;
    Some(match claim.stated.as_ref()? {
        _ if most == 0.0 => "none".to_owned(),
        Scalar::Number(stated) if *stated != 0.0 => format!("{} %", number(100.0 * most / stated.abs())),
        _ => number(most),
    })
}

/// The distance of the measured value of a claim from the stated value: a share of it, or a number if it is 0.
#[cfg(feature = "command")]
pub(crate) fn error(claim: &Claim) -> Option<String> {
    let error = claim.error?;
    // Rounding must not leave a sign before nothing.
    let tenths = (error * 1000.0).round() / 10.0 + 0.0;
    Some(match claim.stated {
        Some(Scalar::Number(0.0)) if error > 0.0 => format!("+{}", number(error)),
        Some(Scalar::Number(0.0)) => number(error),
        _ => format!("{tenths:+.1} %"),
    })
}

/// The number of other runs that failed with equal words.
#[cfg(feature = "command")]
pub(crate) fn alike(others: u64) -> String {
    format!("{} failed with the same words.", several(others, "more run"))
}

/// An expression of a check, with the values that its metrics have.
#[cfg(feature = "command")]
pub(crate) fn part(part: &CheckPart) -> String {
    let metrics = part.metrics.iter().map(|(name, found)| match found {
        Some(found) => format!("{name} is {}", number(*found)),
        None => format!("{name} is not measured"),
    });
    let metrics: Vec<_> = metrics.collect();
    if metrics.is_empty() {
        part.expression.clone()
    } else {
        format!("{}, where {}", part.expression, metrics.join(", "))
    }
}

#[cfg(feature = "command")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples::claim;

    #[test]
    fn an_error_is_a_share_of_what_is_stated_and_of_nothing_a_number() {
        let told = |stated, found| {
            error(&Claim { error: Some(found), ..claim("toy", stated, "predicted") }).expect("an error")
        };
        assert_eq!([told(2.0, 0.05), told(2.0, -0.0004)], ["+5.0 %", "+0.0 %"]);
        assert_eq!([told(0.0, 0.5), told(0.0, -3.0), told(0.0, 0.0)], ["+0.5", "-3", "0"]);
    }
}
