//! A block, its home and a few nodes that cache it, as a state and the moves that lead from it.
//!
//! The words of the block are modelled by one bit: whether a copy is the newest. A grant and the access that waited for
//! it are one step, because the waist promises that a granted access is done before its right is taken away; so are the
//! lowering of a tag and the actions that follow it under the key. Everything else may happen in any order. This module
//! must never know a protocol's states, nor how the moves are searched.

use std::fmt;

use protocols::stache::{Home, HomeAction, HomeEvent, Line, LineAction, LineEvent, ToCache, ToHome};
use tempest::{NodeId, Right, Tag};

use super::{Explored, Rules, System, Violation, search};

/// Time at which the protocol hears of an access that a tag forbids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faults {
    /// With the access, in one step.
    AtOnce,
    /// Later, as an event of its own: the right may have come meanwhile, or come and gone.
    Queued,
}

/// The size of an exploration: nodes, faults, and the most states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    /// Nodes that cache the block, beside its home.
    pub caches: usize,
    /// Time at which the protocol hears of a fault.
    pub faults: Faults,
    /// Whether pages are laid to rest: a node has a tag taken away, keeps the block, and gets the tag back by a fault.
    pub rests: bool,
    /// Number of states at which the search gives up.
    pub limit: usize,
}

/// A block by the tables of the coherence protocol.
struct OneBlock<'r, R> {
    rules: &'r R,
    scope: Scope,
}

impl<R: Rules> System for OneBlock<'_, R> {
    type State = State;
    type Move = Move;

    fn initial(&self) -> State {
        State::initial(self.scope.caches)
    }

    fn moves(&self, state: &State) -> Vec<Move> {
        state.moves(self.rules, self.scope.rests)
    }

    fn after(&self, state: &State, step: Move) -> Result<State, String> {
        state.after(step, self.rules, self.scope.faults)
    }

    fn is_quiet(&self, state: &State) -> bool {
        state.is_quiet()
    }

    fn lengths(&self, state: &State) -> (usize, usize) {
        state.lengths()
    }
}

/// Explores all states of the coherence protocol's tables within a scope.
///
/// # Errors
/// The first [`Violation`] found, by a shortest way.
pub fn explore(rules: &impl Rules, scope: Scope) -> Result<Explored, Violation<Move>> {
    search(&OneBlock { rules, scope }, scope.limit)
}

/// The most requests that wait at the home besides one of each other node: the own node's, for either right, and
/// requests whose threads have been resumed by another request since.
pub(super) const OWN_WAITING: usize = 4;

/// A message on its way, and whether the words it brings are the newest.
pub(super) type Packet<M> = (M, bool);

/// The copy of the block on a node: its tag, whether its words are the newest, and the threads and faults that wait for
/// it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Copy {
    pub(super) tag: Tag,
    /// The tag that a block of a resting page gets back; `Invalid` in an active page.
    rests: Tag,
    /// Whether the words are the newest.
    pub(super) fresh: bool,
    /// By right: whether threads wait.
    pub(super) waits: [bool; 2],
    /// By right: fault events that have not been handled.
    pub(super) faults: [bool; 2],
}

/// A node that caches the block, and the channels between it and the home.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Cache {
    line: Line,
    copy: Copy,
    to_home: Vec<Packet<ToHome>>,
    from_home: Vec<Packet<ToCache>>,
}

/// The state of the block on all nodes, and of all messages.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    home: Home,
    copy: Copy,
    caches: Vec<Cache>,
}

/// A step that a state allows. Node 0 is the home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// A thread's access is not allowed.
    Access(usize, Right),
    /// The protocol hears of the fault.
    Fault(usize, Right),
    /// A thread that may write does write.
    Write(usize),
    /// The block's frame is given to another page.
    Replace(usize),
    /// The block's page is laid to rest.
    Rest(usize),
    /// The page becomes active again.
    Wake(usize),
    /// The home handles a message of a node: the one at this place of the channel.
    AtHome(usize, usize),
    /// A node handles a message of the home.
    AtCache(usize, usize),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(node, right) => write!(f, "{right:?} at {node}"),
            Self::Fault(node, right) => write!(f, "fault to {right:?} at {node}"),
            Self::Write(node) => write!(f, "store at {node}"),
            Self::Replace(node) => write!(f, "replace at {node}"),
            Self::Rest(node) => write!(f, "rest at {node}"),
            Self::Wake(node) => write!(f, "wake at {node}"),
            Self::AtHome(node, place) => write!(f, "{node} to home, number {place}"),
            Self::AtCache(node, place) => write!(f, "home to {node}, number {place}"),
        }
    }
}

