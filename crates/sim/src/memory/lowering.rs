//! Rights that a handler takes away from its own node, and that an outstanding access still needs.
//!
//! A modelled processor never stops between the test of a tag and its access, so a right can usually be taken away at once.
//! There is one exception: an access that faulted, has been granted, and is not done. The handler then ends and occupies no
//! processor, but its key stays held. When the last such access is done the right is taken away, and the rest of the handler's
//! work is the node's next event. This module must never know why a protocol takes rights away.

use machine::Class;
use tempest::Memory;
use tempest::world::{Downgrade, Held};

/// A right that is to be taken away after an access.
pub(crate) struct PutOff {
    /// The key that stays held until the right is taken away.
    pub(crate) held: Held,
    pub(crate) lowering: Box<Downgrade>,
    /// The kind of the handler in the account of costs, and the class that its prices depend on.
    pub(crate) like: (u16, Class),
}

/// The rights of a node that are to be taken away after an access, oldest first.
#[derive(Default)]
pub(crate) struct Lowerings(Vec<PutOff>);

impl Lowerings {
    /// Adds a right that is to be taken away after an access.
    pub(crate) fn put_off(&mut self, held: Held, lowering: Box<Downgrade>, like: (u16, Class)) {
        self.0.push(PutOff { held, lowering, like });
    }

    /// Takes away the oldest right for which no access is outstanding in `memory`, the node's copy of shared memory.
    pub(crate) fn take_next(&mut self, memory: &Memory) -> Option<PutOff> {
        let next = self.0.iter().position(|put_off| !memory.is_pinned(put_off.lowering.blocks()))?;
        let put_off = self.0.remove(next);
        memory.lower(put_off.lowering.blocks(), put_off.lowering.tag);
        Some(put_off)
    }
}
