//! A small world with random events that a real world may have, and the slices that a trace of it must show.
//!
//! Only its order is like that of a real engine: each processor records its own events in the order of its own clock,
//! and an event that depends on another processor's has a time that is not before it.

use std::collections::{BTreeMap, VecDeque};

use crate::check::Slice;
use tradewind_trace::{Cast, Event};
use units::Time;

const WORDS: [&str; 3] = ["lock", "barrier", "page"];
const MESSAGES: [&str; 2] = ["Ask", "Reply"];
const NANOSECOND: u64 = 1_000_000;

/// A step to try: kind of event, processor, argument, and femtoseconds before it.
pub(crate) type Step = (u8, u8, u8, u32);

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    New,
    Ready,
    Runs,
    Blocked,
    Done,
}

#[derive(Debug)]
struct Thread {
    state: State,
    /// Not before then does the next thing happen to it.
    since: u64,
}

#[derive(Debug, Default)]
struct Processor {
    now: u64,
    thread: Option<u32>,
    handlers: usize,
}

/// A message, or a deposit, which has none.
#[derive(Debug)]
struct InFlight {
    flow: u64,
    from: u32,
    to: u32,
    message: Option<u16>,
    at: u64,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) cast: Cast,
    processors: Vec<Processor>,
    threads: Vec<Thread>,
    wires: Vec<InFlight>,
    phase: u64,
    open: BTreeMap<String, Vec<(u64, String)>>,
    /// Events, each with the number of the processor that recorded it.
    pub(crate) events: Vec<(usize, (Time, Event))>,
    pub(crate) slices: Vec<Slice>,
    /// Number, sent, and handled or in place, in nanoseconds.
    pub(crate) flows: Vec<(u64, u64, Option<u64>)>,
    pub(crate) instants: usize,
}

impl World {
    /// The world after all steps that are possible, on `nodes` nodes of these processors and threads.
    pub(crate) fn run(nodes: u32, computing: u16, dedicated: u16, threads: u32, steps: &[Step]) -> World {
        let cast = Cast {
            machine: "model".into(),
            nodes,
            computing,
            dedicated,
            threads,
            messages: vec!["conversation::Ask", "conversation::Reply"],
            counters: Vec::new(),
        };
        let processors = nodes as usize * (computing + dedicated) as usize;
        let mut world = World {
            cast,
            processors: (0..processors).map(|_| Processor::default()).collect(),
            threads: (0..nodes * threads).map(|_| Thread { state: State::New, since: 0 }).collect(),
            wires: Vec::new(),
            phase: 0,
            open: BTreeMap::new(),
            events: Vec::new(),
            slices: Vec::new(),
            flows: Vec::new(),
            instants: 0,
        };
        world.begin("model/phases".into(), 0, "before the first phase");
        for &(what, who, with, after) in steps {
            let who = usize::from(who) % processors;
            world.processors[who].now += u64::from(after);
            world.step(what, who, usize::from(with));
        }
        world.close();
        world
    }

    /// The events in the order in which they reach a recorder if each processor hands in batches of its own: `picks`
    /// chooses the next processor and the length of its batch.
    pub(crate) fn in_batches(&self, picks: &[(u8, u8)]) -> Vec<(Time, Event)> {
        let mut queues: Vec<VecDeque<(Time, Event)>> =
            self.processors.iter().map(|_| VecDeque::new()).collect();
        for &(who, event) in &self.events {
            queues[who].push_back(event);
        }
        let mut all = Vec::new();
        for &(who, many) in picks {
            let queue = &mut queues[usize::from(who) % self.processors.len()];
            let many = queue.len().min(many.into());
            all.extend(queue.drain(..many));
        }
        all.extend(queues.into_iter().flatten());
        all
    }

