//! The channels that a message needs, in order. This module must never know a time or a message.

use std::ops::Range;

use machine::Topology;

use super::grid::{Grid, sides};
use super::run::Run;
use super::tree::Tree;

/// The numbering of a network's channels: the ports out of the nodes, their ports in, then the channels inside.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    nodes: u32,
    inside: Inside,
}

#[derive(Clone, Debug)]
enum Inside {
    Nothing,
    Grid(Grid),
    Tree(Tree),
}

impl Wiring {
    pub(super) fn new(topology: &Topology, nodes: u32) -> Self {
        let sides = |given: &Option<Vec<u32>>, dimensions| match given {
            Some(sides) if sides.iter().product::<u32>() == nodes => sides.clone(),
            _ => sides(nodes, dimensions),
        };
        let inside = match topology {
            Topology::Crossbar => Inside::Nothing,
            Topology::Mesh { dimensions, sides: given } => {
                Inside::Grid(Grid::mesh(sides(given, *dimensions)))
            }
            Topology::Torus { dimensions, sides: given } => {
                Inside::Grid(Grid::torus(sides(given, *dimensions)))
            }
            Topology::Hypercube => {
                let dimensions = nodes.next_power_of_two().trailing_zeros();
                Inside::Grid(Grid::mesh(vec![2; dimensions as usize]))
            }
            Topology::FatTree { arity } => Inside::Tree(Tree::new(*arity, nodes)),
        };
        Self { nodes, inside }
    }

    /// The number of channels, without cross traffic's.
    pub(super) fn channels(&self) -> u32 {
        let inside = match &self.inside {
            Inside::Nothing => 0,
            Inside::Grid(grid) => grid.channels(),
            Inside::Tree(tree) => tree.channels(),
        };
        2 * self.nodes + inside
    }

    /// The port out of a node.
    pub(super) fn port_out(&self, node: u32) -> u32 {
        node
    }

    /// The port into a node.
    pub(super) fn port_in(&self, node: u32) -> u32 {
        self.nodes + node
    }

    /// The first straight run of channels inside the network on the way between two different nodes.
    pub(super) fn first_run(&self, from: u32, to: u32) -> Run {
        let run = match &self.inside {
            Inside::Nothing => Run::END,
            Inside::Grid(grid) => grid.first_run(from, to),
            Inside::Tree(tree) => tree.first_run(from, to),
        };
        run.numbered_from(2 * self.nodes)
    }

    /// The straight run of channels that follows `channel`, inside the network, on the way to a node; the end if a port in
    /// comes next.
    pub(super) fn next_run(&self, channel: u32, to: u32) -> Run {
        let Some(inside) = channel.checked_sub(2 * self.nodes) else { return Run::END };
        let run = match &self.inside {
            Inside::Nothing => Run::END,
            Inside::Grid(grid) => grid.next_run(inside, to),
            Inside::Tree(tree) => tree.next_run(inside, to),
        };
        run.numbered_from(2 * self.nodes)
    }

    /// Calls `by` with each channel between two different nodes, ports included, in order.
    pub(super) fn way(&self, from: u32, to: u32, mut by: impl FnMut(u32)) {
        by(self.port_out(from));
        let mut run = self.first_run(from, to);
        while let Some(channel) = run.next() {
            by(channel);
            if run.is_passed() {
                run = self.next_run(channel, to);
            }
        }
        by(self.port_in(to));
    }

    /// The number of rows for cross traffic.
    pub(super) fn rows(&self) -> u32 {
        if let Inside::Grid(grid) = &self.inside { grid.rows() } else { 0 }
    }

    /// The first and the last place of a row.
    pub(super) fn ends_of_row(&self, row: u32) -> (u32, u32) {
        if let Inside::Grid(grid) = &self.inside { grid.ends(row) } else { (0, 0) }
    }

    /// The wire that a lane shares with others; `None` for a channel that is no lane.
    pub(super) fn wire(&self, channel: u32) -> Option<u32> {
        let Inside::Grid(grid) = &self.inside else { return None };
        grid.wire(channel.checked_sub(2 * self.nodes)?)
    }

