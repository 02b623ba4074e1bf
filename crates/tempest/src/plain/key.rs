//! Keys: names of the state that an event is going to touch. They decide which events of a node must not overlap.
//!
//! A message, or a thread that begins a hold, *states* a [`Key`]. A number has a meaning only together with its
//! [`Space`]: the 5 of one protocol and the 5 of another are different keys, and both differ from block 5. The node
//! resolves a stated key to a [`Name`], by which its dispatcher tells keys apart.
//!
//! This module must never know how a node dispatches events, nor which state a key protects.

use std::fmt;

use crate::Block;

/// Name of the state that an event is going to access. The event's message states it, or the thread that begins a hold.
/// Protocols need no locks, because a node never runs two events with the same key at a time.
///
/// Events of a node whose keys are equal run one at a time, in order of arrival. An event under [`Key::Sequential`] runs
/// alone on its node. An event under [`Key::NoSync`] conflicts with sequential ones only.
///
/// The entries of a [`Keyed`](crate::Keyed) table are reached under the keys of the table's space, and the tags of a block
/// under the key of the block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A number in the key space of the protocol instance whose message states the key. In
    /// [`Thread::hold`](crate::Thread::hold) it is a number in the key space of the program.
    User(u64),
    /// A number in this key space, of any protocol instance.
    In(Space, u64),
    /// A block of the node's shared memory.
    Block(Block),
    /// All state of the node: the event runs alone on its node, after every older event has ended and before any
    /// younger event starts.
    Sequential,
    /// No state that needs protection: the event conflicts only with sequential events.
    NoSync,
}

impl Block {
    /// The key of all events that access this block's words or tag.
    pub const fn key(self) -> Key {
        Key::Block(self)
    }
}

impl Key {
    /// Converts this key, which the protocol instance with key space `own` has stated, to the key that a dispatcher
    /// uses.
    #[inline]
    pub(crate) fn resolve(self, own: Space) -> DispatchKey {
        match self {
            Self::User(number) => pdq::Key::User(Group::of(own).name(number)),
            Self::In(space, number) => pdq::Key::User(Group::of(space).name(number)),
            Self::Block(block) => pdq::Key::User(Name::of(block)),
            Self::Sequential => pdq::Key::Sequential,
            Self::NoSync => pdq::Key::NoSync,
        }
    }

    /// Converts a dispatcher's key back to a stated key. A number always comes with its key space.
    pub(crate) fn from_resolved(key: DispatchKey) -> Self {
        match key {
            pdq::Key::User(name) => match name.group.protocol() {
                Some(space) => Self::In(space, name.number()),
                None => Self::Block(Block(name.number() as u32)),
            },
            pdq::Key::Sequential => Self::Sequential,
            pdq::Key::NoSync => Self::NoSync,
        }
    }
}

pdq::lawful! {
    /// The key space of an installed protocol instance. A number in it and the equal number in another key space are
    /// different keys. [`Setup::space`](crate::Setup::space) gives a protocol the space of its instance.
    #[derive(Debug, PartialOrd, Ord)]
    pub struct Space(u32);
}

impl Space {
    /// The key space of the program, which is installed first.
    pub(crate) const PROGRAM: Self = Self(0);

    /// The key space of the protocol instance with number `number`.
    pub(crate) fn of_protocol(number: usize) -> Self {
        Self(u32::try_from(number).expect("fewer than 2^32 protocols"))
    }

    /// Makes the key of a number in this key space.
    #[inline]
    pub const fn key(self, number: u64) -> Key {
        Key::In(self, number)
    }
}

pdq::lawful! {
    /// The set of keys to which a number belongs: 0 for blocks of shared memory, otherwise one more than the number of
    /// the protocol instance whose key space it is. It is a whole word, because keys are written and read as whole
    /// words on their way through a queue.
    #[derive(Debug, PartialOrd, Ord)]
    pub(crate) struct Group(u64);
}

impl Group {
    /// The keys of all blocks of shared memory.
    pub(crate) const BLOCKS: Self = Self(0);

    /// The keys of the key space of a protocol instance.
    #[inline]
    pub(crate) const fn of(protocol: Space) -> Self {
        Self(protocol.0 as u64 + 1)
    }

    /// The key space that this set of keys is, or `None` for blocks.
    fn protocol(self) -> Option<Space> {
        self.0.checked_sub(1).map(|number| Space(number as u32))
    }

    /// The offset between a number of this group and the field `place` of the number's [`Name`].
    ///
    /// A static partition assigns keys to servers by these sums alone. The small numbers of the program, the small
    /// numbers of the protocols that it installs, and the first blocks are used most, so the three are assigned from
    /// different servers on.
    #[inline]
    const fn offset(self) -> u64 {
        match self {
            Self::BLOCKS => 1 << 62,
            Self(1) => 0,
            Self(_) => 1 << 63,
        }
    }

