//! Random programs from seeds.
//!
//! A program is drawn in stages: sends, holds and computation of threads come first, the oracle computes the resulting
//! counts of each node, and waits for no more than these end the stage. So most programs end well, and all that do
//! exercise waits. Then come panics, waits in vain, and threads that catch or clean up. This module must never know how
//! a world runs anything.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tempest::{MAX_WORDS, Shape};

use super::oracle::{TooLarge, Verdict, judge};
use super::script::{
    Act, DEPOSITED, EVENTS, KEYS, Kind, MAX_TRANSFER, Op, PHASES, Rule, Script, Sending, To,
};

/// The most messages of a program: a run takes some milliseconds.
pub(super) const MOST: u64 = 2_000;

/// Words of a payload behind the two of a message's label.
const MAX_PAYLOAD: usize = MAX_WORDS - 2;

/// A source of choices.
pub(crate) struct Draw {
    random: Pcg64,
    shape: Shape,
    /// Panics that have been drawn.
    panics: u32,
}

/// Operations of each thread of the world.
type Bodies = Vec<Vec<Op>>;

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Pcg64::seed_from_u64(seed), shape: Shape { nodes: 1, threads: 1 }, panics: 0 }
    }

    /// A number from `from` to `to`, both included.
    pub(crate) fn number(&mut self, from: u32, to: u32) -> u32 {
        self.random.random_range(from..=to)
    }

    /// True with probability one in `cases`.
    pub(super) fn one_in(&mut self, cases: u32) -> bool {
        self.number(1, cases) == 1
    }

    /// Picks one of several values at random.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.random_range(0..of.len())]
    }

    /// A program for nodes of that shape. Threads that share a processor must not keep it, so only where `may_spin` do they wait
    /// by computing.
    pub(super) fn script(&mut self, shape: Shape, may_spin: bool) -> Script {
        self.shape = shape;
        let kinds = self.number(1, 6) as usize;
        let mut script =
            Script { kinds: (0..kinds).map(|at| self.kind(at, kinds)).collect(), bodies: Vec::new() };
        script.bodies = vec![Vec::new(); (shape.nodes * shape.threads) as usize];
        // The same choice for all threads, else some would wait for ever.
        for stage in 0..self.number(1, PHASES.len() as u32) as usize {
            self.stage(stage == 0, &mut script, may_spin);
            if self.one_in(2) {
                script.bodies.iter_mut().for_each(|body| body.push(Op::Phase(stage)));
            }
        }
        self.disturb(&mut script);
        if !matches!(judge(&script, shape, MOST), Ok(Verdict::Well { .. })) {
            script.bodies.iter_mut().flatten().for_each(stop_spinning);
        }
        script
    }

    /// Kind number `at`, which starts only kinds behind it.
    fn kind(&mut self, at: usize, kinds: usize) -> Kind {
        let acts = if self.one_in(3) { 0 } else { self.number(0, 3) };
        let acts = (0..acts).map(|_| self.act(at + 1, kinds)).collect();
        Kind {
            rule: self.rule(),
            keys: self.number(1, KEYS as u32),
            payload: if self.one_in(2) { 0 } else { self.number(1, MAX_PAYLOAD as u32) as usize },
            work: self.work(),
            acts,
        }
    }

    fn rule(&mut self) -> Rule {
        // Sequential events are rarer, or all would take turns.
        if self.one_in(8) { Rule::Sequential } else { self.pick(&Rule::ALL[..4]) }
    }

    fn work(&mut self) -> u32 {
        match self.number(0, 9) {
            0..=6 => 0,
            7..=8 => self.number(10, 300),
            _ => self.number(1_000, 20_000),
        }
    }

    /// Draws an action of a handler; it may send messages of the kinds from `from` on.
    fn act(&mut self, from: usize, kinds: usize) -> Act {
        if from < kinds && !self.one_in(3) {
            return Act::Send(self.sending(from, kinds));
        }
        let (event, amount) = self.signal();
        Act::Signal { event, amount }
    }

    fn signal(&mut self) -> (usize, u64) {
        (self.number(0, EVENTS.len() as u32 - 1) as usize, u64::from(self.number(1, 5)))
    }

    fn sending(&mut self, from: usize, kinds: usize) -> Sending {
        let times = match self.number(0, 19) {
            0 => self.number(50, 400),
            1..=4 => self.number(5, 40),
            _ => self.number(1, 4),
        };
        Sending { kind: self.number(from as u32, kinds as u32 - 1) as usize, to: self.to(), times }
    }

    fn to(&mut self) -> To {
        self.pick(&[To::Here, To::Next, To::Back, To::Every])
    }

    /// Gives every thread more work, and then something to wait for. Halves the sends until they are not too many; the
    /// sends of handlers only in the first stage, because later stages wait for their counts.
    fn stage(&mut self, is_first: bool, script: &mut Script, may_spin: bool) {
        let roles: Vec<Vec<Op>> = (0..self.number(1, 3)).map(|_| self.role(script.kinds.len())).collect();
        let mut added: Bodies = script.bodies.iter().map(|_| Vec::new()).collect();
        added
            .iter_mut()
            .for_each(|body| body.clone_from(&roles[self.number(0, roles.len() as u32 - 1) as usize]));
        let counts = loop {
            let mut with = script.clone();
            with.bodies.iter_mut().zip(&added).for_each(|(body, more)| body.extend_from_slice(more));
            match judge(&with, self.shape, MOST) {
                Ok(Verdict::Well { nodes, .. }) => {
                    script.bodies = with.bodies;
                    break nodes;
                }
                Ok(other) => unreachable!("nobody waits for more than there is: {other:?}"),
                Err(TooLarge) => halve(if is_first { &mut script.kinds } else { &mut [] }, &mut added),
            }
        };
        for (thread, body) in script.bodies.iter_mut().enumerate() {
            let node = thread / self.shape.threads as usize;
            let event = self.number(0, DEPOSITED as u32) as usize;
            let most = counts[node].events[event];
            if most > 0 && self.one_in(2) {
                let at_least = if self.one_in(2) { most } else { self.random.random_range(1..=most) };
                let spins = may_spin && self.one_in(3);
                body.push(if spins { Op::Spin { event, at_least } } else { Op::Wait { event, at_least } });
            }
        }
    }

    /// Operations of some threads in a stage, without waits.
    fn role(&mut self, kinds: usize) -> Vec<Op> {
        (0..self.number(0, 6)).map(|_| self.op(kinds)).collect()
    }

    fn op(&mut self, kinds: usize) -> Op {
        match self.number(0, 19) {
            0..=6 => Op::Send(self.sending(0, kinds)),
            7..=8 => Op::TrySend(self.sending(0, kinds)),
            9..=11 => {
                let acts = (0..self.number(0, 3)).map(|_| self.act(0, kinds)).collect();
                self.hold(acts)
            }
            12 => Op::Poll(self.number(1, 200)),
            13 => Op::Work(self.work()),
            14 => {
                let sending = Sending { times: self.number(1, 3), ..self.sending(0, kinds) };
                Op::Transfer { sending, words: self.number(1, MAX_TRANSFER) }
            }
            15..=16 => Op::Deposit { to: self.to(), words: self.number(1, MAX_WORDS as u32) },
            17 => {
                let (event, amount) = self.signal();
                Op::Signal { event, amount }
            }
            _ => Op::Ask(self.to()),
        }
    }

    fn hold(&mut self, acts: Vec<Act>) -> Op {
        let rule = self.rule();
        let key =
            if matches!(rule, Rule::NoSync | Rule::Sequential) { 0 } else { self.number(0, KEYS as u32 - 1) };
        Op::Hold { rule, key, acts }
    }

    /// Makes some programs fail, some wait in vain, and some threads catch panics or clean up behind them.
    fn disturb(&mut self, script: &mut Script) {
        for _ in 0..self.number(0, 2) {
            self.wrap(script);
        }
        match self.number(0, 11) {
            0 => {
                let at = self.number(0, script.kinds.len() as u32 - 1) as usize;
                let panic = Act::Panic(self.panic());
                script.kinds[at].acts.push(panic);
            }
            1 => {
                let panic = Act::Panic(self.panic());
                let op = self.hold(vec![panic]);
                self.insert_anywhere(script, op);
            }
            2 => {
                let op = Op::Panic(self.panic());
                self.insert(script, op);
            }
            3 => {
                // Its own affair.
                let op = Op::Caught(vec![Op::Panic(self.panic())]);
                self.insert(script, op);
            }
            4..=5 => {
                let event = self.number(0, DEPOSITED as u32) as usize;
                self.insert(script, Op::Wait { event, at_least: 1 << 40 });
            }
            _ => {}
        }
    }

    fn panic(&mut self) -> u32 {
        self.panics += 1;
        self.panics
    }

    /// Inserts an operation somewhere, in the body of any thread.
    fn insert(&mut self, script: &mut Script, op: Op) {
        let body = self.number(0, script.bodies.len() as u32 - 1) as usize;
        let body = &mut script.bodies[body];
        let at = self.number(0, body.len() as u32) as usize;
        body.insert(at, op);
    }

    /// Inserts an operation at a random place, also inside operations whose panics are caught or cleaned up behind.
    fn insert_anywhere(&mut self, script: &mut Script, op: Op) {
        let body = self.number(0, script.bodies.len() as u32 - 1) as usize;
        let mut list = &mut script.bodies[body];
        while let Some(at) = list.iter().position(|op| !op.inner().is_empty()) {
            if self.one_in(3) {
                break;
            }
            list = match &mut list[at] {
                Op::Caught(inner) | Op::Guarded(inner) => inner,
                _ => unreachable!("nothing else has operations inside"),
            };
        }
        let at = self.number(0, list.len() as u32) as usize;
        list.insert(at, op);
    }

    /// Has some threads catch panics, or clean up when they unwind, from some operation on.
    fn wrap(&mut self, script: &mut Script) {
        let catches = self.one_in(2);
        for body in &mut script.bodies {
            if self.one_in(2) {
                let at = self.number(0, body.len() as u32) as usize;
                let inner = body.split_off(at);
                body.push(if catches { Op::Caught(inner) } else { Op::Guarded(inner) });
            }
        }
    }
}

