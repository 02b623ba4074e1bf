//! The bound of fetch-add without a bus: the model of that one program on that one machine, as its author would write it by hand. It has
//! no world, no fibers and no policies. One queue orders the events of all nodes, and a node has an event only where a message may change
//! its next step. Prices, ports and network come from the machine.
//!
//! This file must never know the simulator: only the modelled time and the counts of a run, which must be equal to its own.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use des::{Choice, Order, Timetable};
use hardware::{Interface, Mover, Network, Passage, Passages};
use machine::{ByClass, Class, Cost, Machine};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tempest::entry::{mix, stream_seed};
use tempest::outcome::Counters;
use units::Time;

use crate::cases::WINDOW;

/// The seed of a run, of its random numbers and of the order of simultaneous events.
const SEED: u64 = 1;

/// The words of a request, and of a reply.
const WORDS: u64 = 2;

/// The bits of the number of a push, above which the rank of the node that pushes stands.
const PUSHES: u32 = 44;

/// The modelled time of all additions and of the whole run, and the counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    pub(crate) times: [Time; 2],
    pub(crate) messages: u64,
    pub(crate) handlers: u64,
    pub(crate) blocks: u64,
    pub(crate) empty_polls: Option<u64>,
}

impl Answer {
    /// The answer of a run whose timed region took `add`, and which took `all`.
    pub(crate) fn of_run(add: Time, all: Time, counters: &Counters) -> Self {
        let Counters { messages, handlers, blocks, empty_polls, .. } = *counters;
        Self { times: [add, all], messages, handlers, blocks, empty_polls }
    }
}

/// A message: a request for a word of its destination, a reply with the value before, or the sum of a thread's hashes.
#[derive(Clone, Copy)]
enum Message {
    Request { place: u32 },
    Reply { word: u32, old: u32 },
    Sum,
}

/// An event of a node.
#[derive(Clone, Copy)]
enum Event {
    /// The last byte of a message is at the port in.
    Arrive { from: u32, message: Message },
    /// A message has passed the port in.
    Pass { from: u32, message: Message },
    /// A message of the node to itself comes.
    Return { message: Message },
    /// The thread looks for messages.
    Look,
    /// The thread blocks.
    Block,
    /// A handler ends, or the last send of the thread.
    End,
}

/// The state of a node's only thread.
#[derive(Clone, Copy, PartialEq)]
enum Thread {
    /// It goes on when no message waits.
    Runs,
    /// It waits for this number of replies.
    Waits(u32),
    /// It has waited, and looks when no message waits.
    Looks,
    /// It waits for all replies.
    WaitsForAll,
    /// It has all replies.
    Done,
}

struct Node {
    port: Interface,
    /// The messages that pass the port in.
    passing: u32,
    queue: VecDeque<(u32, Message)>,
    idle: bool,
    /// Whether a handler runs.
    handles: bool,
    thread: Thread,
    /// The words that the thread adds to, and the number of additions that it has asked for.
    draws: Vec<u32>,
    asked: u32,
    replied: u32,
    hashes: u64,
    /// The node's own words.
    words: Vec<u32>,
    rank: u64,
}

/// The times of a node's steps.
struct Steps {
    /// From a look in vain to the next request in the interface.
    ask: Time,
    look: Time,
    /// From the beginning of a request's handler to its reply in the interface.
    answer: Time,
    /// The handler of a reply.
    take: Time,
    resume: Time,
    /// From the beginning of a region to the thread's sum in the interface.
    hand_in: Time,
    gather: Time,
    /// The end of a handler.
    tail: Time,
}

impl Steps {
    fn on(machine: &Machine) -> Self {
        let (prices, work) = (&machine.primitives, hardware::Prices::new(&machine.processor.work));
        let of = |price: Option<ByClass<Cost>>| price.expect("each step has a price").of(Class::User);
        let (dispatch, word) = (of(prices.dispatch), of(prices.receive_word));
        let (header, sent) = (of(prices.send_header), of(prices.send_word));
        let send = |words| header.and(sent.times(words)).path;
        let receive = |words: u64| dispatch.and(word.times(words)).path;
        let plain = |cost: &Cost| cost.occupancy.is_zero() && cost.wait.is_zero();
        assert!([word, header, sent].iter().all(plain), "these prices are times alone");
        let update = work.operations(0, 1, 1, 1);
        Self {
            ask: work.operations(0, 6, 1, 0) + send(WORDS),
            look: machine.processor.poll,
            answer: receive(WORDS) + update + send(WORDS),
            take: receive(WORDS) + update + machine.processor.signal,
            resume: of(prices.resume).path,
            hand_in: send(1),
            gather: receive(1),
            tail: dispatch.occupancy,
        }
    }
}

/// The model of a run.
pub(crate) struct Model {
    now: Time,
    events: Timetable<(u32, Event)>,
    pushes: u64,
    nodes: Vec<Node>,
    network: Network,
    passages: [Passage; 2],
    steps: Steps,
    capacity: usize,
    answer: Answer,
    hand_ins: u32,
}