    /// The links between routers, each as its lanes.
    pub(super) fn links(&self) -> Box<dyn Iterator<Item = Range<u32>> + '_> {
        let inside = move |lanes: Range<u32>| {
            let first = 2 * self.nodes;
            first + lanes.start..first + lanes.end
        };
        match &self.inside {
            Inside::Nothing => Box::new(std::iter::empty()),
            Inside::Grid(grid) => Box::new(grid.links_in_use().map(inside)),
            Inside::Tree(tree) => Box::new(tree.links_in_use(self.nodes).map(inside)),
        }
    }

    /// The name of the link that a channel belongs to; empty for a port.
    pub(super) fn link_name(&self, channel: u32) -> String {
        match (&self.inside, channel.checked_sub(2 * self.nodes)) {
            (Inside::Grid(grid), Some(channel)) => grid.link_name(channel),
            (Inside::Tree(tree), Some(channel)) => tree.link_name(channel),
            _ => String::new(),
        }
    }

    /// The number of wires that lanes share.
    pub(super) fn wires(&self) -> u32 {
        if let Inside::Grid(grid) = &self.inside { grid.wires() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn torus(sides: &[u32]) -> Wiring {
        let topology = Topology::Torus { dimensions: sides.len(), sides: Some(sides.to_vec()) };
        Wiring::new(&topology, sides.iter().product())
    }

    fn all() -> Vec<(&'static str, Wiring)> {
        let mesh = Topology::Mesh { dimensions: 2, sides: Some(vec![5, 3]) };
        vec![
            ("crossbar", Wiring::new(&Topology::Crossbar, 9)),
            ("mesh", Wiring::new(&mesh, 15)),
            ("torus of 5 x 4", torus(&[5, 4])),
            ("torus of 3 x 2 x 2", torus(&[3, 2, 2])),
            ("ring", torus(&[7])),
            ("hypercube", Wiring::new(&Topology::Hypercube, 16)),
            ("fat tree", Wiring::new(&Topology::FatTree { arity: 2 }, 13)),
        ]
    }

    fn way(wiring: &Wiring, from: u32, to: u32) -> Vec<u32> {
        let mut way = Vec::new();
        wiring.way(from, to, |channel| way.push(channel));
        way
    }

    fn pairs(wiring: &Wiring) -> impl Iterator<Item = (u32, u32)> + use<> {
        let nodes = wiring.nodes;
        (0..nodes).flat_map(move |from| (0..nodes).map(move |to| (from, to))).filter(|(from, to)| from != to)
    }

    #[test]
    fn a_way_that_is_known_to_end_behind_a_run_ends_there() {
        for (name, wiring) in all() {
            for (from, to) in pairs(&wiring) {
                // The channels inside, where the wiring is asked again behind each run until nothing follows.
                let mut inside: Vec<u32> = wiring.first_run(from, to).collect();
                let mut passed = 0;
                while passed < inside.len() {
                    passed = inside.len();
                    inside.extend(wiring.next_run(inside[passed - 1], to));
                }
                let way = way(&wiring, from, to);
                assert_eq!(way[1..way.len() - 1], inside, "{name}: from {from} to {to}");
            }
        }
    }

    /// Whether channels could wait for each other in a cycle: a message holds one channel and wants the next.
    fn has_cycle(wiring: &Wiring, name: impl Fn(u32) -> u32) -> bool {
        let mut wants = vec![Vec::new(); wiring.channels() as usize];
        for (from, to) in pairs(wiring) {
            for two in way(wiring, from, to).windows(2) {
                wants[name(two[0]) as usize].push(name(two[1]));
            }
        }
        // Removes channels that want none of the remaining ones, until nothing changes.
        let mut left: Vec<bool> = wants.iter().map(|wants| !wants.is_empty()).collect();
        loop {
            let stuck = |channel: usize| wants[channel].iter().any(|&wanted| left[wanted as usize]);
            let next: Vec<bool> = (0..left.len()).map(|channel| left[channel] && stuck(channel)).collect();
            if next == left {
                return left.contains(&true);
            }
            left = next;
        }
    }

    #[test]
    fn no_topology_has_a_circle_of_channels_that_wait_for_each_other() {
        for (name, wiring) in all() {
            assert!(!has_cycle(&wiring, |channel| channel), "{name}");
        }
    }

    #[test]
    fn without_lanes_a_torus_would_have_one() {
        let torus = torus(&[5, 4]);
        assert!(has_cycle(&torus, |channel| torus.wire(channel).map_or(channel, |wire| 2 * 20 + wire)));
    }

    #[test]
    fn every_way_begins_and_ends_at_ports_and_passes_no_channel_twice() {
        for (name, wiring) in all() {
            for (from, to) in pairs(&wiring) {
                let way = way(&wiring, from, to);
                assert_eq!(
                    (way[0], way[way.len() - 1]),
                    (wiring.port_out(from), wiring.port_in(to)),
                    "{name}"
                );
                let mut sorted = way.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), way.len(), "{name} from {from} to {to}");
                assert!(sorted.iter().all(|&channel| channel < wiring.channels()), "{name}");
            }
        }
    }

    #[test]
    fn the_mean_distance_of_an_8_by_4_mesh_is_3_875_hops() {
        // Along a side of n, over all pairs, a place with itself too, (n^2 - 1) / 3n: 63/24 + 15/12 = 2.625 + 1.25.
        let mesh = Wiring::new(&Topology::Mesh { dimensions: 2, sides: None }, 32);
        let hops: usize = pairs(&mesh).map(|(from, to)| way(&mesh, from, to).len() - 2).sum();
        assert_eq!(hops as f64 / (32.0 * 32.0), 3.875);
    }

    #[test]
    fn every_link_that_a_message_passes_is_listed_and_named_once() {
        for (name, wiring) in all() {
            let names: Vec<String> = wiring.links().map(|lanes| wiring.link_name(lanes.start)).collect();
            assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), names.len(), "{name}");
            let listed: std::collections::HashSet<u32> = wiring.links().flatten().collect();
            for (from, to) in pairs(&wiring) {
                let way = way(&wiring, from, to);
                assert!(way[1..way.len() - 1].iter().all(|channel| listed.contains(channel)), "{name}");
            }
        }
    }

    #[test]
    fn a_run_on_another_number_of_nodes_gets_a_grid_that_fits() {
        let mesh = Topology::Mesh { dimensions: 2, sides: Some(vec![8, 4]) };
        // 4 x 4: from corner to corner 6 links between two ports.
        assert_eq!(way(&Wiring::new(&mesh, 16), 0, 15).len(), 8);
        // 8 x 4: 10 links.
        assert_eq!(way(&Wiring::new(&mesh, 32), 0, 31).len(), 12);
    }

    #[test]
    fn eight_directed_links_cross_the_middle_of_an_8_by_4_mesh() {
        let mesh = Wiring::new(&Topology::Mesh { dimensions: 2, sides: None }, 32);
        let crosses = |(from, to): &(u32, u32)| (from % 8 < 4) != (to % 8 < 4);
        let mut used: Vec<Vec<u32>> = vec![Vec::new(); mesh.channels() as usize];
        pairs(&mesh).filter(crosses).for_each(|(from, to)| {
            for channel in way(&mesh, from, to) {
                used[channel as usize].push(from * 32 + to);
            }
        });
        // The links that take a pair of neighbours across are the links of the cut.
        let cut = (0..4).flat_map(|row| [(row * 8 + 3, row * 8 + 4), (row * 8 + 4, row * 8 + 3)]);
        let cut: Vec<u32> = cut.map(|(from, to)| way(&mesh, from, to)[1]).collect();
        let crossing: usize = cut.iter().map(|&link| used[link as usize].len()).sum();
        assert_eq!((cut.len(), crossing), (8, pairs(&mesh).filter(crosses).count()));
    }
}