impl Copy {
    pub(super) fn new(tag: Tag, fresh: bool) -> Self {
        Self { tag, rests: Tag::Invalid, fresh, waits: [false; 2], faults: [false; 2] }
    }

    pub(super) fn may_fault(&self, right: Right) -> bool {
        self.tag < right.tag() && !self.waits[right as usize] && !self.faults[right as usize]
    }

    /// The right to the block, at once or when its page is active again.
    pub(super) fn right(&self) -> Tag {
        self.tag.max(self.rests)
    }

    fn rest(&mut self) {
        self.rests = std::mem::replace(&mut self.tag, Tag::Invalid);
    }

    fn wake(&mut self) {
        self.tag = self.right();
        self.rests = Tag::Invalid;
    }

    pub(super) fn lower(&mut self, tag: Tag) -> Result<(), String> {
        ensure(tag < self.right(), || format!("lowers {:?} to {tag:?}", self.right()))?;
        let lowered = if self.rests > Tag::Invalid { &mut self.rests } else { &mut self.tag };
        *lowered = tag;
        Ok(())
    }

    pub(super) fn raise(&mut self, tag: Tag) -> Result<(), String> {
        ensure(self.rests == Tag::Invalid, || format!("raises {tag:?} in a page at rest"))?;
        ensure(tag > self.tag, || format!("raises {:?} to {tag:?}", self.tag))?;
        self.tag = tag;
        Ok(())
    }

    /// Words arrive: the present copy must not be in use.
    pub(super) fn place(&mut self, fresh: bool) -> Result<(), String> {
        ensure(self.right() == Tag::Invalid, || "words arrive over a copy in use".to_owned())?;
        self.fresh = fresh;
        Ok(())
    }

    /// Threads go on and do their accesses.
    pub(super) fn resume(&mut self, right: Right) -> Result<(), String> {
        ensure(self.tag >= right.tag(), || format!("resumes {right:?} with {:?}", self.tag))?;
        ensure(self.fresh, || format!("an access to {right:?} finds old words"))?;
        self.waits[Right::Read as usize] = false;
        if right == Right::Write {
            self.waits[Right::Write as usize] = false;
        }
        Ok(())
    }
}

pub(super) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The home's number among the nodes; cache `i` is node `i + 1`.
const HOME: usize = 0;

impl State {
    /// The initial state: the home may write, and no other node has a right.
    pub(super) fn initial(caches: usize) -> Self {
        let cache = Cache {
            line: Line::default(),
            copy: Copy::new(Tag::Invalid, false),
            to_home: Vec::new(),
            from_home: Vec::new(),
        };
        Self { home: Home::default(), copy: Copy::new(Tag::Writable, true), caches: vec![cache; caches] }
    }

    /// All moves that are possible in this state.
    pub(super) fn moves(&self, rules: &impl Rules, rests: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        for node in 0..=self.caches.len() {
            let copy = self.copy_of(node);
            for right in [Right::Read, Right::Write] {
                if copy.may_fault(right) {
                    moves.push(Move::Access(node, right));
                }
                if copy.faults[right as usize] {
                    moves.push(Move::Fault(node, right));
                }
            }
            if copy.tag == Tag::Writable {
                moves.push(Move::Write(node));
            }
        }
        for (cache, node) in self.caches.iter().zip(1..) {
            if cache.copy.right() != Tag::Invalid && !cache.line.is_busy() {
                moves.push(Move::Replace(node));
            }
            if rests && cache.copy.tag != Tag::Invalid && rules.may_rest(cache.line) {
                moves.push(Move::Rest(node));
            }
            if cache.copy.rests != Tag::Invalid {
                moves.push(Move::Wake(node));
            }
            let in_order = rules.channels_keep_order();
            moves.extend(deliverable(&cache.to_home, in_order).map(|place| Move::AtHome(node, place)));
            moves.extend(deliverable(&cache.from_home, in_order).map(|place| Move::AtCache(node, place)));
        }
        moves
    }

