//! The places of a node's shared memory in its file, as plain data for other processes. This module must never know how they
//! reach another process.

/// The places, in the file of a node, of the memory that other nodes access.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exports {
    /// The segments, by segment number.
    pub segments: Vec<ExportedSegment>,
    /// The place of the words of shared memory; `None` if the program has no shared memory.
    pub blocks: Option<u64>,
}

/// The places, in the file of a node, of its part of a segment and of the count of deposits there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportedSegment {
    /// The place of the first word of the part.
    pub words: u64,
    /// The number of words of the part.
    pub len: u64,
    /// The place of the words that count deposits into the part.
    pub count: u64,
}
