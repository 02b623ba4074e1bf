//! The limits of a request. This module must never know how a refusal reads.

/// The most program threads that a run may have in all.
pub const MAX_THREADS: u32 = 1 << 20;

/// The largest size in bytes of a file that a program writes, 256 MiB: an input file, or the results of a study. It is six times the
/// largest matrix of the Harwell-Boeing collection.
pub const MAX_BYTES: u64 = 256 << 20;

/// The largest size in bytes of a file that a person writes, 1 MiB: a machine file, a claims file, a study, a litmus test.
pub const MAX_TEXT_BYTES: u64 = 1 << 20;

/// The most bytes that are read from a pipe, 32 MiB: its length is known only when it has been read.
pub(crate) const MAX_PIPE_BYTES: u64 = 32 << 20;
