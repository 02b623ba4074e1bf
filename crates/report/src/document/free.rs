//! The free inputs in the document of `compare`. This module must never know the comparison that they belong to.

use compare::free;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::documented::{Documented, documented};
use super::way::Way;

/// Inputs of unknown value, and the cases in which every combination ran.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Free {
    /// The free inputs.
    pub inputs: Vec<FreeInput>,
    /// The cases, each with the value of every free input by its name. The tables show the first.
    pub cases: Vec<IndexMap<String, String>>,
}

/// An input of unknown value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FreeInput {
    /// The name, as in `--input NAME=…`.
    pub name: String,
    /// The values that were tried.
    pub values: Vec<String>,
    /// The values are the ends of a range, and perhaps one between them.
    pub range: bool,
}

/// A combination in all cases.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Band {
    /// The least ratio of its time to the best of the same case.
    ///
    /// Null if no case has all runs and a right answer.
    pub least: Option<f64>,
    /// The greatest such ratio.
    ///
    /// Null if no case has all runs and a right answer.
    pub greatest: Option<f64>,
    /// The ratio in each case. Null where it did not run, its answer was wrong, or another run of the case is missing.
    pub ratios: Vec<Option<f64>>,
    /// The time that counts in each case. Null where it did not run or its answer was wrong.
    pub times_ns: Vec<Option<f64>>,
}

/// The fate of a machine's ranking over all cases.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Fate {
    /// The fate for people.
    pub text: String,
    /// A combination is the best, or tied with the best, in every case.
    ///
    /// Null if there is one row, runs differ too much to tell, or a case lacks a run or has no right answer.
    pub survives: Option<bool>,
    /// The combinations that are the best in every case; empty unless `survives`, or if nothing is slower in any case.
    pub best: Vec<Way>,
    /// The best of each case: the fastest, and behind it the combinations that are tied with it; empty where a run is missing or no
    /// answer was right.
    pub cases: Vec<Vec<Way>>,
    /// The time that the next slower combination took longer than the fastest, in percent, in the case where that is least.
    ///
    /// Null unless `survives`, and where a case has no slower combination.
    pub at_least_percent: Option<f64>,
    /// The combinations that did not end well, gave a wrong answer or were refused in a case beside the first, unless the first case
    /// refuses them too. The exit is 1 if there is one.
    pub failed: Vec<FailedCase>,
}

/// A combination without a right answer in a case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FailedCase {
    /// The case, as its inputs with their values.
    pub case: String,
    /// The mechanism.
    pub mechanism: String,
    /// The policy.
    ///
    /// Null if the machine cannot have the mechanism under any.
    pub policy: Option<String>,
    /// The reason, for people.
    pub reason: String,
}

documented!(|it: free::FreeInput| FreeInput { name, values, range: it.is_range });

documented!(|it: free::Band| Band {
    least: it.ends().map(|(least, _)| least),
    greatest: it.ends().map(|(_, greatest)| greatest),
    ratios,
    times_ns: it.times.documented(),
});

impl From<&compare::Free> for Free {
    fn from(free: &compare::Free) -> Self {
        let names = || free.inputs.iter().map(|input| input.name.clone());
        let case = |values: &Vec<String>| names().zip(values.iter().cloned()).collect();
        Self { inputs: free.inputs.documented(), cases: free.cases.iter().map(case).collect() }
    }
}

#[cfg(feature = "command")]
impl Band {
    /// The ends of the ratios, as a table shows them, with a mark where a case has none.
    pub(crate) fn ends(&self) -> String {
        let mark = if self.ratios.iter().any(Option::is_none) { "?" } else { "" };
        let times = crate::quantity::times;
        self.least.zip(self.greatest).map_or_else(crate::table::dash, |(least, greatest)| {
            format!("{} .. {}{mark}", times(least), times(greatest))
        })
    }
}
