//! A page whose home is the node that touches it first: every order in which nodes ask, are told, and ask each other
//! for blocks.
//!
//! It drives the functions that run in every world ([`protocols::stache::Touch`]). In every state: one home at most,
//! every node that is told is told the same, no event without a rule; and from every state all nodes can come to know.
//! This module must never know how blocks are kept coherent.

use std::fmt;

use protocols::stache::{Registered, Touch, TouchAction, TouchEvent};
use tempest::NodeId;

use super::{Explored, System, Violation, search};

/// The number of nodes; node 0 is the manager.
struct OnePage {
    nodes: usize,
}

/// A node that touches the page, with the messages on their way to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Toucher {
    touch: Touch,
    is_home: bool,
    /// Whether the node has asked the home for a block.
    has_asked_home: bool,
    /// Whether the node's question to the manager is on its way.
    asks: bool,
    /// The manager's answer, if one is on its way to the node.
    told: Option<NodeId>,
    /// The number of requests of other nodes for blocks that are on their way to the node.
    requests: usize,
}

/// The state of a page that is touched: the manager's note of its home, and all nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Touchers {
    registered: Registered,
    nodes: Vec<Toucher>,
}

/// A step that a state allows, at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TouchMove {
    /// A thread touches the page.
    Touches(usize),
    /// The manager handles the node's question.
    Asks(usize),
    /// The node handles the manager's answer.
    IsTold(usize),
    /// The node, which knows the home, asks it for a block.
    AsksHome(usize),
    /// The node handles another one's request for a block.
    IsAsked(usize),
}

impl fmt::Display for TouchMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Touches(node) => write!(f, "node {node} touches the page"),
            Self::Asks(node) => write!(f, "node {node} asks the manager"),
            Self::IsTold(node) => write!(f, "node {node} is told"),
            Self::AsksHome(node) => write!(f, "node {node} asks the home"),
            Self::IsAsked(node) => write!(f, "node {node} is asked for a block"),
        }
    }
}

impl Touchers {
    fn step(&mut self, at: usize, event: TouchEvent) -> Result<(), String> {
        let node = &mut self.nodes[at];
        match node.touch.step(NodeId(at as u32), event).map_err(|error| format!("{error} of node {at}"))? {
            Some(TouchAction::Ask) => node.asks = true,
            Some(TouchAction::Adopt) => node.is_home = true,
            None => {}
        }
        if self.nodes.iter().filter(|node| node.is_home).count() > 1 {
            return Err("two nodes are the home".to_owned());
        }
        Ok(())
    }

    /// The home that a node knows, if it is another one.
    fn other_home(&self, at: usize) -> Option<usize> {
        let home = self.nodes[at].touch.home(NodeId(at as u32))?.0 as usize;
        (home != at).then_some(home)
    }
}

impl System for OnePage {
    type State = Touchers;
    type Move = TouchMove;

    fn initial(&self) -> Touchers {
        Touchers { registered: Registered::default(), nodes: vec![Toucher::default(); self.nodes] }
    }

    fn moves(&self, state: &Touchers) -> Vec<TouchMove> {
        let moves_of = |(at, node): (usize, &Toucher)| {
            let asks_home = !node.has_asked_home && state.other_home(at).is_some();
            [
                (node.touch == Touch::Never).then_some(TouchMove::Touches(at)),
                node.asks.then_some(TouchMove::Asks(at)),
                node.told.is_some().then_some(TouchMove::IsTold(at)),
                asks_home.then_some(TouchMove::AsksHome(at)),
                (node.requests > 0).then_some(TouchMove::IsAsked(at)),
            ]
        };
        state.nodes.iter().enumerate().flat_map(moves_of).flatten().collect()
    }

    fn after(&self, state: &Touchers, step: TouchMove) -> Result<Touchers, String> {
        let mut next = state.clone();
        match step {
            TouchMove::Touches(at) => next.step(at, TouchEvent::Wanted)?,
            TouchMove::Asks(at) => {
                next.nodes[at].asks = false;
                next.nodes[at].told = Some(next.registered.home_for(NodeId(at as u32)));
            }
            TouchMove::IsTold(at) => {
                let home = next.nodes[at].told.take().expect("the move is one only with an answer");
                next.step(at, TouchEvent::Told(home))?;
            }
            TouchMove::AsksHome(at) => {
                let home = next.other_home(at).expect("the move is one only with a home elsewhere");
                next.nodes[at].has_asked_home = true;
                next.nodes[home].requests += 1;
            }
            TouchMove::IsAsked(at) => {
                next.nodes[at].requests -= 1;
                next.step(at, TouchEvent::Requested)?;
            }
        }
        Ok(next)
    }

    fn is_quiet(&self, state: &Touchers) -> bool {
        let knows = |node: &Toucher| matches!(node.touch, Touch::Never | Touch::Home(_));
        let idle = |node: &Toucher| !node.asks && node.told.is_none() && node.requests == 0;
        state.nodes.iter().all(|node| knows(node) && idle(node))
    }
}

/// Explores all states of the nodes that touch one page.
///
/// # Errors
/// The first [`Violation`] found, by a shortest way.
pub fn explore_touches(nodes: usize) -> Result<Explored, Violation<TouchMove>> {
    search(&OnePage { nodes }, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_touches_has_one_home() {
        let states = [1, 2, 3, 4].map(|nodes| {
            let explored =
                explore_touches(nodes).unwrap_or_else(|violation| panic!("{nodes} nodes: {violation}"));
            assert!(explored.all);
            explored.states
        });
        assert_eq!(states, [4, 28, 218, 1616]);
    }
}
