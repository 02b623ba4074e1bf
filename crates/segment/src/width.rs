//! The size of a word. This module must never know where words stand.

use std::fmt;

use bulk::AtomicWord;

/// Size of a word, the unit of one load or store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 1 byte.
    One,
    /// 2 bytes.
    Two,
    /// 4 bytes.
    Four,
    /// 8 bytes.
    Eight,
}

impl Width {
    /// All widths, from the smallest.
    pub const ALL: [Self; 4] = [Self::One, Self::Two, Self::Four, Self::Eight];

    /// The width in bytes.
    pub const fn bytes(self) -> usize {
        1 << self as u32
    }

    /// The width of an atomic.
    pub const fn of<A: AtomicWord>() -> Self {
        match size_of::<A>() {
            1 => Self::One,
            2 => Self::Two,
            4 => Self::Four,
            _ => Self::Eight,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes();
        write!(f, "{bytes} byte{}", if bytes == 1 { "" } else { "s" })
    }
}
