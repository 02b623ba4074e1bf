//! The network that joins the nodes: section `[network]`. Pure data. This module must never know how a message is routed.

use units::{Bandwidth, Bytes, Time};

use crate::reading::{Section, above_zero, range, section};

/// The network of a machine.
///
/// Its times are absolute. A time in cycles counts the node's clock and follows it. A network with a clock of its own, or
/// with none, has times in seconds: it keeps its speed when the node's clock is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The time of a message's first byte from NI to NI, without the hops of its route. It is a delay and occupies nothing.
    /// Messages follow each other as fast as the ports allow.
    pub latency: Time,
    /// The routers and links for which messages contend. `None` with `topology = "constant"`: any two nodes are `latency`
    /// apart, and messages never contend.
    pub routers: Option<Routers>,
}

/// Routers and the links between them, all alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routers {
    /// The topology: how the routers are joined.
    pub topology: Topology,
    /// The bandwidth of one link in one direction.
    pub link: Bandwidth,
    /// The time over one link between two routers: from a message's head entering the link until it is at the entry of the
    /// next router. It is a delay and does not occupy the link. Above zero; zero for a crossbar, which has no such links.
    pub hop: Time,
    /// The size of a router's buffer at each link into it. Messages wait in it, one behind another, as many as fit. A message
    /// longer than a buffer lies in several. A buffer that holds less than the link carries during two hops [is
    /// shallow](Self::is_shallow), and limits the link.
    pub buffer: Bytes,
    /// Messages from outside the machine that share the links; `None`: there are none.
    pub cross_traffic: Option<CrossTraffic>,
}

/// The topology of a network: how its routers are joined.
///
/// The sides of a grid are chosen if `sides` is `None`, or if a run has another number of nodes than the file. The choice is
/// among the grids of as many dimensions whose longest side is at most twice the shortest. Of these it is the one with the
/// fewest places that holds all nodes; of several, the one whose sides have the least sum. The longest side comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A single switch.
    Crossbar,
    /// A grid of routers, one for each node.
    Mesh {
        /// The number of dimensions of the grid.
        dimensions: usize,
        /// The length of each side; their product is the number of nodes. `None`: chosen to suit the number.
        sides: Option<Vec<u32>>,
    },
    /// A grid whose rows are closed to rings.
    Torus {
        /// The number of dimensions of the grid.
        dimensions: usize,
        /// The length of each side; their product is the number of nodes. `None`: chosen to suit the number.
        sides: Option<Vec<u32>>,
    },
    /// A tree of switches with `arity` links down and as many up: the smallest such tree that holds all nodes.
    FatTree {
        /// The number of links down from a switch, and up from it; at least 2.
        arity: u32,
    },
    /// A grid whose sides all have length 2: the smallest that holds all nodes.
    Hypercube,
}

section! {
    /// Messages that enter the rows of a mesh (its first dimension) at both ends, cross them and leave at the other end.
    CrossTraffic(section) {
        /// The size of each message, header included.
        message: Bytes = above_zero,
        /// The rate at which each end of each row sends while it is not blocked.
        rate: Bandwidth,
        /// The time that an end of a row takes to launch a message. It launches the next when this one has begun to leave.
        launch: Time,
    }
}

const NAMES: [&str; 7] = ["constant", "crossbar", "mesh", "torus", "fat-tree", "hypercube", "ring"];

impl Network {
    /// Reads the section of a machine of `nodes` nodes.
    pub(crate) fn read_keys(section: &Section<'_>, nodes: Option<u32>) -> Option<Self> {
        let expected = format!("one of {}", NAMES.join(", "));
        let Some(name) = section.text("topology", &expected, |name| NAMES.contains(&name)) else {
            section.forgive();
            return None;
        };
        if section.is_set("topology") {
            // A topology of the command line makes further keys necessary: the file has the keys of its own topology.
            section.ask_by("topology");
            section.leave_unused(&["link", "hop", "buffer", "arity", "dimensions", "cross_traffic"]);
        }
        match name.as_str() {
            "constant" => Some(Self { latency: section.key("latency")?, routers: None }),
            "crossbar" => {
                let latency = section.key("latency");
                let routers = Routers::read_keys(section, Some(Topology::Crossbar), Some(Time::ZERO));
                Some(Self { latency: latency?, routers: Some(routers?) })
            }
            _ => {
                let latency = section.key("latency");
                let hop = above_zero(section, "hop");
                let topology = Topology::read(section, &name, nodes);
                let routers = Routers::read_keys(section, topology, hop);
                Some(Self { latency: latency?, routers: Some(routers?) })
            }
        }
    }
}