/// Half of everything that is sent several times; where all is sent once, the last operation of every thread goes.
fn halve(kinds: &mut [Kind], added: &mut Bodies) {
    let acts = kinds.iter_mut().flat_map(|kind| &mut kind.acts);
    let mut sendings: Vec<_> = acts.filter_map(sending_of_act).collect();
    for op in added.iter_mut().flatten() {
        match op {
            Op::Send(sending) | Op::TrySend(sending) | Op::Transfer { sending, .. } => sendings.push(sending),
            Op::Hold { acts, .. } => sendings.extend(acts.iter_mut().filter_map(sending_of_act)),
            _ => {}
        }
    }
    let can_shrink = sendings.iter().any(|sending| sending.times > 1);
    sendings.iter_mut().for_each(|sending| sending.times = sending.times.div_ceil(2));
    if !can_shrink {
        added.iter_mut().for_each(|body| drop(body.pop()));
    }
}

fn sending_of_act(act: &mut Act) -> Option<&mut Sending> {
    match act {
        Act::Send(sending) => Some(sending),
        Act::Signal { .. } | Act::Panic(_) => None,
    }
}

/// Has a thread block where it would compute: in a run that does not end well no message would end its spin.
fn stop_spinning(op: &mut Op) {
    match op {
        Op::Spin { event, at_least } => *op = Op::Wait { event: *event, at_least: *at_least },
        Op::Caught(inner) | Op::Guarded(inner) => inner.iter_mut().for_each(stop_spinning),
        _ => {}
    }
}
