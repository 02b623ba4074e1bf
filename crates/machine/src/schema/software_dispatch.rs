//! What it takes processors of a node to get from their threads to handlers and back, where software does that: a routine
//! that is called at back-edges and faults, and in a loop by whoever has nothing else to do. Pure data and its section
//! `[software_dispatch]`.

use units::Time;

use crate::reading::{section, unlimited};

section! {
    /// The dispatch routine: a call of it takes messages out of the network, then serves the faults of the node, one handler at
    /// a time.
    SoftwareDispatch(section) {
        /// A computing processor calls it at every so many loop back-edges unless the policy says otherwise; at least 1.
        poll_every: u32,
        /// From an event to its being seen by a processor that calls the routine in a loop.
        notice: Time,
        /// From a thread that cannot go on to the routine.
        enter: Time,
        /// What a call at a back-edge takes beyond a poll that finds nothing, when it finds something.
        find: Time,
        /// From the routine back to where a processor that also computes finds out what is next.
        leave: Time,
        /// What a call takes longer when another processor of the node made the one before: the routine's code and state move.
        migrate: Time,
        /// Letting a thread go on that was the last one on its processor.
        wake: Time,
        /// The most messages that a call on a processor which also computes takes out of the network; at least 1. `None`: all.
        drain: Option<usize> = unlimited,
    }
}
