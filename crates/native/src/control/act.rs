//! Sending a control message to another node, and acting on one that has arrived.
//!
//! This module must never know the program's messages, or which processor receives.

use tempest::NodeId;

use crate::control::message::Control;
use crate::link::{resume, send};
use crate::parts::endpoint::Endpoint;

/// Sends a control message to another node.
pub(crate) fn send(endpoint: &Endpoint, to: NodeId, message: Control) {
    send::post_control(endpoint, to, &message.packet(endpoint.node().id));
}

/// Acts on a control message of another node.
pub(crate) fn act(endpoint: &Endpoint, message: Control) {
    match message {
        Control::Deposited(segment) => {
            endpoint.node().resident.node.end_waits_for(segment, |waiter| {
                resume::end_own_wait(endpoint, waiter);
            });
        }
    }
}
