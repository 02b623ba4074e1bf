//! A user's own coherence protocol: a block of shared memory is at one node at a time, and migrates to the node that accesses it.
//!
//! The tables of the protocol are pure functions (`Home` and `Other`), so that the explorer can search every state of them. The
//! messages of the protocol turn into events of the tables, whose actions are then performed. The protocol relies on the order of
//! messages between two nodes: the explorer shows an error without it.
//!
//! ```text
//! cargo run --example own_protocol check                 # the explorer, and conformance in three worlds
//! cargo run --example own_protocol run shared-histogram --protocol migrate --machine hurricane
//! cargo run --example own_protocol compare shared-histogram --protocol migrate --machine native,hurricane
//! ```
//!
//! This example must never know which world runs it.

#![forbid(unsafe_code)]
// The results of `check` go to standard output.
#![allow(clippy::print_stdout)]

use std::collections::VecDeque;
use std::env;
use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use tradewind::apps;
use tradewind::conformance::explorer::{System, search};
use tradewind::conformance::run_coherence;
use tradewind::tempest::entry::Coherence;
use tradewind::tempest::memory::{AddressSpace, Fault};
use tradewind::tempest::{
    Actions, Block, Handler, Keyed, Memory, NodeId, Protocol, Right, Setup, Tag, handlers,
};
use tradewind::worlds::Target;

/// The protocol as people choose it: `--protocol migrate`.
const MIGRATE: Coherence = Coherence {
    name: "migrate",
    summary: "a block is at one node at a time, and migrates to whoever accesses it",
    install: |space, setup| Arc::clone(&setup.install::<Migrate>(space).memory),
};

// ---------------------------------------------------------------------------------------------------------- the tables

/// An event that a block meets at a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Event {
    /// A thread of the node wants the block.
    Fault,
    /// At the home: another node wants the block.
    Wanted(u32),
    /// At the home: the block has come back.
    Brought,
    /// At another node: the block has come.
    Given,
    /// At another node: the home wants the block back.
    Fetched,
    /// No thread of the node uses the block any more.
    Lowered,
}

/// An action by which a node answers an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    /// Let waiting threads access the block, which is here already.
    Resume,
    /// Have the right to the block, and let waiting threads access it.
    Take,
    /// Give the right to the block up; `Lowered` follows. The last act.
    Lower,
    /// Ask the home for the block.
    Ask,
    /// Ask this node to bring the block home.
    Fetch(u32),
    /// Give the block to this node.
    Give(u32),
    /// Bring the block home.
    Bring,
}

/// The home of a block: where the block is, and the nodes that wait for it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Home {
    me: u32,
    /// Threads of the home may access the block.
    here: bool,
    /// The other node that has the block.
    away: Option<u32>,
    waiting: VecDeque<u32>,
}

impl Home {
    fn new(me: u32) -> Self {
        Self { me, here: true, away: None, waiting: VecDeque::new() }
    }

    fn step(&mut self, event: Event, act: &mut dyn FnMut(Act)) -> Result<(), String> {
        match event {
            Event::Fault if self.here => act(Act::Resume),
            Event::Fault => self.wanted(self.me, act),
            Event::Wanted(node) => self.wanted(node, act),
            Event::Brought => {
                self.away = None;
                self.next(act);
            }
            Event::Lowered => {
                self.here = false;
                self.next(act);
            }
            Event::Given | Event::Fetched => return Err(format!("{event:?} at the home")),
        }
        Ok(())
    }

    fn wanted(&mut self, node: u32, act: &mut dyn FnMut(Act)) {
        if !self.waiting.contains(&node) {
            self.waiting.push_back(node);
            // The node that waits first has requested the block already.
            if self.waiting.len() == 1 {
                self.next(act);
            }
        }
    }

    /// Serves the waiting nodes in order, until one needs a block that must be fetched first.
    fn next(&mut self, act: &mut dyn FnMut(Act)) {
        while let Some(&node) = self.waiting.front() {
            match self.away {
                Some(owner) => return act(Act::Fetch(owner)),
                None if node == self.me => {
                    self.here = true;
                    act(Act::Take);
                }
                None if self.here => return act(Act::Lower),
                None => {
                    self.away = Some(node);
                    act(Act::Give(node));
                }
            }
            self.waiting.pop_front();
        }
    }
}

/// A block at a node that is not its home.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Other {
    /// Threads of the node may access the block.
    here: bool,
    /// The home has been asked for the block.
    asked: bool,
}

