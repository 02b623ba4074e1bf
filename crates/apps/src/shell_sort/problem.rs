//! The inputs of shell-sort.
//!
//! This module must never know how keys travel.

use tempest::entry::Inputs;

/// The inputs of shell-sort.
#[derive(Clone, Copy, Debug, Inputs)]
pub(super) struct Options {
    /// keys of 4 bytes; the study of global addresses has 16777216 on 16 nodes and 4194304 on 8
    #[input(default = 16384, range = 1..=1 << 26)]
    pub(super) keys: u32,
    /// bits of a key
    #[input(default = 31, range = 1..=31)]
    pub(super) bits: u32,
    /// keys that a thread reads of its partner at a time
    #[input(default = 256, range = 1..=1 << 20)]
    pub(super) piece: u32,
}
