//! The inputs of fetch-add. This module must never know how a word is added to.

use tempest::entry::{FRAMES, Inputs};
use tempest::memory::Frames;

/// The inputs of fetch-add.
#[derive(Clone, Copy, PartialEq, Debug, Inputs)]
pub(super) struct Parameters {
    /// how many words there are
    #[input(default = 1024, range = 1..=1 << 24)]
    pub(super) words: u32,
    /// fetch&adds in all, shared out evenly among the threads
    #[input(default = 32000, range = 1..=100_000_000)]
    pub(super) operations: u32,
    /// requests that a thread has outstanding at most; with 1 it blocks for each reply
    #[input(default = 64, range = 1..=1 << 16, only = [Messages])]
    pub(super) window: u32,
    /// Zipf exponent s: the r-th most frequent word is chosen in proportion to r^-s; with 0 all alike
    #[input(default = 0, range = 0.0..=10.0, fact = "Zipf exponent")]
    pub(super) skew: f64,
    /// extra dependent integer steps of each request's handler
    #[input(name = "handler", default = 0, range = 0..=1_000_000, fact = "extra steps per handler")]
    pub(super) steps: u32,
    /// bytes from one word of a node to the next in shared memory, a power of two: below that of a block, words share it
    #[input(default = 128, range = 8..=4096, fact = "bytes between shared words", only = [SharedMemory])]
    pub(super) spacing: u32,
    #[input(like = FRAMES, fact = "room for pages of others")]
    pub(super) frames: Frames,
}
