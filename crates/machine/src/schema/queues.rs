//! The queues of a node and its window of requests: sections `[queue]`, `[handoff]` and `[flow]`. Pure data.

use units::Time;

use crate::reading::{never, or_default, section, unlimited};

section! {
    /// The parallel dispatch queue of a node, which hands out waiting protocol events.
    Queue(section) {
        /// The number of waiting entries, from the oldest, among which the queue looks for one to dispatch; at least 1. `None`:
        /// all of them.
        window: Option<usize> = unlimited,
        /// The number of entries that the queue holds before further ones spill to the node's memory; at least 1, and at least
        /// the window.
        capacity: usize,
        /// The time to fetch an entry that had spilled to memory, once the queue has room for it. A processor that takes the entry
        /// sooner waits for the rest. `None`: the time of a line from memory, `memory.read`.
        spill: Option<Time>,
        /// Whether messages wait in the network while the queue is full, so that the network backs up. False unless stated: further
        /// entries then spill to memory.
        backs_up: bool = or_default,
    }
    agree {
        if let (Some(Some(window)), Some(capacity)) = (window, capacity)
            && window > capacity
        {
            section.contradict("window", format!("at most queue.capacity, which is {capacity}"), &["queue.capacity"]);
            return None;
        }
    }
}

section! {
    /// The queues in memory between the compute processors and the network processor, one each way, both alike.
    Handoff(section) {
        /// The number of messages that one queue holds; at least 1. The writer of a further message waits.
        capacity: usize,
        /// The time from the end of writing a message until the processor on the other side can see it.
        visible: Time,
    }
}

section! {
    /// The bound on a node's outstanding requests, and the acknowledgement of stores.
    Flow(section) {
        /// The most requests that a node may have outstanding at a time; at least 1.
        window: usize,
        /// The number of stores that the target's software acknowledges with one message. `None`: the hardware acknowledges
        /// stores.
        acknowledge_every: Option<u32> = never,
    }
}
