//! Values that are made of arrays, and their way to a file and back.
//!
//! The file has the arrays, each at a multiple of 64, and behind them its *index*: of each value the number of its arrays, and for each
//! array the place of its first byte and its number of bytes. The last two words of the file are the place of the index and its number of
//! words. Writer and reader are the same executable.
//!
//! This module must never know the names of values.

use std::io;
use std::sync::Arc;

use bytemuck::Pod;
use segment::{FrozenFile, FrozenWriter};

use super::Frozen;

/// A value that is made of plain numbers and [arrays](Frozen), so that a process of the host can read it out of the memory of another.
/// [`portable!`](crate::entry::portable) implements it for a structure of such values.
///
/// ```
/// use tradewind_tempest::entry::{Frozen, portable};
///
/// /// A graph: vertex `v` has the neighbours `first[v]..first[v + 1]`.
/// struct Graph {
///     seed: u64,
///     first: Frozen<u32>,
///     neighbours: Frozen<u32>,
/// }
///
/// portable!(Graph { seed, first, neighbours });
/// ```
pub trait Portable: Sized {
    /// Writes the value.
    ///
    /// # Errors
    /// If the system has no room for it.
    fn pack(&self, to: &mut Packer) -> io::Result<()>;

    /// Reads the value that [`pack`](Self::pack) has written; `None` if another value was written.
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

/// Implements [`Portable`](crate::entry::Portable) for a structure by all of its fields, in order.
#[doc(hidden)]
#[macro_export]
macro_rules! __portable {
    ($of:ident { $($field:ident),* $(,)? }) => {
        impl $crate::entry::Portable for $of {
            fn pack(&self, to: &mut $crate::entry::Packer) -> ::std::io::Result<()> {
                let Self { $($field),* } = self;
                $($crate::entry::Portable::pack($field, to)?;)*
                Ok(())
            }
            fn unpack(from: &mut $crate::entry::Unpacker<'_>) -> Option<Self> {
                Some(Self { $($field: $crate::entry::Portable::unpack(from)?),* })
            }
        }
    };
}
#[doc(inline)]
pub use crate::__portable as portable;

impl<T: Pod> Portable for Frozen<T> {
    fn pack(&self, to: &mut Packer) -> io::Result<()> {
        to.array(self)
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.array()
    }
}

/// Writes a number as an array of one element.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Portable for $number {
            fn pack(&self, to: &mut Packer) -> io::Result<()> {
                to.array(&[*self])
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.array()?.first().copied()
            }
        }
    )*};
}

numbers!(u32, u64, f64);

impl<P: Portable> Portable for Arc<P> {
    fn pack(&self, to: &mut Packer) -> io::Result<()> {
        (**self).pack(to)
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        P::unpack(from).map(Self::new)
    }
}

impl<P: Portable> Portable for [P; 2] {
    fn pack(&self, to: &mut Packer) -> io::Result<()> {
        self.iter().try_for_each(|one| one.pack(to))
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some([P::unpack(from)?, P::unpack(from)?])
    }
}

/// A file of values that is still written.
#[derive(Debug)]
pub struct Packer {
    writer: FrozenWriter,
    index: Vec<u64>,
    /// The place in the index of the present value's number of arrays.
    head: usize,
}

impl Packer {
    /// An empty file.
    ///
    /// # Errors
    /// If the system refuses the file.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { writer: FrozenWriter::new()?, index: Vec::new(), head: 0 })
    }

    /// Begins the next value.
    pub(super) fn begin(&mut self) {
        self.head = self.index.len();
        self.index.push(0);
    }

    /// Writes an array of the present value.
    ///
    /// # Errors
    /// If the system has no room for it.
    pub fn array<T: Pod>(&mut self, elements: &[T]) -> io::Result<()> {
        let bytes = bytemuck::cast_slice::<T, u8>(elements);
        let at = self.writer.piece(bytes)?;
        self.index.extend([at, bytes.len() as u64]);
        self.index[self.head] += 1;
        Ok(())
    }

    /// The complete file.
    ///
    /// # Errors
    /// If the system has no room for the index, or does not seal the file.
    pub(super) fn finish(mut self) -> io::Result<FrozenFile> {
        let at = self.writer.piece(bytemuck::cast_slice(&self.index))?;
        self.writer.piece(bytemuck::cast_slice(&[at, self.index.len() as u64]))?;
        self.writer.freeze()
    }
}

/// The arrays of one value in a file.
#[derive(Debug)]
pub struct Unpacker<'a> {
    file: &'a Arc<FrozenFile>,
    /// The place and the number of bytes of each array that is left.
    arrays: &'a [[u64; 2]],
}

impl<'a> Unpacker<'a> {
    /// The values of a file. A file that ends before its index has none.
    pub(super) fn all(file: &'a Arc<FrozenFile>) -> impl Iterator<Item = Self> {
        let mut rest = index(file).unwrap_or_default();
        std::iter::from_fn(move || {
            let (&count, arrays) = rest.split_first()?;
            let (arrays, others) = arrays.split_at_checked(usize::try_from(count.checked_mul(2)?).ok()?)?;
            rest = others;
            Some(Self { file, arrays: bytemuck::cast_slice(arrays) })
        })
    }

    /// The next array of the value; `None` if there is none, or it has no elements of this type.
    pub fn array<T: Pod>(&mut self) -> Option<Frozen<T>> {
        let (&[at, len], rest) = self.arrays.split_first()?;
        self.arrays = rest;
        Frozen::of_file(self.file, at, len)
    }

    /// Whether all arrays have been read.
    pub(super) fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }
}

fn index(file: &FrozenFile) -> Option<&[u64]> {
    let bytes = file.bytes();
    let (_, last) = bytes.split_at_checked(bytes.len().checked_sub(16)?)?;
    let &[at, len] = bytemuck::try_cast_slice::<u8, u64>(last).ok()? else { return None };
    let (at, len) = (usize::try_from(at).ok()?, usize::try_from(len).ok()?.checked_mul(8)?);
    bytemuck::try_cast_slice(bytes.get(at..at.checked_add(len)?)?).ok()
}
