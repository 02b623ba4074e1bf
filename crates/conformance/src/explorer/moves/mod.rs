//! A page whose home moves: its blocks, and the nodes that are its home in turn, as a state and the moves that lead from it.
//!
//! It drives the functions that run in every world: the tables of both sides of a block, and [`Residence`] for the
//! page. Any home may offer the page to any node at any moment, under any policy. Channels between two nodes keep order
//! for messages about one block, in the ordered variant, and for messages about the page; messages about different
//! blocks, and messages of different nodes, may come in any order. This module must never know a protocol's states, nor
//! how the moves are searched.
//!
//! | module | content |
//! |---|---|
//! | `state` | nodes, blocks, messages; the possible moves, and the invariants |
//! | `after` | the result of a move |

mod after;
mod state;
#[cfg(test)]
mod tests;

use std::fmt;

use protocols::stache::{Home, Line, Residence, Whereabouts};
use tempest::{NodeId, Right, Tag};

use super::model::Copy;
use super::{Explored, Rules, System, Violation, search};
use after::After;
use state::{Channel, Entry, Node, Part, State};

/// The size of an exploration of a page whose home moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HomeScope {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of blocks of the page.
    pub blocks: usize,
    /// The most moves of the page.
    pub moves: u32,
    /// Whether threads load, or only store.
    pub loads: bool,
    /// Number of states at which the search gives up.
    pub limit: usize,
}

/// A step that a state allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HomeMove {
    /// A thread's access to a block is not allowed.
    Access(usize, usize, Right),
    /// A thread that may write a block does write.
    Write(usize, usize),
    /// A node drops a block, because its frame is given to another page.
    Replace(usize, usize),
    /// A node has asked a home often enough for the page to move there.
    Earn(usize, usize),
    /// A node gives up its copies, to become the home.
    Vacate(usize),
    /// A home calls a block in.
    CallIn(usize, usize),
    /// All blocks have been called in, or have come.
    Complete(usize),
    /// A message about a block arrives: source, destination, block, and its index in the channel.
    Deliver(usize, usize, usize, usize),
    /// A message about the page arrives: source, destination, and its index in the channel.
    DeliverPage(usize, usize, usize),
}

impl fmt::Display for HomeMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(node, block, right) => write!(f, "{right:?} of block {block} at {node}"),
            Self::Write(node, block) => write!(f, "store to block {block} at {node}"),
            Self::Replace(node, block) => write!(f, "block {block} is dropped at {node}"),
            Self::Earn(node, to) => write!(f, "{node} offers the page to {to}"),
            Self::Vacate(node) => write!(f, "{node} gives up its copies"),
            Self::CallIn(node, block) => write!(f, "{node} calls in block {block}"),
            Self::Complete(node) => write!(f, "all blocks are at {node}"),
            Self::Deliver(from, to, block, place) => {
                write!(f, "{from} to {to} about block {block}, number {place}")
            }
            Self::DeliverPage(from, to, place) => write!(f, "{from} to {to} about the page, number {place}"),
        }
    }
}

struct OnePage<'r, R> {
    rules: &'r R,
    scope: HomeScope,
}

impl<R: Rules> System for OnePage<'_, R> {
    type State = State;
    type Move = HomeMove;

    fn initial(&self) -> State {
        let HomeScope { nodes, blocks, .. } = self.scope;
        let home = Whereabouts::first(NodeId(0));
        let node = |number| {
            let is_home = number == 0;
            let (entry, tag, residence) = match is_home {
                true => (Entry::Home(Home::default()), Tag::Writable, Residence::Here),
                false => (Entry::Line(Line::default()), Tag::Invalid, Residence::Elsewhere),
            };
            let copy = Copy::new(tag, is_home);
            let part = Part { entry, copy, held: [false; 2], to_call_in: false, has_come: false };
            Node { known: home, residence, parts: vec![part; blocks] }
        };
        let channel = Channel { about: vec![Vec::new(); blocks], page: Vec::new() };
        State { nodes: (0..nodes).map(node).collect(), channels: vec![channel; nodes * nodes] }
    }

    fn moves(&self, state: &State) -> Vec<HomeMove> {
        let mut moves = Vec::new();
        for node in 0..state.nodes.len() {
            state.moves_of(node, self.rules, self.scope, &mut moves);
            for to in 0..state.nodes.len() {
                state.deliveries(node, to, self.rules.channels_keep_order(), &mut moves);
            }
        }
        moves
    }

    fn after(&self, state: &State, step: HomeMove) -> Result<State, String> {
        let mut next = After { state: state.clone(), rules: self.rules };
        next.make(step)?;
        let mut next = next.state;
        next.settle(self.rules.channels_keep_order());
        next.check()?;
        Ok(next)
    }

    fn is_quiet(&self, state: &State) -> bool {
        let idle = |part: &Part| {
            part.copy.waits == [false; 2]
                && match &part.entry {
                    Entry::Home(home) => home.is_settled() && home.waiting() == 0,
                    Entry::Line(line) => !line.is_busy(),
                }
        };
        let empty = |channel: &Channel| channel.page.is_empty() && channel.about.iter().all(Vec::is_empty);
        state.nodes.iter().all(|node| !node.residence.is_moving() && node.parts.iter().all(idle))
            && state.channels.iter().all(empty)
    }

    fn lengths(&self, state: &State) -> (usize, usize) {
        let parts = state.nodes.iter().flat_map(|node| &node.parts);
        let waiting = parts.filter_map(|part| part.entry.home().map(Home::waiting)).max();
        let channels = state.channels.iter().flat_map(|channel| channel.about.iter().map(Vec::len));
        (waiting.unwrap_or(0), channels.max().unwrap_or(0))
    }
}

/// Explores all states of a page whose home moves, within a scope.
///
/// # Errors
/// The first [`Violation`] found, by a shortest way.
pub fn explore_moves(rules: &impl Rules, scope: HomeScope) -> Result<Explored, Violation<HomeMove>> {
    search(&OnePage { rules, scope }, scope.limit)
}
