//! Sending control messages. This module must never know the effect of one.

use tempest::NodeId;

use crate::control::message::Control;
use crate::link::send;
use crate::padding::bump;
use crate::parts::endpoint::Endpoint;

/// Sends a control message to a node, which may be the own one.
pub(crate) fn tell(endpoint: &Endpoint, to: NodeId, message: Control) {
    if message.is_work() {
        // Counted first: once it is in the ring it may be handled at any moment.
        bump(&endpoint.gauge().sent, 1);
    }
    send::post_control(endpoint, to, &message.packet(endpoint.node().id));
}

/// Sends a control message to each node, the own one included.
pub(crate) fn tell_all(endpoint: &Endpoint, message: Control) {
    let nodes = endpoint.node().resident.node.shape().nodes;
    (0..nodes).for_each(|node| tell(endpoint, NodeId(node), message));
}
