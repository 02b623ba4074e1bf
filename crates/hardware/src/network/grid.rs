//! Meshes, tori and hypercubes: boxes of routers in any number of dimensions. A message goes along the first dimension
//! until it is at its destination's coordinate there, then along the second, and so on.
//!
//! The coordinates of place n are the digits of n in a number system whose digits run over the sides, the first the fastest.
//! Places beyond the last node have routers too. This module must never know a time.

use std::ops::Range;

use super::run::Run;
use crate::Divisor;

/// The number of lanes of a link of a torus.
const LANES: u32 = 2;

/// A box of routers.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    sides: Vec<u32>,
    /// The difference between the numbers of two neighbours along each dimension.
    strides: Vec<u32>,
    /// Whether the rows are rings, whose links have lanes.
    closed: bool,
}

impl Grid {
    pub(super) fn mesh(sides: Vec<u32>) -> Self {
        Self::new(sides, false)
    }

    pub(super) fn torus(sides: Vec<u32>) -> Self {
        Self::new(sides, true)
    }

    fn new(sides: Vec<u32>, closed: bool) -> Self {
        let before = |dimension: usize| sides[..dimension].iter().product();
        Self { strides: (0..sides.len()).map(before).collect(), sides, closed }
    }

    fn links(&self) -> u32 {
        self.sides.iter().product::<u32>() * 2 * self.sides.len() as u32
    }

    fn lanes(&self) -> u32 {
        if self.closed { LANES } else { 1 }
    }

    /// The number of links, or of their lanes where they have lanes.
    pub(super) fn channels(&self) -> u32 {
        self.links() * self.lanes()
    }

    /// The number of wires that lanes share.
    pub(super) fn wires(&self) -> u32 {
        if self.closed { self.links() } else { 0 }
    }

    /// The wire of a lane.
    pub(super) fn wire(&self, channel: u32) -> Option<u32> {
        (self.closed && channel < self.channels()).then_some(channel / LANES)
    }

    /// The number of lines along the first dimension.
    pub(super) fn rows(&self) -> u32 {
        self.sides[1..].iter().product()
    }

    /// The first and the last place of a row.
    pub(super) fn ends(&self, row: u32) -> (u32, u32) {
        (row * self.sides[0], (row + 1) * self.sides[0] - 1)
    }

    /// The links that join two places, each as its lanes. Links beyond the edge of a mesh have numbers too, and are left out.
    pub(super) fn links_in_use(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        let links = (0..self.links()).filter(|&link| self.ends_of(link).is_some());
        links.map(|link| link * self.lanes()..(link + 1) * self.lanes())
    }

    /// The name of the link that a channel belongs to: the places at its ends.
    pub(super) fn link_name(&self, channel: u32) -> String {
        self.ends_of(channel / self.lanes()).map_or_else(String::new, |(from, to)| format!("{from}→{to}"))
    }

    /// The places at the ends of a link; `None` beyond an edge.
    fn ends_of(&self, link: u32) -> Option<(u32, u32)> {
        let dimensions = self.sides.len() as u32;
        let (row, up) = (link / 2, link.is_multiple_of(2));
        let (place, dimension) = divided(row, dimensions);
        let side = self.sides[dimension as usize];
        let stride = self.strides[dimension as usize];
        let at = coordinate(place, stride, side);
        let ahead = match (up, at) {
            (true, at) if at + 1 < side => at + 1,
            (false, at) if at > 0 => at - 1,
            (true, _) if self.closed && side > 2 => 0,
            (false, _) if self.closed && side > 2 => side - 1,
            _ => return None,
        };
        Some((place, place + ahead * stride - at * stride))
    }

    /// The first straight run of channels on the way from place `from` to place `to`; the end if they are one place.
    pub(super) fn first_run(&self, from: u32, to: u32) -> Run {
        self.run(from, to, (0, 0))
    }

    /// The straight run of channels that follows `channel` on the way to place `to`; the end if `channel` ends there.
    pub(super) fn next_run(&self, channel: u32, to: u32) -> Run {
        let (link, lane) = divided(channel, self.lanes());
        let (_, place) = self.ends_of(link).expect("a message passes links that join two places");
        if place == to {
            return Run::END;
        }
        let (_, dimension) = divided(link / 2, self.sides.len() as u32);
        self.run(place, to, (dimension, lane))
    }

