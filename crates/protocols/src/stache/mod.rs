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
//! | `migration` | pages whose home moves: when, and how, as pure functions |
//! | `homes` | what a node knows of homes, and counts |
//! | `moves` | the handlers' part of a move |
//!
//! A program gets **sequential consistency** across nodes: writing is granted when every other copy is gone,
//! a thread has one access outstanding, and a right that was tested is not taken away before the access
//! behind the test is done (see [`tempest::Memory`]).
//!
//! This module must never know which world runs it, nor what a program keeps in its memory.

mod charges;
mod home;
mod homes;
mod line;
mod messages;
mod migration;
mod moves;
mod nodes;
mod pages;
mod serve;
mod touch;
mod vocabulary;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempest::entry::Coherence;
use tempest::{
    AddressSpace, Array, Block, Charger, Class, Event, Frames, Handler, Keyed, Layout, Memory, NodeId,
    Primitive, Protocol, Setup, Shared, Thread, Word,
};

pub use home::{Asker, Half, Home, HomeAction, HomeEvent, HomeState, Request};
use homes::{KnownHomes, Moves};
pub use line::{Line, LineAction, LineEvent, LineState};
pub use migration::{Migration, Residence, ResidenceAction, ResidenceEvent, Usage, Whereabouts};
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

/// The protocol with homes that move to the nodes that use their pages, as [`Migration::of_return`] says.
pub const STACHE_MIGRATING: Coherence = Coherence {
    name: "stache-migrating",
    summary: "stache, and a page moves to a node that alone asks for its blocks again and again",
    install: |space, setup| {
        let policy = Migration::of_return(space.layout().page_blocks());
        installed(&Config::new(space.clone()).migration(policy), setup)
    },
};

fn install(space: &AddressSpace, variant: Variant, setup: &mut Setup<'_>) -> Arc<Memory> {
    installed(&Config::new(space.clone()).variant(variant), setup)
}

fn installed(config: &Config, setup: &mut Setup<'_>) -> Arc<Memory> {
    Arc::clone(setup.install::<Stache>(config).memory())
}

/// The address space, the variant of the protocol that keeps it coherent, and whether homes move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    space: AddressSpace,
    variant: Variant,
    migration: Option<Migration>,
}

impl Config {
    /// An address space kept by the tables for channels that keep order, with homes that stay where they are.
    pub fn new(space: impl Into<AddressSpace>) -> Self {
        Self { space: space.into(), variant: Variant::default(), migration: None }
    }

    /// This configuration with the tables of a variant.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// This configuration with homes that move as a policy says.
    #[must_use]
    pub fn migration(self, policy: Migration) -> Self {
        Self { migration: Some(policy), ..self }
    }

    /// The arrays of the address space.
    pub fn layout(&self) -> &Layout {
        self.space.layout()
    }
}

/// The modelled size of what a node knows of a block: the state, a bit for each of 32 nodes, and the first of the requests that
/// wait. The studies do not say.
const ENTRY_BYTES: u32 = 8;

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
    /// A page that will be at home here has blocks under way: whoever ends a transaction next has it tried again.
    inviting: AtomicBool,
    /// If homes move: when.
    moves: Option<Moves>,
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
        let moves = config.migration.map(|policy| Moves::new(policy, layout.pages()));
        let has_gaps = frames != Frames::All
            || moves.is_some()
            || (0..layout.pages()).any(|page| layout.is_touched_home(page));
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
        let tables = setup.entry_bytes(ENTRY_BYTES);
        let entries = match has_gaps {
            true => tables.keyed_pages(&memory, entry),
            false => tables.keyed_blocks(&memory, entry),
        };
        Self {
            node,
            variant: config.variant,
            homes,
            entries,
            has_gaps,
            pages: setup.keyed(1, |_| Pages::new(frames)),
            starving: AtomicBool::new(false),
            inviting: AtomicBool::new(false),
            moves,
            freed: (0..layout.pages()).map(|_| AtomicBool::new(false)).collect(),
            frees: Event::new("stache.frees"),
            memory,
        }
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

    /// Whether a page has been given back.
    fn is_freed(&self, page: u32) -> bool {
        self.freed[page as usize].load(Ordering::Acquire)
    }

    /// The elements of an array, for this node's threads.
    ///
    /// # Panics
    /// If the array is of another space.
    pub fn bind<T: Word>(&self, array: Array<T>) -> Shared<T> {
        self.memory.bind(array)
    }

    /// Applies `f` to the table of pages, under the sequential key.
    fn at_pages<R>(&self, cx: &mut Handler<'_>, f: impl FnOnce(&mut Pages) -> R) -> R {
        cx.with_any(&self.pages, pages::ALL, |pages, _| f(pages))
    }

    /// Gives an array back, on this node: one thread of each node calls it, when no thread of any node is
    /// going to use the array any more. Whoever does all the same is told so.
    ///
    /// # Panics
    /// If the array is of another space, or has been given back before.
    pub fn free<T: Word>(&self, thread: &Thread<'_>, array: Array<T>) {
        assert!(!self.memory.is_freed(array), "a shared array is freed twice");
        let layout = self.memory.layout();
        let pages = layout.pages_of(array);
        let frees = self.frees.count(thread);
        let free = Self::give_back(layout.region_of(array), pages.start, pages.len() as u32);
        thread.send(self.node, free);
        thread.wait(&self.frees, frees + 1);
    }
}
