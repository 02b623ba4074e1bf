//! What joins the nodes. Pure data and its section `[network]`. Knows no way that a message takes.

use units::{Bandwidth, Bytes, Time};

use crate::reading::{Section, above_zero, section};

/// The network.
///
/// Its times are absolute. One stated in cycles is in cycles of the node's clock and follows that; a network with a clock
/// of its own, or with none, states them in seconds and keeps its speed whatever the nodes do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// What every message takes from NI to NI whatever its way: into the network and out of it. Above zero where there
    /// are no routers, or only one.
    pub latency: Time,
    /// What messages contend for inside; `None` with `topology = "constant"`: any two nodes are `latency` apart, and a
    /// message meets no other.
    pub routers: Option<Routers>,
}

/// Routers and the links between them, all alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routers {
    /// How they are joined.
    pub topology: Topology,
    /// What one link carries in one direction.
    pub link: Bandwidth,
    /// Over one link between two routers: from a head's entering it to its being at the entry of the next. Above zero;
    /// zero for a crossbar, which has no such links.
    pub hop: Time,
    /// What a router holds of a message that is blocked before it, for each link into it; at least what a link carries
    /// during two hops (there, and the word that there is room back), without which links could not be kept busy.
    pub buffer: Bytes,
    /// Messages from outside that share the links.
    pub cross_traffic: Option<CrossTraffic>,
}

/// How routers are joined.
///
/// Where `sides` are `None`, or a run has another number of nodes than the file, the grid is the one with the fewest
/// places that holds all nodes, among those of as many dimensions whose longest side is at most twice the shortest; of
/// several the one with the shortest sides all together. The longest side comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One switch.
    Crossbar,
    /// A grid of routers, one for each node.
    Mesh {
        /// How many dimensions it has.
        dimensions: usize,
        /// How long each side is; their product is the machine's nodes.
        sides: Option<Vec<u32>>,
    },
    /// A grid whose rows are closed to rings.
    Torus {
        /// How many dimensions it has.
        dimensions: usize,
        /// How long each side is; their product is the machine's nodes.
        sides: Option<Vec<u32>>,
    },
    /// A tree of switches with `arity` links down and as many up, the least that holds all nodes.
    FatTree {
        /// At least 2.
        arity: u32,
    },
    /// A grid whose sides are 2, the least that holds all nodes.
    Hypercube,
}

section! {
    /// Messages that enter the rows of a mesh (its first dimension) at both ends, cross them and leave at the other end.
    CrossTraffic(section) {
        /// Of each message, all included.
        message: Bytes = above_zero,
        /// What each end of each row would send if nothing held it up.
        rate: Bandwidth,
        /// What an end of a row takes to launch a message; it launches the next when this one has begun to leave.
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
        match name.as_str() {
            "constant" => Some(Self { latency: above_zero(section, "latency")?, routers: None }),
            "crossbar" => {
                let latency = above_zero(section, "latency");
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
        if link.transfer_time(buffer) < hop * 2 {
            section.contradict("buffer", format!("at least what `link` carries in two hops of {hop}"));
            return None;
        }
        Some(Self { topology: topology?, link, hop, buffer, cross_traffic: cross_traffic? })
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
                let arity = section.key("arity")?;
                if arity < 2 {
                    section.contradict("arity", "a whole number from 2, such as 4".to_owned());
                    return None;
                }
                Some(Self::FatTree { arity })
            }
            _ => Some(Self::Hypercube),
        }
    }

    /// The sides, where they are given.
    fn sides(section: &Section<'_>, nodes: Option<u32>) -> Option<Option<Vec<u32>>> {
        let sides = section.optional("dimensions", |section| section.counts("dimensions"))?;
        if let (Some(sides), Some(nodes)) = (&sides, nodes) {
            let places = sides.iter().try_fold(1_u32, |places, &side| places.checked_mul(side));
            if places != Some(nodes) {
                section.contradict("dimensions", format!("sides whose product is `nodes`, which is {nodes}"));
                return None;
            }
        }
        Some(sides)
    }
}
