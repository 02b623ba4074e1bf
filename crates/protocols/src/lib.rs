//! User-level protocols over the narrow waist: the services that programs share beyond sending messages.
//!
//! | protocol | service |
//! |---|---|
//! | [`Barrier`], [`sync`] | threads wait for each other: barriers, reductions, broadcasts |
//! | [`SplitPhase`](split_phase::SplitPhase) | reads, writes, gets, puts, stores and procedures in a global address space |
//! | [`stache`] | shared memory: remote blocks cached in the nodes' own memory, kept coherent by a directory |
//!
//! A protocol is installed by the program that builds on it ([`tempest::Setup::install`]), in the same way as a program. It costs
//! as much as its messages. This room must never know which world runs it.

#![forbid(unsafe_code)]

pub mod split_phase;
pub mod stache;
pub mod sync;

pub use sync::Barrier;

/// Coherence protocols of shared memory among which a run can choose. The first is the default.
pub static COHERENCE: &[tempest::entry::Coherence] =
    &[stache::STACHE, stache::STACHE_UNORDERED, stache::STACHE_MIGRATING];
