//! The plan of a run: everything that a program's job depends on apart from the program's inputs. This module must
//! never know any one program.

use super::{BadPlan, Coherence, SharedMemory};
use crate::data::{BadLayout, Word};
use crate::memory::{AddressSpace, Frames};
use crate::{Array, Layout, Mechanism, Setup, Shape, Shared};

/// The settings of a run beside the program's inputs: the mechanism, the size, the seed, the shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The mechanism by which data moves between nodes.
    pub mechanism: Mechanism,
    /// The number of nodes, and of threads on each.
    pub shape: Shape,
    /// The numbers of nodes and threads for which the problem is made. They equal [`shape`](Self::shape), except in a
    /// baseline run, where one processor solves the problem of a larger run.
    pub problem: Shape,
    /// The seed of the program's random numbers.
    pub seed: u64,
    /// The size of a coherence block of shared memory in bytes: a value in [`BLOCKS`](Self::BLOCKS).
    pub block: u32,
    /// The protocol that keeps shared memory coherent; `None` for a run that moves no data through shared memory.
    pub protocol: Option<&'static Coherence>,
}

impl Plan {
    /// The sizes in bytes that a coherence block of shared memory may have.
    pub const BLOCKS: [u32; 4] = [16, 32, 64, 128];

    /// The default size of a coherence block in bytes, as in the studies of fine-grain shared memory.
    pub const BLOCK: u32 = 64;

    /// Makes a plan with seed 1, coherence blocks of [`BLOCK`](Self::BLOCK) bytes and no protocol for shared memory.
    pub const fn new(mechanism: Mechanism, shape: Shape) -> Self {
        Self { mechanism, shape, problem: shape, seed: 1, block: Self::BLOCK, protocol: None }
    }

    /// Returns this plan with `protocol` as the protocol that keeps shared memory coherent.
    #[must_use]
    pub const fn kept_by(self, protocol: &'static Coherence) -> Self {
        Self { protocol: Some(protocol), ..self }
    }

    /// Makes an empty address space for the nodes of this run, with the plan's block size.
    ///
    /// # Errors
    /// [`BadLayout`] if the plan's block size is not in [`BLOCKS`](Self::BLOCKS).
    pub fn layout(&self) -> Result<Layout, BadLayout> {
        Layout::new(self.shape.nodes, self.block)
    }

    /// Makes the shared memory of this run: the address space `layout`, kept coherent by the plan's protocol. Each node
    /// can hold copies of `frames` pages of other nodes.
    ///
    /// # Errors
    /// [`BadPlan`] if `frames` is too few for the nodes to make progress, or the plan names no protocol.
    pub fn shared_memory(&self, layout: Layout, frames: Frames) -> Result<SharedMemory, BadPlan> {
        let space = AddressSpace::new(layout, frames)?;
        let protocol = self.protocol.ok_or_else(|| {
            BadPlan(
                "shared memory, and no protocol that keeps it coherent: expected one in the plan".to_owned(),
            )
        })?;
        Ok(SharedMemory { space, protocol })
    }

    /// Makes a shared memory with one array, which `lay` allocates, and returns the array as the node of `setup` sees
    /// it. A program may call this once.
    ///
    /// # Panics
    /// If the address space has no room for the array, or the plan names no protocol.
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
