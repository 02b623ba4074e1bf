//! The documents of `claims` and `claims --ledger`. This module must never decide a verdict.

use std::fmt;

#[cfg(feature = "command")]
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Circumstances, Partial};

/// The document that `tradewind claims --json` prints. A claim that differs is a result: the exit stays 0.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Claims {
    /// The version of this document's form.
    pub version: u32,
    /// The mark that not every run was done.
    ///
    /// Null if every run was.
    pub partial: Option<Partial>,
    /// The circumstances of the first of their runs on this host.
    ///
    /// Null where none ran on this host: results of models depend on none of them.
    #[serde(default)]
    pub circumstances: Option<Circumstances>,
    /// Every claim under the prefixes, inputs included, in the order of the files, then bounds of studies; all of them
    /// if no prefix is given.
    pub claims: Vec<Claim>,
    /// Verdicts on results, for each study and kind of claim.
    pub summary: Vec<Summary>,
    /// Verdicts on results for each study and each basis: what it says of the model that a claim holds.
    pub score: Vec<Standing>,
    /// The distances of independent predictions from stated numbers, for each study.
    #[serde(default)]
    pub predictions: Vec<Predictions>,
    /// Verdicts on results that set a parameter, or may.
    pub fit: Counts,
    /// Verdicts on all other results.
    pub not_fit: Counts,
    /// Results with another verdict than `not measured`.
    pub measured: usize,
    /// Claims whose role is `result`, without illegible ones.
    pub results: usize,
    /// The number of runs that the claims needed, including runs whose results were on record already.
    pub runs: usize,
    /// Runs that yielded nothing; empty if all went well. The exit is 1 if there is one.
    pub failed_runs: Vec<FailedRun>,
}

/// A claim, compared with the measurement.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The name of the claim and of its metric.
    pub id: String,
    /// The table, figure or section of the literature that the claim stands in.
    #[serde(rename = "where")]
    pub place: String,
    /// `input`: the claim states a value that is configured. `result`: the claim states a result that runs should show.
    /// `bound`: likewise, but a study derived the claim and no paper states it.
    pub role: String,
    /// `value`, `ratio`, `order` or `shape`.
    pub kind: String,
    /// The claim in words.
    pub statement: String,
    /// The unit of `stated` and `measured`; empty if there is none.
    pub unit: String,
    /// The certainty of the transcription: `exact`, `derived`, `recalled`, `ocr-damaged`.
    pub confidence: String,
    /// The claim may set a parameter of a model.
    pub may_fit: bool,
    /// The claim may set a parameter, or has: a machine file or a study names it as the reason of a value.
    pub fixes: bool,
    /// The stated value is kept apart, so that the model predicts it blind.
    pub is_held_out: bool,
    /// The value stated: a number or a text.
    ///
    /// Null of orders and shapes, and where no value is known.
    pub stated: Option<Scalar>,
    /// How the measured value is to lie beside the stated one: `about`, `at least` or `at most`. Only a bound of a study states a limit.
    #[serde(default)]
    pub relation: Relation,
    /// The greatest distance from the stated value, beyond the limit of one, at which the claim holds, in its unit.
    ///
    /// Null where no number is stated, or no tolerance is set: nothing but the number itself will do.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// The measured value of the claim's metric. For an order or a shape without a metric: whether it was found.
    ///
    /// Null if not measured.
    pub measured: Option<Scalar>,
    /// The excess of the measured value over the stated one, as a share of the stated one; where 0 is stated, the
    /// difference.
    ///
    /// Null without two numbers.
    pub error: Option<f64>,
    /// `holds`, `differs`, `undecidable` (over the values of an input that the source leaves open, it holds at some and differs at
    /// others, or its number passes the stated one), `not measured`, `held out` (measured, but the stated value is kept apart),
    /// `unknown` (measured, but nobody knows the stated value), `unreadable` (the claim is illegible, and nothing could measure it) or
    /// `input` (the value is configured and not measured).
    pub verdict: String,
    /// The results at further values of inputs that the source leaves open; empty if none matters.
    #[serde(default)]
    pub band: Vec<Elsewhere>,
    /// The input files without which the claim cannot be measured, and which were not found; empty if none is missing.
    pub needs: Vec<String>,
    /// What it says of the model that the claim holds: `set` (the claim set a parameter, or may have), `follows` (it follows from numbers
    /// that were typed in, or from other claims), `repeated` (it is one with another claim that is counted), `substitute` (other programs
    /// answer for its own), `predicted`, `blind` (predicted while the stated value is kept apart) or `unknown` (its
    /// stated value is not known).
    ///
    /// Null of inputs, bounds and illegible claims.
    pub basis: Option<String>,
    /// The reason why the evaluated expression expresses the claim, or the reason of a file's declaration: why it follows from typed
    /// numbers though no expression shows it, which programs answer for its own, or why it is illegible.
    ///
    /// Null if neither is so.
    pub because: Option<String>,
    /// The cause of the difference, as it was found with counters of the runs.
    ///
    /// Null of a claim that does not differ, and where nobody knows the cause.
    pub cause: Option<String>,
}

