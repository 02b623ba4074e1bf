//! The document of `study`. This module must never know how a number is measured.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::circumstances::Circumstances;
use super::claims::{Claim, FailedRun};
use super::partial::Partial;
use super::run::Volume;
use super::spent::Breakdown;

/// The document that `tradewind study --json` prints, and writes as `study.json`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Study {
    /// The version of this document's form.
    pub version: u32,
    /// The reason why runs are missing.
    ///
    /// Null where everything was run.
    pub partial: Option<Partial>,
    /// The circumstances of the first of its runs on this host.
    ///
    /// Null where none ran on this host: results of models depend on none of them.
    #[serde(default)]
    pub circumstances: Option<Circumstances>,
    /// The study's name.
    pub study: String,
    /// One line for people.
    pub summary: String,
    /// The file of the study; of a shipped study, its path in the repository.
    pub file: String,
    /// The number of runs, those among them whose results were on record already.
    pub runs: usize,
    /// Runs that yielded nothing; empty if all went well. The exit is 1 if there is one.
    pub failed_runs: Vec<FailedRun>,
    /// A table for each `[[run]]`, `[[model]]` and `[[survey]]` of the file.
    pub tables: Vec<StudyTable>,
    /// Metrics by name, measured and derived.
    pub metrics: IndexMap<String, f64>,
    /// The metrics among them that follow from others.
    #[serde(default)]
    pub derived: Vec<StudyDerived>,
    /// Orders and shapes that the study checks.
    pub checks: Vec<Check>,
    /// What the study's metrics should come to by its own reasons.
    #[serde(default)]
    pub bounds: Vec<Claim>,
    /// The study's figures with their points.
    pub figures: Vec<Figure>,
    /// What the models of the study leave out, a sentence each.
    #[serde(default)]
    pub leaves_out: Vec<String>,
}

/// The runs of one `[[run]]`, or what one `[[model]]` or `[[survey]]` yields.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StudyTable {
    /// The names of what is stated of each row: axes of the study first, then what is the same in all rows.
    pub fields: Vec<String>,
    /// The numbers of each row.
    pub columns: Vec<StudyColumn>,
    /// The rows, in the order of the study.
    pub rows: Vec<StudyRow>,
    /// The numbers over all values of the free axes.
    ///
    /// Null without `free` in the file.
    #[serde(default)]
    pub free: Option<StudyFree>,
}

/// The numbers of a table over axes of unknown value.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StudyFree {
    /// The free axes with their values.
    pub axes: IndexMap<String, Vec<String>>,
    /// The bands of rows that differ in free axes alone.
    pub bands: Vec<StudyBand>,
    /// The fate of each ranking by time: of rows that differ in free axes, in `mechanism` and in `policy` alone.
    pub fates: Vec<StudyFate>,
}

/// Rows that differ in free axes alone.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StudyBand {
    /// The stated values of all these rows.
    pub fields: IndexMap<String, String>,
    /// The band of each number, by the names of `columns`. Null where none was measured.
    pub numbers: IndexMap<String, Option<StudyEnds>>,
}

/// A band of a number.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StudyEnds {
    /// The least median.
    pub least: f64,
    /// The greatest median.
    pub greatest: f64,
    /// Rows of the band without the number.
    pub missing: usize,
}

/// The fate of a ranking over all values of the free axes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StudyFate {
    /// The stated values of all ranked rows.
    pub fields: IndexMap<String, String>,
    /// The fate for people.
    pub text: String,
    /// A mechanism and policy is the best, or tied with the best, at all values.
    ///
    /// Null if there is no choice, runs differ too much to tell, or a run is missing.
    pub survives: Option<bool>,
}

