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
//! | `touch` | pages whose home is the node that touches them first, as a pure transition function |
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
mod touch;
mod vocabulary;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tempest::entry::Coherence;
use tempest::{
    AddressSpace, Array, Block, Charger, Class, Event, Frames, Keyed, Layout, Memory, NodeId, Primitive,
    Protocol, Setup, Shared, Tag, Word,
};

pub use home::{Asker, Half, Home, HomeAction, HomeEvent, HomeState, Request};
pub use line::{Line, LineAction, LineEvent, LineState};
pub use nodes::NodeSet;
use pages::Pages;
pub use touch::{Registered, Touch, TouchAction, TouchEvent};
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
    /// By page: the home, if the node knows it.
    homes: Arc<KnownHomes>,
    /// A page has entries as long as it has a frame, and until what it sent home has arrived.
    entries: Keyed<Entry>,
    /// There may be pages without entries.
    has_gaps: bool,
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
        let has_gaps = frames != Frames::All || (0..layout.pages()).any(|page| layout.is_touched_home(page));
        for class in [Class::System, Class::Reply] {
            setup.charges(Charger::HandlersOf(class), charges::ALL);
            if has_gaps {
                setup.charges(Charger::HandlersOf(class), &[Primitive::MapPage]);
            }
        }
        let homes = Arc::new(KnownHomes::new(&memory));
        let entry = {
            let (memory, homes) = (Arc::clone(&memory), Arc::clone(&homes));
            move |block| match homes.of(memory.layout().page_of(block)) == Some(node) {
                true => Entry::Home(None),
                false => Entry::Cached(Line::default()),
            }
        };
        let entries = match has_gaps {
            true => setup.keyed_pages(&memory, entry),
            false => setup.keyed_blocks(&memory, entry),
        };
        Self {
            node,
            variant: config.variant,
            homes,
            entries,
            has_gaps,
            pages: setup.keyed(1, |_| Pages::new(frames)),
            starving: AtomicBool::new(false),
            freed: (0..layout.pages()).map(|_| AtomicBool::new(false)).collect(),
            frees: Event::new("stache.frees"),
            memory,
        }
    }
}

/// The homes of pages, as far as a node knows them.
struct KnownHomes(Box<[AtomicU32]>);

impl KnownHomes {
    /// No number of a node: the node does not know who the home is.
    const UNKNOWN: u32 = u32::MAX;

    /// What a node knows before anything runs: the layout. A page whose home is the node that touches it first has no home yet, and no
    /// node has a right to it.
    fn new(memory: &Memory) -> Self {
        let layout = memory.layout();
        let home = |page| {
            if !layout.is_touched_home(page) {
                return layout.home_of_page(page).0;
            }
            memory.set_mapped(page, false);
            layout.blocks_of(page).for_each(|block| memory.set_tag(Block(block), Tag::Invalid));
            Self::UNKNOWN
        };
        Self((0..layout.pages()).map(home).map(AtomicU32::new).collect())
    }

    /// The home of a page, if it is known.
    fn of(&self, page: u32) -> Option<NodeId> {
        let home = self.0[page as usize].load(Ordering::Acquire);
        (home != Self::UNKNOWN).then_some(NodeId(home))
    }

    /// Notes the home of a page. The caller runs alone on the node.
    fn note(&self, page: u32, home: NodeId) {
        self.0[page as usize].store(home.0, Ordering::Release);
    }
}

impl Stache {
    /// This node's copy of the address space.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The home of a block, if this node knows it.
    fn home_of(&self, block: Block) -> Option<NodeId> {
        self.homes.of(self.memory.layout().page_of(block))
    }

    /// The elements of an array, for this node's threads.
    ///
    /// # Panics
    /// If the array is of another space.
    pub fn bind<T: Word>(&self, array: Array<T>) -> Shared<T> {
        self.memory.bind(array)
    }
}
