//! The processors of the machine: their activity, their clocks, the breakdown of their time, and their threads.
//!
//! This module must never know which event comes next, nor the meaning of a message.

pub(crate) mod clock;
pub(crate) mod core;
pub(crate) mod ledger;
pub(crate) mod looks;
pub(crate) mod service;
pub(crate) mod threads;
