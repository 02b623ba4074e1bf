//! The figures of split-phase: fifteen, each of which is an operation timed in one way out of five.
//!
//! This module must never know how anything is timed.

use std::fmt;
use std::str::FromStr;

use tempest::NodeId;

/// A way of timing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// The round trip of blocking operations.
    RoundTrip,
    /// The processor time of an operation.
    Overhead,
    /// The gap between the operations of a burst to one node.
    Gap,
    /// The gap between the operations of a burst to two nodes in turn.
    GapToTwo,
    /// The gap between operations while two nodes send bursts to each other.
    Exchange,
}

/// The operation that is timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// A message whose handler only answers.
    Call,
    Read,
    Write,
    Get,
    Put,
    Store,
}

/// A figure: its name, the timed operation, and the way of timing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) name: &'static str,
    pub(super) measure: Measure,
    pub(super) operation: Operation,
}

const fn cell(name: &'static str, measure: Measure, operation: Operation) -> Cell {
    Cell { name, measure, operation }
}

/// All figures, in the order in which they are measured.
pub(super) static CELLS: [Cell; 15] = [
    cell("rtt.am", Measure::RoundTrip, Operation::Call),
    cell("rtt.read", Measure::RoundTrip, Operation::Read),
    cell("rtt.write", Measure::RoundTrip, Operation::Write),
    cell("overhead.get", Measure::Overhead, Operation::Get),
    cell("overhead.put", Measure::Overhead, Operation::Put),
    cell("overhead.store", Measure::Overhead, Operation::Store),
    cell("gap.get", Measure::Gap, Operation::Get),
    cell("gap.put", Measure::Gap, Operation::Put),
    cell("gap.store", Measure::Gap, Operation::Store),
    cell("gap2.get", Measure::GapToTwo, Operation::Get),
    cell("gap2.put", Measure::GapToTwo, Operation::Put),
    cell("gap2.store", Measure::GapToTwo, Operation::Store),
    cell("exch.get", Measure::Exchange, Operation::Get),
    cell("exch.put", Measure::Exchange, Operation::Put),
    cell("exch.store", Measure::Exchange, Operation::Store),
];

impl Measure {
    /// The nodes that a node asks in turn; none if the node only serves.
    pub(super) fn servers(self, node: NodeId) -> &'static [NodeId] {
        match (self, node) {
            (Measure::GapToTwo, NodeId(0)) => &[NodeId(1), NodeId(2)],
            (Measure::Exchange, NodeId(1)) => &[NodeId(0)],
            (_, NodeId(0)) => &[NodeId(1)],
            _ => &[],
        }
    }
}

impl Cell {
    /// The number of operations of this figure, if a burst has `burst` operations.
    pub(super) fn operations(&self, burst: u32) -> u32 {
        // Computing makes each operation long, and there is no queue to fill.
        if self.measure == Measure::Overhead { burst / 8 } else { burst }
    }

    /// The operations that write a word on a node, if each issuer makes `operations` of them: the issuer, the
    /// operation's number, and the word's place.
    pub(super) fn arrivals(&self, node: NodeId, operations: u32) -> impl Iterator<Item = (NodeId, u32, u32)> {
        let writes = matches!(self.operation, Operation::Write | Operation::Put | Operation::Store);
        let sources = [NodeId(0), NodeId(1)].map(|source| (source, self.measure.servers(source)));
        sources.into_iter().filter(move |_| writes).flat_map(move |(source, servers)| {
            let count = servers.len() as u32;
            let mine = servers.iter().position(|server| *server == node);
            mine.into_iter().flat_map(move |first| {
                (first as u32..operations)
                    .step_by(count as usize)
                    .map(move |index| (source, index, index / count))
            })
        })
    }
}

/// The figures that a person asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    All,
    One(Measure),
}

impl Choice {
    const NAMED: [(&'static str, Choice); 6] = [
        ("all", Choice::All),
        ("rtt", Choice::One(Measure::RoundTrip)),
        ("overhead", Choice::One(Measure::Overhead)),
        ("gap", Choice::One(Measure::Gap)),
        ("gap2", Choice::One(Measure::GapToTwo)),
        ("exch", Choice::One(Measure::Exchange)),
    ];

    pub(super) fn includes(self, measure: Measure) -> bool {
        self == Choice::All || self == Choice::One(measure)
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::NAMED.iter().find(|(name, _)| *name == text);
        named.map(|(_, choice)| *choice).ok_or_else(|| {
            let names = Self::NAMED.map(|(name, _)| name);
            format!("unknown measure `{text}`: expected one of {}", names.join(", "))
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::NAMED.iter().find(|(_, choice)| choice == self);
        f.pad(named.map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_arrive_where_they_were_sent() {
        let arrivals = |measure, operation, node| -> Vec<_> {
            cell("", measure, operation).arrivals(NodeId(node), 5).collect()
        };
        let none: [(NodeId, u32, u32); 0] = [];
        assert_eq!(arrivals(Measure::Gap, Operation::Get, 1), none);
        assert_eq!(arrivals(Measure::Gap, Operation::Put, 0), none);
        assert_eq!(arrivals(Measure::Gap, Operation::Put, 1).len(), 5);
        let of_two = [(NodeId(0), 1, 0), (NodeId(0), 3, 1)];
        assert_eq!(arrivals(Measure::GapToTwo, Operation::Store, 2), of_two);
        assert_eq!(arrivals(Measure::Exchange, Operation::Store, 0)[4], (NodeId(1), 4, 4));
    }
}
