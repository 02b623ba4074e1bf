//! Classes of messages. The class of a message decides which processors may run its handler, and at which price. This
//! module must never know a protocol.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// The class of a message: the purpose that it serves. It decides which processors may run the message's handler, and
/// at which price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A request for a word of memory.
    Read,
    /// A request to write a word of memory.
    Write,
    /// The answer to a read.
    Reply,
    /// The answer to a write, and the network's acknowledgement of a store.
    Acknowledge,
    /// Messages of the run-time system: barriers, reductions, flow control.
    System,
    /// Messages of programs, with handlers of their own.
    User,
    /// Procedures that read, change and write memory without interruption.
    Atomic,
    /// Requests for a block of memory, which a bulk transfer then moves.
    Bulk,
}

impl Class {
    /// Every class, in the order of declaration.
    pub const ALL: [Self; 8] = [
        Self::Read,
        Self::Write,
        Self::Reply,
        Self::Acknowledge,
        Self::System,
        Self::User,
        Self::Atomic,
        Self::Bulk,
    ];
    /// The names of all classes in machine files, in the order of declaration.
    pub const NAMES: [&'static str; 8] =
        ["read", "write", "reply", "acknowledge", "system", "user", "atomic", "bulk"];

    /// The name of the class in machine files and messages.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The class whose price holds for this class if a file prices only that class: `User` for `Atomic`, `Read` for `Bulk`, `None`
    /// for the other classes.
    pub const fn priced_as(self) -> Option<Self> {
        match self {
            Self::Atomic => Some(Self::User),
            Self::Bulk => Some(Self::Read),
            Self::Read | Self::Write | Self::Reply | Self::Acknowledge | Self::System | Self::User => None,
        }
    }
}

impl Display for Class {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error: the text is not the name of a class of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownClass;

impl Display for UnknownClass {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}", Class::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownClass {}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(name: &str) -> Result<Self, UnknownClass> {
        Self::ALL.into_iter().find(|class| class.name() == name).ok_or(UnknownClass)
    }
}

/// A value for each class of messages, such as a price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByClass<T>([T; Class::ALL.len()]);

impl<T: Copy> ByClass<T> {
    /// Makes a table with the same `value` for every class of messages.
    pub const fn uniform(value: T) -> Self {
        Self([value; Class::ALL.len()])
    }

    /// Makes a table with `value(class)` for each class of messages.
    pub fn each(value: impl FnMut(Class) -> T) -> Self {
        Self(Class::ALL.map(value))
    }

    /// The value for messages of class `class`.
    pub const fn of(&self, class: Class) -> T {
        self.0[class as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_by_its_name_and_stands_at_its_place() {
        for class in Class::ALL {
            assert_eq!(class.name().parse(), Ok(class));
        }
        let lengths = ByClass::each(|class| class.name().len());
        assert_eq!((lengths.of(Class::Read), lengths.of(Class::Acknowledge)), (4, 11));
        assert_eq!("user ".parse::<Class>(), Err(UnknownClass));
    }
}