    /// The straight run of channels from `place` on, where the link before, if there is one, lies along a dimension in a lane.
    fn run(&self, place: u32, to: u32, (before, lane): (u32, u32)) -> Run {
        let dimensions = self.sides.len() as u32;
        for dimension in before..dimensions {
            let (side, stride) = (self.sides[dimension as usize], self.strides[dimension as usize]);
            let [at, goal] = [place, to].map(|one| coordinate(one, stride, side));
            let (steps, up) = self.steps(at, goal, side);
            if steps == 0 {
                continue;
            }
            let to_seam = if up { side - 1 - at } else { at };
            let over_seam = dimension == before && lane == 1 || self.closed && to_seam == 0;
            let link = (place * dimensions + dimension) * 2 + u32::from(!up);
            let apart = stride * dimensions * 2 * self.lanes();
            // A seam, and the channels on either side of it, are runs of their own.
            let count = if to_seam == 0 { 1 } else { steps.min(to_seam) };
            let last = if up { place + steps * stride } else { place.wrapping_sub(steps * stride) };
            return Run::new(
                link * self.lanes() + u32::from(over_seam),
                count,
                if up { apart } else { apart.wrapping_neg() },
                steps <= to_seam && last == to,
            );
        }
        Run::END
    }

    /// The number of steps along one side, and whether they go upwards. On a ring it is the shorter way. For half the ring,
    /// even places go upwards and odd ones downwards, so that both directions carry equal loads.
    fn steps(&self, at: u32, goal: u32, side: u32) -> (u32, bool) {
        if !self.closed {
            return (at.abs_diff(goal), goal > at);
        }
        let ahead = (goal + side - at) % side;
        let up = 2 * ahead < side || 2 * ahead == side && at.is_multiple_of(2);
        (if up { ahead } else { side - ahead }, up)
    }
}

/// The quotient and the remainder of `number`, a number of places or links, by `by`, which mostly is a power of two.
#[inline(always)]
fn divided(number: u32, by: u32) -> (u32, u32) {
    let (number, by) = (u64::from(number), Divisor::new(by.into()));
    (by.quotient(number) as u32, by.remainder(number) as u32)
}

/// The coordinate of a place along a dimension of a side and a stride.
#[inline(always)]
fn coordinate(place: u32, stride: u32, side: u32) -> u32 {
    divided(divided(place, stride).0, side).1
}

/// The sides of the box with the fewest places that holds `nodes`, among the boxes of `dimensions` dimensions whose longest
/// side is at most twice the shortest. Of several it is the box with the smallest sum of sides. The longest side comes first.
pub(super) fn sides(nodes: u32, dimensions: usize) -> Vec<u32> {
    let mut best: Option<Candidate> = None;
    let mut longest = 1_u64;
    // The smallest box with this longest side. When it is too large already, so are all that follow.
    while least_places(longest, dimensions) <= best.as_ref().map_or(u64::MAX, |(places, ..)| *places) {
        let mut sides = vec![longest];
        fill(&mut sides, dimensions, u64::from(nodes), &mut best);
        longest += 1;
    }
    let (.., sides) = best.expect("a cube with long enough sides holds everything");
    sides.into_iter().map(|side| side as u32).collect()
}

fn least_places(longest: u64, dimensions: usize) -> u64 {
    (1..dimensions).fold(longest, |places, _| places.saturating_mul(longest.div_ceil(2)))
}

/// A box: the number of its places, the sum of its sides, its sides. The least box is the best.
type Candidate = (u64, u64, Vec<u64>);

