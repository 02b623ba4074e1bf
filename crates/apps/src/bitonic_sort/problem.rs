//! The inputs of bitonic-sort.
//!
//! This module must never know how keys travel.

use tempest::entry::Inputs;

/// The inputs of bitonic-sort.
#[derive(Clone, Copy, Debug, Inputs)]
pub(super) struct Options {
    /// keys of 4 bytes; the study of global addresses has 8388608
    #[input(default = 16384, range = 1..=1 << 26)]
    pub(super) keys: u32,
    /// bits of a key
    #[input(default = 31, range = 1..=31)]
    pub(super) bits: u32,
}
