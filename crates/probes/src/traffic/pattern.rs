//! Patterns: which node sends to which. This module must never know when a message is made, nor how nodes are joined.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};

/// The share of hot messages, in percent, if none is stated.
const HOT: f64 = 20.0;

/// All patterns, as an error lists them.
const ALL: &str =
    "uniform, transpose, complement, tornado, neighbour, hotspot, hotspot:10 (percent), incast or 8-to-1";

/// The rule by which a message's destination follows from its source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Pattern {
    /// Any other node, each as likely as the next.
    Uniform,
    /// Nodes are a square, numbered row by row: row and column change places.
    Transpose,
    /// Every bit of the node's number is turned.
    Complement,
    /// Nodes are a grid of rings: half way round in each dimension, less one step if that is half of the ring.
    Tornado,
    /// Nodes are a grid of rings: the next node in every dimension.
    Neighbour,
    /// This percentage of the messages of all other nodes goes to node 0, the others anywhere.
    Hotspot(f64),
    /// All other nodes send to node 0.
    Incast,
    /// This number of nodes, from node 1 on, sends to node 0.
    To1(u32),
}

/// The nodes, and the grid in which patterns by dimension count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Space {
    pub(super) nodes: u32,
    pub(super) dimensions: Dimensions,
}

/// The sides of a grid of nodes. The coordinates of node n are the digits of n in a number system whose digits run over
/// the sides, the first the fastest. Empty: not given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Dimensions(pub(super) Vec<u32>);

/// Stands for dimensions that are not given.
pub(super) const UNSAID: &str = "none";

impl Dimensions {
    /// The number of nodes, or `None` if there are too many to count.
    fn places(&self) -> Option<u32> {
        self.0.iter().try_fold(1_u32, |places, side| places.checked_mul(*side))
    }

    /// The node that lies `ahead` of `node` in each dimension, round the ring of its side.
    fn ahead(&self, node: u32, ahead: impl Fn(u32) -> u32) -> u32 {
        let (mut to, mut stride, mut left) = (0, 1, node);
        for &side in &self.0 {
            let place = u64::from(left % side) + u64::from(ahead(side));
            to += (place % u64::from(side)) as u32 * stride;
            (stride, left) = (stride * side, left / side);
        }
        to
    }
}

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == UNSAID {
            return Ok(Self::default());
        }
        let side = |text: &str| text.trim().parse().ok().filter(|side| *side > 0);
        let sides: Option<Vec<u32>> = text.split('x').map(side).collect();
        let sides = sides.map(Self).filter(|sides| sides.places().is_some());
        sides.ok_or_else(|| {
            format!("`{text}`: expected the sides of a grid such as 8x8 or 4x4x4, or 64 for a ring")
        })
    }
}

impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.pad(if sides.is_empty() { UNSAID.to_owned() } else { sides.join("x") }.as_str())
    }
}

impl Pattern {
    /// Whether the pattern is one by dimension.
    pub(super) fn has_dimensions(self) -> bool {
        matches!(self, Self::Tornado | Self::Neighbour)
    }

    /// The least number of nodes that the pattern has.
    pub(super) fn least(self) -> u32 {
        match self {
            Self::Transpose => 4,
            Self::Tornado => 3,
            Self::To1(senders) => senders + 1,
            _ => 2,
        }
    }

    /// Checks that the pattern exists on this number of nodes in such a grid.
    pub(super) fn check(self, space: &Space) -> Result<(), String> {
        let &Space { nodes, ref dimensions } = space;
        let (least, root) = (self.least(), nodes.isqrt());
        let lacks = match self {
            _ if nodes < least => format!("--nodes of at least {least}"),
            Self::Transpose if root * root != nodes => {
                let (below, above) = ((root * root).max(4), (root + 1) * (root + 1));
                format!("a square number of nodes, such as --nodes {below} or {above}")
            }
            Self::Complement if !nodes.is_power_of_two() => {
                let above = u64::from(nodes).next_power_of_two();
                format!("a power of two, such as --nodes {} or {above}", above / 2)
            }
            Self::Tornado | Self::Neighbour if dimensions.0.is_empty() => {
                format!(
                    "the sides of the grid of nodes, such as --input dimensions={nodes} for a ring{}",
                    squarish(nodes)
                )
            }
            Self::Tornado | Self::Neighbour if dimensions.places() != Some(nodes) => {
                format!("sides whose product is {nodes}, not dimensions={dimensions}")
            }
            Self::Tornado if dimensions.0.iter().all(|side| *side < 3) => {
                format!(
                    "a side of at least 3, not dimensions={dimensions}: half way round a ring of two is no way at all"
                )
            }
            _ => return Ok(()),
        };
        let nodes = if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") };
        Err(format!("pattern `{self}` on {nodes}: expected {lacks}"))
    }

