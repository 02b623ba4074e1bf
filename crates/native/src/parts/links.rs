//! The links of a node: its ends of the lanes to and from every node, itself included.
//!
//! A node reaches another only by its own ends. This module must never know the content of a message.

use std::sync::Arc;

use tempest::NodeId;

use crate::rings::lane::Lane;
use crate::rings::receiver::Receiver;
use crate::rings::sender::Sender;

/// The ends of a node's lanes, in order of the node at the other end.
pub(crate) struct Links {
    outgoing: Arc<[Sender]>,
    incoming: Box<[Receiver]>,
}

impl Links {
    /// The ends of the lanes out of the node, for its processors.
    pub(crate) fn outgoing(&self) -> &Arc<[Sender]> {
        &self.outgoing
    }

    /// The end of the lane from `source`.
    #[inline]
    pub(crate) fn from(&self, source: NodeId) -> &Receiver {
        &self.incoming[source.0 as usize]
    }

    /// The ends of the lanes into the node, in order of their source.
    #[inline]
    pub(crate) fn incoming(&self) -> &[Receiver] {
        &self.incoming
    }
}

/// Connects `nodes` nodes by a lane from each node to each, and itself. Returns the links of each node.
pub(crate) fn connect(nodes: usize, mut lane: impl FnMut() -> Lane) -> Vec<Links> {
    let mut incoming: Vec<Vec<Receiver>> = (0..nodes).map(|_| Vec::with_capacity(nodes)).collect();
    let outgoing: Vec<Arc<[Sender]>> = (0..nodes)
        .map(|_| {
            let to_each = incoming.iter_mut().map(|incoming| {
                let Lane { sender, receiver } = lane();
                incoming.push(receiver);
                sender
            });
            to_each.collect()
        })
        .collect();
    let links = |(outgoing, incoming): (_, Vec<_>)| Links { outgoing, incoming: incoming.into() };
    outgoing.into_iter().zip(incoming).map(links).collect()
}
