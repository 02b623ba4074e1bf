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
//! | `state`, `install` | a node's state, and the making of it |
//! | `frames` | the table of pages with frames |
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
mod frames;
mod home;
mod homes;
mod install;
mod line;
mod messages;
mod migration;
mod moves;
mod nodes;
mod pages;
mod serve;
mod state;
mod touch;
mod vocabulary;

pub use home::{Asker, Half, Home, HomeAction, HomeEvent, HomeState, Request};
pub use install::{Config, STACHE, STACHE_MIGRATING, STACHE_UNORDERED};
pub use line::{Line, LineAction, LineEvent, LineState};
pub use migration::{Migration, Residence, ResidenceAction, ResidenceEvent, Usage, Whereabouts};
pub use nodes::NodeSet;
pub use state::Stache;
pub use touch::{Registered, Touch, TouchAction, TouchEvent};
pub use vocabulary::{ToCache, ToHome, Unspecified, Variant, Want};
