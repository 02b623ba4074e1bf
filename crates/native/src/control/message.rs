//! Control messages: messages from the runtime of a node to that of another, beside those of the program.
//!
//! They travel in the lanes, in order with the program's messages, and are work in flight like these (`quiescence`). The processor that
//! takes one out of a ring acts on it at once, before it goes on: no handler runs.
//!
//! This module must never know the lanes, or what a processor does beside it.

use tempest::NodeId;
use tempest::world::{MessageId, Packet, SegmentId};

/// A control message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    /// The sender's deposits have changed the count of a segment of the receiver, for which threads there may wait.
    Deposited(SegmentId),
}

/// The kind of [`Control::Deposited`]. Its only word is the segment's number.
const DEPOSITED: MessageId = MessageId(0);

impl Control {
    /// Encodes the message of node `source` as a packet.
    pub(crate) fn packet(self, source: NodeId) -> Packet {
        let (kind, words) = match self {
            Self::Deposited(segment) => (DEPOSITED, [segment.0.into()]),
        };
        Packet::from_parts(kind, source, &words).expect("a control message has few words")
    }

    /// Decodes a received packet; `None` if it is no control message.
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        match (packet.id(), packet.words()) {
            (DEPOSITED, [segment]) => Some(Self::Deposited(SegmentId(u16::try_from(*segment).ok()?))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_message_is_read_as_it_is_written() {
        let message = Control::Deposited(SegmentId(u16::MAX));
        assert_eq!(Control::of(&message.packet(NodeId(3))), Some(message));
    }

    #[test]
    fn a_message_that_is_none_is_refused() {
        let refused = [(0, &[][..]), (0, &[1 << 16]), (0, &[1, 2]), (1, &[1]), (u16::MAX, &[1])];
        for (kind, words) in refused {
            let packet = Packet::from_parts(MessageId(kind), NodeId(0), words).unwrap();
            assert_eq!(Control::of(&packet), None, "{kind} {words:?}");
        }
    }
}
