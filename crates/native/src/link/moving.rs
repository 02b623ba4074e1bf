//! Emptying the outboxes of a processor's node, and acknowledging handled messages.
//!
//! `backlog` shows why no acknowledgement is forgotten. This module must never know the purpose of a message.

use crate::link::wake;
use crate::parts::seat::Seat;
use crate::parts::service::Service;
use crate::rings::lane::Lane;

/// Moves messages from the outboxes into the rings, then publishes owed acknowledgements. Returns whether any message moved.
#[inline]
pub(crate) fn move_on(seat: &Seat) -> bool {
    seat.node().backlog.is_left() && clear_backlog(seat)
}

#[cold]
fn clear_backlog(seat: &Seat) -> bool {
    let node = seat.node();
    let before = node.backlog.words();
    for (lane, to) in seat.sending.lanes() {
        if lane.flush(&node.backlog) {
            wake::receiver(seat, to);
        }
    }
    if node.backlog.settles() {
        seat.world().lanes_into(node.id).for_each(Lane::publish_acknowledged);
    }
    node.backlog.words() < before
}

/// Acknowledges the messages that this processor has handled, or leaves that to the processor that empties the outboxes.
#[inline]
pub(crate) fn tell_acknowledged(seat: &Seat, service: &Service) {
    if !service.take_debt() {
        return;
    }
    let node = seat.node();
    if node.backlog.may_acknowledge() {
        seat.world().lanes_into(node.id).for_each(Lane::publish_acknowledged);
    } else {
        node.backlog.owe();
        clear_backlog(seat);
    }
}
