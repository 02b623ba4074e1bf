//! The result of a random program, computed one event after the other.
//!
//! Threads run as far as they get, then all messages are handled, then threads again, until nothing changes. Counts
//! never fall and are never taken away, so every order has the same result: if all threads end, the counts are those of
//! the run; if not, the waiting threads are the deadlock. A panic stops its thread or handler alone here, so that all
//! panics are found that a run may meet first. This module must never know how a world runs anything.

use std::collections::BTreeSet;

use tempest::{NodeId, Shape, ThreadId};

use super::script::{Act, DEPOSITED, EVENTS, Op, PHASES, SLOTS, Script, Sending, event_name};

/// Required result of a run.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Verdict {
    /// The run ends well, after this number of messages.
    Well { nodes: Vec<Counts>, messages: u64 },
    /// The run fails by a panic of this set.
    Fails(BTreeSet<u32>),
    /// These threads wait in vain.
    Deadlock(Vec<Stuck>),
}

/// Counts of a node.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Counts {
    /// By slot: events that were handled, and holds.
    pub(super) visits: [u64; SLOTS],
    /// By number: the counts of events.
    pub(super) events: [u64; EVENTS.len() + 1],
}

/// A thread that waits in vain.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stuck {
    pub(super) thread: ThreadId,
    /// Texts that a report on it must contain.
    pub(super) says: Vec<String>,
    /// Whether it computes meanwhile, so that no world on a host can tell.
    pub(super) spins: bool,
}

/// Error: a program takes more messages than a run may.
#[derive(Debug)]
pub(super) struct TooLarge;

/// A message in flight.
struct Message {
    to: NodeId,
    source: NodeId,
    kind: usize,
    key: u32,
}

/// An operation of a thread, and the point where the thread goes on after a caught panic.
struct Step<'a> {
    op: &'a Op,
    catch: Option<usize>,
}

/// A thread.
struct Actor<'a> {
    thread: ThreadId,
    steps: Vec<Step<'a>>,
    at: usize,
}

struct Machine<'a> {
    script: &'a Script,
    shape: Shape,
    most: u64,
    nodes: Vec<Counts>,
    flying: Vec<Message>,
    messages: u64,
    panics: BTreeSet<u32>,
    /// By phase: threads that have entered.
    entered: [BTreeSet<ThreadId>; PHASES.len()],
}

/// The result of a run of `script` on nodes of that shape.
///
/// # Errors
/// If it takes more than `most` messages.
pub(super) fn judge(script: &Script, shape: Shape, most: u64) -> Result<Verdict, TooLarge> {
    let none = Counts { visits: [0; SLOTS], events: [0; EVENTS.len() + 1] };
    let mut machine = Machine {
        script,
        shape,
        most,
        nodes: vec![none; shape.nodes as usize],
        flying: Vec::new(),
        messages: 0,
        panics: BTreeSet::new(),
        entered: Default::default(),
    };
    let mut actors: Vec<_> =
        (0..).zip(&script.bodies).map(|(index, body)| Actor::new(index, shape, body)).collect();
    while actors.iter_mut().map(|actor| machine.run(actor)).fold(false, |any, moved| any | moved) {
        machine.deliver();
        if machine.messages > most {
            return Err(TooLarge);
        }
    }
    Ok(machine.verdict(&actors))
}

impl<'a> Actor<'a> {
    fn new(index: u32, shape: Shape, body: &'a [Op]) -> Self {
        let mut steps = Vec::new();
        flatten(body, &mut steps);
        let thread = ThreadId { node: NodeId(index / shape.threads), index: index % shape.threads };
        Self { thread, steps, at: 0 }
    }

    /// Ends the thread: none of its later operations runs.
    fn stop(&mut self) {
        self.at = self.steps.len();
    }
}

/// The operations of a body, one after the other. The innermost `Caught` catches.
fn flatten<'a>(body: &'a [Op], steps: &mut Vec<Step<'a>>) {
    for op in body {
        let from = steps.len();
        steps.push(Step { op, catch: None });
        flatten(op.inner(), steps);
        if matches!(op, Op::Caught(_)) {
            let end = steps.len();
            steps[from + 1..].iter_mut().for_each(|step| step.catch = step.catch.or(Some(end)));
        }
    }
}

