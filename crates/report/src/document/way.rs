//! Machines and combinations by their names, as the documents of comparisons have them. This module must never know what was measured.

use compare::agreement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::documented::documented;

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

documented!(|it: compare::Machine| Named { machine: it.name.clone(), machine_file: it.file.clone() });
documented!(|it: agreement::Name| Named { machine, machine_file: it.file.clone() });
documented!(|it: compare::Way| Way { mechanism, policy });
