//! Mechanisms: the ways in which data moves. A program lists the mechanisms that it is written for; a run uses one.
//!
//! A mechanism names the capability that it needs of a machine ([`Mechanism::needs`], in the words of machine files).
//! This module must never know how a world moves data.

use std::fmt;
use std::str::FromStr;

/// A way in which data moves between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Mechanism {
    /// Active messages: a handler receives each message and puts its values into place.
    #[default]
    Messages,
    /// Bulk transfers: the interface moves a block of gathered values to the receiver's memory, and one handler runs at
    /// the end.
    Bulk,
    /// Deposits: the sender writes a few words at a time to addresses that it chooses in the receiver's memory; no
    /// handler runs.
    Deposit,
    /// Shared memory: loads and stores of a shared address space that is kept coherent block by block.
    SharedMemory,
}

impl Mechanism {
    /// All mechanisms, in the order of declaration.
    pub const ALL: [Self; 4] = [Self::Messages, Self::Bulk, Self::Deposit, Self::SharedMemory];

    /// The mechanism's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Bulk => "bulk",
            Self::Deposit => "deposit",
            Self::SharedMemory => "shared-memory",
        }
    }

    /// A description of the mechanism in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Messages => "active messages; who notices them, and when, is the policy's",
            Self::Bulk => "values gathered into one block per destination, moved by the interface",
            Self::Deposit => "a few words at a time, straight to their place; no handler runs",
            Self::SharedMemory => "loads and stores of a shared address space, kept coherent block by block",
        }
    }

    /// The capability that the mechanism needs of a machine, in the words of the `can` lists of machine files; `None`
    /// if it needs none.
    pub const fn needs(self) -> Option<&'static str> {
        match self {
            Self::Messages => None,
            Self::Bulk => Some("transfer"),
            Self::Deposit => Some("deposit"),
            Self::SharedMemory => Some("shared-memory"),
        }
    }
}

/// The error of a text that names no [`Mechanism`]. It displays with the list of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMechanism {
    /// The text that was given. No mechanism has this name.
    pub name: String,
}

impl fmt::Display for UnknownMechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Mechanism::ALL.map(Mechanism::name);
        write!(f, "unknown mechanism `{}`: expected one of {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownMechanism {}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Mechanism {
    type Err = UnknownMechanism;

    fn from_str(text: &str) -> Result<Self, UnknownMechanism> {
        let found = Self::ALL.into_iter().find(|mechanism| mechanism.name() == text);
        found.ok_or_else(|| UnknownMechanism { name: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mechanisms_read_what_they_print() {
        for mechanism in Mechanism::ALL {
            assert_eq!(mechanism.to_string().parse(), Ok(mechanism));
        }
        let error = "bulky".parse::<Mechanism>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown mechanism `bulky`: expected one of messages, bulk, deposit, shared-memory"
        );
    }

    #[test]
    fn what_a_machine_lacks_is_named() {
        assert_eq!(Mechanism::Messages.check("toy", &[]), Ok(()));
        assert_eq!(Mechanism::Bulk.check("toy", &["transfer"]), Ok(()));
        let error = Mechanism::Deposit.check("toy", &["transfer"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "mechanism `deposit` needs `deposit`, which machine `toy` lacks (it has: transfer)"
        );
    }
}
