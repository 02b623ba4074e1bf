//! The document of `list`. This module must never know what there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `tradewind list --json` prints: the sections asked for, or all but `claims`. A section that nobody asked for is left
/// out.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct List {
    /// The version of this document's form.
    pub version: u32,
    /// Machines.
    ///
    /// Null never; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<Vec<Item>>,
    /// Programs.
    ///
    /// Null never; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programs: Option<Vec<Program>>,
    /// Policies.
    ///
    /// Null never; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policies: Option<Vec<Policy>>,
    /// Mechanisms.
    ///
    /// Null never; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanisms: Option<Vec<Item>>,
    /// Studies.
    ///
    /// Null never; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub studies: Option<Vec<Item>>,
    /// Claims.
    ///
    /// Null never; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<Item>>,
}

/// One thing that there is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// As the command line takes it.
    pub name: String,
    /// One line for people.
    pub summary: String,
}

/// A program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// As the command line takes it.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// What the program can be told.
    pub inputs: Vec<Input>,
}

/// An input of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// `--input KEY=…`.
    pub key: String,
    /// Its value when nobody says.
    pub default: String,
    /// What may stand there, with its range, for people.
    pub kind: String,
    /// One line for people.
    pub meaning: String,
}

/// A policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    /// As the command line takes it; a policy that takes a number is written `fixed:COUNT`.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// What the machine must be able to do, in the words of a machine file's `can`.
    pub needs: Vec<String>,
}
