//! What the code that the attributes write refers to. Nobody else names it.
//!
//! This module must never know how the attributes read a program.

pub use bytemuck;

use bytemuck::Pod;

use crate::entry::Reader;
use crate::{Block, Key};

/// A type whose values may travel as a field of a message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot travel in a message",
    label = "not plain data",
    note = "a message carries plain data without padding (`bytemuck::Pod`): integers, floats, arrays of these, \
            `#[repr(C)]` structs that derive `Pod`; a bool travels as `u8`, an enum as its number"
)]
pub trait Argument {
    /// The type itself.
    type Plain: Pod;
}

#[diagnostic::do_not_recommend]
impl<T: Pod> Argument for T {
    type Plain = T;
}

/// What `key = …` may be in `#[message]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key",
    label = "expected a `u64`",
    note = "the key of a message is a `u64`, a `u32`, a `Block`, `Sequential`, `NoSync` or another `Key`"
)]
pub trait IntoKey {
    /// The key.
    fn into_key(self) -> Key;
}

impl IntoKey for Key {
    #[inline]
    fn into_key(self) -> Key {
        self
    }
}

impl IntoKey for u64 {
    #[inline]
    fn into_key(self) -> Key {
        Key::User(self)
    }
}

impl IntoKey for u32 {
    #[inline]
    fn into_key(self) -> Key {
        Key::User(self.into())
    }
}

impl IntoKey for Block {
    #[inline]
    fn into_key(self) -> Key {
        self.key()
    }
}

/// Reads an integer input as the type of its field. `None` if it is wrong, which the reader has noted.
pub fn integer<T: TryFrom<u32>>(reader: &mut Reader<'_>, key: &str) -> Option<T> {
    let value = reader.integer(key);
    let read = T::try_from(value).ok();
    if read.is_none() {
        let of = std::any::type_name::<T>();
        reader
            .refuse_input(key, format!("{value} is no {of}: expected a range of which every number is one"));
    }
    read
}

/// The bytes between the last of some fields and what follows them at a multiple of `align`, where `repr(C)` lays each field,
/// of which size and alignment are given, at the first place that its alignment permits.
pub const fn padding(fields: &[(usize, usize)], align: usize) -> usize {
    let (mut end, mut at) = (0_usize, 0);
    while at < fields.len() {
        let (size, aligned) = fields[at];
        end = end.next_multiple_of(aligned) + size;
        at += 1;
    }
    end.next_multiple_of(align) - end
}

/// The alignment of a struct whose fields have these.
pub const fn alignment(fields: &[usize]) -> usize {
    let (mut greatest, mut at) = (1, 0);
    while at < fields.len() {
        if fields[at] > greatest {
            greatest = fields[at];
        }
        at += 1;
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `repr(C)` has it: a byte, 3 of padding, a word of 4, then 8 of 8; and 7 behind a byte at the end.
    #[test]
    fn padding_is_what_repr_c_leaves() {
        let fields = [(1, 1), (4, 4), (8, 8), (1, 1)];
        assert_eq!(padding(&fields[..1], 4), 3);
        assert_eq!(padding(&fields[..2], 8), 0);
        assert_eq!(padding(&fields, alignment(&[1, 4, 8, 1])), 7);
        assert_eq!(padding(&[], 8), 0);
        assert_eq!(alignment(&[]), 1);
    }
}
