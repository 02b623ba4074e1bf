//! The reader of a machine file: its text, its sections in layers, the kinds of values, and every mistake at once. This
//! module must never know a particular key of a machine; those are rows of the folder `schema`.

mod chain;
mod clocks;
mod errors;
mod findings;
mod key;
mod list;
mod notes;
mod range;
mod reader;
mod rows;
mod section;
mod source_text;

pub use chain::Bases;
pub(crate) use chain::{EXTENDS, load};
pub(crate) use clocks::Clocks;
pub use errors::{Error, Errors};
pub use findings::Value;
pub(crate) use findings::{Findings, digest};
pub(crate) use key::{
    Key, Scalar, above_zero, never, one_unless_stated, or_default, own_clock, read, required_if, unlimited,
    with,
};
pub use notes::Note;
pub(crate) use range::range;
pub use range::{Range, RangedKey};
pub(crate) use reader::{FIXED, Overrides, POLICY, Raw, Reader, hint};
pub(crate) use rows::section;
pub(crate) use section::Section;
pub(crate) use source_text::SourceText;