/// A number that each row has.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StudyColumn {
    /// The name of the number in the study.
    pub name: String,
    /// The unit; empty for pure numbers.
    pub unit: String,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StudyRow {
    /// What is stated of the run, by the names of `fields`, and `procs`: the processors of each node that computed, and behind `+` the
    /// others.
    pub fields: IndexMap<String, String>,
    /// The number of rounds that the numbers are of; 0 where there is no result. More than 1 on this host alone.
    pub rounds: u32,
    /// `local` (this host, all nodes in one process), `processes` (this host, nodes in processes of their own) or `model`.
    ///
    /// Null where nothing ran.
    #[serde(default)]
    pub world: Option<String>,
    /// The run had more processors than this host has cores, so that times mean little; false on a model.
    pub oversubscribed: bool,
    /// The numbers, by the names of `columns`. Null where one was not measured.
    pub numbers: IndexMap<String, Option<StudyNumber>>,
    /// The time from the beginning to the end of the first timed region of the first round, or of the whole run if there is no such
    /// region.
    ///
    /// Null where nothing ran.
    #[serde(default)]
    pub time_ns: Option<f64>,
    /// The time of the computing processors, split by what they spent it on: of the first timed region of the first round, or of the
    /// whole run if there is no such region.
    ///
    /// Null where nothing ran.
    pub breakdown_ns: Option<Breakdown>,
    /// The bytes sent, by purpose, in the same region.
    ///
    /// Null where nothing ran.
    pub volume_bytes: Option<Volume>,
}

/// A number, as often as it was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StudyNumber {
    /// The median of the rounds.
    pub median: f64,
    /// The confidence interval of the median.
    ///
    /// Null of one round.
    pub interval: Option<Bounds>,
    /// The number of each round, in the order of measurement.
    pub samples: Vec<f64>,
}

/// A confidence interval of a median.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability with which an interval that is made so encloses the median, whatever the distribution: 0.95 or more, less
    /// with fewer than six rounds.
    pub level: f64,
}

/// An order or a shape.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The id of the claim that it decides, or its name.
    pub claim: String,
    /// Whether it was found.
    ///
    /// Null where a metric that it needs was not measured.
    pub holds: Option<bool>,
    /// The reason why the expressions express the claim.
    pub because: String,
    /// The expressions, all of which must hold.
    #[serde(default)]
    pub parts: Vec<CheckPart>,
}

/// An expression of a check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckPart {
    /// The expression.
    pub expression: String,
    /// Whether it holds.
    ///
    /// Null where a metric that it needs was not measured.
    pub holds: Option<bool>,
    /// The values of the metrics in it. Null where one was not measured.
    pub metrics: IndexMap<String, Option<f64>>,
}

/// A metric that follows from others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StudyDerived {
    /// The name of the metric.
    pub metric: String,
    /// The expression that it follows by.
    pub expression: String,
    /// The value.
    ///
    /// Null where a metric that it needs was not measured.
    pub value: Option<f64>,
    /// The reason why the expression is what the claim of this name states.
    pub because: String,
}

/// A figure with its points.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The figure's name in the study; its file is `NAME.svg`.
    pub name: String,
    /// What the figure shows, in one line.
    pub title: String,
    /// What goes across.
    pub x: FigureAxis,
    /// What goes up.
    pub y: FigureAxis,
    /// Small pictures side by side.
    pub panels: Vec<FigurePanel>,
    /// Values of the axis that goes up, for comparison.
    pub levels: Vec<FigureLevel>,
}

/// An axis of a figure.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FigureAxis {
    /// What stands along the axis.
    pub label: String,
    /// The unit; empty for pure numbers.
    pub unit: String,
    /// `linear` or `log`.
    pub scale: String,
    /// The number at which the axis of a figure of lines begins.
    ///
    /// Null if the study leaves that to whoever draws the figure.
    pub from: Option<f64>,
    /// The number at which the axis of a figure of lines ends.
    ///
    /// Null if the study leaves that to whoever draws the figure.
    pub to: Option<f64>,
}

/// A part of a figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FigurePanel {
    /// What tells the panel from the others; empty if it is the only one.
    pub title: String,
    /// The series, each label once.
    pub series: Vec<FigureSeries>,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FigureSeries {
    /// What tells the series from the others; empty if it is the only one.
    pub label: String,
    /// The points.
    pub points: Vec<FigurePoint>,
}

/// A point of a figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FigurePoint {
    /// Where the point stands across: a number, or the name of a bar.
    pub x: super::claims::Scalar,
    /// How high it stands.
    ///
    /// Null where nothing was measured.
    pub y: Option<StudyNumber>,
    /// The height that a claim of the literature states.
    ///
    /// Null where none does, or keeps it apart, and in a study of a person's own.
    #[serde(default)]
    pub stated: Option<f64>,
}

/// A value of the axis that goes up, for comparison.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FigureLevel {
    /// The value.
    pub at: f64,
    /// What it means.
    pub label: String,
}
