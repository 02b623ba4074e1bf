//! Fat trees. Every level has as many links as there are places at the bottom, so no level is narrower than the one below it. A
//! message goes up only as far as it must. Its destination alone decides which of a switch's links up it takes. Messages to one
//! node therefore meet early, and messages to different nodes share no links down.
//!
//! With `arity` k, the switches over a subtree of k^l places have k^l links up. Link `p` of them carries the messages whose
//! destinations end in the l digits of `p` in base k. This module must never know a time.

use std::ops::Range;

use super::run::Run;
use crate::Divisor;

/// A tree of switches over a power of the arity of places.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The number of places at the bottom, at least the number of nodes.
    places: Divisor,
    /// The number of places below a switch of each level. The links below the lowest level are the ports of the nodes.
    subtrees: Vec<Divisor>,
}

impl Tree {
    /// The smallest tree that holds `nodes` nodes.
    pub(super) fn new(arity: u32, nodes: u32) -> Self {
        let mut subtrees = vec![arity];
        while subtrees[subtrees.len() - 1] < nodes {
            subtrees.push(subtrees[subtrees.len() - 1].saturating_mul(arity));
        }
        let subtrees: Vec<_> = subtrees.into_iter().map(|places| Divisor::new(places.into())).collect();
        Self { places: subtrees[subtrees.len() - 1], subtrees }
    }

    /// The number of places at the bottom.
    fn places(&self) -> u32 {
        self.places.get() as u32
    }

    /// The number of a link's row, a level and a direction, and the place of the link in that row.
    #[inline]
    fn row_of(&self, link: u32) -> (u32, u32) {
        (self.places.quotient(link.into()) as u32, self.places.remainder(link.into()) as u32)
    }

    /// The number of links between switches, in both directions.
    pub(super) fn channels(&self) -> u32 {
        2 * self.places() * (self.subtrees.len() as u32 - 1)
    }

    /// The links between switches over places of `nodes` nodes. Each link is its only lane.
    pub(super) fn links_in_use(&self, nodes: u32) -> impl Iterator<Item = Range<u32>> + '_ {
        let in_use = move |link: &u32| self.subtree_of(*link).start < nodes;
        (0..self.channels()).filter(in_use).map(|link| link..link + 1)
    }

    /// The name of a link: its direction, its index within its subtree, and the places of the subtree.
    pub(super) fn link_name(&self, link: u32) -> String {
        let subtree = self.subtree_of(link);
        let (row, place) = self.row_of(link);
        let number = place - subtree.start;
        let way = if row.is_multiple_of(2) { ("up", "from") } else { ("down", "into") };
        format!("{} {number} {} {}-{}", way.0, way.1, subtree.start, subtree.end - 1)
    }

    /// The places below the switches that a link joins to the level above.
    fn subtree_of(&self, link: u32) -> Range<u32> {
        let (row, place) = self.row_of(link);
        let places = self.subtrees[row as usize / 2];
        let start = place - places.remainder(place.into()) as u32;
        start..start + places.get() as u32
    }

    /// The first straight run of links on the way from place `from` to place `to`; the end if one switch joins both.
    pub(super) fn first_run(&self, from: u32, to: u32) -> Run {
        self.run(0, from, to)
    }

    /// The straight run of links that follows `link` on the way to place `to`; the end after the last link down.
    pub(super) fn next_run(&self, link: u32, to: u32) -> Run {
        let (row, from) = self.row_of(link);
        if row.is_multiple_of(2) { self.run(row / 2 + 1, from, to) } else { Run::END }
    }

    /// The straight run of links from a switch of a level above place `from`: one link up, or all links down.
    fn run(&self, level: u32, from: u32, to: u32) -> Run {
        let Some((above, number)) = self.way_up(level, from, to) else {
            let down = (2 * level).wrapping_sub(1).wrapping_mul(self.places()).wrapping_add(to);
            return Run::new(down, level, (2 * self.places()).wrapping_neg(), true);
        };
        Run::new(level * 2 * self.places() + above + number, 1, 0, false)
    }

    /// The first place of the subtree of place `from` below a switch of a level, and the number of the link up that leads from there
    /// to place `to`. `None` if that switch joins both places.
    fn way_up(&self, level: u32, from: u32, to: u32) -> Option<(u32, u32)> {
        let subtree = self.subtrees[level as usize];
        let [own, other] = [from, to].map(|place| subtree.quotient(place.into()));
        let [number, goal] = [from, to].map(|place| subtree.remainder(place.into()) as u32);
        (own != other).then_some((from - number, goal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(tree: &Tree, from: u32, to: u32) -> Vec<u32> {
        let mut way: Vec<u32> = tree.first_run(from, to).collect();
        let mut passed = 0;
        while passed < way.len() {
            passed = way.len();
            way.extend(tree.next_run(way[passed - 1], to));
        }
        way
    }

    #[test]
    fn a_message_climbs_as_far_as_the_common_subtree() {
        // Arity 4, 32 nodes: 64 places, three levels of switches, links of two levels between them.
        let tree = Tree::new(4, 32);
        assert_eq!(tree.channels(), 2 * 2 * 64);
        assert_eq!(way(&tree, 0, 3), [], "one switch joins both");
        // 1 = 001 and 14 = 032 in base 4: up from subtree 0 by the last digit of 14, which is 2; down into 14.
        assert_eq!(way(&tree, 1, 14), [2, 64 + 14]);
        // 5 = 011, 31 = 133: up from subtree 4..7 by digit 3, up from subtree 0..15 by digits 33 = 15; down, down.
        assert_eq!(way(&tree, 5, 31), [4 + 3, 128 + 15, 192 + 31, 64 + 31]);
    }

    #[test]
    fn powers_of_two_and_divisions_have_the_same_ways() {
        for (arity, nodes) in [(2, 13), (4, 32), (4, 64), (8, 9), (8, 500)] {
            let tree = Tree::new(arity, nodes);
            let subtrees = tree.subtrees.iter().map(|places| places.dividing()).collect();
            let divides = Tree { places: tree.places.dividing(), subtrees };
            assert!(tree.places != divides.places && tree.subtrees != divides.subtrees);
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes.min(40)).map(move |to| (from, to))) {
                assert_eq!(way(&tree, from, to), way(&divides, from, to), "{arity} {nodes}: {from} {to}");
            }
        }
    }

    #[test]
    fn a_link_is_named_by_its_direction_and_its_subtree() {
        let tree = Tree::new(4, 32);
        let names = way(&tree, 5, 31).into_iter().map(|link| tree.link_name(link)).collect::<Vec<_>>();
        assert_eq!(names, ["up 3 from 4-7", "up 15 from 0-15", "down 15 into 16-31", "down 3 into 28-31"]);
        // Of 16 subtrees of four 8 have nodes, and of 4 of sixteen 2: four links up and down from each of the former.
        assert_eq!(tree.links_in_use(32).count(), 2 * (8 * 4 + 2 * 16));
    }

    #[test]
    fn all_places_of_a_subtree_can_leave_it_at_once() {
        // Each of the first 16 sends to the place 16 further on: no two share a link.
        let tree = Tree::new(4, 32);
        let mut links: Vec<u32> = (0..16).flat_map(|from| way(&tree, from, from + 16)).collect();
        links.sort_unstable();
        links.dedup();
        assert_eq!(links.len(), 16 * 4);
    }
}
