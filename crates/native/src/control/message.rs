//! Control messages: messages from the runtime of a node to that of another, or to its own, beside the program's messages.
//!
//! They travel in the lanes, in order with the program's messages. The processor that takes one out of a ring acts on it at once, before it
//! goes on: no handler runs. A control message after which a processor may have more to do is [work](Control::is_work) in flight
//! (`quiescence`), like a message of the program. The search for the end of the world is no work, or it would find its own.
//!
//! This module must never know the lanes, or a processor's other activity.

use std::fmt;

use tempest::world::{MessageId, Packet, SegmentId};
use tempest::{MAX_WORDS, NodeId};

use crate::parts::ending::Reply;

/// A control message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    /// The sender's deposits have changed the count of a segment of the receiver, for which threads there may wait.
    Deposited(SegmentId),
    /// To node 0: all threads of the sender have arrived at this timed region.
    Arrived(RegionName),
    /// From node 0: all threads have arrived, and each node takes its measurement of this time, in nanoseconds from the start of the run.
    Measure(u64),
    /// To node 0: the sender has measured.
    Measured,
    /// From node 0: all nodes have measured, and the threads of the receiver enter the region.
    Enter,
    /// To node 0: all threads of the sender have returned.
    Returned,
    /// From node 0: this wave of the search for the end has begun.
    Wave(u64),
    /// To node 0: the sender's reply in a wave.
    Reply(u64, Reply),
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deposited(segment) => write!(f, "deposited in segment {}", segment.0),
            Self::Arrived(name) => write!(f, "arrived at phase {name}"),
            Self::Measure(at) => write!(f, "measure at {at} ns"),
            Self::Measured => f.write_str("measured"),
            Self::Enter => f.write_str("enter the phase"),
            Self::Returned => f.write_str("all threads have returned"),
            Self::Wave(wave) => write!(f, "wave {wave}"),
            Self::Reply(wave, _) => write!(f, "reply to wave {wave}"),
        }
    }
}

/// The kinds of control messages: the identifiers of their packets.
mod kind {
    use super::MessageId;

    pub(super) const DEPOSITED: MessageId = MessageId(0);
    pub(super) const ARRIVED: MessageId = MessageId(1);
    pub(super) const MEASURE: MessageId = MessageId(2);
    pub(super) const MEASURED: MessageId = MessageId(3);
    pub(super) const ENTER: MessageId = MessageId(4);
    pub(super) const RETURNED: MessageId = MessageId(5);
    pub(super) const WAVE: MessageId = MessageId(6);
    pub(super) const REPLY: MessageId = MessageId(7);
}

impl Control {
    /// Whether the message may give its receiver work.
    pub(crate) fn is_work(self) -> bool {
        !matches!(self, Self::Wave(_) | Self::Reply(..))
    }

    /// Encodes the message of node `source` as a packet.
    pub(crate) fn packet(self, source: NodeId) -> Packet {
        let packet = |kind, words: &[u64]| Packet::from_parts(kind, source, words);
        let packet = match self {
            Self::Deposited(segment) => packet(kind::DEPOSITED, &[segment.0.into()]),
            Self::Arrived(name) => packet(kind::ARRIVED, name.words()),
            Self::Measure(at) => packet(kind::MEASURE, &[at]),
            Self::Measured => packet(kind::MEASURED, &[]),
            Self::Enter => packet(kind::ENTER, &[]),
            Self::Returned => packet(kind::RETURNED, &[]),
            Self::Wave(wave) => packet(kind::WAVE, &[wave]),
            Self::Reply(wave, Reply { sent, handled, idle_since }) => {
                packet(kind::REPLY, &[wave, sent, handled, idle_since])
            }
        };
        packet.expect("a control message has no more words than a message may have")
    }

    /// Decodes a received packet; `None` if it is no control message.
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        let message = match (packet.id(), packet.words()) {
            (kind::DEPOSITED, [segment]) => Self::Deposited(SegmentId(u16::try_from(*segment).ok()?)),
            (kind::ARRIVED, words) => Self::Arrived(RegionName::from_words(words)?),
            (kind::MEASURE, [at]) => Self::Measure(*at),
            (kind::MEASURED, []) => Self::Measured,
            (kind::ENTER, []) => Self::Enter,
            (kind::RETURNED, []) => Self::Returned,
            (kind::WAVE, [wave]) => Self::Wave(*wave),
            (kind::REPLY, &[wave, sent, handled, idle_since]) => {
                Self::Reply(wave, Reply { sent, handled, idle_since })
            }
            _ => return None,
        };
        Some(message)
    }
}

/// The name of a region in a message. A longer name is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegionName {
    words: [u64; MAX_WORDS],
    len: usize,
}

/// Maximum number of bytes of a name in a message.
const NAME_BYTES: usize = MAX_WORDS * size_of::<u64>();

impl RegionName {
    /// The name, cut if it is long.
    pub(crate) fn of(name: &str) -> Self {
        let name = &name.as_bytes()[..name.len().min(NAME_BYTES)];
        let mut words = [0; MAX_WORDS];
        for (word, bytes) in words.iter_mut().zip(name.chunks(size_of::<u64>())) {
            let mut padded = [0; size_of::<u64>()];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(padded);
        }
        Self { words, len: name.len().div_ceil(size_of::<u64>()) }
    }

    fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }

    fn from_words(of: &[u64]) -> Option<Self> {
        let mut words = [0; MAX_WORDS];
        words.get_mut(..of.len())?.copy_from_slice(of);
        Some(Self { words, len: of.len() })
    }
}

impl fmt::Display for RegionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = self.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        f.write_str(String::from_utf8_lossy(&bytes).trim_end_matches('\0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_message_is_read_as_it_is_written() {
        let reply = Reply { sent: 1, handled: u64::MAX, idle_since: 3 };
        for message in [
            Control::Deposited(SegmentId(u16::MAX)),
            Control::Arrived(RegionName::of("solve")),
            Control::Measure(u64::MAX),
            Control::Measured,
            Control::Enter,
            Control::Returned,
            Control::Wave(7),
            Control::Reply(7, reply),
        ] {
            assert_eq!(Control::of(&message.packet(NodeId(3))), Some(message));
        }
    }

    #[test]
    fn a_message_that_is_none_is_refused() {
        let refused = [(0, &[][..]), (0, &[1 << 16]), (0, &[1, 2]), (3, &[1]), (7, &[1, 2, 3]), (8, &[1])];
        for (kind, words) in refused {
            let packet = Packet::from_parts(MessageId(kind), NodeId(0), words).unwrap();
            assert_eq!(Control::of(&packet), None, "{kind} {words:?}");
        }
    }

    #[test]
    fn names_have_any_length() {
        let long = "é".repeat(100);
        for (name, shown) in [("", ""), ("solve", "solve"), ("eight by", "eight by"), (&long, &long[..112])] {
            assert_eq!(RegionName::of(name).to_string(), shown);
        }
    }
}