    /// The destination of a message of `from`; `None` for a node that sends no messages.
    pub(super) fn destination(self, from: u32, space: &Space, random: &mut impl Rng) -> Option<u32> {
        let nodes = space.nodes;
        let to = match self {
            Self::Uniform => other(from, nodes, random),
            Self::Hotspot(percent) if from != 0 && random.random_range(0.0..100.0) < percent => 0,
            Self::Hotspot(_) => other(from, nodes, random),
            _ => return self.fixed(from, space),
        };
        Some(to)
    }

    /// The destination of all messages of `from`, in a pattern in which they have one; `None` for a node that sends no
    /// messages.
    fn fixed(self, from: u32, space: &Space) -> Option<u32> {
        let &Space { nodes, ref dimensions } = space;
        let root = nodes.isqrt();
        let to = match self {
            Self::Uniform | Self::Hotspot(_) => return None,
            Self::Transpose => from % root * root + from / root,
            Self::Complement => nodes - 1 - from,
            Self::Tornado => dimensions.ahead(from, |side| side.div_ceil(2) - 1),
            Self::Neighbour => dimensions.ahead(from, |_| 1),
            Self::Incast => 0,
            Self::To1(senders) if from <= senders => 0,
            Self::To1(_) => from,
        };
        (to != from).then_some(to)
    }

    /// Whether a node sends messages.
    pub(super) fn sends(self, node: u32, space: &Space) -> bool {
        matches!(self, Self::Uniform | Self::Hotspot(_)) || self.fixed(node, space).is_some()
    }

    /// Whether a node receives messages.
    pub(super) fn receives(self, node: u32, space: &Space) -> bool {
        match self {
            Self::Incast | Self::To1(_) => node == 0,
            // In a permutation, nodes that send to themselves receive from no other node.
            _ => self.sends(node, space),
        }
    }

    /// The number of nodes that send.
    pub(super) fn senders(self, nodes: u32) -> u32 {
        match self {
            Self::Transpose => nodes - nodes.isqrt(),
            Self::Incast => nodes - 1,
            Self::To1(senders) => senders,
            _ => nodes,
        }
    }

    /// The number of nodes whose messages all go to one node that serves no other messages; `None` in other patterns.
    pub(super) fn sources(self, nodes: u32) -> Option<u32> {
        matches!(self, Self::Incast | Self::To1(_)).then(|| self.senders(nodes))
    }
}

/// A grid of two dimensions of `nodes` nodes that is as square as can be, as an error shows it; nothing if there is
/// none but a ring.
fn squarish(nodes: u32) -> String {
    let short = (2..=nodes.isqrt()).rev().find(|side| nodes.is_multiple_of(*side));
    short.map_or_else(String::new, |short| format!(", or {}x{short} for a mesh or torus", nodes / short))
}