/// The result of a claim at a further value of an input that its source leaves open.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Elsewhere {
    /// The open input, in words.
    pub open: String,
    /// The value of the input.
    pub at: String,
    /// The measured value there.
    ///
    /// Null if not measured.
    pub measured: Option<Scalar>,
    /// The verdict there.
    pub verdict: String,
}

/// How a measured value is to lie beside a stated one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Relation {
    /// As near as the tolerance asks.
    #[default]
    #[serde(rename = "about")]
    About,
    /// No lower.
    #[serde(rename = "at least")]
    AtLeast,
    /// No higher.
    #[serde(rename = "at most")]
    AtMost,
}

/// A number, a flag or a text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// Whether something was found.
    Flag(bool),
    /// A text.
    Text(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Verdicts on the claims of one kind of one study.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The first part of the claims' ids.
    pub study: String,
    /// The kind of the claims.
    pub kind: String,
    /// How often each verdict was given.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Verdicts on the results of one basis of one study.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The first part of the claims' ids.
    pub study: String,
    /// What it says of the model that such a claim holds, as a claim's `basis`.
    pub basis: String,
    /// How often each verdict was given.
    #[serde(flatten)]
    pub counts: Counts,
}

/// The distances of a study's independent predictions from the numbers that their claims state: of claims with the basis `predicted`,
/// a stated number other than 0 and a measured one, whose verdict is `holds` or `differs`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Predictions {
    /// The first part of the claims' ids.
    pub study: String,
    /// The number of such claims.
    pub numbers: usize,
    /// Claims of them whose measured value lies within 5 % of the stated one.
    pub within_5: usize,
    /// Claims of them whose measured value lies within 15 % of the stated one.
    pub within_15: usize,
}

/// How often each verdict was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Claims that hold.
    pub holds: usize,
    /// Claims that differ.
    pub differs: usize,
    /// Claims with a result that depends on the value of an input that their source leaves open: they hold at some values and differ at
    /// others, or their number passes the stated one.
    #[serde(default)]
    pub undecidable: usize,
    /// Claims that were not measured.
    pub not_measured: usize,
    /// Claims that were measured while their stated value is kept apart.
    pub held_out: usize,
    /// Claims that were measured and have no known stated value.
    pub unknown: usize,
}

