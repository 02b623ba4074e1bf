//! Messages: protocols and their messages, the node that knows them, and the handle of a running handler.
//!
//! A message and its handler's handle refer to each other, so they stand in one folder: first the data of each, then
//! the steps that need both. This folder must never know how messages travel, nor which world runs handlers.
//!
//! | module | contents |
//! |---|---|
//! | `charge` | the primitives that protocols state they charge |
//! | `ids` | the numbers of the kinds of messages, by type |
//! | `parts` | the state of a node that its threads and handlers use |
//! | `handler` | the handle of a running handler |
//! | `kinds` | the kinds of messages that a node knows |
//! | `node` | a node with everything installed |
//! | `setup` | a node during its installation |
//! | `protocol` | the traits: a protocol, its list of messages, a message |
//! | `bound` | a kind of message as its own type, with its handler and its state |
//! | `installing` | the steps of an installation that name a protocol or a message |
//! | `sending` | the actions of a handler that name a message |

mod bound;
pub(crate) mod charge;
mod handler;
mod ids;
mod installing;
mod kinds;
pub(crate) mod node;
pub(crate) mod parts;
mod protocol;
mod sending;
mod setup;

pub use crate::plain::{Flow, Space};
pub use charge::Charger;
pub use handler::{Actions, Handler};
pub use protocol::{Handlers, Message, Messages, Protocol};
pub use setup::Setup;
