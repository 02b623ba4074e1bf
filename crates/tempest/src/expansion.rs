//! The items to which code refers that the attribute macros generate. No other code names them.
//!
//! This module must never know how the attributes read a program.

pub use bytemuck;

use std::fmt::Display;

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
    /// The plain data by which a message carries a value of this type.
    type Plain: Pod;
}

#[diagnostic::do_not_recommend]
impl<T: Pod> Argument for T {
    type Plain = T;
}

/// The size and alignment of a field of a struct.
#[derive(Clone, Copy)]
pub struct Room {
    size: usize,
    align: usize,
}

impl Room {
    /// The size and alignment of a field of type `T`.
    pub const fn of<T>() -> Self {
        Self { size: size_of::<T>(), align: align_of::<T>() }
    }
}

/// The types that `key = …` may have in `#[message]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key",
    label = "expected a `u64`",
    note = "the key of a message is a `u64`, a `u32`, a `Block`, `Sequential`, `NoSync` or another `Key`"
)]
pub trait IntoKey {
    /// Converts the value to the handler's key.
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

/// Reads the integer input `key` and converts it to `T`, the type of the program's field. Returns `None`, and notes a
/// mistake in `reader`, if a `T` cannot hold the number.
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

/// Converts the number of entries of a table from any type of integer to `usize`.
///
/// # Panics
/// If `len` is negative or beyond the range of `usize`.
pub fn entries<T: TryInto<usize> + Display + Copy>(len: T) -> usize {
    len.try_into()
        .unwrap_or_else(|_| panic!("a table of {len} entries: expected a number that memory has room for"))
}

/// The number of bytes of padding behind field `at`, counted from 0, of a `repr(C)` struct of `fields`.
pub const fn padding(fields: &[Room], at: usize) -> usize {
    let align = if at + 1 < fields.len() { fields[at + 1].align } else { alignment(fields) };
    let end = end(fields, at);
    end.next_multiple_of(align) - end
}

/// The size in bytes of a `repr(C)` struct of `fields`, with the padding at its end. There is at least one field.
pub const fn length(fields: &[Room]) -> usize {
    let last = fields.len() - 1;
    end(fields, last) + padding(fields, last)
}

/// The offset of the first byte behind field `at` of a `repr(C)` struct of `fields`.
const fn end(fields: &[Room], at: usize) -> usize {
    let (mut end, mut field) = (0_usize, 0);
    while field <= at {
        end = end.next_multiple_of(fields[field].align) + fields[field].size;
        field += 1;
    }
    end
}

/// The alignment in bytes of a `repr(C)` struct of `fields`.
const fn alignment(fields: &[Room]) -> usize {
    let (mut greatest, mut at) = (1, 0);
    while at < fields.len() {
        if fields[at].align > greatest {
            greatest = fields[at].align;
        }
        at += 1;
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The struct has 1 byte with 3 bytes of padding, 4 and 8 bytes without padding, and 1 byte with 7 bytes of
    /// padding.
    #[test]
    fn padding_is_what_repr_c_leaves() {
        let fields = [Room::of::<u8>(), Room::of::<u32>(), Room::of::<u64>(), Room::of::<u8>()];
        assert_eq!([0, 1, 2, 3].map(|at| padding(&fields, at)), [3, 0, 0, 7]);
        assert_eq!(length(&fields), 24);
    }
}
