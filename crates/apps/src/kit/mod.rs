//! Helpers that several applications need. This module must never know any one of them.

mod random;

pub(crate) use random::stream;
