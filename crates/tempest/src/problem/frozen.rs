//! Arrays that never change. This module must never know the values that are made of them.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bytemuck::Pod;
use segment::FrozenFile;

/// An array of plain data that never changes, in memory of this process or in a file that all processes of a host read. It is a slice to
/// its users, and a copy shares the memory.
///
/// ```
/// use tradewind_tempest::entry::Frozen;
///
/// let weights: Frozen<f64> = vec![0.5, 0.25].into();
/// assert_eq!(weights.iter().sum::<f64>(), 0.75);
/// ```
pub struct Frozen<T>(Storage<T>);

/// The memory of an array.
enum Storage<T> {
    Own(Arc<Vec<T>>),
    /// `len` bytes of the file from byte `at` on: whole elements, at an address that fits them.
    File {
        file: Arc<FrozenFile>,
        at: usize,
        len: usize,
    },
}

impl<T: Pod> Frozen<T> {
    /// The elements in `len` bytes of a file from byte `at` on. `None` if the file ends before the last, or these are no elements.
    pub(super) fn of_file(file: &Arc<FrozenFile>, at: u64, len: u64) -> Option<Self> {
        let (at, len) = (usize::try_from(at).ok()?, usize::try_from(len).ok()?);
        let bytes = file.bytes().get(at..at.checked_add(len)?)?;
        bytemuck::try_cast_slice::<u8, T>(bytes).ok()?;
        Some(Self(Storage::File { file: Arc::clone(file), at, len }))
    }
}

impl<T: Pod> Deref for Frozen<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Own(elements) => elements,
            // `of_file` has found elements there.
            Storage::File { file, at, len } => bytemuck::cast_slice(&file.bytes()[*at..*at + *len]),
        }
    }
}

impl<T> From<Vec<T>> for Frozen<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(Storage::Own(Arc::new(elements)))
    }
}

impl<T> FromIterator<T> for Frozen<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        elements.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T> Default for Frozen<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> Clone for Frozen<T> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Storage::Own(elements) => Storage::Own(Arc::clone(elements)),
            Storage::File { file, at, len } => Storage::File { file: Arc::clone(file), at: *at, len: *len },
        })
    }
}

impl<T: Pod + PartialEq> PartialEq for Frozen<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Frozen<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