impl Counts {
    /// The counts of these claims.
    pub fn of<'c>(claims: impl Iterator<Item = &'c Claim>) -> Self {
        let mut counts = Self::default();
        for claim in claims {
            match claim.verdict.as_str() {
                "holds" => counts.holds += 1,
                "differs" => counts.differs += 1,
                "undecidable" => counts.undecidable += 1,
                "not measured" => counts.not_measured += 1,
                "held out" => counts.held_out += 1,
                "unknown" => counts.unknown += 1,
                _ => {}
            }
        }
        counts
    }

    /// The counts of two groups of claims together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            holds: self.holds + other.holds,
            differs: self.differs + other.differs,
            undecidable: self.undecidable + other.undecidable,
            not_measured: self.not_measured + other.not_measured,
            held_out: self.held_out + other.held_out,
            unknown: self.unknown + other.unknown,
        }
    }

    /// Claims that were measured.
    pub fn measured(self) -> usize {
        self.holds + self.differs + self.undecidable + self.held_out + self.unknown
    }

    /// All claims with one of the verdicts.
    pub fn all(self) -> usize {
        self.measured() + self.not_measured
    }
}

/// A run that yielded nothing.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FailedRun {
    /// The study that asked for the run.
    pub study: String,
    /// The command line of the run.
    pub command: String,
    /// The error text of the run.
    pub said: String,
}

#[cfg(feature = "command")]
impl FailedRun {
    /// The first run of each reason, in their order, and the number of others that failed with the same words.
    pub(crate) fn by_reason(runs: &[Self]) -> Vec<(&Self, u64)> {
        let mut reasons: IndexMap<&str, (&Self, u64)> = IndexMap::new();
        for run in runs {
            reasons.entry(&run.said).and_modify(|(_, others)| *others += 1).or_insert((run, 0));
        }
        reasons.into_values().collect()
    }
}

/// The document that `tradewind claims --ledger --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    /// The version of this document's form.
    pub version: u32,
    /// The mark that not every run was done.
    ///
    /// Null if every run was.
    pub partial: Option<Partial>,
    /// Every modelled machine that a study runs on, by name.
    pub machines: Vec<FixedMachine>,
    /// The studies with inputs that claims fixed, or that the source of the claims leaves open.
    #[serde(default)]
    pub studies: Vec<FreeStudy>,
    /// Runs that yielded nothing; empty if all went well. The exit is 1 if there is one.
    pub failed_runs: Vec<FailedRun>,
}

/// The values of a modelled machine that nobody published, and how well claims hold on the machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FixedMachine {
    /// The machine's name.
    pub machine: String,
    /// Values of the machine file that nobody published.
    pub parameters: Vec<Parameter>,
    /// The score of claims that fixed a value of the machine.
    pub fixing: Score,
    /// The score of all other claims that were measured on the machine.
    pub fixing_nothing: Score,
}

/// The inputs of a study's runs that claims fixed, or that are open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FreeStudy {
    /// The study.
    pub study: String,
    /// Ids of the claims that fixed inputs of its runs.
    pub fixed_by: Vec<String>,
    /// Inputs that the source of the claims leaves open.
    pub open: Vec<OpenInput>,
}

/// An input that the source of the claims leaves open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenInput {
    /// The input, in words.
    pub input: String,
    /// The further values at which the claims are held, beside that of the study's own runs.
    pub at: Vec<String>,
    /// The reason why it is open.
    pub because: String,
}

/// A value that nobody published.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// The value's dotted key.
    pub key: String,
    /// The value, as written.
    pub value: String,
    /// The line of the value.
    ///
    /// Null if the value is from a file that the machine extends and that has none.
    pub line: Option<usize>,
    /// Ids of the claims that fixed the value.
    ///
    /// Null if the value was chosen.
    pub fixed_by: Option<Vec<String>>,
    /// The reason for the choice, as the file gives it.
    ///
    /// Null if claims fixed the value.
    pub choice: Option<String>,
}

/// The number of claims that hold, the number of claims that hold or differ, and the number of undecidable claims.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Claims that hold.
    pub holds: usize,
    /// Claims with a stated value that hold or differ.
    pub of: usize,
    /// Further claims with a stated value, which the value of an open input decides.
    #[serde(default)]
    pub undecidable: usize,
}
