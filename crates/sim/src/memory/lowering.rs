//! Rights that a handler takes away from its own node and that wait for an access.
//!
//! A modelled processor never stops between the test of a tag and its access, so a right can be taken away at once, but for
//! one case: an access that faulted, has been granted and is not done. The handler then ends, no processor is occupied, and its
//! key stays held; when the last such access is done the right goes, and what comes then is the node's next event. Must never
//! know what a protocol wants with it.

use machine::Class;
use tempest::Memory;
use tempest::world::{Held, Lowering};

/// A right that waits to be taken away.
pub(crate) struct PutOff {
    /// The key that stays held until then.
    pub(crate) held: Held,
    pub(crate) lowering: Lowering,
    /// The handler's kind in the account of where time goes, and the class that its prices depend on.
    pub(crate) like: (u16, Class),
}

/// The rights of a node that wait to be taken away, the oldest first.
#[derive(Default)]
pub(crate) struct Lowerings(Vec<PutOff>);

impl Lowerings {
    /// A right waits for an access.
    pub(crate) fn put_off(&mut self, held: Held, lowering: Lowering, like: (u16, Class)) {
        self.0.push(PutOff { held, lowering, like });
    }

    /// Takes away the oldest right for which no access is outstanding in `memory`, the node's copy of shared memory.
    pub(crate) fn take_next(&mut self, memory: &Memory) -> Option<PutOff> {
        let next = self.0.iter().position(|put_off| !memory.is_pinned(&put_off.lowering))?;
        let put_off = self.0.remove(next);
        memory.lower(&put_off.lowering);
        Some(put_off)
    }
}