impl Machine<'_> {
    /// Runs a thread as far as it gets. Returns whether it got further, or the program is too large.
    fn run(&mut self, actor: &mut Actor<'_>) -> bool {
        let before = actor.at;
        while let Some(step) = actor.steps.get(actor.at) {
            let (op, catch) = (step.op, step.catch);
            if self.is_held_up(actor.thread, op) {
                break;
            }
            actor.at += 1;
            match (op, catch) {
                (Op::Panic(_), Some(end)) => actor.at = end,
                (Op::Panic(number), None) => {
                    self.panics.insert(*number);
                    actor.stop();
                }
                _ if !self.perform(actor.thread.node, op) => actor.stop(),
                _ => {}
            }
            if self.messages > self.most {
                return true;
            }
        }
        actor.at > before
    }

    /// Whether a thread cannot go on. A phase holds a thread up until all threads have entered it; the call records
    /// that this thread has.
    fn is_held_up(&mut self, thread: ThreadId, op: &Op) -> bool {
        match *op {
            Op::Wait { event, at_least } | Op::Spin { event, at_least } => {
                self.nodes[thread.node.0 as usize].events[event] < at_least
            }
            Op::Phase(phase) => {
                self.entered[phase].insert(thread);
                self.entered[phase].len() < self.script.bodies.len()
            }
            _ => false,
        }
    }

    /// Carries out the immediate effects of an operation; false if it ends the thread.
    fn perform(&mut self, here: NodeId, op: &Op) -> bool {
        match op {
            Op::Send(sending) | Op::TrySend(sending) | Op::Transfer { sending, .. } => {
                self.send(here, here, sending)
            }
            Op::Hold { rule, key, acts } => {
                self.visit(here, rule.slot(*key));
                return self.act(here, here, acts);
            }
            Op::Deposit { to, words } => {
                for node in to.nodes(here, here, self.shape.nodes) {
                    self.nodes[node.0 as usize].events[DEPOSITED] += u64::from(*words);
                }
            }
            Op::Signal { event, amount } => self.nodes[here.0 as usize].events[*event] += amount,
            Op::Ask(to) => self.messages += 2 * to.nodes(here, here, self.shape.nodes).count() as u64,
            Op::Poll(_) | Op::Work(_) | Op::Wait { .. } | Op::Spin { .. } | Op::Phase(_) => {}
            Op::Panic(_) | Op::Caught(_) | Op::Guarded(_) => {}
        }
        true
    }

    /// Carries out the actions of a handler or a hold; false if it panics.
    fn act(&mut self, here: NodeId, source: NodeId, acts: &[Act]) -> bool {
        for act in acts {
            match act {
                Act::Send(sending) => self.send(here, source, sending),
                Act::Signal { event, amount } => self.nodes[here.0 as usize].events[*event] += amount,
                Act::Panic(number) => {
                    self.panics.insert(*number);
                    return false;
                }
            }
            if self.messages > self.most {
                return true;
            }
        }
        true
    }

    fn send(&mut self, here: NodeId, source: NodeId, sending: &Sending) {
        let &Sending { kind, to, times } = sending;
        for key in (0..self.script.kinds[kind].keys).cycle().take(times as usize) {
            for to in to.nodes(here, source, self.shape.nodes) {
                self.messages += 1;
                self.flying.push(Message { to, source: here, kind, key });
            }
        }
    }

    fn visit(&mut self, node: NodeId, slot: usize) {
        self.nodes[node.0 as usize].visits[slot] += 1;
    }

    /// Handles all messages, including the ones sent meanwhile.
    fn deliver(&mut self) {
        let script = self.script;
        while let Some(Message { to, source, kind, key }) = self.flying.pop() {
            let kind = &script.kinds[kind];
            self.visit(to, kind.rule.slot(key));
            self.act(to, source, &kind.acts);
            if self.messages > self.most {
                return;
            }
        }
    }

    fn verdict(self, actors: &[Actor<'_>]) -> Verdict {
        if !self.panics.is_empty() {
            return Verdict::Fails(self.panics);
        }
        let stuck: Vec<_> = actors.iter().filter_map(stuck).collect();
        match stuck.is_empty() {
            true => Verdict::Well { nodes: self.nodes, messages: self.messages },
            false => Verdict::Deadlock(stuck),
        }
    }
}

/// A thread that has not come to its end.
fn stuck(actor: &Actor<'_>) -> Option<Stuck> {
    let (says, spins) = match *actor.steps.get(actor.at)?.op {
        Op::Phase(phase) => (vec![PHASES[phase].to_owned()], false),
        // A report has the count that the wait began with, which depends on the order of events.
        Op::Wait { event, at_least } => (vec![event_name(event).to_owned(), at_least.to_string()], false),
        Op::Spin { event, at_least } => (vec![event_name(event).to_owned(), at_least.to_string()], true),
        _ => unreachable!("nothing else holds a thread up"),
    };
    Some(Stuck { thread: actor.thread, says, spins })
}