    /// Makes the name of a number of this group; the number of a block is its index.
    #[inline]
    pub(crate) fn name(self, number: u64) -> Name {
        Name { group: self, place: number.wrapping_add(self.offset()) }
    }
}

pdq::lawful! {
    /// The name by which a dispatcher knows a key: a number together with its key space. Two names are equal only if
    /// their numbers and their key spaces are equal.
    #[derive(PartialOrd, Ord)]
    pub struct Name { group: Group, place: u64 }
    hash(place)
}

impl Name {
    /// Makes the name of the key of a block of shared memory.
    #[inline]
    pub fn of(block: Block) -> Self {
        Group::BLOCKS.name(block.0.into())
    }

    /// The block of shared memory whose key has this name; `None` if the name is of another key.
    #[inline]
    pub fn block(self) -> Option<Block> {
        (self.group == Group::BLOCKS).then(|| Block(self.number() as u32))
    }

    /// Whether the name belongs to the set of keys `group`.
    pub(crate) fn is_of(self, group: Group) -> bool {
        self.group == group
    }

    /// The number without its key space; for a block, its index.
    pub(crate) fn number(self) -> u64 {
        self.place.wrapping_sub(self.group.offset())
    }
}

/// Prints the name for people. The key space is left out for numbers of the program.
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.protocol() {
            None => write!(f, "block {}", self.number()),
            Some(Space::PROGRAM) => write!(f, "{:#x}", self.number()),
            Some(Space(protocol)) => write!(f, "{:#x} of protocol {protocol}", self.number()),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key space of a number is not known where it is stated.
        self.resolve(Space::PROGRAM).fmt(f)
    }
}

/// A key as a dispatcher compares it: a number comes with its key space, as a [`Name`].
pub type DispatchKey = pdq::Key<Name>;

/// The token of a key that a handler, or a thread's hold, owns. It returns to the dispatcher at the end of the handler
/// or hold. Until then no event with a conflicting key starts.
pub type Held = pdq::Held<Name>;

/// The proof that an event holds a key: it lends exclusive access to the table entries of that key.
pub type Proof<'a> = pdq::Proof<'a, Name>;

/// The dispatcher of a node on which one event runs at a time.
pub type Serial = pdq::Serial<Name>;

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Space = Space(1);
    const TWO: Space = Space(2);

    #[test]
    fn numbers_of_different_spaces_are_different_keys() {
        let five = Key::User(5);
        let names = [
            five.resolve(ONE),
            five.resolve(TWO),
            five.resolve(Space::PROGRAM),
            Key::Block(Block(5)).resolve(ONE),
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(names.iter().enumerate().all(|(other, key)| (key == name) == (other == at)));
            assert!(names.iter().enumerate().all(|(other, key)| key.conflicts(*name) == (other == at)));
        }
        assert_eq!(five.resolve(ONE), ONE.key(5).resolve(TWO));
        assert_eq!(Key::Block(Block(5)).resolve(ONE), Key::Block(Block(5)).resolve(TWO));
    }

    #[test]
    fn a_static_partition_goes_by_the_numbers_of_the_program() {
        for number in [0, 7, 1 << 40, u64::MAX] {
            let key = Key::User(number).resolve(Space::PROGRAM);
            assert_eq!(key.partition(8), pdq::Key::User(number).partition(8));
        }
        let first = [Key::User(0), ONE.key(0), Key::Block(Block(0))];
        assert_eq!(first.map(|key| key.resolve(Space::PROGRAM).partition(4)), [0, 2, 1]);
    }

    #[test]
    fn a_resolved_key_is_stated_with_its_space() {
        for key in [ONE.key(3), Key::Block(Block(9)), Key::Sequential, Key::NoSync] {
            assert_eq!(Key::from_resolved(key.resolve(TWO)), key);
        }
        assert_eq!(Key::from_resolved(Key::User(u64::MAX).resolve(TWO)), TWO.key(u64::MAX));
    }

    #[test]
    fn people_read_what_a_number_is_of() {
        let text = |key: Key, own| key.resolve(own).to_string();
        assert_eq!(text(Key::User(17), Space::PROGRAM), "0x11");
        assert_eq!(text(Key::User(17), TWO), "0x11 of protocol 2");
        assert_eq!(text(Key::Block(Block(3)), TWO), Block(3).to_string());
        assert_eq!(text(Key::Sequential, TWO), "SEQUENTIAL");
        assert_eq!(Key::NoSync.to_string(), "NOSYNC");
    }
}
