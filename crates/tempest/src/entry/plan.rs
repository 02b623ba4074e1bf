//! The plan of a run: everything that a program's job depends on, apart from its own inputs. This module must
//! never know any one program.

use super::{BadPlan, Coherence, SharedMemory};
use crate::data::{BadLayout, Word};
use crate::memory::{AddressSpace, Frames};
use crate::{Array, Layout, Mechanism, Setup, Shape, Shared};

/// The mechanism, the shape of the world, and the seed of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The mechanism by which data moves.
    pub mechanism: Mechanism,
    /// The number of nodes, and of threads on each.
    pub shape: Shape,
    /// The shape of the run whose problem is solved. It is [`shape`](Self::shape), except in a baseline run, in which
    /// one processor solves the problem of many.
    pub problem: Shape,
    /// The seed of the program's random numbers.
    pub seed: u64,
    /// The bytes of a coherence block, out of [`BLOCKS`](Self::BLOCKS).
    pub block: u32,
    /// The protocol that keeps shared memory coherent; `None` for a run that moves no data through shared memory.
    pub protocol: Option<&'static Coherence>,
}

impl Plan {
    /// The sizes that a block may have, in bytes.
    pub const BLOCKS: [u32; 4] = [16, 32, 64, 128];

    /// The default size of a block in bytes: the size that the studies of fine-grain shared memory used.
    pub const BLOCK: u32 = 64;

    /// A plan with seed 1, blocks of [`BLOCK`](Self::BLOCK) bytes and no protocol for shared memory.
    pub const fn new(mechanism: Mechanism, shape: Shape) -> Self {
        Self { mechanism, shape, problem: shape, seed: 1, block: Self::BLOCK, protocol: None }
    }

    /// This plan with a protocol for shared memory.
    #[must_use]
    pub const fn kept_by(self, protocol: &'static Coherence) -> Self {
        Self { protocol: Some(protocol), ..self }
    }

    /// An empty address space for the nodes of this run.
    ///
    /// # Errors
    /// [`BadLayout`] if a block has a size that it may not have.
    pub fn layout(&self) -> Result<Layout, BadLayout> {
        Layout::new(self.shape.nodes, self.block)
    }

    /// The shared memory of this run: its layout, and for each node room for copies of other nodes' pages, `frames` of
    /// them.
    ///
    /// # Errors
    /// [`BadPlan`] if there is too little room, or the plan names no protocol.
    pub fn shared_memory(&self, layout: Layout, frames: Frames) -> Result<SharedMemory, BadPlan> {
        let space = AddressSpace::new(layout, frames)?;
        let protocol = self.protocol.ok_or_else(|| {
            BadPlan(
                "shared memory, and no protocol that keeps it coherent: expected one in the plan".to_owned(),
            )
        })?;
        Ok(SharedMemory { space, protocol })
    }

    /// The elements of one array of shared memory, as the node being installed sees them: a whole shared memory for programs
    /// that need one array. A program calls this once.
    ///
    /// # Panics
    /// If there is no room for such an array, or the plan names no protocol.
    pub fn share<T: Word>(
        &self,
        setup: &mut Setup<'_>,
        lay: impl FnOnce(&mut Layout) -> Result<Array<T>, BadLayout>,
    ) -> Shared<T> {
        let laid = || {
            let mut layout = self.layout()?;
            let array = lay(&mut layout)?;
            Ok::<_, BadPlan>((self.shared_memory(layout, Frames::All)?, array))
        };
        let (memory, array) = laid().unwrap_or_else(|bad| panic!("{bad}"));
        memory.install(setup).bind(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NONE: Coherence = Coherence { name: "none", summary: "", install: |_, _| unreachable!() };

    #[test]
    fn shared_memory_needs_room_and_a_protocol() {
        let plan = Plan::new(Mechanism::SharedMemory, Shape { nodes: 2, threads: 1 });
        let shared = |plan: &Plan, frames| {
            let mut layout = plan.layout().unwrap();
            layout.array::<u64>("words", 1, crate::Homes::Parts).unwrap();
            plan.shared_memory(layout, frames).map(|memory| memory.protocol.name)
        };
        let error = shared(&plan, Frames::All).unwrap_err();
        assert!(error.to_string().contains("no protocol"), "{error}");
        let plan = plan.kept_by(&NONE);
        assert_eq!(shared(&plan, Frames::AtMost(1)), Ok("none"));
        let error = shared(&plan, Frames::AtMost(0)).unwrap_err();
        assert_eq!(error.to_string(), "0 frames for pages of other nodes: at least 1 is needed");
    }

    #[test]
    fn every_size_of_a_block_makes_a_layout() {
        let plan = Plan::new(Mechanism::SharedMemory, Shape { nodes: 2, threads: 1 });
        for block in Plan::BLOCKS {
            assert_eq!(Plan { block, ..plan }.layout().unwrap().block_bytes(), block);
        }
        let error = Plan { block: 48, ..plan }.layout().unwrap_err();
        assert_eq!(error.to_string(), "blocks of 48 bytes: expected 16, 32, 64 or 128");
    }
}
