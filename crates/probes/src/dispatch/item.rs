//! A message as it travels: its kind, its key and the length of its handler. This module must never know how it is handled.

use tempest::Key;

/// The kind of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Handlers of its key exclude each other.
    Keyed,
    /// The handler runs alone on the node.
    Sequential,
    /// The handler needs no exclusion.
    NoSync,
}

/// The kind and the key of a message, and whether the dispatch queue keeps handlers of the key apart, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tag(pub(super) u64);

/// The bits beside the key.
const BITS: u32 = 2;

/// The values of these bits: the kinds, and a keyed message whose key the dispatch queue does not see.
const KEYED: u64 = 0;
const SEQUENTIAL: u64 = 1;
const NOSYNC: u64 = 2;
const BY_ITSELF: u64 = 3;

impl Tag {
    /// The tag of a message. `by_itself` says that the queue does not exclude handlers of its key: the handler does, or
    /// no part does.
    pub(super) fn new(kind: Kind, key: u32, by_itself: bool) -> Self {
        let bits = match kind {
            Kind::Keyed if by_itself => BY_ITSELF,
            Kind::Keyed => KEYED,
            Kind::Sequential => SEQUENTIAL,
            Kind::NoSync => NOSYNC,
        };
        Self(u64::from(key) << BITS | bits)
    }

    pub(super) fn kind(self) -> Kind {
        match self.bits() {
            SEQUENTIAL => Kind::Sequential,
            NOSYNC => Kind::NoSync,
            _ => Kind::Keyed,
        }
    }

    /// The number of the key.
    pub(super) fn number(self) -> u64 {
        self.0 >> BITS
    }

    /// Whether the key is hidden from the queue, so that only the handler can exclude others of its key.
    pub(super) fn is_by_itself(self) -> bool {
        self.bits() == BY_ITSELF
    }

    /// The key by which the queue knows the message.
    pub(super) fn key(self) -> Key {
        match self.bits() {
            KEYED => Key::User(self.number()),
            SEQUENTIAL => Key::Sequential,
            _ => Key::NoSync,
        }
    }

    fn bits(self) -> u64 {
        self.0 & ((1 << BITS) - 1)
    }
}

/// A message, as its handler has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Item {
    pub(super) tag: Tag,
    /// The femtosecond at which the message was made.
    pub(super) made: u64,
    /// The number of the message among all.
    pub(super) number: u32,
    /// The integer operations of its handler.
    pub(super) length: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_says_its_kind_and_its_key() {
        for number in [0, 7, 65_535] {
            let tag = |kind, by_itself| Tag::new(kind, number, by_itself);
            let number = u64::from(number);
            for kind in [Kind::Keyed, Kind::Sequential, Kind::NoSync] {
                for by_itself in [false, true] {
                    assert_eq!((tag(kind, by_itself).kind(), tag(kind, by_itself).number()), (kind, number));
                }
            }
            assert_eq!(tag(Kind::Keyed, false).key(), Key::User(number));
            assert_eq!(tag(Kind::Keyed, true).key(), Key::NoSync);
            assert_eq!(tag(Kind::Sequential, true).key(), Key::Sequential);
            assert!(tag(Kind::Keyed, true).is_by_itself() && !tag(Kind::NoSync, true).is_by_itself());
        }
    }
}
