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
    /// Nodes are a ring: half way round, less one step if that is half of all.
    Tornado,
    /// Nodes are a ring: the next one.
    Neighbour,
    /// So many percent of the messages of all other nodes go to node 0, the others anywhere.
    Hotspot(f64),
    /// All other nodes send to node 0.
    Incast,
    /// So many nodes, from node 1 on, send to node 0.
    To1(u32),
}

impl Pattern {
    /// The least number of nodes that the pattern has.
    pub(super) fn least(self) -> u32 {
        match self {
            Self::Transpose => 4,
            Self::Tornado => 3,
            Self::To1(senders) => senders + 1,
            _ => 2,
        }
    }

    /// Checks that the pattern exists on `nodes` nodes.
    pub(super) fn check(self, nodes: u32) -> Result<(), String> {
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
            _ => return Ok(()),
        };
        let nodes = if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") };
        Err(format!("pattern `{self}` on {nodes}: expected {lacks}"))
    }

    /// The destination of a message of `from`; `None` for a node that sends nothing.
    pub(super) fn destination(self, from: u32, nodes: u32, random: &mut impl Rng) -> Option<u32> {
        let to = match self {
            Self::Uniform => other(from, nodes, random),
            Self::Hotspot(percent) if from != 0 && random.random_range(0.0..100.0) < percent => 0,
            Self::Hotspot(_) => other(from, nodes, random),
            _ => return self.fixed(from, nodes),
        };
        Some(to)
    }

    /// The destination of all messages of `from`, in a pattern in which they have one; `None` for a node that sends nothing.
    fn fixed(self, from: u32, nodes: u32) -> Option<u32> {
        let root = nodes.isqrt();
        let to = match self {
            Self::Uniform | Self::Hotspot(_) => return None,
            Self::Transpose => from % root * root + from / root,
            Self::Complement => nodes - 1 - from,
            Self::Tornado => ((u64::from(from) + u64::from(nodes.div_ceil(2)) - 1) % u64::from(nodes)) as u32,
            Self::Neighbour => (from + 1) % nodes,
            Self::Incast => 0,
            Self::To1(senders) if from <= senders => 0,
            Self::To1(_) => from,
        };
        (to != from).then_some(to)
    }

    /// Whether a node sends anything.
    pub(super) fn sends(self, node: u32, nodes: u32) -> bool {
        matches!(self, Self::Uniform | Self::Hotspot(_)) || self.fixed(node, nodes).is_some()
    }

    /// Whether a node receives anything.
    pub(super) fn receives(self, node: u32, nodes: u32) -> bool {
        match self {
            Self::Incast | Self::To1(_) => node == 0,
            // Those that send to themselves in a permutation receive from nobody else.
            _ => self.sends(node, nodes),
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

    /// The number of nodes whose messages all go to one node that serves nothing else; `None` in other patterns.
    pub(super) fn sources(self, nodes: u32) -> Option<u32> {
        matches!(self, Self::Incast | Self::To1(_)).then(|| self.senders(nodes))
    }
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

    fn destinations(pattern: Pattern, nodes: u32) -> Vec<Option<u32>> {
        let mut random = Pcg64::seed_from_u64(1);
        (0..nodes).map(|from| pattern.destination(from, nodes, &mut random)).collect()
    }

    #[test]
    fn small_patterns_are_those_of_the_books() {
        let of = |pattern, nodes| destinations(pattern, nodes).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(destinations(Pattern::Transpose, 4), [None, Some(2), Some(1), None]);
        assert_eq!(of(Pattern::Complement, 4), [3, 2, 1, 0]);
        assert_eq!(of(Pattern::Tornado, 8), [3, 4, 5, 6, 7, 0, 1, 2]);
        assert_eq!(of(Pattern::Tornado, 5), [2, 3, 4, 0, 1]);
        assert_eq!(of(Pattern::Neighbour, 3), [1, 2, 0]);
        assert_eq!(destinations(Pattern::To1(2), 4), [None, Some(0), Some(0), None]);
        assert_eq!(destinations(Pattern::Incast, 3), [None, Some(0), Some(0)]);
    }

    #[test]
    fn a_pattern_that_the_number_of_nodes_does_not_allow_says_what_it_needs() {
        let error = |pattern: Pattern, nodes| pattern.check(nodes).unwrap_err();
        assert_eq!(
            error(Pattern::Transpose, 10),
            "pattern `transpose` on 10 nodes: expected a square number of nodes, such as --nodes 9 or 16"
        );
        assert_eq!(
            error(Pattern::Complement, 6),
            "pattern `complement` on 6 nodes: expected a power of two, such as --nodes 4 or 8"
        );
        assert_eq!(error(Pattern::To1(8), 8), "pattern `8-to-1` on 8 nodes: expected --nodes of at least 9");
        assert_eq!(error(Pattern::Uniform, 1), "pattern `uniform` on 1 node: expected --nodes of at least 2");
    }

    #[test]
    fn hot_messages_are_as_many_as_stated() {
        let mut random = Pcg64::seed_from_u64(5);
        let pattern = Pattern::Hotspot(30.0);
        let hot = (0..100_000).filter(|_| pattern.destination(1, 1001, &mut random) == Some(0)).count();
        // Of the 70 % that go anywhere, one in a thousand goes to node 0 too.
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
            let pattern = NAMED[pattern];
            prop_assume!(pattern.check(nodes).is_ok());
            let mut random = Pcg64::seed_from_u64(seed);
            let mut senders = 0;
            for from in 0..nodes {
                let to = pattern.destination(from, nodes, &mut random);
                prop_assert_eq!(to.is_some(), pattern.sends(from, nodes));
                prop_assert!(to.is_none_or(|to| to != from && to < nodes && pattern.receives(to, nodes)));
                senders += u32::from(to.is_some());
            }
            prop_assert_eq!(senders, pattern.senders(nodes));
        }

        #[test]
        fn permutations_are_permutations(nodes in 2..300_u32, pattern in 1..5_usize) {
            let pattern = NAMED[pattern];
            prop_assume!(pattern.check(nodes).is_ok());
            let mut to: Vec<u32> = destinations(pattern, nodes).into_iter().flatten().collect();
            to.sort_unstable();
            to.dedup();
            prop_assert_eq!(to.len() as u32, pattern.senders(nodes));
        }

        /// Transpose and complement are their own inverses.
        #[test]
        fn there_and_back(side in 2..20_u32, power in 1..10_u32) {
            for (pattern, nodes) in [(Pattern::Transpose, side * side), (Pattern::Complement, 1 << power)] {
                let to = destinations(pattern, nodes);
                for (from, to_of) in (0..).zip(&to) {
                    prop_assert!(to_of.is_none_or(|there| to[there as usize] == Some(from)));
                }
            }
        }
    }
}
