//! The state shared by all processors of a running world.
//!
//! | file | content |
//! |---|---|
//! | `world` | the nodes, the lanes between them, the berths and gauges of all processors; whether the world still runs |
//! | `node` | the program, the dispatcher and the threads of one node |
//!
//! This part must never know which thread runs when.

pub(crate) mod node;
pub(crate) mod world;
