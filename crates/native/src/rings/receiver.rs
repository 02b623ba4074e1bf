//! The receiving end of a lane: the receiver's place in the ring, and the acknowledgements of handled messages.
//!
//! `lane` has the rules. This module must never know the sending end, or processors; it uses only the atomics of `sync`, so that the models
//! run it as it is.

use tempest::NodeId;
use tempest::world::Packet;

use crate::padding::{PaddedCounter, bump};
use crate::rings::consumer::Consumer;
use crate::rings::message::{BadLine, Drained, Received};
use crate::sync::Ordering;

/// The receiving end of a lane.
pub(crate) struct Receiver {
    consumer: Consumer,
    /// Number of messages taken out. Changed by the processor that has the receive lock.
    received: PaddedCounter,
    /// Number of thread messages handled here.
    handled: PaddedCounter,
    /// Whether several processors of the node may handle messages.
    shared: bool,
}

impl Receiver {
    /// The receiving end of an empty lane. `shared` if several processors of the node may handle messages.
    pub(crate) fn new(consumer: Consumer, shared: bool) -> Self {
        Self { consumer, received: PaddedCounter::default(), handled: PaddedCounter::default(), shared }
    }

    /// The words that both ends access.
    #[cfg(test)]
    pub(crate) fn channel(&self) -> &crate::rings::channel::Channel {
        self.consumer.channel()
    }

    /// Takes up to `limit` messages from `source` out into `message`, while `each` returns true. The caller has the node's receive
    /// lock. It may lose the lock while `each` runs, if `each` then returns false.
    #[inline]
    pub(crate) fn receive(
        &self,
        limit: usize,
        source: NodeId,
        message: &mut Received,
        mut each: impl FnMut(&mut Received, Result<(), BadLine>) -> bool,
    ) -> Drained {
        let mut received = self.received.0.load(Ordering::Relaxed);
        self.consumer.drain(limit, source, message, |message, is_good| {
            message.number = received;
            received += 1;
            self.received.0.store(received, Ordering::Relaxed);
            each(message, is_good)
        })
    }

    /// Shows `soon` the messages that wait behind, before they are received: [`Consumer::look_ahead`]. For the receiving processor.
    #[inline]
    pub(crate) fn look_ahead(&self, source: NodeId, soon: impl FnMut(&Packet)) {
        self.consumer.look_ahead(source, soon);
    }

    /// Whether a message waits. Exact, as a processor needs it that goes to sleep on the answer; see [`Consumer::is_ready`].
    #[inline]
    pub(crate) fn has_message(&self) -> bool {
        self.consumer.is_ready()
    }

    /// Counts messages of threads that have been handled here.
    pub(crate) fn count_handled(&self, messages: u64) {
        if !self.shared {
            // Only one processor ever receives, too.
            return bump(&self.handled.0, messages);
        }
        self.handled.0.fetch_add(messages, Ordering::Relaxed);
    }

    /// Publishes the number of handled messages to the sender.
    pub(crate) fn publish_acknowledged(&self) {
        let acknowledged = self.consumer.channel().acknowledged();
        let handled = self.handled.0.load(Ordering::Relaxed);
        if acknowledged.load(Ordering::Relaxed) >= handled {
            return;
        }
        if self.shared {
            acknowledged.fetch_max(handled, Ordering::AcqRel);
        } else {
            acknowledged.store(handled, Ordering::Release);
        }
    }
}