impl Model {
    /// A run of `operations` additions of each of `nodes` nodes to `nodes * words` words.
    pub(crate) fn new(machine: &Machine, nodes: u32, words: u32, operations: u32) -> Self {
        let interface = Arc::new(machine.interface.clone());
        let mut passages = Passages::new(machine.interface.clone(), Time::ZERO);
        let mut by_rank: Vec<u32> = (0..nodes).collect();
        by_rank.sort_unstable_by_key(|&node| Choice::new(SEED).tie(node));
        let rank = |node| by_rank.iter().position(|&other| other == node).expect("each node has a rank");
        let node = |node: u32| Node {
            port: Interface::new(Arc::clone(&interface)),
            passing: 0,
            queue: VecDeque::new(),
            idle: false,
            handles: false,
            thread: Thread::Runs,
            draws: draws(node, nodes * words, operations),
            asked: 0,
            replied: 0,
            hashes: 0,
            words: vec![0; words as usize],
            rank: (rank(node) as u64) << PUSHES,
        };
        Self {
            now: Time::ZERO,
            events: Timetable::new([0].into()),
            pushes: 0,
            nodes: (0..nodes).map(node).collect(),
            network: Network::new(&machine.network, machine.interface.gap, nodes),
            passages: [WORDS, 1].map(|words| passages.of(8 * words, Mover::Processors)),
            steps: Steps::on(machine),
            capacity: machine.queue.capacity,
            // Every thread but the last one waits for each of two regions.
            answer: Answer {
                times: [Time::ZERO; 2],
                messages: 0,
                handlers: 0,
                blocks: 2 * u64::from(nodes - 1),
                empty_polls: Some(0),
            },
            hand_ins: 0,
        }
    }

    /// Runs the model. Returns the seconds of the host, and the answer.
    ///
    /// # Panics
    /// If a word has another value than it should, or a reply is lost or repeated.
    pub(crate) fn run(mut self) -> (f64, Answer) {
        let start = Instant::now();
        (0..self.nodes.len()).for_each(|node| self.go_on(node));
        self.drain();
        self.answer.times[0] = self.now;
        (0..self.nodes.len()).for_each(|node| self.hand_in(node));
        self.drain();
        self.answer.times[1] = self.now;
        let seconds = start.elapsed().as_secs_f64();
        self.check();
        (seconds, self.answer)
    }

    fn drain(&mut self) {
        while let Some((order, (node, event))) = self.events.pop() {
            self.now = order.at;
            let node = node as usize;
            match event {
                Event::Arrive { from, message } => self.arrive(node, from, message),
                Event::Pass { from, message } => {
                    self.nodes[node].passing -= 1;
                    self.queue(node, from, message);
                }
                Event::Return { message } => self.queue(node, node as u32, message),
                Event::Look if self.handle_next(node) => {}
                Event::Look => {
                    self.answer.empty_polls = self.answer.empty_polls.map(|polls| polls + 1);
                    self.go_on(node);
                }
                Event::Block => self.block(node),
                Event::End => self.end(node),
            }
        }
    }

    /// Adds an event of `node` that `by` pushes at the instant `since`.
    fn push(&mut self, (by, since): (usize, Time), node: usize, at: Time, event: Event) {
        self.pushes += 1;
        let (major, minor) = (since.as_femtoseconds(), self.nodes[by].rank | self.pushes);
        self.events.push(0, Order { at, major, minor }, (node as u32, event));
    }

    /// Puts a message into the interface of `node` at `at`, which nothing can delay any more.
    fn send(&mut self, node: usize, at: Time, to: usize, message: Message) {
        self.answer.messages += 1;
        let from = node as u32;
        if to == node {
            return self.push((node, at), node, at, Event::Return { message });
        }
        let Network::Constant(network) = self.network else { unreachable!("the network is constant") };
        let passage = self.passages[usize::from(matches!(message, Message::Sum))].time;
        let whole = network.arrival(self.nodes[node].port.inject(at, passage)) + passage;
        self.push((node, at), to, whole, Event::Arrive { from, message });
    }

    fn arrive(&mut self, node: usize, from: u32, message: Message) {
        let passage = self.passages[usize::from(matches!(message, Message::Sum))].time;
        let Node { port, passing, .. } = &mut self.nodes[node];
        let through = port.eject(self.now - passage, passage, Mover::Processors);
        if through == self.now && *passing == 0 {
            return self.queue(node, from, message);
        }
        *passing += 1;
        self.push((node, self.now), node, through, Event::Pass { from, message });
    }

    fn queue(&mut self, node: usize, from: u32, message: Message) {
        let Node { queue, idle, .. } = &mut self.nodes[node];
        queue.push_back((from, message));
        assert!(queue.len() <= self.capacity, "the model has no spilling device");
        if std::mem::take(idle) {
            self.handle_next(node);
        }
    }

