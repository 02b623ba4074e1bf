//! Analytic models: a few equations of a study, as functions. This module must never know a claim.
//!
//! A model takes settings by name and yields figures by name, as a program yields them, so that studies treat both
//! alike.

pub mod curves;
mod figure;
pub mod fixed_floating;

pub use figure::Figure;

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
