//! The limits of a request, and the name of the one machine without a file. This module must never know how a refusal reads.

/// The name of this host as a machine.
pub const NATIVE: &str = "native";

/// The most program threads that a run may have in all.
pub const MAX_THREADS: u32 = 1 << 20;

/// The largest size of an input file in bytes, 4 GiB: a device without end must not fill the memory.
pub const MAX_BYTES: u64 = 4 << 30;
