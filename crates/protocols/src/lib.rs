//! User-level protocols over the narrow waist: what programs share beyond sending messages.
//!
//! | protocol | what it does |
//! |---|---|
//! | [`Barrier`] | nobody leaves before everybody has come |
//! | [`SplitPhase`](split_phase::SplitPhase) | reads, writes, gets, puts, stores and procedures in a global address space |
//!
//! A protocol is installed like a program, by the program that builds on it ([`tempest::Setup::install`]), and costs
//! what its messages cost. This room must never know which world runs it.

#![forbid(unsafe_code)]

mod barrier;
pub mod split_phase;

pub use barrier::Barrier;
