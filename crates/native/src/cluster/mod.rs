//! All that the processors of a running world share.
//!
//! | file | content |
//! |---|---|
//! | `world` | the nodes, the lanes between them, the berths and gauges of all processors; whether the world still runs |
//! | `node` | the program, the dispatcher and the threads of one node |
//!
//! This part must never know who runs when.

pub(crate) mod node;
pub(crate) mod world;
