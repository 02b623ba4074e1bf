//! What a program wants of the arena: laid out before anything runs, the same on every node, so that one offset names the
//! same place everywhere.
//!
//! This module must never know how memory is accessed.

use std::any::{TypeId, type_name};
use std::fmt;

use tempest::{Mechanism, Setup, Word};

use super::pointers::{LocalPtr, SpreadArray};
use super::procedure::{Invoke, Procedure};

/// The layout of every node's arena, the procedures that may be invoked there, and how blocks travel.
#[derive(Clone, PartialEq, Eq)]
pub struct Plan {
    nodes: u32,
    words: u32,
    procedures: Vec<Registered>,
    blocks: Mechanism,
    direct: bool,
}

/// A procedure that may be invoked.
#[derive(Clone)]
struct Registered {
    procedure: TypeId,
    name: &'static str,
    register: fn(&mut Setup<'_>),
}

/// The type decides: functions have no identity to rely on.
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
    /// An empty arena on each of so many nodes; blocks travel as messages, and so does all else.
    pub fn new(nodes: u32) -> Self {
        Self { nodes, words: 0, procedures: Vec::new(), blocks: Mechanism::Messages, direct: false }
    }

    /// How blocks travel: by [`Mechanism::Bulk`] as transfers where the waist offers them, else as messages of payload.
    #[must_use]
    pub fn blocks_by(self, mechanism: Mechanism) -> Self {
        Self { blocks: mechanism, ..self }
    }

    /// Whether reads and writes, gets and puts are loads and stores where the world has the other node's memory
    /// [mapped](tempest::Thread::map).
    #[must_use]
    pub fn directly(self, direct: bool) -> Self {
        Self { direct, ..self }
    }

    /// Reserves `len` words on every node and says where the first of them is.
    ///
    /// # Panics
    /// If the arena would exceed 2^32 words.
    pub fn local<T: Word>(&mut self, len: u32) -> LocalPtr<T> {
        let base = self.words;
        self.words = base.checked_add(len).expect("an arena has fewer than 2^32 words");
        LocalPtr::new(base)
    }

    /// Reserves an array of `len` elements of `block` words each, spread over the nodes.
    ///
    /// # Panics
    /// If the arena would exceed 2^32 words.
    pub fn spread<T: Word>(&mut self, len: u32, block: u32) -> SpreadArray<T> {
        let words = len.div_ceil(self.nodes).checked_mul(block).expect("an arena has fewer than 2^32 words");
        SpreadArray::new(self.local(words), len, block, self.nodes)
    }

    /// Lets a procedure be invoked. Each is registered once.
    pub fn procedure<P: Procedure>(&mut self) {
        self.procedures.push(Registered {
            procedure: TypeId::of::<P>(),
            name: type_name::<P>(),
            register: |setup| setup.message::<Invoke<P>>(),
        });
    }

    /// Words of an arena.
    pub(super) fn words(&self) -> u32 {
        self.words
    }

    /// Whether blocks travel as transfers.
    pub(super) fn transfers(&self) -> bool {
        self.blocks == Mechanism::Bulk
    }

    /// Whether accesses are direct where they can be.
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
        write!(f, "{words} words on each of {nodes} nodes, procedures {procedures:?}, blocks by {blocks}")?;
        if *direct { f.write_str(", directly where mapped") } else { Ok(()) }
    }
}
