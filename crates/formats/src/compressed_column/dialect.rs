//! The formats of compressed columns on cards. This module must never know the cards.

/// Format of a file, and thus of its header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Real and pattern matrices; right-hand sides may follow.
    HarwellBoeing,
    /// Real, integer and pattern matrices; no right-hand sides.
    RutherfordBoeing,
}