impl Other {
    fn step(&mut self, event: Event, act: &mut dyn FnMut(Act)) -> Result<(), String> {
        match event {
            Event::Fault if self.here => act(Act::Resume),
            Event::Fault if self.asked => {}
            Event::Fault => {
                self.asked = true;
                act(Act::Ask);
            }
            Event::Given => {
                *self = Self { here: true, asked: false };
                act(Act::Take);
            }
            Event::Fetched if self.here => act(Act::Lower),
            Event::Lowered => {
                self.here = false;
                act(Act::Bring);
            }
            _ => return Err(format!("{event:?} at a node that has {self:?}")),
        }
        Ok(())
    }
}

// -------------------------------------------------------------------------------------------------------- the messages

/// A node's part in the shared memory.
struct Migrate {
    memory: Arc<Memory>,
    blocks: Keyed<Entry>,
}

enum Entry {
    Home(Home),
    Other(Other),
}

impl Protocol for Migrate {
    type Config = AddressSpace;

    fn install(space: &AddressSpace, setup: &mut Setup<'_>) -> Self {
        // Every page has room at every node from the start.
        let memory = setup.memory::<Faulted>(space.layout(), true);
        let node = setup.node();
        let entry = |block| match memory.layout().home(block) == node {
            true => Entry::Home(Home::new(node.0)),
            false => Entry::Other(Other::default()),
        };
        Self { blocks: setup.keyed_blocks(&memory, entry), memory }
    }
}

impl From<Fault> for Faulted {
    fn from(fault: Fault) -> Self {
        Migrate::faulted(fault.block.0)
    }
}

#[handlers]
impl Migrate {
    /// A thread of this node wants a block.
    #[message(key = Block(block), class = System, bytes = 0)]
    fn faulted(&self, block: u32, cx: &mut Handler<'_>) {
        self.serve(Block(block), Event::Fault, cx);
    }

    /// Asks the home for a block.
    #[message(key = Block(block), class = System, volume = Request, bytes = 0)]
    fn wanted(&self, block: u32, cx: &mut Handler<'_>) {
        self.serve(Block(block), Event::Wanted(cx.source().0), cx);
    }

    /// Asks a node to bring a block home.
    #[message(key = Block(block), class = Reply, volume = Invalidation, bytes = 0)]
    fn fetched(&self, block: u32, cx: &mut Handler<'_>) {
        self.serve(Block(block), Event::Fetched, cx);
    }

    /// Brings a block home.
    #[message(key = Block(block), class = System, bytes = 0)]
    fn brought(&self, block: u32, cx: &mut Handler<'_>) {
        self.serve(Block(block), Event::Brought, cx);
    }

    /// Gives a block to a node that waits for it.
    #[message(key = Block(block), class = Reply, bytes = 0)]
    fn given(&self, block: u32, cx: &mut Handler<'_>) {
        self.serve(Block(block), Event::Given, cx);
    }

    /// No thread of this node uses a block any more.
    #[message(key = Block(block), class = System, bytes = 0)]
    fn lowered(&self, block: u32, cx: &mut Handler<'_>) {
        self.serve(Block(block), Event::Lowered, cx);
    }

    fn serve(&self, block: Block, event: Event, cx: &mut Handler<'_>) {
        cx.with(&self.blocks, |entry, cx| {
            let act = &mut |act| self.act(block, act, cx);
            let served = match entry {
                Entry::Home(home) => home.step(event, act),
                Entry::Other(other) => other.step(event, act),
            };
            served.unwrap_or_else(|wrong| panic!("{block}: {wrong}"));
        });
    }

    fn act(&self, block: Block, act: Act, cx: &mut Actions<'_>) {
        let home = self.memory.layout().home(block);
        match act {
            Act::Resume => drop(cx.resume_block(&self.memory, block, Right::Write)),
            Act::Take => {
                cx.raise(&self.memory, block, Tag::Writable);
                cx.resume_block(&self.memory, block, Right::Write);
            }
            Act::Lower => cx.lower(&self.memory, block, Tag::Invalid, Self::lowered(block.0)),
            Act::Ask => cx.send(home, Self::wanted(block.0)),
            Act::Fetch(owner) => cx.send(NodeId(owner), Self::fetched(block.0)),
            Act::Give(node) => cx.send_block(NodeId(node), &self.memory, block, Self::given(block.0)),
            Act::Bring => cx.send_block(home, &self.memory, block, Self::brought(block.0)),
        }
    }
}

// -------------------------------------------------------------------------------------------------------- the explorer

/// The system that the explorer searches: the protocol for one block, its home (node 0) and some other nodes.
struct OneBlock {
    others: usize,
    /// Whether messages between two nodes arrive in the order in which they were sent.
    in_order: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    home: Home,
    others: Vec<Other>,
    /// By node other than the home: events in flight from it, and to it.
    to_home: Vec<Vec<Event>>,
    from_home: Vec<Vec<Event>>,
    /// By node: whether a thread waits for the block.
    waits: Vec<bool>,
}

