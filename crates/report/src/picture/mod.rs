//! Documents as pictures. This module must never know how a picture is drawn.

mod agreement;
mod comparison;
mod insight;
mod machine;
mod map;
mod model;
mod run;
mod spent;
mod study;
mod trip;
mod ways;

pub use agreement::agreement;
pub(crate) use agreement::label as basis_label;
pub use comparison::comparison;
pub use machine::machine;
pub use map::policies;
pub use model::fixed_floating;
pub use run::run;
pub use spent::{time, volume};
pub(crate) use study::source;
pub use study::study;
pub use trip::message;
pub use ways::{events, mechanisms, volumes};
