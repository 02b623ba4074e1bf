//! Figures of a network as a whole, for readers: the mean distance of nodes, and the links between its halves. Nothing here
//! takes part in a run.

use machine::{Routers, Topology};

use super::grid::sides;
use super::wiring::Wiring;

/// The figures of a network as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The mean number of links between routers that a message passes, over all pairs of different nodes; 0 for a single node.
    pub mean_links: f64,
    /// The fewest links, in one direction, that join one half of the nodes to the other.
    pub bisection_links: u64,
}

impl Shape {
    /// The shape of the network of `nodes` nodes.
    pub fn new(routers: &Routers, nodes: u32) -> Self {
        Self {
            mean_links: mean_links(&routers.topology, nodes),
            bisection_links: bisection_links(&routers.topology, nodes),
        }
    }
}

fn mean_links(topology: &Topology, nodes: u32) -> f64 {
    let wiring = Wiring::new(topology, nodes);
    let mut links = 0_u64;
    let pairs =
        (0..nodes).flat_map(|from| (0..nodes).filter(move |&to| to != from).map(move |to| (from, to)));
    let pairs = pairs.map(|(from, to)| wiring.way(from, to, |_| links += 1)).count() as u64;
    // Every way has two more channels: a port out and a port in.
    if pairs == 0 { 0.0 } else { (links - 2 * pairs) as f64 / pairs as f64 }
}

fn bisection_links(topology: &Topology, nodes: u32) -> u64 {
    let chosen = |given: &Option<Vec<u32>>, dimensions| match given {
        Some(given) if given.iter().product::<u32>() == nodes => given.clone(),
        _ => sides(nodes, dimensions),
    };
    match topology {
        Topology::Crossbar | Topology::FatTree { .. } | Topology::Hypercube => u64::from(nodes / 2),
        Topology::Mesh { dimensions, sides } => across(&chosen(sides, *dimensions)),
        Topology::Torus { dimensions, sides } => {
            let sides = chosen(sides, *dimensions);
            // A cut crosses both ends of a ring. A ring of two places is a single link, there and back.
            let rings = if sides.iter().any(|&side| side > 2) { 2 } else { 1 };
            rings * across(&sides)
        }
    }
}

/// The number of links across the middle of the longest side.
fn across(sides: &[u32]) -> u64 {
    let places: u64 = sides.iter().map(|&side| u64::from(side)).product();
    let longest = sides.iter().copied().max().unwrap_or(1);
    if longest < 2 { 0 } else { places / u64::from(longest) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::{Bandwidth, Bytes, Time};

    fn shape(topology: Topology, nodes: u32) -> Shape {
        let routers = Routers {
            topology,
            link: Bandwidth::new(1).unwrap(),
            hop: Time::from_nanoseconds(1),
            buffer: Bytes::new(1),
            cross_traffic: None,
        };
        Shape::new(&routers, nodes)
    }

    #[test]
    fn a_mesh_of_four_by_two() {
        let shape = shape(Topology::Mesh { dimensions: 2, sides: Some(vec![4, 2]) }, 8);
        // Along a side of 4 the distances of all 16 ordered pairs sum to 20, along a side of 2 to 2: over all 64 pairs
        // of nodes 20 * 4 + 2 * 16 = 112, of which 56 pairs are of different nodes.
        assert_eq!(shape, Shape { mean_links: 2.0, bisection_links: 2 });
    }

    #[test]
    fn a_ring_is_cut_in_two_places_and_a_crossbar_has_no_links_inside() {
        let ring = shape(Topology::Torus { dimensions: 1, sides: None }, 4);
        // The three nodes need one, two and one links.
        assert_eq!(ring, Shape { mean_links: 4.0 / 3.0, bisection_links: 2 });
        assert_eq!(shape(Topology::Crossbar, 8), Shape { mean_links: 0.0, bisection_links: 4 });
    }

    #[test]
    fn one_node_is_nowhere_from_anywhere() {
        assert_eq!(shape(Topology::Crossbar, 1), Shape { mean_links: 0.0, bisection_links: 0 });
    }
}
