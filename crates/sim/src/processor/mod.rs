//! The processors of the machine: what each does, its clock, where its time went, and its threads.
//!
//! Must never know which event comes next, nor what a message means.

pub(crate) mod core;
pub(crate) mod ready;
pub(crate) mod threads;
