//! The links of a node: its ends of the lanes to and from every node, itself included, and the memory of each node that others access.
//!
//! A node reaches another only by them. This module must never know the content of a message.

use std::io;
use std::sync::Arc;

use segment::SharedFile;
use tempest::NodeId;
use tempest::world::{Blocks, Exports, Node, Segments};

use crate::rings::lane::Lane;
use crate::rings::receiver::Receiver;
use crate::rings::sender::Sender;

/// The memory of a node that other nodes access. A clone shows the same memory.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) segments: Segments,
    /// `None` without shared memory.
    pub(crate) blocks: Option<Blocks>,
}

impl View {
    /// The memory of `node`.
    pub(crate) fn of(node: &Node) -> Self {
        Self {
            segments: node.segments().clone(),
            blocks: node.memory().map(|memory| memory.blocks().clone()),
        }
    }

    /// The memory of a node that has installed the same program in another process, at these places of its file.
    ///
    /// # Errors
    /// If a place is none of the file, or the nodes differ.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no node is in another process"))]
    pub(crate) fn of_peer(&self, file: &SharedFile, exports: &Exports) -> io::Result<Self> {
        let blocks = match (&self.blocks, exports.blocks) {
            (Some(blocks), Some(at)) => Some(blocks.of_peer(file, at)?),
            (None, None) => None,
            _ => return Err(io::Error::other("a node has shared memory, and another has none")),
        };
        Ok(Self { segments: self.segments.of_peer(file, &exports.segments)?, blocks })
    }
}

/// The ends of a node's lanes, in order of the node at the other end, and the memory of each node.
pub(crate) struct Links {
    views: Arc<[View]>,
    outgoing: Arc<[Sender]>,
    incoming: Box<[Receiver]>,
}

impl Links {
    /// The memory of a node.
    #[inline]
    pub(crate) fn view_of(&self, node: NodeId) -> &View {
        &self.views[node.0 as usize]
    }

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

impl Links {
    /// The links of a node with these ends, in order of the node at the other end. `views` has the memory of each node.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no node is in another process"))]
    pub(crate) fn new(views: Arc<[View]>, outgoing: Vec<Sender>, incoming: Vec<Receiver>) -> Self {
        Self { views, outgoing: outgoing.into(), incoming: incoming.into() }
    }
}

/// Connects nodes with these views by a lane from each node to each, and itself. Returns the links of each node.
pub(crate) fn connect(views: Arc<[View]>, mut lane: impl FnMut() -> Lane) -> Vec<Links> {
    let nodes = views.len();
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
    let links = |(outgoing, incoming): (_, Vec<_>)| Links {
        views: Arc::clone(&views),
        outgoing,
        incoming: incoming.into(),
    };
    outgoing.into_iter().zip(incoming).map(links).collect()
}
