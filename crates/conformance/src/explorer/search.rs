//! Breadth-first search of all states, and whether each can come to rest.
//!
//! States are told apart by 64-bit fingerprints, and only states of the frontier are kept: of n states the chance that
//! two share a fingerprint is below n² / 2⁶⁵, one in ten million for two million states. This module must never know
//! the content of a state.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// A system of states: the initial state, the possible moves, and the invariants.
///
/// A protocol is one when its tables are pure functions: a state has the entry of every node for one block or one lock, and the
/// messages on their way.
pub trait System {
    /// State of the system: all that can differ.
    type State: Hash;
    /// A move from one state to another.
    type Move: Copy + fmt::Display;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// All moves that are possible in a state.
    fn moves(&self, state: &Self::State) -> Vec<Self::Move>;

    /// The state after a move.
    ///
    /// # Errors
    /// The promise that the move breaks.
    fn after(&self, state: &Self::State, step: Self::Move) -> Result<Self::State, String>;

    /// Whether the state is at rest: no thread waits, and no message is on its way. From every state such a state must
    /// be in reach.
    fn is_quiet(&self, state: &Self::State) -> bool;

    /// Number of waiting requests, and number of messages in the longest channel: for [`Explored`] only.
    fn lengths(&self, _state: &Self::State) -> (usize, usize) {
        (0, 0)
    }
}

/// Counts of a search that found no violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Number of states.
    pub states: usize,
    /// Number of moves between them.
    pub moves: usize,
    /// Whether all states were explored. If not, nothing is said about states of rest.
    pub all: bool,
    /// The most requests that waited at the home.
    pub waiting: usize,
    /// The most messages in one channel.
    pub in_channel: usize,
}

/// A broken promise, with the moves that lead to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation<M> {
    /// The promise that is broken, for people.
    pub what: String,
    /// Moves that lead to it from the initial state.
    pub moves: Vec<M>,
}

impl<M: fmt::Display> fmt::Display for Violation<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, after", self.what)?;
        self.moves.iter().try_for_each(|step| write!(f, "\n  {step}"))
    }
}

/// Predecessor of a state, and the move by which it was first reached.
type Origin<M> = Option<(u32, M)>;

struct Search<M> {
    numbers: HashMap<u64, u32>,
    origins: Vec<Origin<M>>,
    /// By state: the end of its successors in `edges`.
    ends: Vec<usize>,
    edges: Vec<u32>,
    quiet: Vec<bool>,
}

/// Explores all states of a system, and gives up after `limit` of them.
///
/// # Errors
/// The first [`Violation`] found, by a shortest way.
pub fn search<S: System>(system: &S, limit: usize) -> Result<Explored, Violation<S::Move>> {
    let mut search = Search {
        numbers: HashMap::new(),
        origins: Vec::new(),
        ends: Vec::new(),
        edges: Vec::new(),
        quiet: Vec::new(),
    };
    let mut frontier = VecDeque::new();
    let initial = system.initial();
    search.number(system, &initial, None);
    frontier.push_back(initial);
    let mut explored = Explored { states: 0, moves: 0, all: true, waiting: 0, in_channel: 0 };
    // States are numbered in the order in which they are taken.
    for number in 0.. {
        let Some(state) = frontier.pop_front() else { break };
        for step in system.moves(&state) {
            let next =
                system.after(&state, step).map_err(|what| search.violation(what, number, Some(step)))?;
            let (to, is_new) = search.number(system, &next, Some((number, step)));
            search.edges.push(to);
            if is_new {
                let (waiting, in_channel) = system.lengths(&next);
                explored.waiting = explored.waiting.max(waiting);
                explored.in_channel = explored.in_channel.max(in_channel);
                frontier.push_back(next);
            }
        }
        search.ends.push(search.edges.len());
        if search.origins.len() > limit {
            explored.all = false;
            break;
        }
    }
    (explored.states, explored.moves) = (search.origins.len(), search.edges.len());
    if explored.all {
        search.rests()?;
    }
    Ok(explored)
}

impl<M: Copy> Search<M> {
    /// The number of a state, and whether it is new.
    fn number<S: System<Move = M>>(
        &mut self,
        system: &S,
        state: &S::State,
        origin: Origin<M>,
    ) -> (u32, bool) {
        let next = self.origins.len() as u32;
        match self.numbers.entry(BuildHasherDefault::<DefaultHasher>::default().hash_one(state)) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(new) => {
                new.insert(next);
                self.origins.push(origin);
                self.quiet.push(system.is_quiet(state));
                (next, true)
            }
        }
    }

    fn violation(&self, what: String, state: u32, last: Option<M>) -> Violation<M> {
        let origins =
            std::iter::successors(self.origins[state as usize], |&(before, _)| self.origins[before as usize]);
        let mut moves: Vec<M> = last.into_iter().chain(origins.map(|(_, step)| step)).collect();
        moves.reverse();
        Violation { what, moves }
    }

    /// Checks that a quiet state can be reached from every state.
    fn rests(&self) -> Result<(), Violation<M>> {
        let mut rests = self.quiet.clone();
        // Successors are mostly younger: from the youngest back, few rounds are needed.
        loop {
            let mut changed = false;
            for state in (0..rests.len()).rev().filter(|&state| !self.quiet[state]) {
                if !rests[state] && self.successors(state).iter().any(|&next| rests[next as usize]) {
                    rests[state] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        match rests.iter().position(|rests| !rests) {
            None => Ok(()),
            Some(state) => Err(self.violation("it never comes to rest".to_owned(), state as u32, None)),
        }
    }

    fn successors(&self, state: usize) -> &[u32] {
        let first = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[first..self.ends[state]]
    }
}
