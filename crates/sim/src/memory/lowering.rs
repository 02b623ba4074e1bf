//! Rights that a handler takes away from its own node.
//!
//! A modelled processor never stops between the test of a tag and its access, so a right can be taken away at once, but for
//! one case: an access that faulted, has been granted and is not done. The handler then ends, no processor is occupied, and its
//! key stays held; when the last such access is done the right goes, and what comes then is the node's next event.
//!
//! Must never know what a protocol wants with it.

use machine::Class;
use tempest::Memory;
use tempest::world::{Held, Lowering};
use trace::Event as Traced;

use crate::cluster::Cluster;
use crate::link::cargo::Origin;
use crate::processor::core::{Event, Job};

/// A right that waits to be taken away.
pub(crate) struct PutOff {
    held: Held,
    lowering: Lowering,
    /// What the handler was to the account of where time goes, and to prices.
    like: (u16, Class),
}

impl Cluster {
    fn memory_of(&self, core: usize) -> &Memory {
        let node = &self.nodes[self.cores[core].node];
        node.waist.memory().expect("rights are to blocks of shared memory")
    }

    /// Whether a lowering has to wait for an access.
    pub(crate) fn is_pinned(&self, core: usize, lowering: &Lowering) -> bool {
        self.memory_of(core).is_pinned(lowering)
    }

    /// Takes the right away.
    pub(crate) fn lower(&self, core: usize, lowering: &Lowering) {
        self.memory_of(core).lower(lowering);
    }

    /// The handler on `core` has ended, and its key stays held until a right is taken away.
    pub(crate) fn put_off_lowering(&mut self, core: usize, held: Held, lowering: Lowering) {
        let (node, processor) = (self.cores[core].node, self.cores[core].number);
        self.record(Traced::HandlerEnd { node: node as u32, processor });
        let like = (self.cores[core].kind, self.cores[core].class);
        self.leave_handler(core);
        self.nodes[node].memory.lowerings.push(PutOff { held, lowering, like });
        self.agenda.progress = self.agenda.now;
        // The access may have been done while the handler came to its end.
        self.go_on_lowering(core);
        self.free(core);
        self.notify(node);
    }

    /// An access has been done on the node of `core` for which a lowering may have waited.
    pub(crate) fn go_on_lowering(&mut self, core: usize) {
        let node = self.cores[core].node;
        while let Some(index) = self.next_lowering(core) {
            let PutOff { held, lowering, like } = self.nodes[node].memory.lowerings.remove(index);
            self.lower(core, &lowering);
            let flight = self.local_event(node, lowering.then, Origin::Lowered, Some(like));
            self.nodes[node].dispatch.resumed.push_back(Job { held, event: Event::Message { flight } });
            self.notify(node);
        }
    }

    fn next_lowering(&self, core: usize) -> Option<usize> {
        let waiting = &self.nodes[self.cores[core].node].memory.lowerings;
        waiting.iter().position(|put_off| !self.is_pinned(core, &put_off.lowering))
    }
}
