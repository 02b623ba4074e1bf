//! A program's demands on the arena. It is laid out before the run and identically on every node, so that one offset names the
//! same place everywhere.
//!
//! This module must never know how memory is accessed.

use std::any::{TypeId, type_name};
use std::fmt;

use tempest::message::Charger;
use tempest::{Class, Mechanism, Primitive, Setup};

use super::arena::{ArenaWord, MOST, MOST_SHORT, Sizes};
use super::pointers::{LocalPtr, SpreadArray};
use super::procedure::{Invoke, Post, Procedure};

/// The layout of every node's arena, the procedures that may be invoked there, and how blocks travel.
#[derive(Clone, PartialEq, Eq)]
pub struct Plan {
    nodes: u32,
    words: Sizes,
    procedures: Vec<Registered>,
    blocks: Mechanism,
    direct: bool,
}

/// A procedure that may be invoked and posted.
#[derive(Clone)]
struct Registered {
    procedure: TypeId,
    name: &'static str,
    register: fn(&mut Setup<'_>),
}

/// Registrations are equal if their procedures' types are: function pointers have no reliable identity.
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
    /// An empty arena on each of `nodes` nodes, with blocks and all other accesses as messages.
    pub fn new(nodes: u32) -> Self {
        Self {
            nodes,
            words: Sizes::default(),
            procedures: Vec::new(),
            blocks: Mechanism::Messages,
            direct: false,
        }
    }

    /// Sets the mechanism for blocks: [`Mechanism::Bulk`] for transfers if the waist offers them, else messages with payload.
    #[must_use]
    pub fn blocks_by(self, mechanism: Mechanism) -> Self {
        Self { blocks: mechanism, ..self }
    }

    /// Sets whether reads, writes, gets and puts are loads and stores if the world [maps](tempest::Thread::map) the other node's
    /// memory.
    #[must_use]
    pub fn directly(self, direct: bool) -> Self {
        Self { direct, ..self }
    }

    /// Reserves `len` words of 4 or 8 bytes on every node. Returns a pointer to the first. Words of 4 bytes are packed, apart from
    /// those of 8.
    ///
    /// # Panics
    /// If the arena would exceed 2^31 words of 8 bytes or 2^30 of 4.
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

    /// Reserves an array of `len` elements of `block` words each, dealt out over the nodes.
    ///
    /// # Panics
    /// If the arena would exceed 2^31 words of 8 bytes or 2^30 of 4.
    pub fn spread<T: ArenaWord>(&mut self, len: u32, block: u32) -> SpreadArray<T> {
        let blocks = len.div_ceil(self.nodes);
        let words = blocks.checked_mul(block).unwrap_or_else(|| {
            panic!("{blocks} blocks of {block} words in an arena: expected fewer than {MOST} words")
        });
        SpreadArray::new(self.local(words), len, block, self.nodes)
    }

    /// Registers a procedure, so that it may be invoked and posted. Each must be registered once.
    pub fn procedure<P: Procedure>(&mut self) {
        self.procedures.push(Registered {
            procedure: TypeId::of::<P>(),
            name: type_name::<P>(),
            register: |setup| {
                setup.message::<Invoke<P>>();
                setup.message::<Post<P>>();
                setup.charges(Charger::HandlersOf(Class::User), &[Primitive::CountStore]);
            },
        });
    }

    /// Numbers of words of an arena.
    pub(super) fn words(&self) -> Sizes {
        self.words
    }

    /// Whether blocks travel as transfers.
    pub(super) fn transfers(&self) -> bool {
        self.blocks == Mechanism::Bulk
    }

    /// Whether accesses to mapped memory are direct.
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
