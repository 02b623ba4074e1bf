//! Helpers that several applications need. This module must never know a particular application.

mod division;
mod lower_triangle;
#[cfg(test)]
pub(crate) mod matrices;
mod random;
pub(crate) mod rounding;
pub(crate) mod sorts;
mod verdict;

pub(crate) use division::{Division, block, one_for_each_thread, part_of};
pub use lower_triangle::LowerTriangle;
pub(crate) use lower_triangle::{stored_diagonal, strictly_lower};
pub(crate) use random::stream;
pub(crate) use verdict::Verdict;