/// Any node but this one.
fn other(node: u32, nodes: u32, random: &mut impl Rng) -> u32 {
    let ahead = random.random_range(1..nodes);
    ((u64::from(node) + u64::from(ahead)) % u64::from(nodes)) as u32
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pattern = match text {
            "uniform" => Some(Self::Uniform),
            "transpose" => Some(Self::Transpose),
            "complement" => Some(Self::Complement),
            "tornado" => Some(Self::Tornado),
            "neighbour" => Some(Self::Neighbour),
            "hotspot" => Some(Self::Hotspot(HOT)),
            "incast" => Some(Self::Incast),
            _ => None,
        };
        let hot = || {
            let percent = text.strip_prefix("hotspot:")?.parse().ok()?;
            (0.0..=100.0).contains(&percent).then_some(Self::Hotspot(percent))
        };
        let many = || {
            let senders = text.strip_suffix("-to-1")?.parse().ok()?;
            (1..=u32::MAX / 2).contains(&senders).then_some(Self::To1(senders))
        };
        pattern.or_else(hot).or_else(many).ok_or_else(|| format!("`{text}`: expected one of {ALL}"))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.pad("uniform"),
            Self::Transpose => f.pad("transpose"),
            Self::Complement => f.pad("complement"),
            Self::Tornado => f.pad("tornado"),
            Self::Neighbour => f.pad("neighbour"),
            Self::Hotspot(percent) => write!(f, "hotspot:{percent}"),
            Self::Incast => f.pad("incast"),
            Self::To1(senders) => write!(f, "{senders}-to-1"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;

    /// A ring of `nodes` nodes.
    fn ring(nodes: u32) -> Space {
        Space { nodes, dimensions: Dimensions(vec![nodes]) }
    }

    /// The nodes of a grid.
    fn grid(sides: &[u32]) -> Space {
        Space { nodes: sides.iter().product(), dimensions: Dimensions(sides.to_vec()) }
    }

    fn destinations(pattern: Pattern, space: &Space) -> Vec<Option<u32>> {
        let mut random = Pcg64::seed_from_u64(1);
        (0..space.nodes).map(|from| pattern.destination(from, space, &mut random)).collect()
    }

    #[test]
    fn small_patterns_are_those_of_the_books() {
        let of =
            |pattern, nodes| destinations(pattern, &ring(nodes)).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(destinations(Pattern::Transpose, &ring(4)), [None, Some(2), Some(1), None]);
        assert_eq!(of(Pattern::Complement, 4), [3, 2, 1, 0]);
        assert_eq!(of(Pattern::Tornado, 8), [3, 4, 5, 6, 7, 0, 1, 2]);
        assert_eq!(of(Pattern::Tornado, 5), [2, 3, 4, 0, 1]);
        assert_eq!(of(Pattern::Neighbour, 3), [1, 2, 0]);
        assert_eq!(destinations(Pattern::To1(2), &ring(4)), [None, Some(0), Some(0), None]);
        assert_eq!(destinations(Pattern::Incast, &ring(3)), [None, Some(0), Some(0)]);
    }

    /// W. J. Dally and B. Towles, *Principles and Practices of Interconnection Networks*, 2004, table 3.1: each digit of the
    /// destination follows from the same digit of the source, by the side k of its dimension.
    #[test]
    fn patterns_by_dimension_move_every_coordinate_round_its_side() {
        for sides in [&[8, 8][..], &[5, 4, 3], &[7], &[2, 6], &[1, 3, 1], &[4, 4, 4, 4]] {
            let space = grid(sides);
            let place = |node: u32| {
                let mut left = node;
                sides.iter().map(|side| (left % side, left /= side).0).collect::<Vec<_>>()
            };
            for node in 0..space.nodes {
                for (pattern, ahead) in [(Pattern::Tornado, None), (Pattern::Neighbour, Some(1))] {
                    let to = pattern.fixed(node, &space).expect("it sends");
                    let rounds = place(node).into_iter().zip(sides);
                    let expected = rounds.map(|(at, k)| (at + ahead.unwrap_or(k.div_ceil(2) - 1)) % k);
                    assert_eq!(place(to), expected.collect::<Vec<_>>(), "{pattern} of {node} in {sides:?}");
                }
            }
        }
        // In a hypercube the neighbour is the complement.
        let cube = grid(&[2; 5]);
        assert_eq!(destinations(Pattern::Neighbour, &cube), destinations(Pattern::Complement, &cube));
    }

    #[test]
    fn a_pattern_that_the_number_of_nodes_does_not_allow_says_what_it_needs() {
        let error = |pattern: Pattern, nodes, sides: &[u32]| {
            pattern.check(&Space { nodes, dimensions: Dimensions(sides.to_vec()) }).unwrap_err()
        };
        for (pattern, nodes, sides, expected) in [
            (
                Pattern::Transpose,
                10,
                &[][..],
                "on 10 nodes: expected a square number of nodes, such as --nodes 9 or 16",
            ),
            (Pattern::Complement, 6, &[], "on 6 nodes: expected a power of two, such as --nodes 4 or 8"),
            (Pattern::To1(8), 8, &[], "on 8 nodes: expected --nodes of at least 9"),
            (Pattern::Uniform, 1, &[], "on 1 node: expected --nodes of at least 2"),
            (
                Pattern::Tornado,
                32,
                &[],
                "on 32 nodes: expected the sides of the grid of nodes, such as --input dimensions=32 for a ring, or 8x4 for a mesh \
                 or torus",
            ),
            (
                Pattern::Neighbour,
                7,
                &[],
                "on 7 nodes: expected the sides of the grid of nodes, such as --input dimensions=7 for a ring",
            ),
            (
                Pattern::Tornado,
                16,
                &[8, 4],
                "on 16 nodes: expected sides whose product is 16, not dimensions=8x4",
            ),
            (
                Pattern::Tornado,
                8,
                &[2, 2, 2],
                "on 8 nodes: expected a side of at least 3, not dimensions=2x2x2: half way round a ring of two is no way at all",
            ),
        ] {
            assert_eq!(error(pattern, nodes, sides), format!("pattern `{pattern}` {expected}"));
        }
    }

    #[test]
    fn dimensions_read_what_they_print() {
        for text in ["8x8", "64", "4x2x1", "none"] {
            assert_eq!(text.parse::<Dimensions>().unwrap().to_string(), text);
        }
        for text in ["", "8x", "0x3", "8*8", "-1", "65536x65536"] {
            let error = text.parse::<Dimensions>().unwrap_err();
            assert_eq!(
                error,
                format!("`{text}`: expected the sides of a grid such as 8x8 or 4x4x4, or 64 for a ring")
            );
        }
    }

    #[test]
    fn hot_messages_are_as_many_as_stated() {
        let mut random = Pcg64::seed_from_u64(5);
        let pattern = Pattern::Hotspot(30.0);
        let hot =
            (0..100_000).filter(|_| pattern.destination(1, &ring(1001), &mut random) == Some(0)).count();
        // Out of the 70 % that go anywhere, one in a thousand goes to node 0 too.
        assert!((hot as f64 / 1e5 - 0.3007).abs() < 0.005, "{hot}");
    }

    const NAMED: [Pattern; 8] = [
        Pattern::Uniform,
        Pattern::Transpose,
        Pattern::Complement,
        Pattern::Tornado,
        Pattern::Neighbour,
        Pattern::Hotspot(12.5),
        Pattern::Incast,
        Pattern::To1(7),
    ];

    #[test]
    fn patterns_read_what_they_print() {
        NAMED.iter().for_each(|pattern| assert_eq!(pattern.to_string().parse(), Ok(*pattern)));
        for text in [
            "",
            "Uniform",
            "0-to-1",
            "-1-to-1",
            "8-to-2",
            "hotspot:101",
            "hotspot:-1",
            "hotspot:nan",
            "hotspot:",
        ] {
            let error = text.parse::<Pattern>().unwrap_err();
            assert_eq!(error, format!("`{text}`: expected one of {ALL}"));
        }
    }

    proptest! {
        #[test]
        fn nobody_sends_to_itself_or_outside(nodes in 2..300_u32, pattern in 0..NAMED.len(), seed: u64) {
            let (pattern, space) = (NAMED[pattern], &ring(nodes));
            prop_assume!(pattern.check(space).is_ok());
            let mut random = Pcg64::seed_from_u64(seed);
            let mut senders = 0;
            for from in 0..nodes {
                let to = pattern.destination(from, space, &mut random);
                prop_assert_eq!(to.is_some(), pattern.sends(from, space));
                prop_assert!(to.is_none_or(|to| to != from && to < nodes && pattern.receives(to, space)));
                senders += u32::from(to.is_some());
            }
            prop_assert_eq!(senders, pattern.senders(nodes));
        }

        #[test]
        fn permutations_are_permutations(sides in proptest::collection::vec(1..9_u32, 1..4), pattern in 1..5_usize) {
            let (pattern, space) = (NAMED[pattern], &grid(&sides));
            prop_assume!(pattern.check(space).is_ok());
            let mut to: Vec<u32> = destinations(pattern, space).into_iter().flatten().collect();
            to.sort_unstable();
            to.dedup();
            prop_assert_eq!(to.len() as u32, pattern.senders(space.nodes));
        }

        /// Transpose and complement are their own inverses.
        #[test]
        fn there_and_back(side in 2..20_u32, power in 1..10_u32) {
            for (pattern, nodes) in [(Pattern::Transpose, side * side), (Pattern::Complement, 1 << power)] {
                let to = destinations(pattern, &ring(nodes));
                for (from, to_of) in (0..).zip(&to) {
                    prop_assert!(to_of.is_none_or(|there| to[there as usize] == Some(from)));
                }
            }
        }
    }
}
