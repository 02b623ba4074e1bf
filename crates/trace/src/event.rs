//! The vocabulary: every kind of event a run can consist of.
//!
//! This module must never learn how an event is kept; [`Event::words`] is the one encoding all keepers share.

/// An event of a run, without its time.
///
/// Nodes are numbered across the machine, processors and threads within their node, messages in the order of
/// their registration. A *flow* is the number of one message or deposit on its way, the same at both ends and
/// different for any two of a run ([`Event::flow_number`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A processor starts to run the handler of a message.
    HandlerStart {
        /// Number of the node.
        node: u32,
        /// The processor that runs the handler.
        processor: u16,
        /// Type of the message.
        message: u16,
        /// The node that sent the message.
        source: u32,
        /// Flow number of the message.
        flow: u64,
    },
    /// The processor is done with the handler it started last.
    HandlerEnd {
        /// Number of the node.
        node: u32,
        /// The processor that ran the handler.
        processor: u16,
    },
    /// A processor hands a message to the network.
    Send {
        /// The sending node.
        node: u32,
        /// The sending processor.
        processor: u16,
        /// The destination node.
        to: u32,
        /// Type of the message.
        message: u16,
        /// Size on the wire.
        bytes: u32,
        /// Flow number of the message.
        flow: u64,
    },
    /// A message is at its destination, not yet handled.
    Arrive {
        /// The receiving node.
        node: u32,
        /// The sending node.
        from: u32,
        /// Type of the message.
        message: u16,
        /// Flow number of the message.
        flow: u64,
    },
    /// A thread gives its processor away until something happens.
    Block {
        /// Number of the node.
        node: u32,
        /// Number of the thread in its node.
        thread: u32,
        /// Object of the wait, in the program's words.
        what: &'static str,
    },
    /// A blocked thread may run again.
    Resume {
        /// Number of the node.
        node: u32,
        /// Number of the thread in its node.
        thread: u32,
    },
    /// A processor is interrupted.
    Interrupt {
        /// Number of the node.
        node: u32,
        /// Number of the processor in its node.
        processor: u16,
    },
    /// All nodes enter a timed region of the program.
    Phase {
        /// Number of the phase, in order of first entry.
        index: u32,
        /// The program's name for it.
        name: &'static str,
    },
    /// A thread runs for the first time.
    ThreadStart {
        /// Number of the node.
        node: u32,
        /// Number of the thread in its node.
        thread: u32,
    },
    /// A thread has returned.
    ThreadEnd {
        /// Number of the node.
        node: u32,
        /// Number of the thread in its node.
        thread: u32,
    },
    /// A processor goes on with a thread.
    Run {
        /// Number of the node.
        node: u32,
        /// Number of the processor in its node.
        processor: u16,
        /// Number of the thread in its node.
        thread: u32,
    },
    /// A thread leaves its processor to others, having waited or returned.
    Leave {
        /// Number of the node.
        node: u32,
        /// Number of the processor in its node.
        processor: u16,
        /// Number of the thread in its node.
        thread: u32,
    },
    /// A processor hands words to the network that are placed in another node's memory without a handler.
    Deposit {
        /// The sending node.
        node: u32,
        /// The sending processor.
        processor: u16,
        /// The destination node.
        to: u32,
        /// Size on the wire.
        bytes: u32,
        /// Flow number of the deposit.
        flow: u64,
    },
    /// Words of a deposit stand in memory.
    Place {
        /// The receiving node.
        node: u32,
        /// The sending node.
        from: u32,
        /// Flow number of the deposit.
        flow: u64,
    },
}

impl Event {
    /// The number of flow `count`, from 0, of node `source`: the node in the upper 24 bits, the count in the lower 40.
    /// Nodes number their flows separately, so a number does not depend on the activity of other nodes.
    #[inline]
    pub fn flow_number(source: u32, count: u64) -> u64 {
        u64::from(source) << 40 | count
    }

    /// The node that the event happened on; `None` for an event of the whole machine.
    #[inline(always)]
    pub fn node(self) -> Option<u32> {
        match self {
            Event::HandlerStart { node, .. }
            | Event::HandlerEnd { node, .. }
            | Event::Send { node, .. }
            | Event::Arrive { node, .. }
            | Event::Block { node, .. }
            | Event::Resume { node, .. }
            | Event::Interrupt { node, .. }
            | Event::ThreadStart { node, .. }
            | Event::ThreadEnd { node, .. }
            | Event::Run { node, .. }
            | Event::Leave { node, .. }
            | Event::Deposit { node, .. }
            | Event::Place { node, .. } => Some(node),
            Event::Phase { .. } => None,
        }
    }

