//! The choice of a pivot by all threads of all nodes: the largest of their candidates.
//!
//! The threads of a node bring their candidates under the key of the choice. Then nodes exchange the largest that they
//! know, in rounds: with the node whose number differs in bit 0, then in bit 1, and so on. After log₂ nodes rounds all
//! know the largest. (R. Thakur, R. Rabenseifner and W. Gropp, *Optimization of collective communication operations in
//! MPICH*, International Journal of High Performance Computing Applications 19, 2005, give such reductions by halving
//! and doubling.) If the nodes are no power of two, each node beyond the power tells another node before the first
//! round, and is told after the last.
//!
//! # Why a partner's last word is enough
//!
//! A node hears of each partner once in a choice. A partner that is ahead, in the next choice, has been told by this node in this
//! one, so this node had come to the round in which it hears the partner, and has taken that in: messages of one source keep their
//! order.
//!
//! This module must never know where rows are.

use std::cmp::Reverse;

use tempest::{Actions, Cells, Event, Handler, Keyed, NodeId, Protocol, Setup, Thread, handlers};

use super::work::COMPARE;

/// The number of a node's only entry.
const KEY: u64 = 0;

/// An element that may be the pivot of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Candidate {
    /// The element's magnitude.
    pub(super) magnitude: f64,
    /// The position of its row.
    pub(super) position: u32,
}

impl Candidate {
    /// Smaller than every candidate.
    pub(super) const NONE: Self = Self { magnitude: 0.0, position: u32::MAX };

    /// The larger of two candidates; of equal ones, the candidate whose row comes first.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        // Magnitudes are in the order of their bits.
        let rank = |one: &Self| (one.magnitude.to_bits(), Reverse(one.position));
        std::cmp::max_by_key(self, other, rank)
    }
}

/// A step of a node in a choice: it tells a node its best candidate, and then waits for the best candidate of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stage {
    tell: Option<NodeId>,
    hear: Option<NodeId>,
}

/// The steps of a node among `nodes` nodes.
fn stages(NodeId(node): NodeId, nodes: u32) -> Vec<Stage> {
    let power = 1 << nodes.ilog2();
    if node >= power {
        let other = Some(NodeId(node - power));
        return vec![Stage { tell: other, hear: other }];
    }
    let beyond = (node + power < nodes).then(|| NodeId(node + power));
    let partner = |round: u32| Some(NodeId(node ^ 1 << round));
    let rounds = (0..power.ilog2()).map(|round| Stage { tell: partner(round), hear: partner(round) });
    let before = beyond.map(|_| Stage { tell: None, hear: beyond });
    let after = beyond.map(|_| Stage { tell: beyond, hear: None });
    before.into_iter().chain(rounds).chain(after).collect()
}

/// Choices of all threads, any number of them.
#[derive(Debug)]
pub(super) struct Choice {
    threads: u32,
    stages: Vec<Stage>,
    step: Keyed<Step>,
    /// The last choice: magnitude and position.
    chosen: (Cells<f64>, Cells<u32>),
    /// The number of choices that are over.
    over: Event,
}

/// State of a node in the present choice.
#[derive(Debug)]
struct Step {
    best: Candidate,
    come: u32,
    /// The stage that the node is at, and whether it has told its candidate there.
    stage: usize,
    told: bool,
    /// By stage: the candidate that has been heard and not been taken in.
    heard: Vec<Option<Candidate>>,
}

#[handlers]
impl Choice {
    /// Brings the largest candidate that the source knows.
    #[message(key = KEY)]
    fn know(&self, magnitude: u64, position: u64, cx: &mut Handler<'_>) {
        let source = cx.source();
        let stage = self.stages.iter().position(|stage| stage.hear == Some(source));
        let stage = stage.unwrap_or_else(|| panic!("{source} tells {} of a candidate", cx.node()));
        cx.with(&self.step, |step, cx| {
            let candidate = Candidate { magnitude: f64::from_bits(magnitude), position: position as u32 };
            let before = step.heard[stage].replace(candidate);
            assert!(before.is_none(), "{source} is a choice ahead of {}", cx.node());
            step.advance(self, cx);
        });
    }