    fn step(&mut self, what: u8, who: usize, with: usize) {
        let idle = self.processors[who].handlers == 0;
        match what % 12 {
            0 | 1 if idle && self.processors[who].thread.is_none() => self.dispatch(who, with),
            2 if idle => self.block(who, with),
            3 if idle && with.is_multiple_of(4) => self.end_thread(who),
            4 | 5 => self.resume(who, with),
            6 => self.send(who, with, Some((with % MESSAGES.len()) as u16)),
            7 => self.send(who, with, None),
            8 | 9 if self.processors[who].handlers < 3 => self.receive(who, with),
            10 if !idle => self.end_handler(who),
            11 if with.is_multiple_of(4) => self.phase(who, with),
            11 => {
                let (node, processor) = self.place(who);
                self.instants += 1;
                self.tell(who, Event::Interrupt { node, processor });
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, who: usize, with: usize) {
        let (node, processor) = self.place(who);
        let thread = with as u32 % self.cast.threads;
        let home = thread as usize % usize::from(self.cast.computing);
        let state = self.thread(node, thread).state;
        if home != usize::from(processor) || !matches!(state, State::New | State::Ready) {
            return;
        }
        self.wait_until(who, self.threads[self.thread_index(node, thread)].since);
        self.tell(who, Event::Run { node, processor, thread });
        self.begin(self.track(who), self.processors[who].now, &format!("thread {thread}"));
        if state == State::New {
            self.tell(who, Event::ThreadStart { node, thread });
            self.begin(format!("node {node}/thread {thread}"), self.processors[who].now, "thread runs");
        }
        self.thread(node, thread).state = State::Runs;
        self.processors[who].thread = Some(thread);
    }

    fn block(&mut self, who: usize, with: usize) {
        let Some(thread) = self.leave(who, State::Blocked) else { return };
        let (node, processor) = self.place(who);
        let what = WORDS[with % WORDS.len()];
        self.tell(who, Event::Block { node, thread, what });
        self.begin(format!("node {node}/thread {thread}"), self.processors[who].now, what);
        self.tell(who, Event::Leave { node, processor, thread });
    }

    fn end_thread(&mut self, who: usize) {
        let Some(thread) = self.leave(who, State::Done) else { return };
        let (node, processor) = self.place(who);
        self.tell(who, Event::ThreadEnd { node, thread });
        self.end(format!("node {node}/thread {thread}"), self.processors[who].now);
        self.tell(who, Event::Leave { node, processor, thread });
    }

    fn leave(&mut self, who: usize, state: State) -> Option<u32> {
        let thread = self.processors[who].thread.take()?;
        let (now, (node, _)) = (self.processors[who].now, self.place(who));
        *self.thread(node, thread) = Thread { state, since: now };
        self.end(self.track(who), now);
        Some(thread)
    }

    fn resume(&mut self, who: usize, with: usize) {
        let (node, thread) = (self.place(who).0, with as u32 % self.cast.threads);
        if self.thread(node, thread).state != State::Blocked {
            return;
        }
        self.wait_until(who, self.threads[self.thread_index(node, thread)].since);
        let now = self.processors[who].now;
        self.tell(who, Event::Resume { node, thread });
        self.end(format!("node {node}/thread {thread}"), now);
        *self.thread(node, thread) = Thread { state: State::Ready, since: now };
    }

    fn send(&mut self, who: usize, with: usize, message: Option<u16>) {
        let (node, processor) = self.place(who);
        let to = with as u32 % self.cast.nodes;
        let flow = self.flows.len() as u64;
        let now = self.processors[who].now;
        let bytes = with as u32;
        self.tell(
            who,
            match message {
                Some(message) => Event::Send { node, processor, to, message, bytes, flow },
                None => Event::Deposit { node, processor, to, bytes, flow },
            },
        );
        self.instants += 1;
        self.flows.push((flow, now / NANOSECOND, None));
        self.wires.push(InFlight { flow, from: node, to, message, at: now + with as u64 * 10_000 });
    }

    fn receive(&mut self, who: usize, with: usize) {
        let (node, processor) = self.place(who);
        let here: Vec<_> = (0..self.wires.len()).filter(|&wire| self.wires[wire].to == node).collect();
        if here.is_empty() {
            return;
        }
        let InFlight { flow, from, message, at, .. } = self.wires.swap_remove(here[with % here.len()]);
        self.wait_until(who, at);
        let now = self.processors[who].now;
        self.instants += 1;
        self.flows[flow as usize].2 = Some(now / NANOSECOND);
        let Some(message) = message else {
            return self.tell(who, Event::Place { node, from, flow });
        };
        // The arrival is told late, as by a processor that looks into its queue.
        let arrive = Event::Arrive { node, from, message, flow };
        self.events.push((who, (Time::from_femtoseconds(at), arrive)));
        self.tell(who, Event::HandlerStart { node, processor, message, source: from, flow });
        self.begin(self.track(who), now, MESSAGES[usize::from(message)]);
        self.processors[who].handlers += 1;
    }

    fn end_handler(&mut self, who: usize) {
        let (node, processor) = self.place(who);
        self.tell(who, Event::HandlerEnd { node, processor });
        self.end(self.track(who), self.processors[who].now);
        self.processors[who].handlers -= 1;
    }

    fn phase(&mut self, who: usize, with: usize) {
        // Apart, so that it is clear which of two is the first.
        self.wait_until(who, self.phase + NANOSECOND);
        self.phase = self.processors[who].now;
        let name = WORDS[with % WORDS.len()];
        self.tell(who, Event::Phase { index: 0, name });
        self.end("model/phases".into(), self.phase);
        self.begin("model/phases".into(), self.phase, name);
    }

    /// Ends open slices with the last event.
    fn close(&mut self) {
        let latest = self.events.iter().map(|(_, (at, _))| at.as_femtoseconds()).max().unwrap_or(0);
        for track in self.open.keys().cloned().collect::<Vec<_>>() {
            while !self.open[&track].is_empty() {
                self.end(track.clone(), latest);
            }
        }
        self.slices.sort();
    }

    fn begin(&mut self, track: String, at: u64, name: &str) {
        self.open.entry(track).or_default().push((at / NANOSECOND, name.into()));
    }

    fn end(&mut self, track: String, at: u64) {
        let stack = self.open.get_mut(&track).expect("something was begun");
        let (start, name) = stack.pop().expect("what was begun last ends first");
        let (depth, end) = (stack.len(), at / NANOSECOND);
        self.slices.push(Slice { track: track.into(), start, end, depth, name: name.into() });
    }

    fn tell(&mut self, who: usize, event: Event) {
        self.events.push((who, (Time::from_femtoseconds(self.processors[who].now), event)));
    }

    fn wait_until(&mut self, who: usize, at: u64) {
        let now = &mut self.processors[who].now;
        *now = at.max(*now);
    }

    fn place(&self, who: usize) -> (u32, u16) {
        let each = usize::from(self.cast.computing + self.cast.dedicated);
        ((who / each) as u32, (who % each) as u16)
    }

    fn track(&self, who: usize) -> String {
        let (node, processor) = self.place(who);
        let kind = if processor < self.cast.computing { "" } else { "protocol " };
        format!("node {node}/{kind}processor {processor}")
    }

    fn thread_index(&self, node: u32, thread: u32) -> usize {
        (node * self.cast.threads + thread) as usize
    }

    fn thread(&mut self, node: u32, thread: u32) -> &mut Thread {
        let index = self.thread_index(node, thread);
        &mut self.threads[index]
    }
}
