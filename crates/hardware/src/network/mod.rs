//! The network between the nodes: the way of a message from one interface to another, and its delays.
//!
//! A [`Network`] is *constant* or *routed*. In a constant network any two nodes are the same time apart, and only the
//! interfaces are contended. A routed network is a [`Fabric`] of routers and links. Both answer one question: when does
//! the **first byte** of a message come to the port in of its destination? The bytes behind it follow at the pace of
//! the slowest port or link. The last byte arrives a *passage* later: the time of all bytes through that slowest part.
//! The interface at the destination adds the passage. It is paid once, regardless of the distance.
//!
//! The network's own times, its latency and its hops, are delays. They occupy neither port nor link.
//!
//! | module | content |
//! |---|---|
//! | `fabric` | [`Fabric`]: worms that move over channels, as a state machine over the caller's clock |
//! | `event` | the values that pass between a fabric and its caller: [`Event`], [`Parcel`] |
//! | `credits` | the credits of links into shallow buffers, on their way back |
//! | `channel` | a wire with the buffer at its end: a link, a lane of one, or a port; the messages that wait for it |
//! | `worm` | one message inside the network, and the times at which its tail leaves channels |
//! | `wiring` | the channels that a message needs, in order |
//! | `run` | channels that follow each other on a straight part of a way |
//! | `grid`, `tree` | the channels of meshes, tori and hypercubes; the channels of fat trees |
//! | `shape` | figures of a network as a whole, for readers |
//! | `cross_traffic` | messages from outside that cross the rows of a mesh |
//!
//! # Wormhole switching
//!
//! The way of a message follows from its source and its destination alone. Its head takes channel after channel: the port out
//! of its node, the links, the port in. Its body lies on the channels behind. A channel is a wire and the buffer at its end.
//! The wire belongs to one message from the entry of the head until the tail is in the buffer. The buffer is a queue, and holds
//! as many messages as fit into its bytes. A message that is longer than a buffer lies in several. A head takes a channel when
//! the wire is free and the buffer has room, first come, first served. Otherwise it waits at the front of its present buffer,
//! and all messages behind it wait too. A destination without room leaves a head at its port in, with the same effect: the
//! network backs up.
//!
//! A link into a buffer that holds less than the link carries in two hops sends by *credits*: it learns a hop after a message has
//! left the buffer that there is room. Such a buffer limits the link to as many messages in two hops as fit into it.
//!
//! Messages between the same two nodes use the same channels, and each channel is first come, first served. They arrive in the
//! order in which they were launched.
//!
//! No message is stuck as long as destinations accept arrivals. The channels of a mesh, used in dimension order, depend
//! on each other without a cycle. So do the channels of a tree, used first up and then down. A ring would be a cycle,
//! so each link of a torus has two *lanes* (virtual channels). A message changes to the second lane at the seam between
//! the last place of a ring and the first. Lanes share a wire: each message books its passage on the wire once.
//!
//! This module must never know the purpose of a message.

mod channel;
mod credits;
mod cross_traffic;
mod event;
mod fabric;
mod grid;
mod run;
mod shape;
mod tree;
mod wiring;
mod worm;

use units::Time;

pub use event::{Event, Parcel};
pub use fabric::Fabric;
pub use shape::Shape;

/// The network between the nodes of a machine.
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
    /// The time at which the first byte of a message arrives at another interface, if it leaves its own at `leaves`.
    pub fn arrival(self, leaves: Time) -> Time {
        leaves + self.latency
    }
}

impl Network {
    /// An idle network of a machine with `nodes` nodes. Two messages begin to pass a port at least `gap` apart.
    pub fn new(network: &machine::Network, gap: Time, nodes: u32) -> Self {
        let latency = network.latency;
        match &network.routers {
            None => Self::Constant(Constant { latency }),
            Some(routers) => Self::Routed(Box::new(Fabric::new(latency, gap, routers, nodes))),
        }
    }

    /// The cargo of the message whose head is at the port in of `node` and has not been let in.
    pub fn blocked_at(&self, node: u32) -> Option<u32> {
        match self {
            Self::Constant(_) => None,
            Self::Routed(fabric) => fabric.blocked_at(node),
        }
    }
}
