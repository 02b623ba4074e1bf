//! A number that a model yields. This module must never know a model.

/// A number that a model yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name of the figure.
    pub name: &'static str,
    /// Value of the figure; `None` if there is none, for example for an empty window.
    pub value: Option<f64>,
    /// Unit of the value; empty for ratios and shares.
    pub unit: &'static str,
    /// A one-line description for people.
    pub meaning: &'static str,
}
