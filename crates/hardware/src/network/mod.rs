//! The network that joins the nodes: how a message gets from one interface to another, and what it meets on its way.
//!
//! A [`Network`] is *constant*, where any two nodes are the same time apart and nothing is contended, or *routed*: a
//! [`Fabric`] of routers and links. Both answer one question: when does the **first byte** of a message that leaves here
//! come to the port in of there? The bytes behind it follow at the pace of the slowest of the ports and the links, so the last
//! byte is there a *passage* later: the time of all bytes through that slowest part. The interface at the destination adds
//! it. The time that bytes take is paid once, whatever the distance.
//!
//! The times of the network itself, its latency and its hops, are delays: they occupy neither port nor link.
//!
//! | module | what it holds |
//! |---|---|
//! | `fabric` | [`Fabric`]: worms that move over channels, as a state machine over the caller's clock |
//! | `channel` | a wire with the buffer at its end: a link, a lane of one, a port; who waits for it |
//! | `worm` | one message inside, and when its tail leaves what it uses |
//! | `wiring` | which channels a message needs, in order |
//! | `grid`, `tree` | that for meshes, tori and hypercubes; for fat trees |
//! | `shape` | figures of a network as a whole, for people |
//! | `cross_traffic` | messages from outside that cross the rows of a mesh |
//!
//! # Wormhole switching
//!
//! The way of a message is fixed by where it comes from and goes to. Its head takes channel after channel: the port out
//! of its node, the links, the port in; its body lies on the channels behind. A channel is a wire and the buffer at its end.
//! The wire belongs to one message from the head's entering until the tail is in the buffer. The buffer is a queue, in which as
//! many messages lie as it has room for; a message that is longer than a buffer lies in several. A head takes a channel when the
//! wire is free and the buffer has room, first come, first served. Otherwise it waits at the front of the buffer that it is
//! in, and all behind it wait, too. A destination that has no room leaves a head at its port in, with the same effect: the
//! network backs up.
//!
//! Messages of one pair of nodes use the same channels and each channel is first come, first served: they arrive in the
//! order in which they were launched.
//!
//! Nothing can be stuck as long as destinations take what comes: the channels of a mesh in dimension order, and of a tree
//! first up and then down, depend on each other without a cycle. A ring would be one, so each link of a torus has two
//! *lanes* (virtual channels): a message changes to the second where it passes the seam between the last place of a ring
//! and the first. Lanes share the wire: each message books its passage on it, once.
//!
//! This module must never know what a message is for.

mod channel;
mod cross_traffic;
mod fabric;
mod grid;
mod shape;
mod tree;
mod wiring;
mod worm;

use units::Time;

pub use fabric::{Event, Fabric, Parcel};
pub use shape::Shape;

/// What joins the nodes of a machine.
#[derive(Clone, Debug)]
pub enum Network {
    /// Any two nodes are the same time apart, and only the interfaces are contended.
    Constant(Constant),
    /// Routers and links.
    Routed(Box<Fabric>),
}

/// A network of constant latency.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    latency: Time,
}

impl Constant {
    /// When the first byte of a message that leaves one interface at `leaves` arrives at another.
    pub fn arrival(self, leaves: Time) -> Time {
        leaves + self.latency
    }
}

impl Network {
    /// The network of a machine, idle, for so many nodes. Through a port of theirs there are at least `gap` from one message's
    /// beginning to that of the next.
    pub fn new(network: &machine::Network, gap: Time, nodes: u32) -> Self {
        let latency = network.latency;
        match &network.routers {
            None => Self::Constant(Constant { latency }),
            Some(routers) => Self::Routed(Box::new(Fabric::new(latency, gap, routers, nodes))),
        }
    }

    /// The cargo of the message whose head is at the port in of `node` and has not been let in.
    pub fn knocking(&self, node: u32) -> Option<u32> {
        match self {
            Self::Constant(_) => None,
            Self::Routed(fabric) => fabric.knocking(node),
        }
    }
}
