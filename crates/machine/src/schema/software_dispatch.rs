//! The dispatch routine of a machine whose software takes processors from threads to handlers and back: section
//! `[software_dispatch]`. A processor calls the routine at back-edges and faults, and in a loop while it has no thread. Pure
//! data.

use units::{Bytes, Time};

use crate::reading::{range, section, unlimited};

section! {
    /// The dispatch routine. A call takes messages out of the network, then serves the faults of the node, one handler at a
    /// time.
    SoftwareDispatch(section) {
        /// The number of loop back-edges between two calls of the routine by a computing processor, unless the policy says
        /// otherwise; at least 1.
        poll_every: u32 => range("1", "4294967295", "back-edges are counted in 32 bits"),
        /// The time from an event until a processor that calls the dispatch routine in a loop sees it.
        notice: Time,
        /// The time to enter the dispatch routine from a thread that must wait.
        enter: Time,
        /// The extra time of a call of the routine at a back-edge that finds an event, over a poll that finds none.
        find: Time,
        /// The time from the dispatch routine back to the point where a processor that also computes chooses its next work.
        leave: Time,
        /// The size of the routine's data, which every call reads and writes, beside messages and the entries of tables. Where
        /// caches are described, a processor that calls waits for those lines of it that its cache does not have.
        state: Bytes => range("0 B", "64 KiB", "every call reads and writes all of it"),
        /// The time to resume the thread that its processor ran last. Resuming another thread takes `thread_switch`.
        wake: Time,
        /// The most messages that a call of the routine takes out of the network on a processor that also computes; at least 1.
        /// `None`: all.
        drain: Option<usize> = unlimited,
    }
}
