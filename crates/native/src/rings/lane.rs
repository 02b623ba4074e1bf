//! A lane carries the messages of one node to another: a ring, the credits of the sender's threads, the outbox.
//!
//! # Order
//!
//! A processor that sends takes the lane's *turn* for the moment of the push. The turn is a lock, omitted if only one processor of the
//! node ever sends. So two sends of the node in happens-before order enter the ring in that order, whichever processors they come from,
//! and the receiver takes them out in ring order. While the outbox holds messages, later messages go behind them.
//!
//! # Back-pressure, and why outboxes are bounded
//!
//! A *handler's* message is never refused: if the ring is full it goes into the outbox (`outbox`), which processors empty before they do
//! anything else. A *thread's* message needs a credit, and room: in the ring, or, if handlers' messages wait in the outbox, behind those,
//! as long as at most one in eight waiting messages is a thread's.
//!
//! The receiving node *acknowledges* the thread messages of a lane that it has handled, by publishing their number, only while
//! its own outboxes hold no more than a *reserve* ([`Depths::reserve`](crate::rings::bounds::Depths::reserve)). A sender's threads may be at most a window of messages
//! ahead of that (`windows`). So while a node's outboxes hold more, at most a window of thread messages per lane into it start handlers
//! there, and the outboxes grow by at most that many times their fan-out. Handlers' messages start no further ones in a request-reply
//! protocol, hence
//!
//! > outbox ≤ reserve + lanes in × window × fan-out.
//!
//! The window follows the fan-out: it is 1 if a single handler fills the reserve. So the outboxes of a request-reply protocol of any
//! fan-out take at most two reserves, or the words of one handler per lane if that is more. The exceptions are in `windows`.
//!
//! A processor that cannot send still receives, so rings always drain, outboxes empty, and credits come back. A protocol
//! whose handlers' messages start further messages without end has no such bound. All outboxes of a world share a quota of
//! memory; when that is used up the run ends with an error that says so.
//!
//! # The share of threads
//!
//! While the outboxes of its node and of its destination hold no more than their reserve, a thread's send makes progress whatever
//! handlers send to each other. If handlers keep its message from the ring, it joins the waiting messages in the outbox, and of each
//! eight messages that leave the outbox one is a thread's, if threads have any to send. It reaches its handler behind the messages before
//! it, and its credit then returns.
//!
//! This module must never know processors; it uses only the atomics and locks of `sync`, so that the models run it as it is.

use crate::rings::bounds::Bounds;
use crate::rings::receiver::Receiver;
use crate::rings::ring::Ring;
use crate::rings::sender::Sender;

/// Both ends of the lane from one node to another.
pub(crate) struct Lane {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
}

impl Lane {
    /// An empty lane. `shared` if several processors of a node may send, or handle messages.
    pub(crate) fn new(slots: usize, bounds: &Bounds, shared: bool) -> Self {
        let Ring { producer, consumer } = Ring::new(slots);
        Self {
            sender: Sender::new(producer, bounds.clone(), shared),
            receiver: Receiver::new(consumer, shared),
        }
    }
}
