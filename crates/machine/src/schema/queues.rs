//! The queues and the window that bound what a node may have waiting: sections `[queue]`, `[handoff]` and `[flow]`. Pure data.

use units::Time;

use crate::reading::{never, section, unlimited};

section! {
    /// The parallel dispatch queue of a node.
    Queue(section) {
        /// How many of the oldest waiting entries the search looks at, at least 1; `None`: all of them.
        window: Option<usize> = unlimited,
        /// Entries the queue holds before further ones spill to the node's memory; at least 1, at least the window.
        capacity: usize,
    }
    agree {
        if let (Some(Some(window)), Some(capacity)) = (window, capacity)
            && window > capacity
        {
            section.contradict("window", format!("at most queue.capacity, which is {capacity}"));
            return None;
        }
    }
}

section! {
    /// A queue in memory that both kinds of processor reach, one each way.
    Handoff(section) {
        /// Messages it holds; at least 1. The writer of one more waits.
        capacity: usize,
        /// From the end of writing an entry until the other side can see it.
        visible: Time,
    }
}

section! {
    /// The bound on outstanding requests, and who acknowledges stores.
    Flow(section) {
        /// Requests of a node that may be without their answer at a time; at least 1.
        window: usize,
        /// The target's software acknowledges stores once per so many; `None`: it never does, the hardware says so.
        acknowledge_every: Option<u32> = never,
    }
}
