//! Stands in for the library's `words`: the same names, of atomics as `loom` sees them.

use std::ops::Deref;
use std::sync::Arc;

use crate::sync::{AtomicU32, AtomicU64};

/// Words that two nodes access. A clone shows the same words.
#[derive(Clone)]
pub(crate) struct SharedWords(Arc<[AtomicU64]>);

impl Deref for SharedWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}

/// The words of a parker.
pub(crate) type ParkerWords = Arc<[AtomicU32; 3]>;

/// Makes the words of a parker, zero at first.
pub(crate) fn parker_words() -> ParkerWords {
    Arc::default()
}

/// Makes two stretches of words, zero at first.
pub(crate) fn words(lens: [usize; 2]) -> [SharedWords; 2] {
    lens.map(|len| SharedWords((0..len).map(|_| AtomicU64::default()).collect()))
}
