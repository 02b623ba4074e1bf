//! A thread of a random program: carries out its script.
//!
//! This module must never know the effect of messages where they arrive.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tempest::thread::Busy;
use tempest::{NodeId, Thread};

use super::script::{Act, MAX_TRANSFER, Op, PHASES, Rule, SLOTS, Sending, To, panic_words};
use super::stage::{Label, Other, STRAY, Stage, pause, rule_of, transfer_word};

/// Messages that a guard sends to each node while its thread unwinds.
const STRAYS: u32 = 50;

/// Runs a thread of the program on `stage` to its end.
pub(super) fn run(stage: &Stage, thread: &Thread<'_>) {
    let actor = Actor::new(stage, thread);
    actor.perform(&stage.other.play.script.bodies[actor.index as usize]);
}

/// A thread.
struct Actor<'a> {
    stage: &'a Stage,
    thread: &'a Thread<'a>,
    /// The thread's number in the world.
    index: u32,
    /// By destination and slot: messages sent.
    numbers: RefCell<Vec<u32>>,
}

/// A guard that unlocks, flushes or says goodbye when it is dropped. It acts only while its thread unwinds, and all in
/// vain.
struct Guard<'a>(&'a Actor<'a>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.say_goodbye();
        }
    }
}

impl<'a> Actor<'a> {
    fn new(stage: &'a Stage, thread: &'a Thread<'a>) -> Self {
        let index = thread.node().0 * thread.threads() + thread.index();
        let numbers = RefCell::new(vec![0; thread.nodes() as usize * SLOTS]);
        Self { stage, thread, index, numbers }
    }

    fn other(&self) -> &'a Other {
        &self.stage.other
    }

    fn perform(&self, ops: &[Op]) {
        ops.iter().for_each(|op| self.perform_one(op));
    }

    fn perform_one(&self, op: &Op) {
        let thread = self.thread;
        match op {
            Op::Send(sending) => self.each(sending, |to, label, payload| self.send(to, label, payload)),
            Op::TrySend(sending) => {
                self.each(sending, |to, label, payload| self.try_send(to, label, payload))
            }
            Op::Transfer { sending, words } => {
                self.each(sending, |to, label, _| self.transfer(to, label, *words))
            }
            Op::Hold { rule, key, acts } => self.hold(*rule, *key, acts),
            Op::Poll(times) => (0..*times).for_each(|_| thread.poll()),
            Op::Work(work) => pause(*work, |operations| thread.charge(operations)),
            Op::Deposit { to, words } => {
                let place = self.other().deposits.place(self.index);
                self.nodes(*to).for_each(|to| thread.deposit(to, place, &vec![1; *words as usize]));
            }
            Op::Signal { event, amount } => thread.signal(self.other().event(*event), *amount),
            Op::Wait { event, at_least } => thread.wait(self.other().event(*event), *at_least),
            Op::Spin { event, at_least } => {
                while self.other().event(*event).count(thread) < *at_least {
                    thread.spin();
                }
            }
            Op::Ask(to) => self.nodes(*to).for_each(|to| self.ask(to)),
            Op::Phase(phase) => thread.phase(PHASES[*phase]),
            Op::Panic(number) => panic!("{}", panic_words(*number)),
            Op::Caught(inner) => {
                // Any panic is ignored: the run is over, or the panic was the thread's own affair.
                let _ = catch_unwind(AssertUnwindSafe(|| self.perform(inner)));
            }
            Op::Guarded(inner) => {
                let _guard = Guard(self);
                self.perform(inner);
            }
        }
    }

    fn nodes(&self, to: To) -> impl Iterator<Item = NodeId> + use<> {
        to.nodes(self.thread.node(), self.thread.node(), self.thread.nodes())
    }

    /// Calls `send` for each message of `sending`, with its number.
    fn each(&self, sending: &Sending, send: impl Fn(NodeId, Label, &[u64])) {
        let here = self.thread.node();
        self.other().each(here, here, sending, |to, label, payload| {
            let at = to.0 as usize * SLOTS + label.slot as usize;
            let number = self.numbers.borrow()[at] + 1;
            self.numbers.borrow_mut()[at] = number;
            send(to, Label { sender: self.index, number, ..label }, payload);
        });
    }

    fn send(&self, to: NodeId, label: Label, payload: &[u64]) {
        match rule_of(label.slot) {
            Rule::Other => self.thread.send_with(to, Other::foreign(label), payload),
            _ => self.thread.send_with(to, Stage::note(label), payload),
        }
    }

    fn try_send(&self, to: NodeId, label: Label, payload: &[u64]) {
        match rule_of(label.slot) {
            Rule::Other => {
                if let Err(Busy(back)) = self.thread.try_send_with(to, Other::foreign(label), payload) {
                    self.thread.send_with(to, back, payload);
                }
            }
            _ => {
                if let Err(Busy(back)) = self.thread.try_send_with(to, Stage::note(label), payload) {
                    self.thread.send_with(to, back, payload);
                }
            }
        }
    }

    fn transfer(&self, to: NodeId, label: Label, words: u32) {
        let place = self.other().places.place(self.index * MAX_TRANSFER);
        let (data, label) =
            (vec![transfer_word(self.index); words as usize], Label { words: words as u16, ..label });
        match rule_of(label.slot) {
            Rule::Other => self.thread.transfer(to, place, &data, Other::foreign(label)),
            _ => self.thread.transfer(to, place, &data, Stage::note(label)),
        }
    }

    fn hold(&self, rule: Rule, key: u32, acts: &[Act]) {
        let stated = rule.key(key, self.other().space);
        self.thread.hold(stated, |cx| self.stage.visit(rule.slot(key), 0, acts, cx));
    }

    fn ask(&self, to: NodeId) {
        let waiter = self.thread.waiter();
        self.thread.send(to, Other::ask(waiter));
        self.thread.block("random.answer");
    }

    /// Polls, sends and waits, as the destructors of programs may.
    fn say_goodbye(&self) {
        let stray = Label { kind: 0, words: 0, slot: STRAY, sender: self.index, number: 0 };
        self.thread.poll();
        for _ in 0..STRAYS {
            self.nodes(To::Every).for_each(|to| self.thread.send(to, Stage::note(stray)));
        }
        self.thread.wait(self.other().event(0), u64::MAX);
    }
}