/// A transition that a state allows. A message is named by the node other than the home, and by its place in the channel.
#[derive(Clone, Copy)]
enum Move {
    Access(usize),
    AtHome(usize, usize),
    FromHome(usize, usize),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(node) => write!(f, "node {node} wants the block"),
            Self::AtHome(node, place) => write!(f, "message {place} of node {node} reaches the home"),
            Self::FromHome(node, place) => write!(f, "message {place} of the home reaches node {node}"),
        }
    }
}

impl State {
    /// Serves an event at a node and performs its actions.
    fn serve(&mut self, node: usize, event: Event) -> Result<(), String> {
        let mut acts = Vec::new();
        match node.checked_sub(1) {
            None => self.home.step(event, &mut |act| acts.push(act))?,
            Some(other) => self.others[other].step(event, &mut |act| acts.push(act))?,
        }
        for act in acts {
            match act {
                Act::Resume | Act::Take => self.waits[node] = false,
                Act::Lower => self.serve(node, Event::Lowered)?,
                Act::Ask => self.to_home[node - 1].push(Event::Wanted(node as u32)),
                Act::Bring => self.to_home[node - 1].push(Event::Brought),
                Act::Fetch(to) => self.from_home[to as usize - 1].push(Event::Fetched),
                Act::Give(to) => self.from_home[to as usize - 1].push(Event::Given),
            }
        }
        Ok(())
    }

    /// Number of copies of the block, messages in flight included.
    fn places(&self) -> usize {
        let on_its_way = self.to_home.iter().chain(&self.from_home).flatten();
        let on_its_way = on_its_way.filter(|event| matches!(event, Event::Given | Event::Brought)).count();
        let others = self.others.iter().filter(|other| other.here).count();
        usize::from(self.home.here) + others + on_its_way
    }
}

impl System for OneBlock {
    type State = State;
    type Move = Move;

    fn initial(&self) -> State {
        State {
            home: Home::new(0),
            others: vec![Other::default(); self.others],
            to_home: vec![Vec::new(); self.others],
            from_home: vec![Vec::new(); self.others],
            waits: vec![false; self.others + 1],
        }
    }

    fn moves(&self, state: &State) -> Vec<Move> {
        let here = |node: usize| if node == 0 { state.home.here } else { state.others[node - 1].here };
        let access = (0..=self.others).filter(|&node| !here(node) && !state.waits[node]).map(Move::Access);
        let places =
            |channel: &Vec<Event>| 0..if self.in_order { channel.len().min(1) } else { channel.len() };
        let mut moves: Vec<_> = access.collect();
        for node in 1..=self.others {
            moves.extend(places(&state.to_home[node - 1]).map(|place| Move::AtHome(node, place)));
            moves.extend(places(&state.from_home[node - 1]).map(|place| Move::FromHome(node, place)));
        }
        moves
    }

    fn after(&self, state: &State, step: Move) -> Result<State, String> {
        let mut next = state.clone();
        match step {
            Move::Access(node) => {
                next.waits[node] = true;
                next.serve(node, Event::Fault)?;
            }
            Move::AtHome(node, place) => {
                let event = next.to_home[node - 1].remove(place);
                next.serve(0, event)?;
            }
            Move::FromHome(node, place) => {
                let event = next.from_home[node - 1].remove(place);
                next.serve(node, event)?;
            }
        }
        match next.places() {
            1 => Ok(next),
            places => Err(format!("the block is at {places} places")),
        }
    }

    fn is_quiet(&self, state: &State) -> bool {
        let idle = state.to_home.iter().chain(&state.from_home).all(Vec::is_empty);
        idle && state.home.waiting.is_empty() && !state.waits.contains(&true)
    }
}

// ------------------------------------------------------------------------------------------------------------ the runs

/// Checks the tables with the explorer, and the protocol against the promises of shared memory in three worlds.
fn check() {
    for others in 1..=3 {
        let explored = search(&OneBlock { others, in_order: true }, usize::MAX);
        let explored = explored.unwrap_or_else(|violation| panic!("{violation}"));
        println!("{} states of a home and {others} other nodes: nothing wrong", explored.states);
    }
    let violation = search(&OneBlock { others: 1, in_order: false }, usize::MAX);
    println!("without order: {}", violation.expect_err("the protocol relies on the order of messages"));
    for name in ["native", "ideal", "hurricane"] {
        let target = Target::find(name, &[]).unwrap_or_else(|error| panic!("{error}"));
        run_coherence(&MIGRATE, &*target.world(), &["single", "floating", "fixed:1"], 3, 2);
        println!("{name}: every promise of shared memory is kept");
    }
}

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() == Some("check") {
        check();
        return ExitCode::SUCCESS;
    }
    tradewind::Command::new().programs(apps::ALL).protocols(&[MIGRATE]).main()
}
