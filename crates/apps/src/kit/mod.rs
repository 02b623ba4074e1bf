//! What several applications need. Must never know any one of them.

mod random;

pub(crate) use random::stream;
