//! em3d: electromagnetic waves on an irregular bipartite graph, by each of the four mechanisms.
//!
//! Half of the graph nodes hold electric field values (E), half magnetic ones (H). An iteration updates each E value
//! from its H neighbours, v -= Σ weight · neighbour, and then each H value from its E neighbours. The undirected
//! edges serve both halves. Before each half, values that another machine node needs travel to *ghosts* on that node,
//! so that computing touches local memory only. After each half all threads meet at a barrier. (D. E. Culler et al.,
//! *Parallel Programming in Split-C*, Supercomputing 1993; F. T. Chong, R. Barua, F. Dahlgren, J. D. Kubiatowicz and
//! A. Agarwal, *The Sensitivity of Communication Mechanisms to Bandwidth and Latency*, HPCA-4, 1998.)
//!
//! # Mechanisms
//!
//! | mechanism | how values travel |
//! |---|---|
//! | `messages` | a few values to a message (five in the study), read straight from where they are; its handler puts them into the ghosts |
//! | `bulk` | gathered into one block for each neighbour and moved by one transfer, used where it lands |
//! | `deposit` | as many values at a time, read straight from where they are, placed in the ghosts without a handler |
//! | `shared-memory` | there are no ghosts: graph nodes are records in shared memory at home with their owner, who writes them; whoever needs a neighbour's value reads its record |
//!
//! # Work
//!
//! A model charges eight operations for an edge and ten for a graph node (loads, multiply and add, loop), as the
//! study of the dispatch queue counts them (B. Falsafi and D. A. Wood, HPCA-5, 1999). It charges `extra` operations
//! more for an edge, for machines on which an edge was measured to take longer. With shared memory the model prices
//! each access itself, so loads and stores of shared words are not charged beside. The first reading of ghosts that
//! no handler wrote costs the memory's time for each line.
//!
//! Two things are not modelled yet. Misses between the caches of one node's processors are not: that favours
//! `messages` where another processor runs the handlers, since the ghosts that handlers write are read as hits. Nor
//! is the memory traffic of transfers and deposits.
//!
//! # Presets
//!
//! A preset has the numbers of a study where the study prints them. Numbers in *italics* are ours.
//!
//! | preset | nodes | degree | remote | span | owners | iterations | warm-up | extra | record | study |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | `small` | *4000* | *10* | *20* | *2* | *1* | *10* | *1* | *0* | *32* | none: small enough for a first look |
//! | `alewife` | 10000 | 10 | 20 | *5* | *1* | 50 | *0* | *16* | *32* | Chong et al., HPCA-4, 1998; on 32 nodes of one processor |
//! | `fixed-floating` | *16320* | 5 | 5 | 2 | *1* | 10 | *0* | 102 | *64* | Falsafi and Wood on fixed and floating protocol processors, about 1996; on 4 nodes |
//! | `pdq` | 76800 | *5* | 15 | *16* | *8* | *5* | *1* | *0* | *32* | Falsafi and Wood, HPCA-5, 1999; on 8 nodes of 8 processors |
//!
//! # Timed regions
//!
//! `iterate` is the timed region: all iterations but the `warm-up` iterations, which come before it. With shared
//! memory a region `check` follows, in which nodes read back their results.
//!
//! # How it is checked
//!
//! Every value is compared, bit for bit, with a sequential run over the same graph. Bits can agree because each sum
//! adds its terms in the order of the edges, on every machine.

mod bulk;
mod deposit;
mod ghosts;
mod graph;
mod layout;
mod messages;
mod presets;
mod problem;
mod reference;
mod shared;

use tempest::Mechanism;
use tempest::entry::{Entry, Inputs};

/// The entry of em3d in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "em3d",
    summary: "field values on an irregular bipartite graph, from those of neighbours on other nodes",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk, Mechanism::Deposit, Mechanism::SharedMemory],
    inputs: <problem::Asked as Inputs>::INPUTS,
    load: problem::load,
};
