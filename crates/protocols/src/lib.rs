//! User-level protocols over the narrow waist: what programs share beyond sending messages.
//!
//! | protocol | what it does |
//! |---|---|
//! | [`Barrier`], [`sync`] | threads wait for each other: barriers, reductions, broadcasts |
//! | [`SplitPhase`](split_phase::SplitPhase) | reads, writes, gets, puts, stores and procedures in a global address space |
//! | [`stache`] | shared memory: remote blocks cached in the nodes' own memory, kept coherent by a directory |
//!
//! A protocol is installed like a program, by the program that builds on it ([`tempest::Setup::install`]), and costs
//! what its messages cost. This room must never know which world runs it.

#![forbid(unsafe_code)]

pub mod split_phase;
pub mod stache;
pub mod sync;

pub use sync::Barrier;

/// The protocols that keep shared memory coherent; the first is used unless a person says another.
pub static COHERENCE: &[tempest::entry::Coherence] =
    &[stache::STACHE, stache::STACHE_UNORDERED, stache::STACHE_MIGRATING];
