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
//! | `step` | the size of an exploration, and the steps that a state allows |
//! | `state` | nodes, blocks, messages; the possible moves, and the invariants |
//! | `after` | the result of a move |

mod after;
mod state;
mod step;
#[cfg(test)]
mod tests;

use protocols::stache::{Home, Line, Residence, Whereabouts};
use tempest::{NodeId, Tag};

use super::model::Copy;
use super::{Explored, Rules, System, Violation, search};
use after::After;
use state::{Channel, Entry, Node, Part, State};
pub use step::{HomeMove, HomeScope};

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
