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

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempest::{Array, Block, Event, Keyed, Layout, Memory, NodeId, Protocol, Setup, Shared, Word};

pub use home::{Asker, Half, Home, HomeAction, HomeEvent, HomeState, Request};
pub use line::{Line, LineAction, LineEvent, LineState};
pub use nodes::NodeSet;
use pages::Pages;
pub use vocabulary::{ToCache, ToHome, Unspecified, Variant, Want};

/// Room on a node for pages that live elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Frames {
    /// For all of them, from the start: there are no page faults.
    #[default]
    Premapped,
    /// For all of them; each is mapped when it is first used.
    OnDemand,
    /// For so many at a time; the page that was mapped first gives way. Threads of a node that wait for words
    /// ([`Thread::wait_for`](tempest::Thread::wait_for)) on more pages than that take the frames from each other
    /// for as long as they wait.
    AtMost(u32),
}

/// What every node is told: the address space and how it is kept.
#[derive(Clone, Debug)]
pub struct Config {
    layout: Layout,
    variant: Variant,
    frames: Frames,
}

/// A configuration that could make no progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadConfig(String);

impl fmt::Display for BadConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadConfig {}

impl Config {
    /// An address space with room for all of it on every node, for channels that keep order.
    pub fn new(layout: Layout) -> Self {
        Self { layout, variant: Variant::default(), frames: Frames::default() }
    }

    /// The same by the tables of a variant.
    #[must_use]
    pub fn variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// The same with other room for remote pages.
    ///
    /// # Errors
    /// [`BadConfig`] if that is no room at all and there are remote pages. One frame is enough: a page stays
    /// while a block of it is under way, what brings the block needs no frame, and the access that waited is
    /// done before the page gives way.
    pub fn frames(self, frames: Frames) -> Result<Self, BadConfig> {
        let has_remote_pages = self.layout.nodes() > 1 && self.layout.pages() > 0;
        if frames == Frames::AtMost(0) && has_remote_pages {
            return Err(BadConfig("0 frames for pages of other nodes: at least 1 is needed".to_owned()));
        }
        Ok(Self { frames, ..self })
    }

    /// The address space.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// A node's part in the shared memory.
pub struct Stache {
    node: NodeId,
    memory: Arc<Memory>,
    variant: Variant,
    entries: Keyed<Entry>,
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
    /// It is the block's home.
    Home(Box<Home>),
    /// Another node is.
    Cached(Line),
}

impl tempest::Handlers for Stache {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages::register(messages);
    }
}

impl Protocol for Stache {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        let layout = &config.layout;
        let memory = setup.memory::<messages::Faulted>(layout, config.frames == Frames::Premapped);
        let (node, frames) = (setup.node(), config.frames);
        Self {
            node,
            variant: config.variant,
            entries: setup.keyed_blocks(&memory, |block| Entry::new(&memory, block)),
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
            Self::Home(Box::default())
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

#[cfg(test)]
mod tests {
    use tempest::Homes;

    use super::*;

    #[test]
    fn no_frame_is_refused_with_the_number_needed() {
        let mut layout = Layout::new(2, 64).unwrap();
        layout.array::<u64>("words", 1, Homes::RoundRobin).unwrap();
        let error = Config::new(layout.clone()).frames(Frames::AtMost(0)).unwrap_err();
        assert_eq!(error.to_string(), "0 frames for pages of other nodes: at least 1 is needed");
        assert!(Config::new(layout).frames(Frames::AtMost(1)).is_ok());
        let alone = Layout::new(1, 64).unwrap();
        assert!(Config::new(alone).frames(Frames::AtMost(0)).is_ok(), "one node has no remote pages");
    }
}