    /// Brings this thread's candidate, and returns the largest of all threads'.
    pub(super) fn choose(&self, thread: &Thread<'_>, mine: Candidate) -> Candidate {
        // This choice cannot be over before this thread has come to it.
        let over = self.over.count(thread);
        thread.hold(self.step.key(KEY), |cx| {
            cx.with(&self.step, |step, cx| {
                cx.charge(COMPARE);
                step.best = step.best.or(mine);
                step.come += 1;
                step.advance(self, cx);
            });
        });
        thread.wait(&self.over, over + 1);
        Candidate { magnitude: self.chosen.0.get(thread, 0), position: self.chosen.1.get(thread, 0) }
    }
}

impl Protocol for Choice {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        setup.needs_handlers();
        let shape = setup.shape();
        let stages = stages(setup.node(), shape.nodes);
        let count = stages.len();
        let step = setup.keyed_sparse(move |_| Step {
            best: Candidate::NONE,
            come: 0,
            stage: 0,
            told: false,
            heard: vec![None; count],
        });
        let chosen = (Cells::new(1, 0.0), Cells::new(1, 0));
        Self { threads: shape.threads, stages, step, chosen, over: Event::new("pivot") }
    }
}

impl Step {
    /// Advances through all stages whose candidates have been heard, if all threads of this node have come.
    fn advance(&mut self, all: &Choice, cx: &mut Actions<'_>) {
        if self.come < all.threads {
            return;
        }
        while let Some(stage) = all.stages.get(self.stage) {
            if !self.told {
                self.told = true;
                if let Some(to) = stage.tell {
                    cx.send(to, Choice::know(self.best.magnitude.to_bits(), self.best.position.into()));
                }
            }
            if stage.hear.is_some() {
                let Some(heard) = self.heard[self.stage].take() else { return };
                cx.charge(COMPARE);
                self.best = self.best.or(heard);
            }
            (self.stage, self.told) = (self.stage + 1, false);
        }
        all.chosen.0.set(cx, 0, self.best.magnitude);
        all.chosen.1.set(cx, 0, self.best.position);
        (self.best, self.come, self.stage) = (Candidate::NONE, 0, 0);
        cx.signal(&all.over, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_is_chosen_and_of_equal_ones_the_first() {
        let candidate = |magnitude, position| Candidate { magnitude, position };
        assert_eq!(candidate(2.0, 7).or(candidate(1.0, 3)), candidate(2.0, 7));
        assert_eq!(candidate(2.0, 7).or(candidate(2.0, 3)), candidate(2.0, 3));
        assert_eq!(Candidate::NONE.or(candidate(0.0, 3)), candidate(0.0, 3));
    }

    /// Runs all stages of all nodes, in turn.
    fn chosen(nodes: u32) -> Vec<u32> {
        let all: Vec<_> = (0..nodes).map(|node| stages(NodeId(node), nodes)).collect();
        let mut known: Vec<u32> = (0..nodes).map(|node| node * 7 % nodes).collect();
        let mut sent = std::collections::BTreeMap::new();
        let mut at = vec![(0, false); nodes as usize];
        for _ in 0..nodes * 10 {
            for node in 0..nodes as usize {
                let (stage, told) = at[node];
                let Some(Stage { tell, hear }) = all[node].get(stage).copied() else { continue };
                if let Some(to) = tell.filter(|_| !told) {
                    assert!(sent.insert((node as u32, to.0), known[node]).is_none());
                }
                let heard = hear.map(|from| sent.remove(&(from.0, node as u32)));
                at[node] = if heard == Some(None) { (stage, true) } else { (stage + 1, false) };
                known[node] = known[node].max(heard.flatten().unwrap_or(0));
            }
        }
        assert!(sent.is_empty(), "{sent:?}");
        known
    }

    #[test]
    fn all_know_the_largest() {
        for nodes in 1..20 {
            let largest = (0..nodes).map(|node| node * 7 % nodes).max().unwrap_or(0);
            assert_eq!(chosen(nodes), vec![largest; nodes as usize], "{nodes} nodes");
        }
        assert_eq!(stages(NodeId(3), 4).len(), 2, "log₂ of four nodes");
    }
}
