//! Analytic models: a few equations of a study, as functions. This module must never know a claim.
//!
//! A model takes settings by name and yields figures by name, as a program yields them, so that studies treat both
//! alike.

pub mod curves;
pub mod fixed_floating;

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

/// Names of all models.
pub const NAMES: [&str; 1] = [fixed_floating::NAME];

/// The mistakes that [`figures`] tells, without the figures.
pub fn mistakes(name: &str, settings: &[(String, String)]) -> Vec<String> {
    match name {
        fixed_floating::NAME => fixed_floating::Node::with(settings).err().unwrap_or_default(),
        _ => vec![unknown(name)],
    }
}

fn unknown(name: &str) -> String {
    format!("unknown model `{name}`: expected {}", NAMES.join(", "))
}

/// The figures of a model by its name, with settings by name.
///
/// # Errors
///
/// A text for each mistake: no such model, no such setting, or a value that is no number.
pub fn figures(name: &str, settings: &[(String, String)]) -> Result<Vec<Figure>, Vec<String>> {
    match name {
        fixed_floating::NAME => Ok(fixed_floating::Node::with(settings)?.figures()),
        _ => Err(vec![unknown(name)]),
    }
}