    /// The event as numbers, different for events that differ in more than texts or their flow.
    ///
    /// The first word holds, from the lowest bit up: the kind (8 bits, from 1 in order of declaration), 8 zero
    /// bits, the processor (16) and the node (32). The second holds the thread or the other node (32) and the size
    /// (32). The third holds the message. A field that an event lacks is zero. These numbers are for ever: digests on
    /// record depend on them.
    #[inline(always)]
    pub fn words(self) -> [u64; 3] {
        match self {
            Event::HandlerStart { node, processor, message, source, .. } => {
                [place(1, node, processor), u64::from(source), u64::from(message)]
            }
            Event::HandlerEnd { node, processor } => [place(2, node, processor), 0, 0],
            Event::Send { node, processor, to, message, bytes, .. } => {
                [place(3, node, processor), u64::from(to) | u64::from(bytes) << 32, u64::from(message)]
            }
            Event::Arrive { node, from, message, .. } => {
                [place(4, node, 0), u64::from(from), u64::from(message)]
            }
            Event::Block { node, thread, .. } => [place(5, node, 0), u64::from(thread), 0],
            Event::Resume { node, thread } => [place(6, node, 0), u64::from(thread), 0],
            Event::Interrupt { node, processor } => [place(7, node, processor), 0, 0],
            Event::Phase { index, .. } => [place(8, 0, 0), u64::from(index), 0],
            Event::ThreadStart { node, thread } => [place(9, node, 0), u64::from(thread), 0],
            Event::ThreadEnd { node, thread } => [place(10, node, 0), u64::from(thread), 0],
            Event::Run { node, processor, thread } => [place(11, node, processor), u64::from(thread), 0],
            Event::Leave { node, processor, thread } => [place(12, node, processor), u64::from(thread), 0],
            Event::Deposit { node, processor, to, bytes, .. } => {
                [place(13, node, processor), u64::from(to) | u64::from(bytes) << 32, 0]
            }
            Event::Place { node, from, .. } => [place(14, node, 0), u64::from(from), 0],
        }
    }
}

#[inline]
fn place(kind: u8, node: u32, processor: u16) -> u64 {
    u64::from(kind) | u64::from(processor) << 16 | u64::from(node) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind, and for each field a neighbour that differs in it alone.
    fn many() -> Vec<Event> {
        let mut events = Vec::new();
        for (node, other, processor, message, bytes) in [
            (0, 0, 0, 0, 0),
            (1, 0, 0, 0, 0),
            (0, 1, 0, 0, 0),
            (0, 0, 1, 0, 0),
            (0, 0, 0, 1, 0),
            (0, 0, 0, 0, 1),
        ] {
            events.extend([
                Event::HandlerStart { node, processor, message, source: other, flow: 0 },
                Event::HandlerEnd { node, processor },
                Event::Send { node, processor, to: other, message, bytes, flow: 0 },
                Event::Arrive { node, from: other, message, flow: 0 },
                Event::Block { node, thread: other, what: "" },
                Event::Resume { node, thread: other },
                Event::Interrupt { node, processor },
                Event::Phase { index: other, name: "" },
                Event::ThreadStart { node, thread: other },
                Event::ThreadEnd { node, thread: other },
                Event::Run { node, processor, thread: other },
                Event::Leave { node, processor, thread: other },
                Event::Deposit { node, processor, to: other, bytes, flow: 0 },
                Event::Place { node, from: other, flow: 0 },
            ]);
        }
        events
    }

    #[test]
    fn different_events_are_different_numbers() {
        let events = many();
        for a in &events {
            for b in &events {
                assert_eq!(a == b, a.words() == b.words(), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn the_node_of_an_event_is_the_one_in_its_words() {
        for event in many() {
            let [place, ..] = event.words();
            assert_eq!(u64::from(event.node().unwrap_or(0)), place >> 32, "{event:?}");
        }
        assert_eq!(Event::Phase { index: 1, name: "" }.node(), None);
    }

    #[test]
    fn fields_do_not_run_into_one_another() {
        let (node, processor, to, message, bytes) = (u32::MAX, 0, 0, u16::MAX, u32::MAX);
        let event = Event::Send { node, processor, to, message, bytes, flow: 0 };
        assert_eq!(event.words(), [0xffff_ffff_0000_0003, 0xffff_ffff_0000_0000, 0xffff]);
    }
}
