//! The verdict in the document of `compare`. This module must never find anything itself: verdicts are made in room `compare`.

use compare::verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::documented::documented;
use super::way::{Named, Way};
use crate::words;

/// The answer of a comparison in short.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The verdict for people.
    #[schemars(with = "String")]
    pub text: Sentences,
    /// The answer of each entry of `worlds` that has a right answer, in their order.
    pub tables: Vec<Answer>,
}

/// Sentences, the first of which has the answer. A document has them as one text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Sentences(pub Vec<String>);

impl From<Sentences> for String {
    fn from(sentences: Sentences) -> Self {
        sentences.0.join(" ")
    }
}

impl From<String> for Sentences {
    fn from(text: String) -> Self {
        Self(vec![text])
    }
}

/// The answer of one machine in one shape.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The machine and its file.
    #[serde(flatten)]
    pub on: Named,
    /// Nodes of the machine.
    pub nodes: u32,
    /// Processors of each node.
    pub processors: u32,
    /// The mechanism and the policy of the fastest row.
    pub fastest: Way,
    /// The best mechanism, each at its best.
    ///
    /// Null if all rows are of one mechanism.
    pub mechanism: Option<Lead>,
    /// The best policy by the fastest mechanism.
    ///
    /// Null if there is one only.
    pub policy: Option<Lead>,
    /// From 0 to 1: the share of the time that the operating system took from the rows with right answers that it `disturbed`, their
    /// mean.
    ///
    /// Null if it disturbed none.
    pub busy: Option<f64>,
}

/// The choice that is faster than others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Lead {
    /// The best, the fastest first: their times are close for sure.
    pub best: Vec<String>,
    /// Those that may be as good: their intervals leave room for a difference of more than 10 %, there were too few runs, or they are
    /// `disturbed`.
    pub unclear: Vec<String>,
    /// The fastest of those that are slower.
    ///
    /// Null if nothing is slower.
    pub next: Option<String>,
    /// The time that `next` took longer than the fastest, in percent: above 0.
    ///
    /// Null without `next`.
    pub percent: Option<f64>,
    /// The least that `percent` may be, for all that the intervals tell, where they do not tell it to within itself.
    ///
    /// Null if they do, on a model, and without `next`.
    pub at_least_percent: Option<f64>,
}

impl Verdict {
    /// The verdict of a comparison of this program.
    pub(super) fn new(program: &str, rankings: &[compare::Ranking]) -> Self {
        Self {
            text: Sentences(words::verdict(program, rankings)),
            tables: verdict::of(rankings).iter().map(Answer::from).collect(),
        }
    }
}

documented!(|it: compare::Verdict| Answer {
    on,
    nodes: it.shape.nodes,
    processors: it.shape.processors,
    fastest: it.way.documented(),
    mechanism,
    policy,
    busy,
});

documented!(|it: verdict::Lead| Lead {
    best,
    unclear,
    next: it.next.as_ref().map(|next| next.name.clone()),
    percent: it.next.as_ref().map(|next| percent(next.margin.ratio)),
    at_least_percent: it.next.as_ref().and_then(|next| next.margin.at_least).map(percent),
});

/// The excess of a time over another of this ratio, in percent.
pub(super) fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}
