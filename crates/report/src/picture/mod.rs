//! What commands found, as pictures. This module must never know how a picture is drawn.

mod model;
mod run;

pub use model::fixed_floating;
pub use run::run;
