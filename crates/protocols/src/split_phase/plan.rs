//! A program's layout of the arena: the words of the global address space on a node. It is fixed before the run and the same on
//! every node, so that one offset names the same place everywhere.
//!
//! This module must never know how memory is accessed.

use std::any::{TypeId, type_name};
use std::fmt;

use tempest::message::Charger;
use tempest::{Class, Mechanism, Primitive, Setup};

use super::arena::{ArenaWord, MOST, MOST_SHORT, Sizes};
use super::pointers::{LocalPtr, SpreadArray};
use super::procedure::{Invoke, Post, Procedure};

/// Plan of every node's arena: its words, the procedures that may be invoked there, and the mechanisms for blocks and words.
#[derive(Clone, PartialEq, Eq)]
pub struct Plan {
    nodes: u32,
    words: Sizes,
    procedures: Vec<Registered>,
    blocks: Mechanism,
    direct: bool,
}

/// A procedure that programs may invoke and post.
#[derive(Clone)]
struct Registered {
    procedure: TypeId,
    name: &'static str,
    register: fn(&mut Setup<'_>),
}

/// Two registrations are equal if the types of their procedures are: function pointers have no reliable identity.
impl PartialEq for Registered {
    fn eq(&self, other: &Self) -> bool {
        self.procedure == other.procedure
    }
}

impl Eq for Registered {}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Plan {
    /// Makes the plan of an empty arena on each of `nodes` nodes, with blocks and all other accesses as messages.
    pub fn new(nodes: u32) -> Self {
        Self {
            nodes,
            words: Sizes::default(),
            procedures: Vec::new(),
            blocks: Mechanism::Messages,
            direct: false,
        }
    }

    /// Sets the mechanism for blocks: bulk transfers with [`Mechanism::Bulk`], messages with payload with any other.
    #[must_use]
    pub fn blocks_by(self, mechanism: Mechanism) -> Self {
        Self { blocks: mechanism, ..self }
    }

    /// Sets whether reads, writes, gets and puts are loads and stores where the world [maps](tempest::Thread::map) the other
    /// node's memory.
    #[must_use]
    pub fn directly(self, direct: bool) -> Self {
        Self { direct, ..self }
    }

    /// Reserves `len` consecutive words of 4 or 8 bytes on every node. Returns a pointer to the first word. Words of 4 bytes are
    /// packed, apart from words of 8 bytes.
    ///
    /// # Panics
    /// If the arena would have 2^31 words of 8 bytes or more, or 2^30 words of 4 bytes or more.
    pub fn local<T: ArenaWord>(&mut self, len: u32) -> LocalPtr<T> {
        let (words, most) =
            if T::SHORT { (&mut self.words.short, MOST_SHORT) } else { (&mut self.words.long, MOST) };
        let base = *words;
        *words = base.checked_add(len).filter(|words| *words < most).unwrap_or_else(|| {
            panic!(
                "{base} words of {} bytes in an arena, and {len} more: expected fewer than {most}",
                size_of::<T>()
            )
        });
        LocalPtr::new(base)
    }

    /// Reserves an array of `len` elements of `block` consecutive words each. Element i is on node i modulo the number of nodes.
    ///
    /// # Panics
    /// If the arena would have 2^31 words of 8 bytes or more, or 2^30 words of 4 bytes or more.
    pub fn spread<T: ArenaWord>(&mut self, len: u32, block: u32) -> SpreadArray<T> {
        let blocks = len.div_ceil(self.nodes);
        let words = blocks.checked_mul(block).unwrap_or_else(|| {
            panic!("{blocks} blocks of {block} words in an arena: expected fewer than {MOST} words")
        });
        SpreadArray::new(self.local(words), len, block, self.nodes)
    }

    /// Registers procedure `P`, so that programs may invoke and post it. Each procedure must be registered once.
    pub fn procedure<P: Procedure>(&mut self) {
        self.procedures.push(Registered {
            procedure: TypeId::of::<P>(),
            name: type_name::<P>(),
            register: |setup| {
                setup.message::<Invoke<P>>();
                setup.message::<Post<P>>();
                setup.charges(Charger::HandlersOf(Class::Atomic), &[Primitive::CountStore]);
            },
        });
    }

    /// Returns the numbers of words of an arena, by size.
    pub(super) fn words(&self) -> Sizes {
        self.words
    }

    /// Whether blocks travel as bulk transfers.
    pub(super) fn transfers(&self) -> bool {
        self.blocks == Mechanism::Bulk
    }

    /// Whether accesses to mapped memory of other nodes are loads and stores.
    pub(super) fn is_direct(&self) -> bool {
        self.direct
    }

    pub(super) fn register(&self, setup: &mut Setup<'_>) {
        self.procedures.iter().for_each(|procedure| (procedure.register)(setup));
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, words, procedures, blocks, direct } = self;
        let Sizes { long, short } = words;
        write!(f, "{long} words on each of {nodes} nodes, procedures {procedures:?}, blocks by {blocks}")?;
        if *short > 0 {
            write!(f, ", {short} words of 4 bytes")?;
        }
        if *direct { f.write_str(", directly where mapped") } else { Ok(()) }
    }
}
