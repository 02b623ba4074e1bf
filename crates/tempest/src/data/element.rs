//! Elements: plain data with a stated layout in shared memory and on a modelled machine.
//!
//! A number has its natural layout. A record lists its fields and their offsets: a study of an older machine states the
//! pointers and integers of four bytes that its programs had, even if they have other sizes on this host. This module
//! must never know whose memory an element lies in.

use std::fmt::Write;

use bytemuck::Pod;

use crate::data::BadLayout;

/// Plain data with a stated layout in shared memory and on a modelled machine: a number of 1, 2, 4 or 8 bytes, or a
/// `#[repr(C)]` record of such numbers.
///
/// ```
/// use tradewind_tempest::Element;
/// use tradewind_tempest::data::{ElementField, ElementLayout};
///
/// /// A graph node, and where its edges begin. On the machine of the study that takes 4 bytes.
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct GraphNode {
///     value: f64,
///     edges: u64,
/// }
///
/// impl Element for GraphNode {
///     const LAYOUT: ElementLayout = ElementLayout {
///         name: "graph node",
///         bytes: 16,
///         fields: &[ElementField::new("value", 0, 8), ElementField::new("edges", 8, 4)],
///     };
/// }
///
/// assert!(GraphNode::LAYOUT.check().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no modelled layout",
    label = "expected a number of 1, 2, 4 or 8 bytes, or a record",
    note = "a record of plain data says which fields it has and where: `impl Element for {Self}`"
)]
pub trait Element: Pod + Send {
    /// The layout of this type in shared memory and on a modelled machine.
    const LAYOUT: ElementLayout;
}

/// The layout of an [`Element`] type in shared memory and on a modelled machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementLayout {
    /// The name of the type, as errors print it.
    pub name: &'static str,
    /// The stated size of an element in bytes: the distance between neighbours in an array.
    pub bytes: u32,
    /// The fields of the type, in the order in which an access to the whole element loads or stores them.
    pub fields: &'static [ElementField],
}

/// A field of an [`ElementLayout`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementField {
    /// The name of the field, as errors print it.
    pub name: &'static str,
    /// The offset of the field from the start of the element, in bytes.
    pub at: u32,
    /// The size of the field: 1, 2, 4 or 8 bytes.
    pub bytes: u32,
}

impl ElementField {
    /// Describes the field called `name`, of `bytes` bytes, at the offset of `at` bytes from the start of the element.
    pub const fn new(name: &'static str, at: u32, bytes: u32) -> Self {
        Self { name, at, bytes }
    }

    fn end(&self) -> u64 {
        u64::from(self.at) + u64::from(self.bytes)
    }
}

impl ElementLayout {
    /// Checks that the layout is possible. Each field must lie at a multiple of its size, so that no field crosses a
    /// cache line or a block of shared memory on any machine.
    ///
    /// # Errors
    /// [`BadLayout`] names every mistake.
    pub fn check(&self) -> Result<(), BadLayout> {
        let mut mistakes = String::new();
        let mut add = |what: std::fmt::Arguments<'_>| {
            let _ = write!(mistakes, "{}{what}", if mistakes.is_empty() { "" } else { "; " });
        };
        if self.fields.is_empty() {
            add(format_args!("no fields: expected at least one"));
        }
        for (number, field) in self.fields.iter().enumerate() {
            let ElementField { name, at, bytes } = *field;
            if ![1, 2, 4, 8].contains(&bytes) {
                add(format_args!("field `{name}` of {bytes} bytes: expected 1, 2, 4 or 8"));
            } else if at % bytes != 0 {
                add(format_args!(
                    "field `{name}` of {bytes} bytes at byte {at} straddles lines and blocks: expected a multiple of {bytes}"
                ));
            } else if !self.bytes.is_multiple_of(bytes) {
                add(format_args!(
                    "field `{name}` of {bytes} bytes straddles lines and blocks in an array of elements of {} bytes: expected a \
                     multiple of {bytes}",
                    self.bytes
                ));
            }
            if field.end() > self.bytes.into() {
                add(format_args!(
                    "field `{name}` ends at byte {}: expected at most {}",
                    field.end(),
                    self.bytes
                ));
            }
            let overlaps = |other: &&ElementField| field.end() > other.at.into() && other.end() > at.into();
            for other in self.fields[..number].iter().filter(overlaps) {
                add(format_args!(
                    "fields `{}` and `{name}` overlap at byte {}",
                    other.name,
                    at.max(other.at)
                ));
            }
        }
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(BadLayout::new(format!("layout of `{}`: {mistakes}", self.name)))
    }

    /// The number of fields and their size in bytes, if all fields have the same size and fill the element without a
    /// gap; otherwise `None`.
    pub(crate) const fn dense(&self) -> Option<(u32, u32)> {
        let mut number = 0;
        while number < self.fields.len() {
            let field = self.fields[number];
            if field.bytes != self.fields[0].bytes || field.at != number as u32 * field.bytes {
                return None;
            }
            number += 1;
        }
        let size = if number == 0 { return None } else { self.fields[0].bytes };
        if number as u32 * size == self.bytes { Some((number as u32, size)) } else { None }
    }
}

macro_rules! numbers {
    ($($of:ident)*) => {$(
        impl Element for $of {
            const LAYOUT: ElementLayout = ElementLayout {
                name: stringify!($of),
                bytes: size_of::<$of>() as u32,
                fields: &[ElementField::new("value", 0, size_of::<$of>() as u32)],
            };
        }
    )*};
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    const A: ElementField = ElementField::new("a", 0, 4);
    const B: ElementField = ElementField::new("b", 4, 4);

    const fn of(bytes: u32, fields: &'static [ElementField]) -> ElementLayout {
        ElementLayout { name: "record", bytes, fields }
    }

    #[test]
    fn numbers_and_records_without_overlap_can_be() {
        assert_eq!((u32::LAYOUT.bytes, u32::LAYOUT.check(), u32::LAYOUT.dense()), (4, Ok(()), Some((1, 4))));
        let pair = of(8, &[A, B]);
        assert_eq!((pair.check(), pair.dense()), (Ok(()), Some((2, 4))));
        let gap = of(16, const { &[A, ElementField::new("b", 8, 8)] });
        assert_eq!((gap.check(), gap.dense()), (Ok(()), None));
        assert_eq!(of(16, &[A, B]).dense(), None, "the second half is no field");
    }

    #[test]
    fn every_mistake_of_a_layout_is_named() {
        const FIELDS: &[ElementField] =
            &[A, ElementField::new("b", 2, 4), ElementField::new("c", 8, 8), ElementField::new("d", 6, 3)];
        let error = of(12, FIELDS).check().unwrap_err().to_string();
        assert_eq!(
            error,
            "layout of `record`: field `b` of 4 bytes at byte 2 straddles lines and blocks: expected a multiple of 4; \
             fields `a` and `b` overlap at byte 2; \
             field `c` of 8 bytes straddles lines and blocks in an array of elements of 12 bytes: expected a multiple of 8; \
             field `c` ends at byte 16: expected at most 12; field `d` of 3 bytes: expected 1, 2, 4 or 8; \
             fields `c` and `d` overlap at byte 8"
        );
        assert!(of(8, &[]).check().unwrap_err().to_string().contains("no fields"));
    }
}
