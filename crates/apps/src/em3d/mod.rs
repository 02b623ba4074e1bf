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
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `preset` | a text | small | parameters known by a name: small, or those of a study: alewife, fixed-floating, pdq; every other input overrides its own |
//! | `nodes` | an integer from 2 to 16777216 | 4000 | graph nodes, half of them E and half H; an even number |
//! | `degree` | an integer from 1 to 1000 | 10 | edges of each E node, to different H nodes; at most as many as an owner has H nodes |
//! | `remote` | a number from 0 to 100 | 20 | edges that leave their owner, in percent |
//! | `span` | an integer from 1 to 1000000 | 2 | distance that such an edge goes at most, in owners; after the last owner comes the first |
//! | `owners` | an integer from 1 to 1024 | 1 | owners of graph nodes on each machine node; with 1 each edge that leaves its owner leaves its machine node |
//! | `values` | an integer from 1 to 13 | 5 | values of a message and of a deposit; bulk has all for one destination in one block |
//! | `iterations` | an integer from 1 to 1000000 | 10 | timed iterations |
//! | `warm-up` | an integer from 0 to 1000000 | 1 | iterations before those |
//! | `extra` | an integer from 0 to 1000000 | 0 | integer operations that a model charges for each edge beside the 8 counted |
//! | `record` | an integer from 32 to 128 | 32 | bytes of a graph node's record in shared memory: 32, 64 or 128 |
//! | `frames` | a text | all | room on a node for pages of others in shared memory: all, from the start; on-demand: all, each found when first used; or how many at a time |
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
use tempest::entry::Entry;

/// The entry of em3d in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "em3d",
    summary: "field values on an irregular bipartite graph, from those of neighbours on other nodes",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk, Mechanism::Deposit, Mechanism::SharedMemory],
    inputs: problem::INPUTS,
    load: problem::load,
};
