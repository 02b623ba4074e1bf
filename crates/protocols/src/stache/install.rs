//! The coherence protocols of this folder, and making the state of a node. This module must never know the content of a
//! program's memory.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempest::entry::Coherence;
use tempest::memory::{AddressSpace, Frames};
use tempest::message::Charger;
use tempest::{Class, Event, Layout, Memory, Primitive, Protocol, Setup};

use super::charges;
use super::frames::Pages;
use super::homes::{KnownHomes, Moves};
use super::messages::Faulted;
use super::state::{BlockEntry, Stache};
use super::{Line, Migration, Variant};

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

impl Protocol for Stache {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        let (layout, frames) = (config.space.layout(), config.space.frames());
        let memory = setup.memory::<Faulted>(layout, frames == Frames::All);
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
                true => BlockEntry::Home(None),
                false => BlockEntry::Cached(Line::default()),
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
