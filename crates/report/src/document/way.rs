//! Machines and combinations by their names, as the documents of comparisons have them. This module must never know what was measured.

use compare::ranking;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Named {
    /// `native`, or the `name` in the machine file. Two files may give their machines the same name.
    pub machine: String,
    /// The machine file, as it was named.
    ///
    /// Null natively, and of a shipped machine.
    pub machine_file: Option<String>,
}

/// A mechanism and a policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Way {
    /// The mechanism.
    pub mechanism: String,
    /// The policy.
    pub policy: String,
}

impl From<&ranking::Machine> for Named {
    fn from(machine: &ranking::Machine) -> Self {
        Self { machine: machine.name.clone(), machine_file: machine.file.clone() }
    }
}

impl From<&compare::Way> for Way {
    fn from(way: &compare::Way) -> Self {
        Self { mechanism: way.mechanism.to_string(), policy: way.policy.clone() }
    }
}
