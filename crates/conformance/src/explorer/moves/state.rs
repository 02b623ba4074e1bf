//! The nodes of a page whose home moves, its blocks on each of them, and the messages on their way: the possible moves,
//! and the invariants.
//!
//! This module must never know the effect of a move.

use protocols::stache::{Home, HomeState, Line, Residence, ToCache, ToHome, Whereabouts};
use tempest::{NodeId, Right, Tag};

use super::super::Rules;
use super::super::model::{Copy, OWN_WAITING, Packet, deliverable, ensure};
use super::step::{HomeMove, HomeScope};

/// A message about a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Said {
    ToHome(ToHome),
    /// A message of the home to a node that caches the block, and how often the page had moved when the home sent it.
    ToCache(ToCache, u32),
    /// The page has moved.
    Moved(Whereabouts),
    /// The words, for the next home.
    Words,
}

/// A message about the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum OfPage {
    Offered(Whereabouts),
    Accepted,
    Taken(Whereabouts),
}

/// A node's entry for a block: the directory entry at the home, the state of a cached block elsewhere.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Entry {
    Home(Home),
    Line(Line),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    pub(super) entry: Entry,
    pub(super) copy: Copy,
    /// Whether a fault waits until the page has arrived, for each right.
    pub(super) held: [bool; 2],
    /// The node is to call the block in.
    pub(super) to_call_in: bool,
    /// The words have come, and the node is not the home yet.
    pub(super) has_come: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub(super) known: Whereabouts,
    pub(super) residence: Residence,
    pub(super) parts: Vec<Part>,
}

/// The messages on their way from one node to another.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Channel {
    /// The messages about each block.
    pub(super) about: Vec<Vec<Packet<Said>>>,
    pub(super) page: Vec<OfPage>,
}

/// The state of a page that may move: all nodes, and all messages on their way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    pub(super) nodes: Vec<Node>,
    /// The channel from node i to node j is at `i * nodes + j`.
    pub(super) channels: Vec<Channel>,
}

impl Entry {
    pub(super) fn home(&self) -> Option<&Home> {
        match self {
            Self::Home(home) => Some(home),
            Self::Line(_) => None,
        }
    }

    pub(super) fn line(&self) -> Option<Line> {
        match self {
            Self::Home(_) => None,
            Self::Line(line) => Some(*line),
        }
    }

    pub(super) fn tag(&self) -> Tag {
        match self {
            Self::Home(home) => home.tag(),
            Self::Line(line) => line.tag(),
        }
    }
}

impl State {
    pub(super) fn moves_of(
        &self,
        at: usize,
        rules: &impl Rules,
        scope: HomeScope,
        moves: &mut Vec<HomeMove>,
    ) {
        let node = &self.nodes[at];
        let rights = if scope.loads { &[Right::Read, Right::Write][..] } else { &[Right::Write] };
        for (block, part) in node.parts.iter().enumerate() {
            let may = rights.iter().filter(|&&right| part.copy.may_fault(right));
            moves.extend(may.map(|&right| HomeMove::Access(at, block, right)));
            if part.copy.tag == Tag::Writable {
                moves.push(HomeMove::Write(at, block));
            }
            if part.to_call_in {
                moves.push(HomeMove::CallIn(at, block));
            }
            let drops = part.entry.line().is_some_and(|line| !line.is_busy() && line.tag() > Tag::Invalid);
            if drops && node.residence == Residence::Elsewhere {
                moves.push(HomeMove::Replace(at, block));
            }
        }
        let mut lines = node.parts.iter().filter_map(|part| part.entry.line());
        let complete = match node.residence {
            Residence::Leaving(_) => node.parts.iter().all(|part| part.is_called_in()),
            Residence::Expecting => node.parts.iter().all(|part| part.has_come),
            Residence::Here if node.known.moves < scope.moves => {
                let others = (0..self.nodes.len()).filter(|&to| to != at);
                moves.extend(others.map(|to| HomeMove::Earn(at, to)));
                false
            }
            _ => false,
        };
        if complete {
            moves.push(HomeMove::Complete(at));
        }
        if node.residence == Residence::Invited && lines.all(|line| rules.may_vacate(line)) {
            moves.push(HomeMove::Vacate(at));
        }
    }

    pub(super) fn deliveries(&self, from: usize, to: usize, in_order: bool, moves: &mut Vec<HomeMove>) {
        let channel = &self.channels[from * self.nodes.len() + to];
        for (block, packets) in channel.about.iter().enumerate() {
            let places = deliverable(packets, in_order);
            moves.extend(places.map(|place| HomeMove::Deliver(from, to, block, place)));
        }
        let places = deliverable(&channel.page, in_order);
        moves.extend(places.map(|place| HomeMove::DeliverPage(from, to, place)));
    }

    /// Normalizes irrelevant differences: words that no right leads to, and the order of unordered messages.
    pub(super) fn settle(&mut self, in_order: bool) {
        for part in self.nodes.iter_mut().flat_map(|node| &mut node.parts) {
            let keeps_words =
                part.copy.right() > Tag::Invalid || part.has_come || part.entry.home().is_some();
            part.copy.fresh &= keeps_words;
        }
        if !in_order {
            for channel in &mut self.channels {
                channel.page.sort_unstable();
                channel.about.iter_mut().for_each(|packets| packets.sort_unstable());
            }
        }
    }

    /// Checks the invariants: a single writer or many readers, no stale words in use, tags as the protocol believes
    /// them, one home that serves, and room for all waiting requests.
    pub(super) fn check(&self) -> Result<(), String> {
        let serves = |node: &&Node| {
            matches!(node.residence, Residence::Here | Residence::Offering(_) | Residence::Leaving(_))
        };
        let homes = self.nodes.iter().filter(serves).count();
        ensure(homes <= 1, || format!("{homes} nodes are the home"))?;
        for (number, node) in self.nodes.iter().enumerate() {
            let is_home = node.known.home == NodeId(number as u32);
            ensure(node.parts.iter().all(|part| part.entry.home().is_some() == is_home), || {
                format!("node {number} takes node {} for the home", node.known.home)
            })?;
        }
        (0..self.nodes[0].parts.len()).try_for_each(|block| self.check_block(block))
    }

    pub(super) fn check_block(&self, block: usize) -> Result<(), String> {
        let parts = || self.nodes.iter().map(|node| &node.parts[block]);
        let having = |tag| parts().filter(|part| part.copy.tag == tag).count();
        let (writers, readers) = (having(Tag::Writable), having(Tag::ReadOnly));
        ensure(writers == 0 || (writers == 1 && readers == 0), || {
            format!("{writers} nodes may write while {readers} may read")
        })?;
        ensure(parts().all(|part| part.copy.tag == Tag::Invalid || part.copy.fresh), || {
            "a copy that may be read is old".to_owned()
        })?;
        ensure(parts().all(|part| part.entry.tag() == part.copy.tag), || {
            "a node's tag is not what it believes".to_owned()
        })?;
        let waiting = parts().filter_map(|part| part.entry.home().map(Home::waiting)).max().unwrap_or(0);
        ensure(waiting < self.nodes.len() + OWN_WAITING + 1, || {
            format!("{waiting} requests wait at the home")
        })
    }
}

impl Part {
    pub(super) fn is_called_in(&self) -> bool {
        self.entry.home().is_some_and(|home| *home.state() == HomeState::Leaving)
    }
}
