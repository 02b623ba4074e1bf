//! Stache: shared memory kept coherent by a directory, remote blocks cached in the nodes' own memory.
//!
//! A full-map, invalidation-based, home-centric protocol by handlers over the waist, after S. K. Reinhardt,
//! J. R. Larus and D. A. Wood, *Tempest and Typhoon: User-Level Shared Memory*, ISCA 1994. Faults and
//! messages about a block have the block's key, so handlers of different blocks share nothing; operations on
//! pages are sequential.
//!
//! | module | what it holds |
//! |---|---|
//! | `vocabulary` | what nodes say to each other about a block, and the two variants of the protocol |
//! | `home`, `line` | the two sides' tables, as pure transition functions |
//! | `nodes` | a set of nodes |
//! | `messages` | the messages on the wire and which handler each has |
//! | `serve` | events through the tables: rights lowered first, then the actions |
//! | `charges` | what serving an event costs |
//! | `pages` | frames for remote pages, their replacement, and giving arrays back |
//!
//! A program gets **sequential consistency** across nodes: writing is granted when every other copy is gone,
//! a thread has one access outstanding, and a right that was tested is not taken away before the access
//! behind the test is done (see [`tempest::Memory`]).
//!
//! This module must never know which world runs it, nor what a program keeps in its memory.

mod charges;
mod home;
mod line;
mod messages;
mod nodes;
mod pages;
mod serve;
mod vocabulary;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempest::entry::Coherence;
use tempest::{
    AddressSpace, Array, Block, Charger, Class, Event, Frames, Keyed, Layout, Memory, NodeId, Primitive,
    Protocol, Setup, Shared, Word,
};

pub use home::{Asker, Half, Home, HomeAction, HomeEvent, HomeState, Request};
pub use line::{Line, LineAction, LineEvent, LineState};
pub use nodes::NodeSet;
use pages::Pages;
pub use vocabulary::{ToCache, ToHome, Unspecified, Variant, Want};

/// The protocol as people choose it: relies on the order of messages about one block.
pub const STACHE: Coherence = Coherence {
    name: "stache",
    summary: "a full-map directory at each block's home, invalidation, sequentially consistent",
    install: |space, setup| install(space, Variant::Ordered, setup),
};

/// The protocol by tables for channels in which messages may overtake each other.
pub const STACHE_UNORDERED: Coherence = Coherence {
    name: "stache-unordered",
    summary: "the same for channels in which messages may overtake each other",
    install: |space, setup| install(space, Variant::Robust, setup),
};

fn install(space: &AddressSpace, variant: Variant, setup: &mut Setup<'_>) -> Arc<Memory> {
    let config = Config { space: space.clone(), variant };
    Arc::clone(setup.install::<Stache>(&config).memory())
}

/// The address space, and the variant of the protocol that keeps it coherent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    space: AddressSpace,
    variant: Variant,
}

impl Config {
    /// An address space kept by the tables for channels that keep order.
    pub fn new(space: impl Into<AddressSpace>) -> Self {
        Self { space: space.into(), variant: Variant::default() }
    }

    /// This configuration with the tables of a variant.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// The arrays of the address space.
    pub fn layout(&self) -> &Layout {
        self.space.layout()
    }
}

/// A node's part in the shared memory.
pub struct Stache {
    node: NodeId,
    memory: Arc<Memory>,
    variant: Variant,
    /// A page has entries as long as it has a frame, and until what it sent home has arrived.
    entries: Keyed<Entry>,
    /// There may be pages without frames.
    is_bounded: bool,
    pages: Keyed<Pages>,
    /// A page waits for a frame: whoever ends a transaction next has it tried again.
    starving: AtomicBool,
    /// By page: given back. Nothing raises a right there any more.
    freed: Box<[AtomicBool]>,
    /// Arrays that this node has given back.
    frees: Event,
}

/// What a node knows of a block.
enum Entry {
    /// It is the block's home. Of most blocks no other node ever wants anything: they have no directory entry.
    Home(Option<Box<Home>>),
    /// Another node is.
    Cached(Line),
}

impl Protocol for Stache {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        let (layout, frames) = (config.space.layout(), config.space.frames());
        let memory = setup.memory::<messages::Faulted>(layout, frames == Frames::All);
        let node = setup.node();
        for class in [Class::System, Class::Reply] {
            setup.charges(Charger::HandlersOf(class), charges::ALL);
            if frames != Frames::All {
                setup.charges(Charger::HandlersOf(class), &[Primitive::MapPage]);
            }
        }
        let is_bounded = frames != Frames::All;
        let entries = if is_bounded {
            let of = Arc::clone(&memory);
            setup.keyed_pages(&memory, move |block| Entry::new(&of, block))
        } else {
            setup.keyed_blocks(&memory, |block| Entry::new(&memory, block))
        };
        Self {
            node,
            variant: config.variant,
            entries,
            is_bounded,
            pages: setup.keyed(1, |_| Pages::new(frames)),
            starving: AtomicBool::new(false),
            freed: (0..layout.pages()).map(|_| AtomicBool::new(false)).collect(),
            frees: Event::new("stache.frees"),
            memory,
        }
    }
}

impl Entry {
    fn new(memory: &Memory, block: Block) -> Self {
        if memory.layout().home(block) == memory.node() {
            Self::Home(None)
        } else {
            Self::Cached(Line::default())
        }
    }
}

impl Stache {
    /// This node's copy of the address space.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The elements of an array, for this node's threads.
    ///
    /// # Panics
    /// If the array is of another space.
    pub fn bind<T: Word>(&self, array: Array<T>) -> Shared<T> {
        self.memory.bind(array)
    }
}
