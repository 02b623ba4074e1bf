//! User-level protocols over the narrow waist: what programs share beyond sending messages.
//!
//! | protocol | what it does |
//! |---|---|
//! | [`Barrier`] | nobody leaves before everybody has come |
//!
//! A protocol is installed like a program, by the program that builds on it ([`tempest::Setup::install`]), and costs
//! what its messages cost. This room must never know which world runs it.

#![forbid(unsafe_code)]

mod barrier;

pub use barrier::Barrier;