    /// The state after a move; an error if the move breaks the protocol.
    pub(super) fn after(&self, step: Move, rules: &impl Rules, faults: Faults) -> Result<Self, String> {
        let mut next = self.clone();
        match step {
            Move::Access(node, right) => {
                next.copy_of_mut(node).waits[right as usize] = true;
                match faults {
                    Faults::Queued => next.copy_of_mut(node).faults[right as usize] = true,
                    Faults::AtOnce => next.fault(node, right, rules)?,
                }
            }
            Move::Fault(node, right) => {
                next.copy_of_mut(node).faults[right as usize] = false;
                next.fault(node, right, rules)?;
            }
            Move::Write(node) => next.written(node),
            Move::Replace(node) => next.at_cache(node, LineEvent::Replace, rules)?,
            Move::Rest(node) => next.copy_of_mut(node).rest(),
            Move::Wake(node) => next.copy_of_mut(node).wake(),
            Move::AtHome(node, place) => {
                let (message, fresh) = next.caches[node - 1].to_home.remove(place);
                if message.brings_words() && rules.places(message) {
                    next.copy.place(fresh)?;
                }
                next.at_home(HomeEvent::message(NodeId(node as u32), message), rules)?;
            }
            Move::AtCache(node, place) => {
                let (message, fresh) = next.caches[node - 1].from_home.remove(place);
                if message.brings_words() {
                    next.copy_of_mut(node).place(fresh)?;
                }
                next.at_cache(node, LineEvent::Message(message), rules)?;
            }
        }
        next.settle(rules.channels_keep_order());
        next.check()?;
        Ok(next)
    }

    /// Whether no message is on its way and no thread waits.
    pub(super) fn is_quiet(&self) -> bool {
        let idle = |copy: &Copy| copy.waits == [false; 2] && copy.faults == [false; 2];
        self.home.is_settled()
            && self.home.waiting() == 0
            && idle(&self.copy)
            && self.caches.iter().all(|cache| {
                let Cache { line, copy, to_home, from_home } = cache;
                idle(copy) && !line.is_busy() && to_home.is_empty() && from_home.is_empty()
            })
    }

    /// Number of requests that wait at the home, and number of messages in the longest channel.
    pub(super) fn lengths(&self) -> (usize, usize) {
        let channels = self.caches.iter().map(|cache| cache.to_home.len().max(cache.from_home.len()));
        (self.home.waiting(), channels.max().unwrap_or(0))
    }

    fn copy_of(&self, node: usize) -> &Copy {
        if node == HOME { &self.copy } else { &self.caches[node - 1].copy }
    }

    fn copy_of_mut(&mut self, node: usize) -> &mut Copy {
        if node == HOME { &mut self.copy } else { &mut self.caches[node - 1].copy }
    }

    fn fault(&mut self, node: usize, right: Right, rules: &impl Rules) -> Result<(), String> {
        match node {
            HOME => self.at_home(HomeEvent::fault(right), rules),
            _ => {
                self.copy_of_mut(node).wake();
                self.at_cache(node, LineEvent::Fault(right), rules)
            }
        }
    }

    fn at_home(&mut self, event: HomeEvent, rules: &impl Rules) -> Result<(), String> {
        let mut event = Some(event);
        while let Some(one) = event {
            if let Some(tag) = rules.home_lowers(&self.home, one) {
                self.copy.lower(tag)?;
            }
            let mut actions = Vec::new();
            let served = rules.home_step(&mut self.home, one, &mut |action| actions.push(action));
            served.map_err(|unspecified| format!("{unspecified} of the home"))?;
            actions.into_iter().try_for_each(|action| self.home_acts(action))?;
            event = rules.home_due(&mut self.home);
        }
        Ok(())
    }

