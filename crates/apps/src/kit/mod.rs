//! Helpers that several applications need. This module must never know any one of them.

mod division;
mod random;

pub(crate) use division::{Division, block, part_of};
pub(crate) use random::stream;
