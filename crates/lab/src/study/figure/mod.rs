//! Pictures of a study's numbers, as its file states them. This module must never know a number, nor how a picture looks.
//!
//! A figure takes its points from runs, a point for each, or from metrics, whose `*` is the coordinate across.

mod check;
mod picture;
mod read;

pub(super) use check::check;
pub(crate) use picture::quantity;
pub use picture::{Coordinate, Figure, Level, Lines, Scale, Series};
pub(super) use read::{figure, labels};