    fn home_acts(&mut self, action: HomeAction) -> Result<(), String> {
        match action {
            HomeAction::Raise(tag) => self.copy.raise(tag)?,
            HomeAction::Resume(right) => self.resume(HOME, right)?,
            HomeAction::CalledIn => return Err("a home that stays is called in".to_owned()),
            HomeAction::Send(to, message) => {
                let packet = (message, message.brings_words() && self.copy.fresh);
                let cache = (to.0 as usize).checked_sub(1).and_then(|index| self.caches.get_mut(index));
                cache.ok_or("a message of the home to itself")?.from_home.push(packet);
            }
        }
        Ok(())
    }

    fn at_cache(&mut self, node: usize, event: LineEvent, rules: &impl Rules) -> Result<(), String> {
        let mut event = Some(event);
        while let Some(one) = event {
            let cache = &mut self.caches[node - 1];
            if let Some(tag) = rules.line_lowers(cache.line, one) {
                cache.copy.lower(tag)?;
            }
            let mut actions = Vec::new();
            let served = rules.line_step(&mut cache.line, one, &mut |action| actions.push(action));
            served.map_err(|unspecified| format!("{unspecified} of node {node}"))?;
            actions.into_iter().try_for_each(|action| self.cache_acts(node, action))?;
            event = rules.line_due(&mut self.caches[node - 1].line);
        }
        Ok(())
    }

    fn cache_acts(&mut self, node: usize, action: LineAction) -> Result<(), String> {
        let cache = &mut self.caches[node - 1];
        match action {
            LineAction::Raise(tag) => cache.copy.raise(tag)?,
            LineAction::Resume(right) => self.resume(node, right)?,
            LineAction::Send(message) => {
                cache.to_home.push((message, message.brings_words() && cache.copy.fresh));
            }
        }
        Ok(())
    }

    fn resume(&mut self, node: usize, right: Right) -> Result<(), String> {
        self.copy_of_mut(node).resume(right)?;
        if right == Right::Write {
            self.written(node);
        }
        Ok(())
    }

    /// Records a store of a node: its words are the newest, and all others stale.
    fn written(&mut self, node: usize) {
        self.copy.fresh = false;
        for cache in &mut self.caches {
            cache.copy.fresh = false;
            cache.to_home.iter_mut().for_each(|packet| packet.1 = false);
            cache.from_home.iter_mut().for_each(|packet| packet.1 = false);
        }
        self.copy_of_mut(node).fresh = true;
    }

    /// Normalizes irrelevant differences: words that no right leads to, and the order of unordered messages.
    fn settle(&mut self, in_order: bool) {
        for cache in &mut self.caches {
            cache.copy.fresh &= cache.copy.right() != Tag::Invalid;
            if !in_order {
                cache.to_home.sort_unstable();
                cache.from_home.sort_unstable();
            }
        }
    }

    /// Checks the invariants: a single writer or many readers, no stale words in use, tags as the protocol believes
    /// them, and room for all waiting requests.
    fn check(&self) -> Result<(), String> {
        let copies = || (0..=self.caches.len()).map(|node| self.copy_of(node));
        let writers = copies().filter(|copy| copy.right() == Tag::Writable).count();
        let readers = copies().filter(|copy| copy.right() == Tag::ReadOnly).count();
        ensure(writers == 0 || (writers == 1 && readers == 0), || {
            format!("{writers} nodes may write while {readers} may read")
        })?;
        ensure(copies().all(|copy| copy.right() == Tag::Invalid || copy.fresh), || {
            "a copy that may be read is old".to_owned()
        })?;
        ensure(self.home.tag() == self.copy.tag, || "the home's tag is not what it believes".to_owned())?;
        ensure(self.caches.iter().all(|cache| cache.line.tag() == cache.copy.right()), || {
            "a node's tag is not what it believes".to_owned()
        })?;
        ensure(self.home.waiting() <= self.caches.len() + OWN_WAITING, || {
            format!("{} requests wait at the home", self.home.waiting())
        })
    }
}

/// Indices of the messages of a channel that may arrive next: the first, or any of the different ones.
pub(super) fn deliverable<M: PartialEq>(channel: &[M], in_order: bool) -> impl Iterator<Item = usize> {
    (0..channel.len()).filter(move |&place| place == 0 || (!in_order && channel[place] != channel[place - 1]))
}
