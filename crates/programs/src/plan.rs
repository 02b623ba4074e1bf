//! How a program is to be run: what its job depends on beside its own inputs.
//!
//! This module must never know any one program.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use protocols::stache::{self, Variant};
use tempest::{Layout, Mechanism, Shape};

use crate::frames::Room;

/// How many nodes report to one in barriers through shared memory: four, as in the tree barrier of J. M. Mellor-Crummey and
/// M. L. Scott (ACM Transactions on Computer Systems 9, 1991).
pub(crate) const FAN_IN: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// How data moves, in what shape of world, and what is left to chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How data moves.
    pub mechanism: Mechanism,
    /// Nodes, and threads on each.
    pub shape: Shape,
    /// Seed of whatever the program leaves to chance.
    pub seed: u64,
    /// Bytes of a coherence block: one of [`BLOCKS`](Self::BLOCKS).
    pub block: u32,
    /// What keeps the copies of blocks coherent.
    pub protocol: Coherence,
}

impl Plan {
    /// What a block may have, in bytes.
    pub const BLOCKS: [u32; 4] = [16, 32, 64, 128];

    /// What it has when nobody says: what the studies of fine-grain shared memory used.
    pub const BLOCK: u32 = 64;

    /// A run from seed 1, with blocks of [`BLOCK`](Self::BLOCK) bytes kept coherent by the first protocol: say what differs.
    pub const fn new(mechanism: Mechanism, shape: Shape) -> Self {
        Self { mechanism, shape, seed: 1, block: Self::BLOCK, protocol: Coherence::Stache }
    }

    /// An empty address space for the nodes of this run.
    ///
    /// # Errors
    /// If a block has another size than it may.
    pub(crate) fn space(&self) -> Result<Layout, String> {
        Layout::new(self.shape.nodes, self.block).map_err(|bad| bad.to_string())
    }

    /// How the nodes of this run share such a space, with so much room for pages of others on each.
    ///
    /// # Errors
    /// If there is too little room, with what is needed.
    pub(crate) fn coherent(&self, layout: Layout, room: Room) -> Result<stache::Config, String> {
        let config = stache::Config::new(layout).variant(self.protocol.variant());
        config.frames(room.into()).map_err(|bad| bad.to_string())
    }
}

/// A protocol that keeps the blocks of shared memory coherent, by its name on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Coherence {
    /// [`protocols::stache`], which relies on the order of messages about one block.
    #[default]
    Stache,
    /// The same for channels in which messages may overtake each other.
    StacheUnordered,
}

impl Coherence {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Stache, Self::StacheUnordered];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stache => "stache",
            Self::StacheUnordered => "stache-unordered",
        }
    }

    /// One line for people.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Stache => {
                "a full-map directory at each block's home, invalidation, sequentially consistent"
            }
            Self::StacheUnordered => "the same for channels in which messages may overtake each other",
        }
    }

    /// The tables that nodes follow.
    pub(crate) const fn variant(self) -> Variant {
        match self {
            Self::Stache => Variant::Ordered,
            Self::StacheUnordered => Variant::Robust,
        }
    }
}

impl fmt::Display for Coherence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Coherence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|protocol| protocol.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            format!("unknown protocol `{text}`: expected one of {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_read_what_they_print() {
        for protocol in Coherence::ALL {
            assert_eq!(protocol.to_string().parse(), Ok(protocol));
        }
        let error = "stash".parse::<Coherence>().unwrap_err();
        assert_eq!(error, "unknown protocol `stash`: expected one of stache, stache-unordered");
    }

    #[test]
    fn too_little_room_is_refused_with_what_is_needed() {
        let plan = Plan::new(Mechanism::SharedMemory, Shape { nodes: 2, threads: 1 });
        let coherent = |room| {
            let mut space = plan.space().unwrap();
            space.array::<u64>("words", 1, tempest::Homes::Parts).unwrap();
            plan.coherent(space, room)
        };
        assert!([Room::All, Room::OnDemand, Room::AtMost(1)].map(coherent).iter().all(Result::is_ok));
        let error = coherent(Room::AtMost(0)).unwrap_err();
        assert!(error.contains("0 frames") && error.contains("at least 1"), "{error}");
    }

    #[test]
    fn every_size_of_a_block_makes_a_space() {
        let plan = Plan::new(Mechanism::SharedMemory, Shape { nodes: 2, threads: 1 });
        for block in Plan::BLOCKS {
            assert_eq!(Plan { block, ..plan }.space().unwrap().block_bytes(), block);
        }
        let error = Plan { block: 48, ..plan }.space().unwrap_err();
        assert_eq!(error, "blocks of 48 bytes: expected 16, 32, 64 or 128");
    }
}
