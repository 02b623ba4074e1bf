//! Findings, agreements and predictions as English sentences. This module must never find anything itself, and never
//! say more than the data does.

use compare::MachineShape;

#[cfg(feature = "command")]
use crate::document::Scalar;
#[cfg(feature = "command")]
use crate::quantity::number;
use crate::quantity::several;

mod agreement;
mod finding;
mod prediction;
mod verdict;

pub use agreement::agreement;
pub use finding::finding;
pub use prediction::prediction;
#[cfg(feature = "command")]
pub(crate) use prediction::title;
#[cfg(feature = "command")]
pub(crate) use verdict::named_policies;
pub use verdict::verdict;

/// Nodes and processors: `2 nodes of 1 processor`.
pub(crate) fn shape(MachineShape { nodes, processors }: MachineShape) -> String {
    format!("{} of {}", several(nodes, "node"), several(processors, "processor"))
}

/// A machine's name, and its file if it has one.
pub fn label(machine: &str, file: Option<&str>) -> String {
    file.map_or_else(|| machine.to_owned(), |file| format!("{machine} ({file})"))
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
