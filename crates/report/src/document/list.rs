//! The document of `list`. This module must never know what there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document that `tradewind list --json` prints: the sections asked for, or all but `claims` if none was asked for. Other
/// sections are left out.
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
    /// The name, as the command line takes it.
    pub name: String,
    /// One line for people.
    pub summary: String,
}

/// A program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// The name, as the command line takes it.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// The values that a person may set for the program with `--input`.
    pub inputs: Vec<Input>,
}

/// A value that a person may set for a program with `--input`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The key of the input, as in `--input KEY=…`.
    pub key: String,
    /// The value of the input where none is given.
    pub default: String,
    /// The values that the input takes, in words, such as `an integer from 1 to 100`.
    pub kind: String,
    /// One line for people.
    pub meaning: String,
    /// The mechanisms by which the program heeds the input; empty if it always does.
    pub mechanisms: Vec<String>,
    /// The values that sources leave open, as `compare --free` takes them.
    ///
    /// Null if the program states none.
    #[serde(default)]
    pub free: Option<String>,
}

/// A policy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    /// The name, as the command line takes it; a policy that takes a number is written `fixed:COUNT`.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// The abilities that a machine must have, in the words of a machine file's `can`.
    pub needs: Vec<String>,
}
