//! The waist on modelled machines: the same programs, run by a deterministic execution-driven simulator.
//!
//! # How a program runs here
//!
//! Program threads and handlers are fibers of one host thread. A modelled processor runs at most one of them at a time.
//! The work of a fiber between two *effects* (a send, a resume, a poll, the end of a handler) is private to its
//! processor, so its charges only add up on the processor's own clock. Before an effect that clock is *settled*. If no
//! event of the engine comes earlier, engine time jumps to the clock and the fiber goes on without a switch. Otherwise
//! the fiber suspends, and an engine event resumes it at that time. Effects therefore happen in engine order, exactly,
//! and most charges cost neither a queue operation nor a switch.
//!
//! An interrupt comes at a modelled time, inside a charge. The thread's pending continuation is put off, the
//! handler runs on the same processor, and then the thread spends the rest of the charge.
//!
//! # The parts
//!
//! A part owns its fields. Its functions get the present time and references to other data, such as the processors of a node or a
//! price list, and never the whole machine. They return values or effects, and the cluster applies the effects. So a part is tested
//! without a machine. Imports run downwards only:
//!
//! ```text
//! world         Model: refusals, a run, its outcome. needs: the prices of the run, known before it starts
//!   │
//! engine        the event loop: takes the next event, resumes the fiber that it belongs to
//!   │           foresight: prefetches into the host's caches for the next events
//!   │
//! fibers        the stacks of threads and handlers
//!   │
//! api           the three traits of tempest::world, for the fiber that runs now
//!   │           unwinding: panics of the program; standstill: whether a run stands still for ever, and its stuck threads
//!   │
//! cluster       all nodes at one instant: asks the parts, applies their answers, connects one part to another
//!   ├─ dispatch     the next event of a node and its processor, interrupts, injection
//!   ├─ link         all cargo on its way: interfaces, network, staging buffers, overflow
//!   ├─ memory       accesses through caches, blocks over the bus, downgrades of rights
//!   ├─ processor    a processor's activity, clock and accounts; the threads of a node
//!   └─ measure      events for digest and trace, costs by kind and step, timed regions, utilization
//!   │
//! setting       the machine and the policy, which never change in a run
//! prices        the cost of a primitive, by kind of processor and class of message
//! agenda        the present time, and all events to come
//! progress      the time of the last event that may end a wait, and the failed attempts of threads since
//! happening     the events of a run
//! prospect      whether such prefetching pays
//! short_queue   a queue that mostly holds one entry
//! ```
//!
//! # Where a line belongs
//!
//! | a line about | module |
//! |---|---|
//! | the next event, the processor that handles it, the processor whose turn it is to poll | `dispatch` |
//! | time and order of messages that enter or leave an interface | `link` |
//! | the time of an access, or of a handler's work on a block | `memory` |
//! | the lead of a processor over engine time, the account of its time, its next thread | `processor` |
//! | the cost of a step | `prices`, by the machine file |
//! | counters, traces and the digest | `measure` |
//! | the next event of all, the lead of a node over others, the stall or end of a run | `agenda` |
//! | whether an event can still happen, and which threads spin or wait for ever | `progress` (vain attempts), `standstill` (the decision) |
//! | the prices that a run needs before it starts | `needs` |
//! | one part's result as another part's input: processors, threads, handlers | `cluster::scheduling` |
//! | one part's result as another part's input: messages, memory | `cluster::passage` |
//! | requests of a program to its processor | `api`, and [`tempest::world`] before it |
//! | the policies that a model refuses, and the outcome of a run | `world` |
//!
//! # Guarantees
//!
//! The same program, input, machine and seed give the same result, time and event digest to the bit: one host thread,
//! integer time, no host address or hash order anywhere. Simultaneous events of one node keep their order; events of
//! different nodes are ordered by the seed.
//!
//! This room must never know OS threads or wall time.

#![deny(unsafe_code)]

mod agenda;
mod api;
mod cluster;
mod dispatch;
mod engine;
mod fibers;
mod foresight;
mod happening;
mod link;
mod measure;
mod memory;
mod needs;
mod prices;
mod processor;
mod progress;
mod prospect;
mod setting;
mod short_queue;
mod standstill;
#[cfg(test)]
mod testing;
mod unwinding;
mod world;

pub use world::Model;