    /// Handles the next message, if there is one.
    fn handle_next(&mut self, index: usize) -> bool {
        let node = &mut self.nodes[index];
        let Some((from, message)) = node.queue.pop_front() else { return false };
        node.handles = true;
        let Steps { answer, take, resume, gather, tail, .. } = self.steps;
        let mut done = self.now;
        match message {
            Message::Request { place } => {
                let old = node.words[place as usize];
                node.words[place as usize] += 1;
                done += answer;
                let word = place * self.nodes.len() as u32 + index as u32;
                self.send(index, done, from as usize, Message::Reply { word, old });
            }
            Message::Reply { word, old } => {
                let before = node.thread;
                node.replied += 1;
                node.hashes = node.hashes.wrapping_add(told_hash(word, old));
                done += take;
                let all = node.replied as usize == node.draws.len();
                node.thread = match node.thread {
                    Thread::Waits(replies) if replies == node.replied => Thread::Looks,
                    Thread::WaitsForAll if all => Thread::Done,
                    other => other,
                };
                if node.thread != before {
                    done += resume;
                }
            }
            Message::Sum => {
                self.hand_ins += 1;
                done += gather;
            }
        }
        self.push((index, done), index, done + tail, Event::End);
        true
    }

    fn end(&mut self, index: usize) {
        let node = &mut self.nodes[index];
        self.answer.handlers += u64::from(std::mem::take(&mut node.handles));
        if self.handle_next(index) {
            return;
        }
        let node = &mut self.nodes[index];
        match node.thread {
            Thread::Runs => self.go_on(index),
            Thread::Looks => {
                node.thread = Thread::Runs;
                self.push((index, self.now), index, self.now + self.steps.look, Event::Look);
            }
            Thread::Waits(_) | Thread::WaitsForAll => node.idle = true,
            Thread::Done => self.rest(index),
        }
    }

    /// Lets the thread go on after a look in vain.
    fn go_on(&mut self, index: usize) {
        let node = &mut self.nodes[index];
        if node.asked as usize == node.draws.len() {
            if (node.replied as usize) < node.draws.len() {
                node.thread = Thread::WaitsForAll;
                return self.block(index);
            }
            node.thread = Thread::Done;
            return self.rest(index);
        }
        let word = node.draws[node.asked as usize];
        node.asked += 1;
        let awaited = node.asked.saturating_sub(WINDOW);
        let waits = node.replied < awaited;
        if waits {
            node.thread = Thread::Waits(awaited);
        }
        let nodes = self.nodes.len() as u32;
        let asked = self.now + self.steps.ask;
        self.send(index, asked, (word % nodes) as usize, Message::Request { place: word / nodes });
        if waits {
            self.push((index, self.now), index, asked, Event::Block);
        } else {
            self.push((index, asked), index, asked + self.steps.look, Event::Look);
        }
    }

    /// Blocks the thread at the present time.
    fn block(&mut self, node: usize) {
        self.answer.blocks += 1;
        self.nodes[node].idle = !self.handle_next(node);
    }

    /// Lets a node whose thread has all replies wait for messages.
    fn rest(&mut self, node: usize) {
        self.nodes[node].idle = !self.handle_next(node);
    }

    /// Lets a thread send the sum of its hashes to the first node.
    fn hand_in(&mut self, node: usize) {
        let sent = self.now + self.steps.hand_in;
        self.nodes[node].idle = false;
        self.send(node, sent, 0, Message::Sum);
        self.push((node, self.now), node, sent, Event::End);
    }

    /// Compares the words and the replies with the additions that were asked for.
    fn check(&self) {
        let (nodes, words) = (self.nodes.len(), self.nodes[0].words.len());
        let mut counts = vec![0; nodes * words];
        self.nodes.iter().flat_map(|node| &node.draws).for_each(|&word| counts[word as usize] += 1);
        let mut hashes = 0_u64;
        for (word, &count) in (0_u32..).zip(&counts) {
            let (node, place) = (word as usize % nodes, word as usize / nodes);
            assert_eq!(self.nodes[node].words[place], count, "word {word}");
            hashes = (0..count).fold(hashes, |sum, old| sum.wrapping_add(told_hash(word, old)));
        }
        let told = self.nodes.iter().fold(0_u64, |sum, node| sum.wrapping_add(node.hashes));
        assert_eq!((told, self.hand_ins as usize), (hashes, nodes), "each reply comes once");
    }
}

/// The words that the thread of a node adds to, as the program draws them.
fn draws(node: u32, words: u32, operations: u32) -> Vec<u32> {
    let mut random = Pcg64::seed_from_u64(stream_seed(SEED, node.into()));
    let mut draw = || {
        let place: f64 = random.random();
        let _: f64 = random.random();
        ((place * f64::from(words) + 1.0) as u32).min(words) - 1
    };
    (0..operations).map(|_| draw()).collect()
}

/// The hash of a reply that says that `word` was `old`.
fn told_hash(word: u32, old: u32) -> u64 {
    mix(mix(u64::from(word)).wrapping_add(old.into()))
}