/// Tries all sides for the remaining dimensions, each no longer than the one before it.
fn fill(sides: &mut Vec<u64>, dimensions: usize, nodes: u64, best: &mut Option<Candidate>) {
    if sides.len() == dimensions {
        let places = sides.iter().product();
        let candidate = (places, sides.iter().sum(), sides.clone());
        if places >= nodes && best.as_ref().is_none_or(|best| candidate < *best) {
            *best = Some(candidate);
        }
        return;
    }
    for side in sides[0].div_ceil(2)..=sides[sides.len() - 1] {
        sides.push(side);
        fill(sides, dimensions, nodes, best);
        sides.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_square_boxes_hold_all_nodes() {
        for (nodes, dimensions, expected) in [
            (1, 2, vec![1, 1]),
            (2, 2, vec![2, 1]),
            (3, 2, vec![2, 2]), // 3 x 1 is too long
            (7, 2, vec![4, 2]),
            (32, 2, vec![8, 4]),
            (64, 2, vec![8, 8]),
            (65_536, 2, vec![256, 256]),
            (16, 3, vec![4, 2, 2]),
            (32, 3, vec![4, 4, 2]),
            (5, 1, vec![5]),
        ] {
            assert_eq!(sides(nodes, dimensions), expected, "{nodes} nodes");
        }
    }

    fn way(grid: &Grid, from: u32, to: u32) -> Vec<u32> {
        let mut way: Vec<u32> = grid.first_run(from, to).collect();
        let mut passed = 0;
        while passed < way.len() {
            passed = way.len();
            way.extend(grid.next_run(way[passed - 1], to));
        }
        way
    }

    #[test]
    fn a_mesh_is_crossed_along_x_and_then_along_y() {
        // Places 0 1 2 over 3 4 5; link = (place * 2 + dimension) * 2 + down. From 0 to 5: right from 0, right from 1,
        // then in the second dimension up from 2.
        let grid = Grid::mesh(vec![3, 2]);
        assert_eq!(way(&grid, 0, 5), [0, 4, 10]);
        // And back: left from 5 and from 4, then down from 3.
        assert_eq!(way(&grid, 5, 0), [21, 17, 15]);
        assert_eq!((grid.channels(), grid.wires(), grid.wire(3)), (24, 0, None));
    }

    #[test]
    fn a_ring_is_crossed_the_shorter_way_and_changes_lanes_at_the_seam() {
        // Link = place * 2 + down, channel = link * 2 + lane.
        let ring = Grid::torus(vec![5]);
        assert_eq!(way(&ring, 0, 2), [0, 4]);
        // Up from 3, then over the seam from 4 and up from 0, both in lane 1.
        assert_eq!(way(&ring, 3, 0), [12, 17]);
        assert_eq!(way(&ring, 3, 1).len(), 2, "two down, not three up");
        assert_eq!(way(&ring, 4, 1), [17, 1]);
        // Down over the seam from 0.
        assert_eq!(way(&ring, 0, 4), [3]);
        assert_eq!((ring.channels(), ring.wires(), ring.wire(17)), (20, 10, Some(8)));
    }

    #[test]
    fn a_link_is_named_by_its_ends() {
        let names = |grid: &Grid| {
            grid.links_in_use().map(|lanes| grid.link_name(lanes.start)).collect::<Vec<_>>().join(" ")
        };
        // Places 0 1 2 over 3 4 5.
        let mesh = Grid::mesh(vec![3, 2]);
        assert_eq!(names(&mesh), "0→1 0→3 1→2 1→0 1→4 2→1 2→5 3→4 3→0 4→5 4→3 4→1 5→4 5→2");
        assert_eq!(names(&Grid::torus(vec![3])), "0→1 0→2 1→2 1→0 2→0 2→1");
        assert_eq!(Grid::torus(vec![3]).links_in_use().nth(1), Some(2..4));
    }

    #[test]
    fn half_way_round_even_places_go_up_and_odd_ones_down() {
        let ring = Grid::torus(vec![4]);
        assert_eq!(way(&ring, 0, 2), [0, 4]);
        assert_eq!(way(&ring, 1, 3), [6, 3]);
    }

    #[test]
    fn a_hypercube_changes_one_bit_after_another() {
        // From 000 to 101: bit 0 at place 0, bit 2 at place 1; link = (place * 3 + dimension) * 2 + down.
        let cube = Grid::mesh(vec![2; 3]);
        assert_eq!(way(&cube, 0b000, 0b101), [0, 10]);
        assert_eq!(way(&cube, 0b111, 0b000).len(), 3);
    }
}
