//! What commands found, as pictures. This module must never know how a picture is drawn.

mod comparison;
mod model;
mod run;
mod study;

pub use comparison::comparison;
pub use model::fixed_floating;
pub use run::run;
pub use study::study;
