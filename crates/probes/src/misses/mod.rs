//! Probes of shared memory: the time of a miss on an idle machine, and the throughput of misses on a saturated one.
//!
//! | module | content |
//! |---|---|
//! | [`remote_miss`] | one thread misses, one block after the other |
//! | [`saturation`] | many threads miss at once |
//! | `pattern` | which thread misses on which block of which home |
//! | `kind` | the kinds of misses, and the activity of homes meanwhile |
//! | `busy` | a home that computes and polls while other nodes miss |
//! | `probe` | the program behind both probes |
//!
//! The procedures follow B. Falsafi and D. A. Wood on fixed and floating protocol processors (about 1996), section 6 of
//! their measurements. Every miss is on a distinct block, and the loop of a busy home is slightly irregular. With a
//! regular loop, the periods of misses and polls would lock.
//!
//! This folder must never know how blocks are kept coherent.

mod busy;
mod kind;
mod pattern;
mod probe;
pub mod remote_miss;
pub mod saturation;
