//! Stache: shared memory kept coherent by a directory, remote blocks cached in the nodes' own memory.
//!
//! A full-map, invalidation-based, home-centric protocol by handlers over the waist, after S. K. Reinhardt,
//! J. R. Larus and D. A. Wood, *Tempest and Typhoon: User-Level Shared Memory*, ISCA 1994. Faults and
//! messages about a block have the block's key, so handlers of different blocks share nothing; operations on
//! pages are sequential.
//!
//! | module | content |
//! |---|---|
//! | `vocabulary` | the messages between nodes about a block, and the two variants of the protocol |
//! | `home`, `line` | the two sides' tables, as pure transition functions |
//! | `nodes` | a set of nodes |
//! | `messages` | the messages on the wire and the handler of each |
//! | `serve` | events through the tables: downgrades first, then the actions |
//! | `charges` | the cost of serving an event |
//! | `pages` | frames for remote pages, their replacement, and giving arrays back |
//! | `touch` | pages whose home is the node that touches them first, as a pure transition function |
//! | `migration` | pages whose home moves: the condition and the protocol, as pure functions |
//! | `homes` | a node's knowledge of homes, and its counts |
//! | `moves` | the handlers of a move |
//!
//! A program gets **sequential consistency** across nodes: writing is granted when every other copy is gone, a thread has one access
//! outstanding, and a right that a thread has tested is not taken away before the access behind the test is done (see
//! [`tempest::Memory`]).
//!
//! This module must never know which world runs it, nor the content of a program's memory.

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

use tempest::data::Word;
use tempest::entry::Coherence;
use tempest::memory::{AddressSpace, Frames};
use tempest::message::Charger;
use tempest::{
    Array, Block, Class, Event, Handler, Keyed, Layout, Memory, NodeId, Primitive, Protocol, Setup, Shared,
    Thread,
};

pub use home::{Asker, Half, Home, HomeAction, HomeEvent, HomeState, Request};
use homes::{KnownHomes, Moves};
pub use line::{Line, LineAction, LineEvent, LineState};
pub use migration::{Migration, Residence, ResidenceAction, ResidenceEvent, Usage, Whereabouts};
pub use nodes::NodeSet;
use pages::Pages;
pub use touch::{Registered, Touch, TouchAction, TouchEvent};
pub use vocabulary::{ToCache, ToHome, Unspecified, Variant, Want};

/// Default coherence protocol. It relies on the order of messages about one block.
pub const STACHE: Coherence = Coherence {
    name: "stache",
    summary: "a full-map directory at each block's home, invalidation, sequentially consistent",
    install: |space, setup| install(space, Variant::Ordered, setup),
};

/// Coherence protocol for channels in which messages may overtake each other.
pub const STACHE_UNORDERED: Coherence = Coherence {
    name: "stache-unordered",
    summary: "the same for channels in which messages may overtake each other",
    install: |space, setup| install(space, Variant::Robust, setup),
};

/// Coherence protocol in which the homes of pages move, by the policy [`Migration::of_return`].
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

/// Address space of a run, variant of its coherence protocol, and migration policy, if homes of pages move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    space: AddressSpace,
    variant: Variant,
    migration: Option<Migration>,
}

impl Config {
    /// Makes the configuration of an address space with the protocol for ordered channels and with fixed homes.
    pub fn new(space: impl Into<AddressSpace>) -> Self {
        Self { space: space.into(), variant: Variant::default(), migration: None }
    }

    /// Sets the variant of the protocol: the order of messages on which it may rely.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// Sets the policy by which homes of pages move.
    #[must_use]
    pub fn migration(self, policy: Migration) -> Self {
        Self { migration: Some(policy), ..self }
    }

    /// The layout of the address space: its arrays, and the homes of their pages.
    pub fn layout(&self) -> &Layout {
        self.space.layout()
    }
}

/// Modelled size in bytes of a directory entry: the state, a bit for each of 32 nodes, and the first waiting request. The papers that
/// the studies follow do not state it.
const ENTRY_BYTES: u32 = 8;

/// Shared memory at one node: its copy of the address space and its entries for blocks.
pub struct Stache {
    node: NodeId,
    memory: Arc<Memory>,
    variant: Variant,
    /// The homes of pages, as far as this node knows them.
    homes: Arc<KnownHomes>,
    /// Entries of blocks, by block. A page has entries as long as it has a frame, and until its words have arrived at the home.
    entries: Keyed<Entry>,
    /// Whether there may be pages without entries.
    has_gaps: bool,
    pages: Keyed<Pages>,
    /// Whether a page waits for a frame. The handler that ends the next transaction then triggers another try.
    starving: AtomicBool,
    /// Whether a page whose home moves here has outstanding requests. The handler that ends the next one then triggers another
    /// try.
    inviting: AtomicBool,
    /// Home migration, if homes move.
    moves: Option<Moves>,
    /// Whether the array of a page has been freed, indexed by page. No right to a freed page is raised any more.
    freed: Box<[AtomicBool]>,
    /// Event that counts the arrays that this node has freed.
    frees: Event,
}

/// Entry of a block at a node.
enum Entry {
    /// This node is the block's home. The directory entry is `None` until another node wants the block, which never happens to most
    /// blocks.
    Home(Option<Box<Home>>),
    /// Another node is the block's home.
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
    /// Returns this node's copy of the address space.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Returns the home of a block; `None` if this node does not know it.
    fn home_of(&self, block: Block) -> Option<NodeId> {
        self.homes.of(self.memory.layout().page_of(block))
    }

    /// Whether the array of `page` has been freed.
    fn is_freed(&self, page: u32) -> bool {
        self.freed[page as usize].load(Ordering::Acquire)
    }

    /// Returns a handle by which this node's threads access the elements of `array`.
    ///
    /// # Panics
    /// If the array is of another address space.
    pub fn bind<T: Word>(&self, array: Array<T>) -> Shared<T> {
        self.memory.bind(array)
    }

    /// Applies `f` to the table of pages, under the sequential key.
    fn at_pages<R>(&self, cx: &mut Handler<'_>, f: impl FnOnce(&mut Pages) -> R) -> R {
        cx.with_any(&self.pages, pages::ALL, |pages, _| f(pages))
    }

    /// Frees `array` on this node. A single thread of each node calls it, when no thread of any node will use the
    /// array any more. A later access ends the run with an error.
    ///
    /// # Panics
    /// If the array is of another address space, or has been freed before.
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
