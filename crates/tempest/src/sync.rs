//! The atomics and locks of the modules that a model checker runs: `event`, and `tags` and `faults` of `memory`.
//!
//! In the library they are `std`'s. A build for the model checker compiles the same source with the checker's
//! instrumented types in place of this module. It also turns on deliberate bugs, which the source names by
//! [`mutated!`], and the checker must notice each. The library has no such switch: the macro is `false`.

pub(crate) use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

use std::io;
use std::sync::Arc;

use ::segment::{Form, Mapping, MemorySource, Pages, SharedFile, Width};

/// Number of lists of pending access faults on a node: block `b` uses list `b % FAULT_LISTS`. A build for the model
/// checker has fewer.
pub(crate) const FAULT_LISTS: usize = 64;

/// The access tags of all blocks of shared memory on a node, one byte each.
pub(crate) type TagCells = ::segment::Words<AtomicU8>;

/// The words of an open event, which other nodes access too.
pub(crate) type TallyWords = ::segment::Words<AtomicU64>;

/// Makes the words of an open event, zero at first, in memory from `source`. They stand on cache lines of their own:
/// additions of other nodes must not slow accesses to the neighbouring data.
pub(crate) fn tally_words(source: &MemorySource) -> TallyWords {
    tally_words_in(source.mapping([tally_form()], Pages::Usual))
}

/// The words of an open event of another node, which begin at byte `at` of that node's `file`.
///
/// # Errors
/// If no such words lie in the file.
pub(crate) fn tally_words_of_peer(file: &SharedFile, at: u64) -> io::Result<TallyWords> {
    file.map(at, [tally_form()]).map(tally_words_in)
}

fn tally_words_in(mapping: Mapping) -> TallyWords {
    Arc::new(mapping).words(0).expect("the mapping is of words of 8 bytes")
}

fn tally_form() -> (Form, usize) {
    (Form::elements(Width::Eight), TALLY_BYTES)
}

/// Size of the words of an open event in bytes: a pair of cache lines.
const TALLY_BYTES: usize = 128;

/// Whether a model checker has turned on the deliberate bug called `$fault`: always `false` in the library.
macro_rules! mutated {
    ($fault:literal) => {
        false
    };
}
pub(crate) use mutated;