impl Routers {
    fn read_keys(section: &Section<'_>, topology: Option<Topology>, hop: Option<Time>) -> Option<Self> {
        let link = section.key::<Bandwidth>("link");
        let buffer = above_zero::<Bytes>(section, "buffer");
        let cross_traffic = match topology {
            Some(Topology::Mesh { .. }) => section.key("cross_traffic"),
            _ => Some(None),
        };
        let (link, buffer, hop) = (link?, buffer?, hop?);
        if let Some(Some(CrossTraffic { rate, .. })) = cross_traffic
            && rate > link
        {
            section.section("cross_traffic", |section| {
                section.forgive();
                let expected = format!("at most {link}, which a link carries");
                section.contradict("rate", expected, &["network.link"]);
            });
            return None;
        }
        Some(Self { topology: topology?, link, hop, buffer, cross_traffic: cross_traffic? })
    }

    /// The round trip of a credit: one hop for the data to arrive, and one hop for the news that they have left the buffer again.
    pub fn round_trip(&self) -> Time {
        self.hop * 2
    }

    /// Whether the buffer of a link holds less than the link carries during the [round trip](Self::round_trip) of a credit. Such a
    /// buffer limits the throughput, and not the link: in one round trip only a bufferful of messages sets out.
    pub fn is_shallow(&self) -> bool {
        self.link.transfer_time(self.buffer) < self.round_trip()
    }

    /// The time that `size` bytes take over a link. A message longer than a [shallow](Self::is_shallow) buffer advances by one
    /// bufferful in each [round trip](Self::round_trip).
    pub fn passage(&self, size: Bytes) -> Time {
        let alone = self.link.transfer_time(size);
        if size <= self.buffer || !self.is_shallow() {
            return alone;
        }
        let trips = u128::from(self.round_trip().as_femtoseconds()) * u128::from(size.get());
        let time = trips.div_ceil(self.buffer.get().into());
        Time::from_femtoseconds(u64::try_from(time).unwrap_or(u64::MAX))
    }
}

impl Topology {
    fn read(section: &Section<'_>, name: &str, nodes: Option<u32>) -> Option<Self> {
        match name {
            "mesh" => {
                let sides = Self::sides(section, nodes)?;
                Some(Self::Mesh { dimensions: sides.as_ref().map_or(2, Vec::len), sides })
            }
            "torus" => {
                let sides = Self::sides(section, nodes)?;
                Some(Self::Torus { dimensions: sides.as_ref().map_or(3, Vec::len), sides })
            }
            "ring" => Some(Self::Torus { dimensions: 1, sides: None }),
            "fat-tree" => {
                section.limit("arity", range("2", "64", "most of a tree of wider switches would be unused"));
                Some(Self::FatTree { arity: section.key("arity")? })
            }
            _ => Some(Self::Hypercube),
        }
    }

    /// Reads the sides of a grid; `Some(None)` where they are left to be chosen. Sides from the command line are for
    /// the nodes of the run, whose number is unknown here.
    fn sides(section: &Section<'_>, nodes: Option<u32>) -> Option<Option<Vec<u32>>> {
        let sides = section.optional("dimensions", |section| section.counts("dimensions"))?;
        if let (Some(sides), Some(nodes), false) = (&sides, nodes, section.is_set("dimensions")) {
            let places = sides.iter().try_fold(1_u32, |places, &side| places.checked_mul(side));
            if places != Some(nodes) {
                let expected = format!("sides whose product is `nodes`, which is {nodes}");
                section.contradict("dimensions", expected, &["nodes"]);
                return None;
            }
        }
        Some(sides)
    }
}
