//! The data of a program: words that handlers and threads share, keyed state, memory that other nodes reach, and arrays of one
//! thread.
//!
//! Each object knows its modelled addresses. No object may know which thread or handler uses it, nor which world moves
//! its words.
//!
//! | module | contents |
//! |---|---|
//! | `word` | values that memory holds as one atomic word |
//! | `element` | plain data with a modelled layout |
//! | `bad_layout` | the error of a layout that is not possible |
//! | `address` | the map of a node's modelled addresses |
//! | `event` | a counter that threads wait for |
//! | `clocked` | the handles that read events and cells at the instant of their clock |
//! | `cells` | arrays of words that handlers and threads of a node share |
//! | `keyed` | tables whose entries are reached by holding their keys |
//! | `tables` | the modelled addresses of these tables |
//! | `segment` | memory of a node that other nodes reach without running a handler |
//! | `exports` | the places of that memory in a file that other processes map |
//! | `transfer` | the words that a transfer moves, and their places |
//! | `mapped` | segments of other nodes as plain loads and stores |
//! | `private` | arrays of one thread |

pub(crate) mod address;
mod bad_layout;
mod cells;
pub(crate) mod clocked;
mod element;
mod event;
#[cfg(test)]
mod event_tests;
pub(crate) mod exports;
pub(crate) mod full_count;
mod keyed;
mod mapped;
pub(crate) mod private;
pub(crate) mod segment;
#[cfg(test)]
mod segment_tests;
pub(crate) mod tables;
pub(crate) mod transfer;
pub(crate) mod word;

pub use bad_layout::BadLayout;
pub use cells::Cells;
pub use clocked::Clocked;
pub use element::{Element, ElementField, ElementLayout};
pub use event::Event;
pub use keyed::Keyed;
pub use mapped::Mapped;
pub use private::Private;
pub use segment::{Piece, Place, Rights, Segment};
pub use transfer::{Data, Target};
pub use word::{IntegerWord, Word};
