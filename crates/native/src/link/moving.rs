//! Emptying the outboxes of a processor's node, and acknowledging handled messages.
//!
//! `backlog` shows why no acknowledgement is forgotten. This module must never know the purpose of a message.

use crate::link::wake;
use crate::parts::endpoint::Endpoint;
use crate::parts::service::Service;
use crate::rings::lane::Lane;

/// Moves messages from the outboxes into the rings, then publishes owed acknowledgements. Returns whether any message moved.
#[inline]
pub(crate) fn move_on(endpoint: &Endpoint) -> bool {
    endpoint.node().backlog.is_left() && clear_backlog(endpoint)
}

#[cold]
fn clear_backlog(endpoint: &Endpoint) -> bool {
    let node = endpoint.node();
    let before = node.backlog.words();
    for (lane, to) in endpoint.sending.lanes() {
        if lane.flush(&node.backlog) {
            wake::receiver(endpoint, to);
        }
    }
    if node.backlog.settles() {
        endpoint.world().lanes_into(node.id).for_each(Lane::publish_acknowledged);
    }
    node.backlog.words() < before
}

/// Acknowledges the messages that this processor has handled, or leaves that to the processor that empties the outboxes.
#[inline]
pub(crate) fn tell_acknowledged(endpoint: &Endpoint, service: &Service) {
    if !service.take_debt() {
        return;
    }
    let node = endpoint.node();
    if node.backlog.may_acknowledge() {
        endpoint.world().lanes_into(node.id).for_each(Lane::publish_acknowledged);
    } else {
        node.backlog.owe();
        clear_backlog(endpoint);
    }
}
