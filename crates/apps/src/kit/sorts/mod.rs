//! The parts that several sorting programs share: the keys, the sort of one thread's keys, merges, sums of counts over threads, and the
//! comparison of the result with a sequential sort.
//!
//! | module | content |
//! |---|---|
//! | `keys` | the keys that are drawn, and their order |
//! | `verdict` | the comparison of each thread's keys with the expected ones |
//! | `local` | the sort of the keys of one thread |
//! | `merging` | the lower or the upper half of two sorted blocks |
//! | `private` | sort and merges of keys in private memory |
//! | `ranks` | sums of counts over threads and values: where each thread's first key of a value goes |
//! | `work` | the work that a model charges for it |
//!
//! This module must never know how keys travel, nor any one program.

mod keys;
mod local;
mod merging;
mod private;
mod ranks;
mod verdict;
pub(crate) mod work;

pub(crate) use keys::{Digit, Keys};
pub(crate) use local::sort;
pub(crate) use merging::{Half, Merge};
pub(crate) use private::PrivateKeys;
pub(crate) use ranks::Ranks;
pub(crate) use verdict::{compare, report};
