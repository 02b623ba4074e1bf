//! Coherence protocols that a run may choose by name. The set is open: a crate adds a protocol by defining a
//! [`Coherence`] value for it.
//!
//! This module must never know any one protocol.

use std::fmt;
use std::sync::Arc;

use super::UnknownName;
use crate::memory::AddressSpace;
use crate::{Memory, Setup};

/// A coherence protocol that a run may choose by name: it keeps the nodes' copies of shared memory blocks coherent.
#[derive(Clone, Copy, Debug)]
pub struct Coherence {
    /// The protocol's name on the command line.
    pub name: &'static str,
    /// A description of the protocol in one line.
    pub summary: &'static str,
    /// Installs the protocol on a node, for the given address space. Returns the node's copy of the space, which the
    /// protocol makes with [`Setup::memory`].
    pub install: fn(&AddressSpace, &mut Setup<'_>) -> Arc<Memory>,
}

impl Coherence {
    /// Finds the protocol called `name` in the list `all`.
    ///
    /// # Errors
    /// [`UnknownName`] if no protocol in `all` has this name.
    pub fn find(name: &str, all: &'static [Self]) -> Result<&'static Self, UnknownName> {
        let known = || all.iter().map(|protocol| protocol.name);
        let found = all.iter().find(|protocol| protocol.name == name);
        found.ok_or_else(|| UnknownName::new("protocol", name, known()))
    }
}

/// Two protocols are equal if their names are.
impl PartialEq for Coherence {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Coherence {}

impl fmt::Display for Coherence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// The shared memory of a run: its address space, and the protocol that keeps it coherent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedMemory {
    /// The address space that the nodes share.
    pub space: AddressSpace,
    /// The protocol that keeps the address space coherent.
    pub protocol: &'static Coherence,
}

impl SharedMemory {
    /// Installs the protocol on the node of `setup`. Returns the node's copy of the address space, in which a program
    /// finds its arrays by [`Memory::bind`].
    pub fn install(&self, setup: &mut Setup<'_>) -> Arc<Memory> {
        (self.protocol.install)(&self.space, setup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ALL: &[Coherence] = &[Coherence { name: "none", summary: "", install: |_, _| unreachable!() }];

    #[test]
    fn a_protocol_is_found_by_its_name() {
        assert!(std::ptr::eq(Coherence::find("none", ALL).unwrap(), &ALL[0]));
        let error = Coherence::find("nine", ALL).unwrap_err();
        assert_eq!(error.to_string(), "unknown protocol `nine`: did you mean `none`? expected one of none");
    }
}
