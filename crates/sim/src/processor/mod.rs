//! The processors of the machine: what each does, its clock, where its time went, and its threads.
//!
//! Must never know which event comes next, nor what a message means.

pub(crate) mod clock;
pub(crate) mod core;
pub(crate) mod ledger;
pub(crate) mod looks;
pub(crate) mod service;
pub(crate) mod threads;
